"""How likely chance alone is: exact binomials and Wilson's interval, of whole numbers and in a fixed order."""

from math import comb

from yggdrasil_projections.retrieval.reads.ranked.shares import Interval, wilson

__all__ = ["Interval", "fisher", "wilson"]


def fisher(with_it: int, of_with: int, without: int, of_without: int) -> float:
    """Return how likely chance puts at least ``with_it`` of all hits among those ``of_with`` (Fisher 1935, one-sided).

    The exact hypergeometric tail: ``with_it`` of ``of_with`` are hits, and ``without`` of ``of_without``.
    """
    hits, everything = with_it + without, of_with + of_without
    ways = sum(comb(of_with, k) * comb(of_without, hits - k) for k in range(with_it, min(hits, of_with) + 1))
    return ways / comb(everything, hits)
