"""A set as memories: remembered, embedded and asked as anybody would do it, beside plain searches of the same turns."""

import math
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import mean, stdev

from yggdrasil import Memory
from yggdrasil.engines.embedded import Embedded
from yggdrasil.engines.embedding import Embedding
from yggdrasil_infra.embedders import Embedder
from yggdrasil_producers.draft import Draft, Drafter
from yggdrasil_projections.retrieval.records import fields_in
from yggdrasil_schemas.codec import encode

from ..plain import searches
from .data import Question, Set

K = 10
_BATCH = 32


@dataclass(slots=True)
class Answers:
    """What came of asking: shares of the evidence among ten, whether it was refused, and how many tokens it took."""

    shares: list[float] = field(default_factory=list[float])
    refused: list[bool] = field(default_factory=list[bool])
    tokens: list[int] = field(default_factory=list[int])
    kinds: dict[str, list[float]] = field(default_factory=dict[str, list[float]])

    def add(self, question: Question, found: Sequence[int]) -> None:
        """Take in the places that were found for a question."""
        share = 100.0 * len(question.evidence.intersection(found[:K])) / len(question.evidence)
        self.shares.append(share)
        self.kinds.setdefault(question.kind, []).append(share)

    @property
    def at_10(self) -> float:
        """The mean share of the evidence among ten, in percent."""
        return mean(self.shares)

    @property
    def interval(self) -> float:
        """Half the width of the interval that holds the mean of such questions with a probability of 95 %."""
        return 1.96 * stdev(self.shares) / math.sqrt(len(self.shares)) if len(self.shares) > 1 else 100.0


def asked(one: Set, scratch: Path, model: Embedder) -> dict[str, Answers]:
    """Ask every question of a set of its memories, and of plain searches."""
    found = {"yggdrasil": Answers(), "yggdrasil_without_k": Answers()}
    with opened(scratch, one, model) as memories:
        for memory, held in zip(one.memories, memories, strict=True):
            for question in memory.questions:
                _ask(found["yggdrasil"], held, question, K)
                _ask(found["yggdrasil_without_k"], held, question, None)
            for name, search in searches([turn.said for turn in memory.turns], model).items():
                answers = found.setdefault(name, Answers())
                for question in memory.questions:
                    answers.add(question, [int(place) for place in search(question.text)[:K]])
    return found


def _ask(answers: Answers, memory: Memory[Embedded], question: Question, k: int | None) -> None:
    context = memory.get_context(question.text, k=k, record=False)
    answers.add(question, [each.place.seq - 1 for each in context.found])
    answers.refused.append(context.nothing is not None)
    answers.tokens.append(context.tokens)


@contextmanager
def opened(scratch: Path, one: Set, model: Embedder, *, pieces: bool = True) -> Generator[list[Memory[Embedded]]]:
    """Remember a set, a memory for each of its own; without ``pieces`` a long text has one vector alone."""
    with Embedded(scratch, partitions=1) as engine:
        embedding = Embedding(model)
        drafters = [Drafter(f"sets/{number}", "benchmark", "benchmark") for number in range(len(one.memories))]
        for drafter, memory in zip(drafters, one.memories, strict=True):
            made = list(memory.drafts(drafter))
            for begin in range(0, len(made), _BATCH):
                drafts = embedding.all_completed(made[begin : begin + _BATCH])
                for _, answer in engine.submit_many(drafts if pieces else map(_whole, drafts)):
                    assert answer.refused is None, answer.refused
        yield [Memory(engine, drafter, embedding=embedding) for drafter in drafters]


def _whole(draft: Draft) -> Draft:
    fields = fields_in(draft.value)
    (fields.get("content") or {}).get("vector", {}).pop("pieces", None)
    return replace(draft, value=encode(fields))
