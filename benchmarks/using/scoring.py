"""Precision, recall and F1 of what was found, over all memories that were returned; and thresholds from other sets."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

GRID = tuple(each / 20 for each in range(2, 20))
"""The thresholds of a curve: 0.10 to 0.95."""


@dataclass(frozen=True, slots=True)
class Scored:
    """A case's scores by a method, and which memories were really used."""

    scores: Sequence[float]
    used: frozenset[int]


@dataclass(frozen=True, slots=True)
class Quality:
    """Precision, recall and F1; all are 1 where there was nothing to find and nothing was found."""

    precision: float
    recall: float

    @property
    def f1(self) -> float:
        """The harmonic mean."""
        both = self.precision + self.recall
        return 2.0 * self.precision * self.recall / both if both else 0.0


def quality(found: Iterable[Scored], least: float) -> Quality:
    """Return how good it is to take for used what has at least a score."""
    right = taken = there = 0
    for each in found:
        named = {place for place, score in enumerate(each.scores) if score >= least}
        right += len(named & each.used)
        taken += len(named)
        there += len(each.used)
    return Quality(right / taken if taken else 1.0, right / there if there else 1.0)


def best(found: Sequence[Scored]) -> float:
    """Return the threshold of the grid with the best F1; of equal ones the middle of the longest run."""
    values = [quality(found, least).f1 for least in GRID]
    most = max(values)
    good = [least for least, value in zip(GRID, values, strict=True) if value >= most - 0.005]
    return good[len(good) // 2]
