"""Where the topic shifts: what is said before a place is much less like what is said after it than elsewhere.

Hearst's TextTiling (1997) with two changes: terms weigh by how telling they are in this memory, and what counts as
little likeness is measured by the mean of this memory, so that no constant is one of a language or of a kind of text.
"""

from typing import Final

from .state import ChunkerState, Held
from .terms import add, cosine
from .thresholds import Thresholds

AROUND: Final = 3
"""A shift is the least likeness among so many places at each side."""
BEFORE_MIN: Final = 4
COHERENT: Final = 0.04
"""The usual likeness below which nothing is a shift: where no line has to do with the one before, each is as new."""
_LIKENED_MIN: Final = 8.0
_HALVED_AT: Final = 512.0


def look(state: ChunkerState, events: list[Held], by: Thresholds) -> None:
    """Compare both sides of the last place that has enough events after it."""
    place = len(events) - by.scales[-1]
    if place < BEFORE_MIN:
        return
    found = events[place].likeness = _likeness(events, place, by)
    if state.likened >= _HALVED_AT:
        state.likened /= 2
        state.likeness /= 2
    state.likened += 1
    state.likeness += found


def _likeness(events: list[Held], place: int, by: Thresholds) -> float:
    """Return how alike both sides of a place are: the mean of what is near it, and of more and more around it."""
    left: dict[int, int] = {}
    right: dict[int, int] = {}
    total, inner = 0.0, 0
    for outer in by.scales:
        add(left, events[max(0, place - outer) : max(0, place - inner)])
        add(right, events[place + inner : place + outer])
        total += cosine(left, right)
        inner = outer
    return total / len(by.scales)


def usual(state: ChunkerState) -> float:
    """Return the mean likeness of neighbours in this memory, 0 as long as too few were compared."""
    return state.likeness / state.likened if state.likened >= _LIKENED_MIN else 0.0


def shift(state: ChunkerState, events: list[Held], by: Thresholds) -> int:
    """Return the place before which the topic has shifted, 0 for none: the one that has just been surrounded."""
    place = len(events) - by.scales[-1] - AROUND
    if place < BEFORE_MIN:
        return 0
    here, limit = events[place].likeness, usual(state)
    if limit < COHERENT or not 0 <= here <= by.shift * limit:
        return 0
    around = [event.likeness for event in events[max(0, place - AROUND) : place + AROUND + 1] if event.likeness >= 0]
    return place if here <= min(around) else 0


def best(events: list[Held], begin: int, end: int, by: Thresholds) -> int:
    """Return the place from ``begin`` on and before ``end`` with the least likeness; the last of equals."""
    alike = {place: _likeness(events, place, by) for place in range(begin, min(end, len(events) - by.scales[-1] + 1))}
    return min(alike, key=lambda place: (alike[place], -place))
