"""Attention after failures: "nothing has changed", told eight times, must not make a failure a trifle.

Four events are told among others, each with features of its own. Two turn out at the same value; one of these is then
told eight neutral outcomes, with some other events between them. Of the other two, which are never judged, one is told
eight neutral outcomes in the same way. Then the half-lives of all four are read off what is left of their salience
while other things happen. How many features an event has and the pauses come from the seed.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import log
from typing import Final

from ..life import InMemory, Life, Said

VALUES: Final = (-1.0, -3.0, -10.0, 3.0)
NEUTRALS: Final = 8
_BEFORE: Final = 30
_AFTER: Final = 40  # ticks over which a half-life is read


@dataclass(frozen=True, slots=True)
class Found:
    """Half-lives in events: of what was judged and of what was not, and of each when neutral outcomes came after."""

    judged: float
    judged_then_neutral: float
    unjudged: float
    unjudged_then_neutral: float


def live(seed: int, value: float, policy: Mapping[str, int | float] | None = None) -> Found:
    """Return what one life has shown in which two events turn out at ``value``."""
    life = Life(seed, InMemory(), policy)
    for known in (1.0, -1.0, 0.0):  # so that none of the kinds is a first
        _tell(life, life.event(["before"], "before"), known)
    _others(life, _BEFORE)
    each = life.random.randint(1, 5)
    events = [life.event([f"mine-{at}-{part}" for part in range(each)], f"mine-{at}") for at in range(4)]
    judged, then_neutral, _, unjudged_then_neutral = events
    for said in (judged, then_neutral):
        _tell(life, said, value)
    for _ in range(NEUTRALS):
        _others(life, life.random.randint(0, 3))
        for said in (then_neutral, unjudged_then_neutral):
            _tell(life, said, 0.0)
    before = [life.salience(said.number) for said in events]
    _others(life, _AFTER)
    after = [life.salience(said.number) for said in events]
    return Found(*(_half_life(*pair) for pair in zip(before, after, strict=True)))


def _tell(life: Life, said: Said, value: float) -> None:
    life.outcome(said, value, "bad" if value < 0 else "good" if value > 0 else "no change")


def _others(life: Life, count: int) -> None:
    for _ in range(count):
        life.event([f"other-{life.random.randrange(30)}"], f"other-{life.random.randrange(4)}")


def _half_life(before: float, after: float) -> float:
    return _AFTER * log(2.0) / log(before / after)
