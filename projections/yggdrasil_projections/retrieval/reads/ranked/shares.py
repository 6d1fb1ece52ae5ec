"""Where a share lies, given how often it was so."""

from math import sqrt
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
