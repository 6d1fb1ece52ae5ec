"""How well boundaries that were found agree with those that are known."""

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

TOLERANCE: Final = 2
"""A boundary is found when it is at most so many events away; each that is found finds one."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """Precision, recall and F1 in percent; ``window_diff`` is a share of the windows, 0 for no difference."""

    precision: float
    recall: float
    f1: float
    window_diff: float

    def figures(self, name: str) -> dict[str, float]:
        """Return everything under names that begin with ``name``."""
        return {
            f"{name}_f1": self.f1,
            f"{name}_precision": self.precision,
            f"{name}_recall": self.recall,
            f"{name}_windowdiff": self.window_diff,
        }


def agreement(truth: Iterable[int], found: Iterable[int], places: Iterable[int]) -> Agreement:
    """Compare boundaries by their places, which are those of a stream's events in any order."""
    wanted, got, all_places = sorted(set(truth)), sorted(set(found)), sorted(places)
    left = list(got)
    hits = 0
    for place in wanted:
        near = [other for other in left if abs(other - place) <= TOLERANCE]
        if near:
            left.remove(min(near, key=lambda other: (abs(other - place), other)))
            hits += 1
    precision = hits / len(got) if got else 0.0
    recall = hits / len(wanted) if wanted else 0.0
    both = 2 * precision * recall / (precision + recall) if hits else 0.0
    return Agreement(100 * precision, 100 * recall, 100 * both, _window_diff(wanted, got, all_places))


def _window_diff(truth: list[int], found: list[int], places: list[int]) -> float:
    """Return the share of windows, half a mean segment long, with another number of boundaries (Pevzner and Hearst,
    2002).
    """
    size = max(2, round(len(places) / (len(truth) + 1) / 2))
    kept = [(begin, begin + size) for begin in places]
    inside = set(places)
    windows = [(begin, end) for begin, end in kept if end in inside]
    if not windows:
        return 0.0
    differ = sum(_between(truth, begin, end) != _between(found, begin, end) for begin, end in windows)
    return differ / len(windows)


def _between(places: list[int], begin: int, end: int) -> int:
    return bisect_right(places, end) - bisect_right(places, begin)
