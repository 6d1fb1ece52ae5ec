"""Whether episodes and concepts help an answer: the same questions before and after the usual thinkers.

Of each shape of memory (notes, facts, commits, jottings, a handbook, a language, and with ``--data`` conversations of
LoCoMo) it is measured how much of what answers a question is among the first ten that are found: before thinking, and
after it among events alone, events and episodes, and everything. An episode is no answer itself, since what it says its
events say; ``members`` counts what is in an episode that was found as found.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean
from typing import Any, Final

from yggdrasil import Memory, Where
from yggdrasil.engines.embedded import Embedded
from yggdrasil.engines.embedding import Embedding
from yggdrasil.thinking.known import thinkers_of
from yggdrasil.thinking.once import think_over
from yggdrasil_infra.embedders import Embedder

from ..measure import Bar, Report, Size, say
from ..recall.embedding import Cached, offline
from ..recall.locomo_questions import conversations
from ..recall.shapes.asking import remembered
from ..recall.shapes.benchmark import DATA
from ..recall.shapes.dialogues import dialogues
from ..recall.shapes.shape import Asked, Shape, found_at, written

UNTIMED: Final = True

CUT: Final = 10
# Points that thinking may cost the mean of all shapes, or of multi-hop questions, and any one shape: two questions of
# the 45 in German. Of the few that are asked in a quick run one is several points.
SLACK: Final = {Size.TINY: 100.0, Size.QUICK: 3.0, Size.FULL: 1.0}
WORST: Final = {Size.TINY: 100.0, Size.QUICK: 8.0, Size.FULL: 5.0}
CANDIDATES: Final[dict[str, Where | None]] = {
    "events": Where(kinds=["event"]),
    "events and episodes": Where(kinds=["event", "episode"]),
    "all": None,
}
_WRITTEN: Final = ("notes", "exact", "commits", "jottings", "handbook", "language_de")
_MULTI_HOP: Final = 1


@dataclass(slots=True)
class Found:
    """What was found of questions, as shares, without and with the ``members`` of episodes; ``made`` counts these."""

    shares: list[float] = field(default_factory=list[float])
    members: list[float] = field(default_factory=list[float])
    made: list[int] = field(default_factory=list[int])

    def add(self, other: "Found") -> None:
        """Take in what was found of other questions."""
        self.shares += other.shares
        self.members += other.members
        self.made += other.made

    @property
    def percent(self) -> float:
        """The mean share found, in percent."""
        return 100.0 * mean(self.shares)

    def figures(self, name: str) -> dict[str, float]:
        """Return means: shares in percent, and how many episodes and concepts are among ten."""
        return {
            f"{name}, found at 10, percent": self.percent,
            f"{name}, found or in an episode at 10, percent": 100.0 * mean(self.members),
            f"{name}, episodes and concepts in an answer": mean(self.made),
        }


def run(size: Size, scratch: Path, data: Path | None = None) -> Report:
    """Ask before and after; a quick run takes a part of the questions, and words alone."""
    report = Report("episodic")
    shapes = list(_shapes(size, data))
    with offline() as models:
        for model in (None, *(Cached(model) for model in models[: size.pick(0, 0, 1)])):
            name = "words" if model is None else model.model
            found: dict[str, dict[str, Found]] = {}
            for place, (shape, multi_hop) in enumerate(shapes):
                say(f"  {shape.name}: {len(shape.texts)} texts, {len(shape.own)} questions, {name}")
                answers = _asked(shape, multi_hop, scratch / f"{name}-{place}", model)
                for of, each in answers.items():
                    for when, of_this in each.items():
                        found.setdefault(of, {}).setdefault(when, Found()).add(of_this)
            _tell(report, name, found, size)
    return report


def _shapes(size: Size, data: Path | None) -> Iterator[tuple[Shape, frozenset[str]]]:
    """Yield shapes, and which of their questions need several memories together."""
    for name in _WRITTEN[: size.pick(2, 6, 6)]:
        yield written(DATA / f"{name}.jsonl").part(size.pick(2, 25, 100_000)), frozenset()
    if data is not None:
        asked = conversations(data)[: size.pick(1, 1, 1_000)]
        for conversation, shape in zip(asked, dialogues(data), strict=False):
            hops = frozenset(one.text for one in conversation.answerable() if one.category == _MULTI_HOP)
            yield shape.part(size.pick(2, 60, 100_000)), hops


def _asked(
    shape: Shape, multi_hop: frozenset[str], scratch: Path, model: Embedder | None
) -> dict[str, dict[str, Found]]:
    """Return what was found by shape (and of multi-hop questions), by when and among which candidates."""
    found: dict[str, dict[str, Found]] = {}
    with remembered(shape, scratch, model) as memory:
        for when, where in (("before", None), *CANDIDATES.items()):
            if when == "events":
                _think(memory, model)
            for one in shape.own:
                answer = _one(memory, shape, one, where)
                for of in (shape.name, *(["multi-hop"] if one.text in multi_hop else [])):
                    found.setdefault(of, {}).setdefault(when, Found()).add(answer)
    return found


def _think(memory: Memory[Any], model: Embedder | None) -> None:
    engine: Embedded = memory.engine
    for thinker in think_over(engine, thinkers_of("usual"), None if model is None else Embedding(model)):
        if thinker.stopped:
            raise RuntimeError(thinker.stopped)


def _one(memory: Memory[Any], shape: Shape, asked: Asked, where: Where | None) -> Found:
    context = memory.get_context(asked.text, k=CUT, record=False, where=where)
    places = [one.place.seq - 1 for one in context.found]
    made = [one.memory for one in context.found if one.memory.kind in ("episode", "concept")]
    stood = {memory.describe(ref).place for one in made if one.kind == "episode" for ref in one.members}
    both = [*places, *(place.seq - 1 for place in stood if place is not None)]
    return Found([found_at(CUT, asked, places, shares=shape.shares)], [_share(asked, both, shape)], [len(made)])


def _share(asked: Asked, places: Sequence[int], shape: Shape) -> float:
    return found_at(len(places), asked, places, shares=shape.shares)


def _tell(report: Report, model: str, found: dict[str, dict[str, Found]], size: Size) -> None:
    for of, each in found.items():
        for when, answers in each.items():
            report.figures |= answers.figures(f"{model}, {of}, {when}")
    lost = {of: each["before"].percent - each["all"].percent for of, each in found.items()}
    shapes = {of: points for of, points in lost.items() if of != "multi-hop"}
    worst = max(shapes, key=lambda of: shapes[of])
    bars = [
        (f"{model}: points lost by thinking, on the mean of all shapes", mean(shapes.values()), SLACK[size]),
        (f"{model}: points lost by thinking, at most ({worst})", shapes[worst], WORST[size]),
        *((f"{model}: points lost by thinking, multi-hop", lost[of], SLACK[size]) for of in lost if of == "multi-hop"),
    ]
    report.bars += [Bar(what, value, bar, at_most=True) for what, value, bar in bars]
