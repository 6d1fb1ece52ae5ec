"""How the scenarios of behaviour are judged: places in a ranking with ties, means and spreads over the seeds."""

from collections.abc import Mapping, Sequence
from math import sqrt
from typing import NamedTuple

Curves = Mapping[str, Sequence[Sequence[float]]]
"""By name: one curve for each seed, all of one length."""


class Place(NamedTuple):
    """A place in a ranking: the chance to be first, and the reciprocal rank, when ties are broken by lot."""

    first: float
    reciprocal: float


def place(scores: Mapping[str, float], who: str) -> Place:
    """Return the place of ``who`` when the highest score comes first."""
    better = sum(score > scores[who] for score in scores.values())
    tied = sum(score == scores[who] for score in scores.values())
    reciprocal = sum(1 / (better + turn) for turn in range(1, tied + 1)) / tied
    return Place(1 / tied if better == 0 else 0.0, reciprocal)


def settles(right: Sequence[bool]) -> int:
    """Return after how many steps it is right and stays so; all of them and one more when it is wrong at the end."""
    wrong = [step for step, fine in enumerate(right, 1) if not fine]
    return wrong[-1] + 1 if wrong else 1


def mean(values: Sequence[float]) -> float:
    """Return the mean."""
    return sum(values) / len(values)


def spread(values: Sequence[float]) -> float:
    """Return the standard deviation over the seeds (of a sample); 0 for a single one."""
    middle = mean(values)
    return sqrt(sum((value - middle) ** 2 for value in values) / (len(values) - 1)) if len(values) > 1 else 0.0


def told(name: str, values: Sequence[float]) -> dict[str, float]:
    """Return the figures of a measure over the seeds: its mean, and beside it its spread."""
    return {name: mean(values), f"{name} (spread)": spread(values)}
