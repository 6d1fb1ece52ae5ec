"""Sets of data that nobody here wrote: memories of turns, and questions whose evidence is known turn by turn.

A folder has one for each set, with a file ``dev.jsonl``: a line for each memory, ``{"name", "turns": [{id, speaker, at
(Unix ms or null), text, session}], "questions": [{question, kind, evidence: [ids], answer}]}``. A folder with a file
``dev.json`` is one in LoCoMo's format. The data is not part of this project; the benchmark takes the path of a copy.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import orjson

from yggdrasil_producers.draft import Draft, Drafter
from yggdrasil_producers.importers.locomo import import_locomo
from yggdrasil_producers.stamps import Stamp

from ..locomo_questions import CATEGORIES, conversations

SMALL: Final = 20
"""Turns; memories with fewer are also asked five in one."""
TOGETHER: Final = 5
TEXT_CHARS: Final = 50_000
"""Of a longer turn this much is remembered: a record has room for no more of any script."""
_BROKEN: Final = "[ERRORQ]"  # stands in MemDaily for a question that its makers could not make


@dataclass(frozen=True, slots=True)
class Turn:
    """What somebody said: when (Unix ms, if it is known), in which session, and who."""

    text: str
    at: int | None = None
    session: str | None = None
    speaker: str | None = None

    @property
    def said(self) -> str:
        """The text with who says it, as plain searches are given it."""
        return f"{self.speaker}: {self.text}" if self.speaker else self.text


@dataclass(frozen=True, slots=True)
class Question:
    """A question, of which kind it is, and the places of the turns that are its evidence: at least one.

    ``answer`` is what its makers say, if that is known. ``told`` are place and text of what holds its evidence, where
    that is a part of a turn.
    """

    text: str
    kind: str
    evidence: frozenset[int]
    answer: str = ""
    told: tuple[tuple[int, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Remembered:
    """One memory of a set; ``imported`` is a file of LoCoMo and its sample, where an importer drafts the turns."""

    name: str
    turns: list[Turn]
    questions: list[Question]
    imported: tuple[Path, str] | None = None

    def drafts(self, drafter: Drafter) -> Iterator[Draft]:
        """Draft its turns."""
        if self.imported is not None:
            path, sample = self.imported
            yield from import_locomo(path, drafter, sample=sample).drafts
            return
        for place, turn in enumerate(self.turns):
            yield drafter.record_event(
                turn.text,
                session=turn.session or "default",
                features=[f"speaker:{turn.speaker}"] if turn.speaker else [],
                stamp=Stamp(drafter.derived_id("sets", self.name, str(place)), turn.at),
            )


@dataclass(frozen=True, slots=True)
class Set:
    """A set by its name."""

    name: str
    memories: list[Remembered] = field(default_factory=list[Remembered])

    @property
    def questions(self) -> int:
        """How many questions it has."""
        return sum(len(memory.questions) for memory in self.memories)

    def part(self, count: int) -> "Set":
        """Return this set with about ``count`` questions, of as few memories as have so many, the smallest ones."""
        wanted = max(1, round(count * len(self.memories) / max(1, self.questions)))
        memories = sorted(self.memories, key=lambda one: len(one.turns))[:wanted]
        step = max(1, sum(len(one.questions) for one in memories) // count)
        return Set(
            self.name, [Remembered(one.name, one.turns, one.questions[::step], one.imported) for one in memories]
        )


def sets(folder: Path) -> list[Set]:
    """Read all sets in a folder, in order of their names; one of many small memories is there five in one as well."""
    found: list[Set] = []
    for path in sorted(folder.iterdir()):
        if (path / "dev.json").exists():
            found.append(Set(path.name, _locomo(path / "dev.json")))
        elif (path / "dev.jsonl").exists():
            lines = (path / "dev.jsonl").read_bytes().splitlines()
            one = Set(path.name, [memory for line in lines if (memory := _read(orjson.loads(line))).questions])
            found.append(one)
            if len(one.memories) >= TOGETHER and all(len(memory.turns) <= SMALL for memory in one.memories):
                found.append(_together(one))
    return found


def _locomo(path: Path) -> list[Remembered]:
    return [
        Remembered(
            one.name,
            [Turn(turn.said) for turn in one.turns],
            [
                Question(
                    asked.text,
                    CATEGORIES[asked.category],
                    frozenset(at for at, turn in enumerate(one.turns) if turn.dia_id in asked.evidence),
                    asked.answer,
                )
                for asked in one.answerable()
            ],
            (path, one.name),
        )
        for one in conversations(path)
    ]


def _read(line: dict[str, Any]) -> Remembered:
    """Return one memory; evidence that names no turn is left out, and so is a question that has none."""
    turns = [Turn(one["text"][:TEXT_CHARS], one["at"], one["session"], one["speaker"]) for one in line["turns"]]
    places = {one["id"]: place for place, one in enumerate(line["turns"])}
    questions = [
        Question(
            one["question"],
            one["kind"],
            frozenset(places[each] for each in one["evidence"] if each in places),
            one.get("answer") or "",
        )
        for one in line["questions"]
    ]
    kept = [one for one in questions if one.evidence and one.text.strip() != _BROKEN]
    return Remembered(line["name"], turns, kept)


def _together(one: Set) -> Set:
    """Return a set whose memories hold five of those of another."""
    count = len(one.memories) // TOGETHER
    joined: list[Remembered] = []
    for at in range(count):
        turns: list[Turn] = []
        questions: list[Question] = []
        for memory in one.memories[at::count][:TOGETHER]:  # far apart, so that they are of several kinds
            begin = len(turns)
            turns += memory.turns
            questions += [
                Question(asked.text, asked.kind, frozenset(begin + place for place in asked.evidence), asked.answer)
                for asked in memory.questions
            ]
        joined.append(Remembered(f"{at}", turns, questions))
    return Set(f"{one.name}, five in one", joined)
