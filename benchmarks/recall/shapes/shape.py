"""A shape: texts to remember, and questions of which it is known which of the texts answer them, if any does."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import mean
from typing import Final, TypeVar

import orjson

from yggdrasil_producers.draft import Draft, Drafter

CUTS: Final = (1, 3, 10)
_ItemT = TypeVar("_ItemT")


@dataclass(frozen=True, slots=True)
class Text:
    """Something to remember, and its session."""

    text: str
    session: str = "default"


@dataclass(frozen=True, slots=True)
class Asked:
    """A question and the places of the texts that answer it; none where nothing does."""

    text: str
    answers: frozenset[int]


@dataclass(frozen=True, slots=True)
class Shape:
    """``shares``: an answer that is found is counted by its share of all (as LoCoMo's evidence); else any one will do.

    ``foreign`` are questions about something else altogether. ``imported`` drafts the texts, where an importer does.
    """

    name: str
    texts: list[Text]
    asked: list[Asked]
    shares: bool = False
    foreign: list[str] = field(default_factory=list[str])
    imported: Callable[[Drafter], Iterable[Draft]] | None = None

    @property
    def own(self) -> list[Asked]:
        """The questions that something answers."""
        return [one for one in self.asked if one.answers]

    @property
    def unanswerable(self) -> list[str]:
        """The questions about what is near and is not said."""
        return [one.text for one in self.asked if not one.answers]

    def part(self, count: int) -> "Shape":
        """Return this shape with at most ``count`` of the questions of each kind, evenly spaced."""
        asked = [*_some(self.own, count), *_some([one for one in self.asked if not one.answers], count)]
        return replace(self, asked=asked, foreign=_some(self.foreign, count))


def written(path: Path, texts: Path | None = None) -> Shape:
    """Read a shape that was written down: a line of JSON for each text and question; ``texts`` may be another file."""
    lines = [orjson.loads(line) for line in path.read_bytes().splitlines()]
    said = lines if texts is None else [orjson.loads(line) for line in texts.read_bytes().splitlines()]
    remembered = [line for line in said if "id" in line]
    places = {line["id"]: place for place, line in enumerate(remembered)}
    asked = [
        Asked(line["ask"], frozenset(places[answer] for answer in line["answers"])) for line in lines if "ask" in line
    ]
    return Shape(path.stem, [Text(line["text"]) for line in remembered], asked)


def found_at(cut: int, asked: Asked, found: Sequence[int], *, shares: bool) -> float:
    """Return what of a question's answers is among the first ``cut`` that were found, in [0, 1]."""
    hits = len(asked.answers.intersection(found[:cut]))
    return hits / len(asked.answers) if shares else float(hits > 0)


def percent(shares: Iterable[float]) -> float:
    """Return a mean in percent, 0 of nothing."""
    found = list(shares)
    return 100.0 * mean(found) if found else 0.0


def _some(items: list[_ItemT], count: int) -> list[_ItemT]:
    return items[:: max(1, -(-len(items) // count))] if items else []
