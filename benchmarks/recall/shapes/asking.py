"""A shape as a memory: remembered, embedded and asked as anybody would do it. Nothing that is asked is recorded."""

from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from statistics import mean

from yggdrasil import Memory
from yggdrasil.engines.embedded import Embedded
from yggdrasil.engines.embedding import Embedding, reembed
from yggdrasil_infra.embedders import Embedder
from yggdrasil_producers.draft import Drafter

from .shape import CUTS, Shape, found_at, percent

_NAME = "shapes/one"
_K = max(CUTS)


@dataclass(slots=True)
class Answers:
    """What came of asking a shape's questions: shares found at each cut, sizes and precision of answers, refusals."""

    found: dict[int, list[float]] = field(default_factory=lambda: {cut: [] for cut in CUTS})
    sizes: list[int] = field(default_factory=list[int])
    precision: list[float] = field(default_factory=list[float])
    refused: dict[str, list[bool]] = field(default_factory=dict[str, list[bool]])

    def figures(self, name: str) -> dict[str, float]:
        """Return everything in percent, under names that begin with ``name``."""
        figures = {f"{name}_at_{cut}": percent(found) for cut, found in self.found.items()}
        if self.sizes:
            both = [
                2 * precise * found / (precise + found) if precise + found else 0.0
                for precise, found in zip(self.precision, self.found[_K], strict=True)
            ]
            figures |= {f"{name}_size": mean(self.sizes), f"{name}_precision": percent(self.precision)}
            figures |= {f"{name}_f1": percent(both)}
        return figures | {
            f"{name}_refused_{kind}": percent(refused) for kind, refused in self.refused.items() if refused
        }


@contextmanager
def remembered(shape: Shape, scratch: Path, model: Embedder | None) -> Generator[Memory]:
    """Make a memory of the texts of a shape, with the vectors of a model if one is given."""
    with Embedded(scratch, partitions=1) as engine:
        drafter = Drafter(_NAME, "benchmark", "benchmark")
        plainly = (drafter.record_event(text.text, session=text.session) for text in shape.texts)
        for _ in engine.submit_many(shape.imported(drafter) if shape.imported else plainly):
            pass
        if model is not None:
            reembed(engine, _NAME, model)
        yield Memory(engine, drafter, embedding=Embedding(model) if model else None)


def asked(memory: Memory, shape: Shape) -> Answers:
    """Ask every question of a shape of its memory."""
    answers = Answers(refused={"own": [], "near": [], "foreign": []})
    for one in shape.own:
        context = memory.get_context(one.text, k=_K, record=False)
        found = [each.place.seq - 1 for each in context.found]
        for cut, shares in answers.found.items():
            shares.append(found_at(cut, one, found, shares=shape.shares))
        answers.sizes.append(len(found))
        answers.precision.append(len(one.answers.intersection(found)) / len(found) if found else 0.0)
        answers.refused["own"].append(context.nothing is not None)
    for kind, questions in (("near", shape.unanswerable), ("foreign", shape.foreign)):
        for question in questions:
            answers.refused[kind].append(memory.get_context(question, k=1, record=False).nothing is not None)
    return answers


def ranked(search: Callable[[str], Iterable[int]], shape: Shape) -> Answers:
    """Ask every question of a shape of another search, which gives the places of the texts that it finds."""
    answers = Answers()
    for one in shape.own:
        order = [int(place) for place in islice(search(one.text), _K)]
        for cut, shares in answers.found.items():
            shares.append(found_at(cut, one, order, shares=shape.shares))
    return answers
