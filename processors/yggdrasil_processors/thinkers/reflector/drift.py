"""Reports on a memory's habits: whether it collapses onto little, swings, repeats what fails, or recalls the same.

Pure functions over what reflection remembers, and over how often memories were returned. They decide nothing: whoever
reads them judges. The numbers from which something is reported are constants here, and stand in each sentence.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import exp, log
from typing import Final, Literal

from .remembered import Path, Reflections, end_of, in_order

Kind = Literal["collapse", "oscillation", "repeated failure", "narrow recall"]

STEPS_MIN: Final = 64
"""Steps that are compared with as many before them."""
COLLAPSED: Final = 0.5
"""Of the variety that there was: with less than this share, the memory collapses."""
SWINGS: Final = 6
"""Episodes in a row that take two paths in turn, and end well and badly in turn."""
REPEATS: Final = 4
"""Episodes in a row that take the same path to a bad end."""
OFFERS_MIN: Final = 64
NARROW: Final = 0.25
"""Recalls that are spread as if only this share of what they returned were ever returned are narrow."""
_LEADING_SAID_MAX: Final = 3


@dataclass(frozen=True)
class Report:
    """What was seen, in one sentence with its counts. ``value`` is what was measured, ``bound`` from where on it tells.

    ``evidence`` are episodes, or references of memories, the latest first.
    """

    kind: Kind
    sentence: str
    value: float
    bound: float
    evidence: list[str]


def reports(state: Reflections) -> list[Report]:
    """Return what there is to report of the paths that a memory has taken."""
    return [*_collapses(state), *_of_contexts(state)]


def recalls(offered: Mapping[str, int]) -> list[Report]:
    """Return whether recalls lose variety; ``offered`` says of each memory how often it was returned (``candidates``).

    What was never returned is left out of it: a memory is not asked for all that it knows.
    """
    counts = {ref: times for ref, times in offered.items() if times > 0}
    total = sum(counts.values())
    if total < OFFERS_MIN or len(counts) < 2:
        return []
    variety = effective(counts.values())
    if variety >= NARROW * len(counts):
        return []
    first = sorted(counts, key=lambda ref: (-counts[ref], ref))[:_LEADING_SAID_MAX]
    often = sum(counts[ref] for ref in first)
    sentence = (
        f"Recalls are narrow: of {len(counts)} memories that were returned {len(first)} took {often} of {total} "
        f"places, as if there were only {variety:.1f}."
    )
    return [Report("narrow recall", sentence, variety / len(counts), NARROW, first)]


def effective(counts: Iterable[int]) -> float:
    """Return how many equally frequent things would be as varied: the exponential of the entropy (Hill 1973)."""
    ordered = sorted(count for count in counts if count > 0)
    total = sum(ordered)
    return exp(-sum(count / total * log(count / total) for count in ordered)) if total else 0.0


def _collapses(state: Reflections) -> list[Report]:
    """Compare the features of the latest half of the steps, and of what was judged among them, with the half before."""
    steps = sorted(state.steps.values(), key=lambda step: step.seq)
    found: list[Report] = []
    for what, of in (
        ("what happens", steps),
        ("what outcomes speak of", [each for each in steps if each.good + each.bad]),
    ):
        half = len(of) // 2
        if half < STEPS_MIN:
            continue
        before, now = (_counted(each.features for each in part) for part in (of[-2 * half : -half], of[-half:]))
        earlier, later = effective(before.values()), effective(now.values())
        if not earlier or later >= COLLAPSED * earlier:
            continue
        first = sorted(now, key=lambda feature: (-now[feature], feature))[:_LEADING_SAID_MAX]
        sentence = (
            f"The memory collapses: {what} was spread over {earlier:.1f} features in {half} steps, and over "
            f"{later:.1f} in the {half} after them, mostly {', '.join(first)}."
        )
        found.append(Report("collapse", sentence, later / earlier, COLLAPSED, [f"feature:{name}" for name in first]))
    return found


def _counted(all_features: Iterable[Sequence[str]]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for features in all_features:
        for feature in features:
            counts[feature] = counts.get(feature, 0) + 1
    return counts


def _of_contexts(state: Reflections) -> list[Report]:
    """Look at the latest episodes of each beginning."""
    contexts: dict[tuple[str, ...], list[tuple[str, Path]]] = {}
    for id_, path in in_order(state):
        if end_of(state, path):
            contexts.setdefault(_leading(state, path)[:1], []).append((id_, path))
    found: list[Report] = []
    for _, episodes in sorted(contexts.items()):
        found += _swings(state, episodes)
        found += _repeats(state, episodes)
    return found


def _leading(state: Reflections, path: Path) -> tuple[str, ...]:
    """Return the first feature of each step that has one: what was done, in order."""
    return tuple(state.steps[id_].features[0] for id_ in path.members if state.steps[id_].features)


def _before_the_end(state: Reflections, path: Path) -> tuple[str, ...]:
    """Return the path without the step that was judged last: another end is another word for the same path."""
    leading = [(id_, state.steps[id_].features[:1]) for id_ in path.members]
    judged = [at for at, (id_, _) in enumerate(leading) if state.steps[id_].good + state.steps[id_].bad]
    until = judged[-1] if judged and judged[-1] and not path.late else len(leading)
    return tuple(feature[0] for _, feature in leading[:until] if feature)


def _swings(state: Reflections, episodes: Sequence[tuple[str, Path]]) -> list[Report]:
    last = [(id_, _before_the_end(state, path), end_of(state, path) > 0) for id_, path in episodes]
    run = 1
    while run < len(last) and _turned(last, len(last) - run):
        run += 1
    if run < SWINGS:
        return []
    one, other = last[-1][1], last[-2][1]
    differs = next((pair for pair in zip(one, other, strict=False) if pair[0] != pair[1]), (one[-1:], other[-1:]))
    sentence = (
        f"The memory swings: after {one[0]} the last {run} episodes went by {differs[0]} and {differs[1]} in turn, and "
        "ended well and badly in turn."
    )
    return [Report("oscillation", sentence, float(run), SWINGS, [id_ for id_, _, _ in last[: -run - 1 : -1]])]


def _turned(last: Sequence[tuple[str, tuple[str, ...], bool]], at: int) -> bool:
    """Return whether the episode at ``at`` and the one before took two paths to two ends, back and forth."""
    (_, path, well), (_, before, well_before) = last[at], last[at - 1]
    back = at + 1 >= len(last) or last[at + 1][1] == before
    return bool(path) and bool(before) and path != before and well != well_before and back


def _repeats(state: Reflections, episodes: Sequence[tuple[str, Path]]) -> list[Report]:
    last = [(id_, _before_the_end(state, path), end_of(state, path)) for id_, path in episodes][::-1]
    same = 0
    while same < len(last) and last[same][1] == last[0][1] and last[same][2] < 0:
        same += 1
    if same < REPEATS or not last[0][1]:
        return []
    path = last[0][1]
    by = " to ".join(dict.fromkeys((path[0], *path[1:_LEADING_SAID_MAX])))
    sentence = (
        f"The memory repeats what fails: the last {same} episodes that went by {by} took the same path to a bad end."
    )
    return [Report("repeated failure", sentence, float(same), REPEATS, [id_ for id_, _, _ in last[:same]])]
