"""Cases put to memories as anybody would do it: a memory for each, in one store, with vectors of all notes."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from yggdrasil import Memory
from yggdrasil.engines.embedded import Embedded
from yggdrasil.engines.embedding import Embedding
from yggdrasil_infra.embedders import Embedder
from yggdrasil_producers.draft import Drafter
from yggdrasil_producers.stamps import Stamp

from .made import Case

K: Final = 10
OF_CLAUSES: Final = 4  # places, within which both notes of two questions have to be
OF_A_LIST: Final = 0.9
_BATCH: Final = 32


@dataclass(frozen=True, slots=True)
class Outcome:
    """The places of the notes that came of a case, in order: of the plain question, and of that for ten."""

    case: Case
    plain: tuple[int, ...]
    ten: tuple[int, ...]

    @property
    def right(self) -> bool:
        """Whether that is what the shape of the case asks for."""
        answers = self.case.answers
        match self.case.shape:
            case "clauses":
                return set(answers) <= set(self.ten[:OF_CLAUSES])
            case "list":
                return len(set(answers).intersection(self.plain)) >= OF_A_LIST * len(answers)
            case "update":
                return _leads(answers[0], self.case.old, self.plain)
            case _:
                return self.plain[:1] == answers


def asked(cases: Sequence[Case], scratch: Path, model: Embedder) -> list[Outcome]:
    """Tell each case to a memory of its own, and ask it twice; nothing that is asked is recorded."""
    outcomes: list[Outcome] = []
    with Embedded(scratch, partitions=1) as engine:
        for number, case in enumerate(cases):
            memory = _told(engine, case, number, model)
            plain, ten = (memory.get_context(case.question, k=k, record=False).found for k in (None, K))
            outcomes.append(
                Outcome(case, tuple(each.place.seq - 1 for each in plain), tuple(each.place.seq - 1 for each in ten))
            )
    return outcomes


def _told(engine: Embedded, case: Case, number: int, model: Embedder) -> Memory[Embedded]:
    name = f"asked/{number}"
    drafter, embedding = Drafter(name, "benchmark", "benchmark"), Embedding(model)
    drafts = [
        drafter.record_event(note.text, stamp=Stamp(drafter.derived_id("asked", name, str(place)), note.at))
        for place, note in enumerate(case.notes)
    ]
    for begin in range(0, len(drafts), _BATCH):
        for _, answer in engine.submit_many(embedding.all_completed(drafts[begin : begin + _BATCH])):
            assert answer.refused is None, answer.refused
    return Memory(engine, drafter, embedding=embedding)


def _leads(new: int, old: int | None, found: Sequence[int]) -> bool:
    """Whether what holds is there, and what it replaced is not before it."""
    return new in found and (old not in found or found.index(new) < found.index(old))
