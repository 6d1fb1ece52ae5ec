"""What a memory's habits have come to: does it collapse onto little, swing, repeat what fails, or recall the same?

It looks at the latest that happened and was recalled, and decides nothing: whoever reads the reports judges. The
numbers from which on something is reported are constants here, and each report says what was measured.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import ceil, exp, log, log2
from typing import Final, Literal

import numpy as np

from yggdrasil_projections.graph.laws.reference import FEATURE_PREFIX, accepted
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.graph.records import NodeKind, node_number

from ...found import Answered
from ...lens import stands
from ...memories import PAGE_BYTES, content_of, reference_of
from ...query import Read, Source, Timed
from ...records import fields_in
from ..episodic.episodes import events_of

Habit = Literal["collapse", "oscillation", "repeated_failure", "narrow_recall"]

LOOKED_AT_MAX: Final = 2_000
"""The latest events, outcomes and episodes that are looked at, and at most as many of the recalls that are kept."""
STEPS_MIN: Final = 64
"""Events that are compared with as many before them."""
RECALLS_MIN: Final = 32
"""Recalls that are compared with as many before them."""
COLLAPSED: Final = 0.5
"""Of the variety that there was: with less than this share, it has collapsed."""
SWINGS: Final = 6
"""Episodes in a row that take two paths in turn, and end well and badly in turn; more after many beginnings."""
REPEATS: Final = 5
"""Episodes in a row that take the same path to a bad end; more after many beginnings."""
_CHANCE: Final = 0.05  # that ends by lot would be reported, over all beginnings
_SAID_MAX: Final = 3
_EVIDENCE_MAX: Final = 32
_LOOKED_AT: Final = (int(NodeKind.EVENT), int(NodeKind.OUTCOME), int(NodeKind.EPISODE))


@dataclass(frozen=True, slots=True)
class DriftReport:
    """What was seen, in one ``sentence`` with its counts. ``value`` was measured, and ``bound`` is where it tells.

    ``evidence`` are the latest episodes, the latest first, or what a collapse or narrow recalls come to, the most
    frequent first: at most 32 references of what is still there.
    """

    habit: Habit
    sentence: str
    value: float
    bound: float
    evidence: list[str]


@dataclass(frozen=True, slots=True)
class Drift(Answered):
    """What there is to report, nothing in a sound memory, and what was looked at: the latest of each, as counts.

    Variety is compared from 128 events, or 64 recalls, on, and paths only of episodes that ended well or badly.
    """

    reports: list[DriftReport]
    events: int
    episodes: int
    recalls: int
    as_of: int


@dataclass(slots=True)
class Step:
    """An event: its features by number, and how it was judged itself."""

    features: tuple[int, ...]
    verdicts: int = 0
    last: float = 0.0


@dataclass(slots=True)
class Path:
    """An episode by number: its events, the oldest first, and what was said of it as a whole."""

    number: int
    steps: list[Step]
    said: float = 0.0

    @property
    def end(self) -> float:
        """How it ended: as it was judged as a whole, and as the last of its events that was judged."""
        return self.said + next((step.last for step in reversed(self.steps) if step.verdicts), 0.0)

    @property
    def way(self) -> tuple[int, ...]:
        """What was done, by leading features, without the event that was judged last: that is how it ended."""
        judged = [at for at, step in enumerate(self.steps) if step.verdicts]
        until = judged[-1] if judged and judged[-1] and not self.said else len(self.steps)
        return tuple(step.features[0] for step in self.steps[:until] if step.features)


@dataclass(slots=True)
class _Life:
    """The latest of a memory, the oldest first; ``recalls`` are what each returned, by number."""

    steps: dict[int, Step] = field(default_factory=dict[int, Step])
    paths: dict[int, Path] = field(default_factory=dict[int, Path])
    recalls: list[list[int]] = field(default_factory=list[list[int]])


def drift(graph: Graph) -> Drift:
    """Return what there is to report of the latest that happened, and of the latest recalls. It is no recall."""
    life = _latest(graph)
    found = [*_collapses(graph, life), *_of_ways(graph, life), *_narrow(graph, life)]
    return Drift(found, len(life.steps), len(life.paths), len(life.recalls), graph.header.seq)


def effective(counts: Iterable[int]) -> float:
    """Return how many equally frequent things would be as varied: the exponential of the entropy (Hill 1973)."""
    ordered = sorted(count for count in counts if count > 0)
    total = sum(ordered)
    return exp(-sum(count / total * log(count / total) for count in ordered)) if total else 0.0


def _latest(graph: Graph) -> _Life:
    """Read the latest of what happened. Of outcomes as many as a read may read; what they judge may be long ago."""
    table = graph.node_table()
    wanted = np.flatnonzero(np.isin(table.rows["kind"], _LOOKED_AT))[-LOOKED_AT_MAX:]
    numbers: list[int] = table.keys[wanted].tolist()
    kinds: list[int] = table.rows["kind"][wanted].tolist()
    life = _Life()
    for number, kind in zip(numbers, kinds, strict=True):
        if kind == NodeKind.EVENT:
            life.steps[number] = Step(graph.parts(number).carriers)
    for number, kind in zip(numbers, kinds, strict=True):
        if kind == NodeKind.EPISODE:
            steps = [life.steps[event] for event in events_of(graph, number) if event in life.steps]
            if steps:
                life.paths[number] = Path(number, steps)
    outcomes = [number for number, kind in zip(numbers, kinds, strict=True) if kind == NodeKind.OUTCOME]
    outcomes = [number for number in outcomes if stands(graph.expect(number))]
    _judge(graph, life, outcomes)
    life.recalls = [[each.number for each in one.returned] for one in list(graph.recalls.values())[-LOOKED_AT_MAX:]]
    return life


def _judge(graph: Graph, life: _Life, outcomes: Sequence[int]) -> None:
    contents: list[bytes] = []
    read_bytes = 0
    for number in reversed(outcomes):
        if read_bytes >= PAGE_BYTES:
            break
        contents.append(content_of(graph, number))
        read_bytes += len(contents[-1])
    for content in reversed(contents):
        body = fields_in(content)["body"]
        identity, value = accepted(graph, body["event"]), float(body["value"])
        judged = node_number(identity.seq) if identity and value else None
        if judged in life.steps:
            step = life.steps[judged]
            step.verdicts, step.last = step.verdicts + 1, value
        elif judged in life.paths:
            life.paths[judged].said += value


def _collapses(graph: Graph, life: _Life) -> list[DriftReport]:
    """Compare the features of the latest half of the events, and of those that were judged, with the half before."""
    steps = list(life.steps.values())
    found: list[DriftReport] = []
    for what, of in (("what happens", steps), ("what outcomes speak of", [step for step in steps if step.verdicts])):
        varied = _varied([step.features for step in of], STEPS_MIN)
        if varied is None:
            continue
        half, earlier, later, first = varied
        evidence = _names(graph, first)
        sentence = (
            f"The memory collapses: {what} was spread over {earlier:.1f} features in {half} events, and over "
            f"{later:.1f} in the {half} after them, mostly {_listed(evidence)}."
        )
        found.append(DriftReport("collapse", sentence, later / earlier, COLLAPSED, evidence))
    return found


def _narrow(graph: Graph, life: _Life) -> list[DriftReport]:
    """Compare what the latest half of the recalls returned with what the half before did."""
    varied = _varied([returned for returned in life.recalls if returned], RECALLS_MIN)
    if varied is None:
        return []
    half, earlier, later, first = varied
    sentence = (
        f"Recalls lose variety: {half} of them returned as much as {earlier:.1f} memories would that are returned "
        f"equally often, and the {half} after them as much as {later:.1f}."
    )
    return [DriftReport("narrow_recall", sentence, later / earlier, COLLAPSED, _names(graph, first))]


def _varied(of: Sequence[Sequence[int]], least: int) -> tuple[int, float, float, list[int]] | None:
    """Return how varied two halves are, and what is most frequent in the latter, if that one has collapsed.

    Each thing is a few numbers. Where there are fewer of them in the latter half, it is less varied without having
    collapsed; so the variety has to have sunk by number as well.
    """
    half = len(of) // 2
    if half < least:
        return None
    before, now = (_counted(part) for part in (of[-2 * half : -half], of[-half:]))
    earlier, later = effective(before.values()), effective(now.values())
    fewer = min(1.0, sum(now.values()) / max(1, sum(before.values())))
    if later == 0.0 or later >= COLLAPSED * fewer * earlier:
        return None
    return half, earlier, later, sorted(now, key=lambda number: (-now[number], number))[:_SAID_MAX]


def _counted(of: Iterable[Sequence[int]]) -> dict[int, int]:
    counts: dict[int, int] = {}
    for numbers in of:
        for number in numbers:
            counts[number] = counts.get(number, 0) + 1
    return counts


def _of_ways(graph: Graph, life: _Life) -> list[DriftReport]:
    """Look at the latest episodes after each beginning."""
    beginnings: dict[int, list[Path]] = {}
    for path in life.paths.values():
        if path.end and path.way:
            beginnings.setdefault(path.way[0], []).append(path)
    found: list[DriftReport] = []
    for _, paths in sorted(beginnings.items()):
        found += _swings(graph, paths, max(SWINGS, 1 + ceil(log2(len(beginnings) / _CHANCE) / 2)))
        found += _repeats(graph, paths, max(REPEATS, ceil(log2(len(beginnings) / _CHANCE))))
    return found


def _swings(graph: Graph, paths: Sequence[Path], least: int) -> list[DriftReport]:
    """Report two paths in turn, to two ends in turn; one such step by lot has a chance of a quarter."""
    last = [(path.way, path.end > 0) for path in paths]
    run = 1
    while run < len(last) and _turned(last, len(last) - run):
        run += 1
    if run < least:
        return []
    one, other = last[-1][0], last[-2][0]
    differs = next((pair for pair in zip(one, other, strict=False) if pair[0] != pair[1]), (one[-1], other[-1]))
    begun, *turns = (_called(graph, number) for number in (one[0], *differs))
    sentence = (
        f"The memory swings: after {begun} the last {run} episodes went by {' and '.join(turns)} in turn, and "
        "ended well and badly in turn."
    )
    return [DriftReport("oscillation", sentence, float(run), float(least), _refs(graph, paths, run))]


def _turned(last: Sequence[tuple[tuple[int, ...], bool]], at: int) -> bool:
    """Return whether the episode at ``at`` and the one before took two paths to two ends, back and forth."""
    (way, well), (before, well_before) = last[at], last[at - 1]
    back = at + 1 >= len(last) or last[at + 1][0] == before
    return way != before and well != well_before and back


def _repeats(graph: Graph, paths: Sequence[Path], least: int) -> list[DriftReport]:
    """Report the same path to a bad end, again and again; one by lot has a chance of a half."""
    way = paths[-1].way
    same = 0
    while same < len(paths) and paths[-1 - same].way == way and paths[-1 - same].end < 0:
        same += 1
    if same < least:
        return []
    by = " to ".join(dict.fromkeys(_called(graph, number) for number in way[:_SAID_MAX]))
    sentence = (
        f"The memory repeats what fails: the last {same} episodes that began with {_called(graph, way[0])} took the "
        f"same path ({by}) to a bad end."
    )
    return [DriftReport("repeated_failure", sentence, float(same), float(least), _refs(graph, paths, same))]


def _refs(graph: Graph, paths: Sequence[Path], count: int) -> list[str]:
    return [reference_of(graph, path.number) for path in reversed(paths[-min(count, _EVIDENCE_MAX) :])]


def _names(graph: Graph, numbers: Iterable[int]) -> list[str]:
    """Return the references of those that are still there."""
    return [reference_of(graph, number) for number in numbers if graph.node(number) is not None]


def _listed(refs: Sequence[str]) -> str:
    return ", ".join(ref.removeprefix(FEATURE_PREFIX) for ref in refs) or "what is forgotten by now"


def _called(graph: Graph, number: int) -> str:
    """Return the name of a feature, or what stands for one that is forgotten."""
    return graph.feature_name(number) if graph.node(number) is not None else "what is forgotten by now"


@dataclass(frozen=True, slots=True)
class AskDrift(Timed[Drift]):
    """Return what the latest 2,000 events, outcomes and episodes, and the latest recalls, say of habits.

    There is a report where what happens, or what outcomes speak of, *collapses* onto few features; where episodes
    take two paths to good and bad ends in turn (*oscillation*), or the same path to a bad end (*repeated_failure*);
    and where what is recalled loses variety (*narrow_recall*). Each has a sentence with its counts, what was
    measured, where it tells, and its evidence. A memory of sound habits has none. It is no recall.
    """

    def read(self, source: Source, /) -> Drift:
        """Answer it."""
        with source.frozen() as graph:
            return drift(graph)


DRIFT: Final = Read(
    "drift",
    AskDrift,
    Drift,
    "GET /drift",
    "Whether it collapses, swings, or repeats what fails",
    """Return what the latest of a memory says of its habits: nothing, where they are sound.

`collapse`: what happens, or what outcomes speak of, is half as varied as before, or less. `oscillation`:
episodes take two paths, and end well and badly, in turn. `repeated_failure`: they take the same path to a bad
end. `narrow_recall`: what is recalled is half as varied as before, or less. Each has a sentence with counts.""",
)
