"""How likely chance alone is: exact binomials and Wilson's interval, of whole numbers and in a fixed order."""

from math import comb, sqrt
from typing import Final, NamedTuple

_Z: Final = 1.96
"""Of Wilson's interval: 95 %."""


class Interval(NamedTuple):
    """Where a share lies, by Wilson's score interval at 95 %."""

    low: float
    high: float


def wilson(times: int, of: int) -> Interval:
    """Return Wilson's score interval of the share ``times / of`` (Wilson 1927); everything when ``of`` is 0."""
    if not of:
        return Interval(0.0, 1.0)
    share, squared = times / of, _Z * _Z
    middle = (share + squared / (2 * of)) / (1 + squared / of)
    half = _Z * sqrt(share * (1 - share) / of + squared / (4 * of * of)) / (1 + squared / of)
    return Interval(max(0.0, middle - half), min(1.0, middle + half))


def fisher(with_it: int, of_with: int, without: int, of_without: int) -> float:
    """Return how likely chance puts at least ``with_it`` of all hits among those ``of_with`` (Fisher 1935, one-sided).

    The exact hypergeometric tail: ``with_it`` of ``of_with`` are hits, and ``without`` of ``of_without``.
    """
    hits, everything = with_it + without, of_with + of_without
    ways = sum(comb(of_with, k) * comb(of_without, hits - k) for k in range(with_it, min(hits, of_with) + 1))
    return ways / comb(everything, hits)
