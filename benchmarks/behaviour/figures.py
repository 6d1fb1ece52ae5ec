"""How the scenarios of behaviour are judged: places in a ranking with ties, means and spreads over the seeds."""

from collections.abc import Mapping, Sequence
from statistics import fmean, stdev
from typing import NamedTuple

from ..measure import Bar


class Part(NamedTuple):
    """What one scenario has to say."""

    figures: dict[str, float]
    bars: list[Bar]


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


def told(name: str, values: Sequence[float]) -> dict[str, float]:
    """Return the figures of a measure over the seeds: its mean, and the standard deviation (0 for one seed)."""
    return {name: fmean(values), f"{name} (spread)": stdev(values) if len(values) > 1 else 0.0}
