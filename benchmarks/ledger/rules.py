"""What is believed without a memory like ours: the last write, the majority, the surest, the latest that was seen."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from .world import Report


class Belief(NamedTuple):
    """A value, None where there is none, and how sure it is said to be, in [0, 1]; None where nothing is said."""

    value: str | None
    confidence: float | None = None


NONE: Final = Belief(None)
Rule = Callable[[Sequence[Report], float], Belief]
"""Gives what is believed of a slot on a day, of all reports of it in the order in which they were told."""


def last_write(reports: Sequence[Report], day: float) -> Belief:
    """What was told last by then."""
    known = _told(reports, day)
    return Belief(known[-1].value, known[-1].confidence / 100) if known else NONE


def majority(reports: Sequence[Report], day: float) -> Belief:
    """What was told most often by then, of equals the latest; its share is how sure it is."""
    known = _told(reports, day)
    if not known:
        return NONE
    counts = Counter(each.value for each in known)
    most = max(counts.values())
    value = next(each.value for each in reversed(known) if counts[each.value] == most)
    return Belief(value, most / len(known))


def surest(reports: Sequence[Report], day: float) -> Belief:
    """What was told with the highest confidence by then, of equals the latest."""
    known = _told(reports, day)
    best = max(reversed(known), key=lambda each: each.confidence, default=None)
    return Belief(best.value, best.confidence / 100) if best is not None else NONE


def latest_seen(reports: Sequence[Report], day: float) -> Belief:
    """What was seen last up to that day, whenever it was told: the last write by the reports' own times."""
    best = max((each for each in reports if each.since <= day), key=lambda each: each.since, default=None)
    return Belief(best.value, best.confidence / 100) if best is not None else NONE


RULES: Final[dict[str, Rule]] = {
    "last write": last_write,
    "majority": majority,
    "highest stated confidence": surest,
    "latest seen": latest_seen,
}


def _told(reports: Sequence[Report], day: float) -> list[Report]:
    return [each for each in reports if each.told <= day]
