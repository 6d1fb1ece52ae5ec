"""A case: what a memory was told in order, a question with its filter, and exactly the notes that answer it."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

import orjson

from yggdrasil import Where

SHAPES: Final = ("superseded", "scopes", "aliases", "several", "nothing")
DATA: Final = Path(__file__).parent / "data"
ANOTHER_HAND: Final = "another_hand"
_VERDICTS: Final[tuple["Verdict", ...]] = ("withdraw", "resolve", "reinstate")
Verdict = Literal["withdraw", "resolve", "reinstate"]


@dataclass(frozen=True, slots=True)
class Note:
    """Something that is said: under a ``key`` or in place of another note (``supersedes``) if need be."""

    id: str
    text: str
    features: tuple[str, ...] = ()
    key: str | None = None
    supersedes: str | None = None
    name: str | None = None
    aliases: tuple[str, ...] = ()

    @property
    def spoken(self) -> str:
        """The text with its names, for whatever has no other place for these."""
        aliases = f" ({', '.join(self.aliases)})" if self.aliases else ""
        return f"{self.name}{aliases}: {self.text}" if self.name else self.text


@dataclass(frozen=True, slots=True)
class Judged:
    """What becomes of a note that was said before, and why."""

    verdict: Verdict
    note: str
    reason: str


@dataclass(frozen=True, slots=True)
class Case:
    """A question of one of the ``SHAPES``, the filter it is put with, and the ids of the notes that answer it."""

    shape: str
    question: str
    answers: frozenset[str]
    where: Where | None = None


@dataclass(frozen=True, slots=True)
class Told:
    """One memory: what it was told in order, and what it is asked after all of that."""

    name: str
    steps: tuple[Note | Judged, ...]
    cases: tuple[Case, ...]

    @property
    def notes(self) -> dict[str, Note]:
        """All notes that were said, whether they stand or not, by id."""
        return {step.id: step for step in self.steps if isinstance(step, Note)}

    def standing(self) -> dict[str, Note]:
        """Return the notes that stand at the end, by id: one for each key and chain, and none that was judged out."""
        return {note.id: note for note in self.kept().values()}

    def kept(self) -> dict[str, Note]:
        """Return what a user has who keeps one text under each slot: overwrites it, deletes it, puts it back."""
        kept: dict[str, Note] = {}
        for slot, note in self.changes():
            if note is None:
                kept.pop(slot, None)
            else:
                kept[slot] = note
        return kept

    def changes(self) -> Iterator[tuple[str, Note | None]]:
        """Yield slots in order with what comes into them, or with None where what is there goes."""
        slots: dict[str, str] = {}
        for step in self.steps:
            if isinstance(step, Note):
                slots[step.id] = step.key or (slots[step.supersedes] if step.supersedes else step.id)
                yield slots[step.id], step
            else:
                yield slots[step.note], self.notes[step.note] if step.verdict == "reinstate" else None

    def admitted(self, where: Where | None) -> frozenset[str]:
        """Return the ids of the notes that a filter by features admits, whether they stand or not."""
        return frozenset(note.id for note in self.notes.values() if where is None or _admits(where, note))


def told(path: Path) -> Told:
    """Read a memory that was written down: a line of JSON for each note, verdict and question."""
    lines = [orjson.loads(line) for line in path.read_bytes().splitlines()]
    steps = tuple(_step(line) for line in lines if "ask" not in line)
    cases = tuple(_case(line) for line in lines if "ask" in line)
    return Told(path.stem, steps, cases)


def all_told(by: str = "") -> list[Told]:
    """Read the memories of the 200 cases, or those that were written ``by`` another hand."""
    return [told(path) for path in sorted((DATA / by).glob("*.jsonl"))]


def _step(line: dict[str, Any]) -> Note | Judged:
    for verdict in _VERDICTS:
        if verdict in line:
            return Judged(verdict, line[verdict], line["reason"])
    given: dict[str, Any] = line | {name: tuple(line.get(name, ())) for name in ("features", "aliases")}
    return Note(**given)


def _case(line: dict[str, Any]) -> Case:
    where = Where(**line["where"]) if "where" in line else None
    return Case(line["shape"], line["ask"], frozenset(line["answers"]), where)


def _admits(where: Where, note: Note) -> bool:
    every, some = where.features_all or (), where.features_any
    return set(every) <= set(note.features) and (some is None or not set(some).isdisjoint(note.features))
