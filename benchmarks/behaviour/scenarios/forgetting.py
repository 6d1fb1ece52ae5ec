"""How things fade: the salience that is left of a thing of each kind, while other things happen.

Each lives in a memory of its own that has known the kinds of outcome before, so that none is a first. Then comes what
is looked at, and after it only trivial events of other features in other sessions. There is no chance in it: every
seed gives the same curves. The baseline is the seed's listing, which forgets alike whatever it was: 0.01 a step, as a
straight line and as the exponential of the same slope.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from ..life import InMemory, Life

_BEFORE: Final = 30
_MINE: Final = ("mine-1", "mine-2", "mine-3")
SEED_RATE: Final = 0.01


def _event(life: Life, session: str = "mine") -> int:
    return life.event(_MINE, session).number


def _judged(value: float, *, catastrophic: bool = False) -> Callable[[Life], int]:
    def happen(life: Life) -> int:
        said = life.event(_MINE, "mine")
        kind = "bad" if value < 0 else "good" if value > 0 else "neutral"
        life.outcome(said, value, kind, catastrophic=catastrophic)
        return said.number

    return happen


def _used(times: int, *, slept: bool = False) -> Callable[[Life], int]:
    def happen(life: Life) -> int:
        said = life.event(_MINE, "mine")
        for _ in range(times):
            _trivial(life)
            life.use(life.recall([said.id]), [said.id], success=True)
        if slept:
            life.tell("sleep", {})
        return said.number

    return happen


def _feature(occurrences: int, value: float = 0.0) -> Callable[[Life], int]:
    def happen(life: Life) -> int:
        for number in range(occurrences):
            said = life.event(_MINE, f"mine-{number // 5}")
            if value:
                life.outcome(said, value, "bad" if value < 0 else "good")
        node = life.feature(_MINE[0])
        if node is None:
            raise ValueError("the feature is gone")
        return node.number

    return happen


def _episode(life: Life) -> int:
    events = [life.event(_MINE, "mine").id for _ in range(5)]
    return life.tell("commit_episode", {"events": events}, "mine").number


def _concept(life: Life) -> int:
    _feature(5)(life)
    return life.tell("form_concept", {"members": [f"feature:{name}" for name in _MINE]}).number


KINDS: Final[Mapping[str, Callable[[Life], int]]] = {
    "trivial event": _event,
    "neutral outcome": _judged(0.0),
    "good outcome (+3)": _judged(3.0),
    "bad outcome (-3)": _judged(-3.0),
    "catastrophe (-10)": _judged(-10.0, catastrophic=True),
    "used 5 times": _used(5),
    "used 20 times": _used(20),
    "used 20 times, slept": _used(20, slept=True),
    "feature of 20 events": _feature(20),
    "feature of 20 failures": _feature(20, -3.0),
    "episode of 5 events": _episode,
    "concept of 3 features": _concept,
}


@dataclass(frozen=True, slots=True)
class Faded:
    """What is left of one thing, tick by tick, from its last touch on."""

    left: list[float]

    @property
    def start(self) -> float:
        """The salience at its last touch."""
        return self.left[0]

    def after(self, ticks: int) -> float:
        """Return the share of the start that is left after so many ticks."""
        return self.left[ticks] / self.start

    def half_life(self) -> int:
        """Return after how many ticks half is left; one more than was measured when it never came to that."""
        return next((tick for tick, value in enumerate(self.left) if value <= self.start / 2), len(self.left))


def live(kind: str, ticks: int, policy: Mapping[str, int | float] | None = None) -> Faded:
    """Return what is left of a thing of ``kind`` over the next ``ticks`` events."""
    life = Life(1, InMemory(), policy)
    for value, name in ((1.0, "good"), (-1.0, "bad"), (0.0, "neutral")):
        life.outcome(life.event(["before"], "before"), value, name)
    for _ in range(_BEFORE):
        _trivial(life)
    number = KINDS[kind](life)
    left = [life.salience(number)]
    for _ in range(ticks):
        _trivial(life)
        left.append(life.salience(number))
    return Faded(left)


def _trivial(life: Life) -> None:
    life.event([f"other-{life.random.randrange(30)}"], f"other-{life.random.randrange(4)}")


def straight(ticks: int) -> list[float]:
    """Return what the seed's listing leaves of 1 after each of ``ticks`` steps."""
    return [max(0.0, 1.0 - SEED_RATE * tick) for tick in range(ticks + 1)]


def exponential(ticks: int) -> list[float]:
    """Return the exponential that begins with the same slope as the seed's straight line."""
    left = [1.0]
    for _ in range(ticks):
        left.append(left[-1] * (1.0 - SEED_RATE))
    return left
