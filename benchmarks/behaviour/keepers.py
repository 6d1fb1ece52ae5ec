"""Other ways of keeping 500 things: what the memory's own choice is compared with. None of them sees a value."""

from collections.abc import Sequence
from typing import Final, Protocol

import numpy as np
import numpy.typing as npt

CAPACITY: Final = 500
_SAME: Final = 0.8  # Jaccard from which two events count as one


Floats = npt.NDArray[np.float64]


class Keeper(Protocol):
    """Keeps at most CAPACITY events of all that it is told."""

    def tell(self, event: int, features: Sequence[int]) -> None:
        """Take a new event."""
        ...

    def touch(self, event: int) -> None:
        """Take notice that an event was spoken of again."""
        ...

    def kept(self) -> set[int]:
        """Return which events are there."""
        ...


class Recency:
    """The window of those that were told or touched last (LRU)."""

    def __init__(self) -> None:
        self._events: dict[int, None] = {}

    def tell(self, event: int, features: Sequence[int]) -> None:
        """Take a new event; the one that was touched longest ago goes."""
        self._events[event] = None
        if len(self._events) > CAPACITY:
            del self._events[next(iter(self._events))]

    def touch(self, event: int) -> None:
        """Move an event to the end."""
        if event in self._events:
            del self._events[event]
            self._events[event] = None

    def kept(self) -> set[int]:
        """Return which events are there."""
        return set(self._events)


class Frequency:
    """Those that were spoken of most often; of equal ones, those touched last (LFU)."""

    def __init__(self) -> None:
        self._events: dict[int, tuple[int, int]] = {}  # how often, and when last
        self._turn = 0

    def tell(self, event: int, features: Sequence[int]) -> None:
        """Take a new event; the least frequent of the others goes."""
        if len(self._events) == CAPACITY:
            del self._events[min(self._events, key=self._events.__getitem__)]
        self._turn += 1
        self._events[event] = (1, self._turn)

    def touch(self, event: int) -> None:
        """Count an event once more."""
        if event in self._events:
            self._turn += 1
            self._events[event] = (self._events[event][0] + 1, self._turn)

    def kept(self) -> set[int]:
        """Return which events are there."""
        return set(self._events)


class Similarity:
    """Those that differ most: what is like another is not kept, then of the two most similar the older goes."""

    def __init__(self, features: int) -> None:
        """Expect features numbered below ``features``."""
        self._events = np.full(CAPACITY + 1, -1)
        self._has = np.zeros((CAPACITY + 1, features), np.float32)
        self._nearest = np.zeros(CAPACITY + 1)  # the highest similarity of each with another one
        self._held = 0

    def tell(self, event: int, features: Sequence[int]) -> None:
        """Take a new event, unless there is one like it already."""
        row = np.zeros(self._has.shape[1], np.float32)
        row[list(features)] = 1.0
        like = self._like(row)
        if like.size and like.max() >= _SAME:
            return
        at = self._held
        self._events[at], self._has[at] = event, row
        self._nearest[:at] = np.maximum(self._nearest[:at], like)
        self._nearest[at] = like.max(initial=0.0)
        self._held += 1
        if self._held > CAPACITY:
            self._drop(int(np.argmax(self._nearest)))

    def touch(self, event: int) -> None:
        """Change nothing."""

    def kept(self) -> set[int]:
        """Return which events are there."""
        return set(self._events[: self._held].tolist())

    def _like(self, row: npt.NDArray[np.float32]) -> Floats:
        """Return the Jaccard index of ``row`` with each event that is held."""
        held = self._has[: self._held]
        both = held @ row
        like: Floats = (both / np.maximum(held.sum(axis=1) + row.sum() - both, 1.0)).astype(np.float64)
        return like

    def _drop(self, at: int) -> None:
        """Forget one event; those that it was nearest to are compared anew."""
        gone = self._like(self._has[at])
        affected = np.flatnonzero(gone >= self._nearest[: self._held])
        self._events[at:-1], self._has[at:-1] = self._events[at + 1 :].copy(), self._has[at + 1 :].copy()
        self._nearest[at:-1] = self._nearest[at + 1 :].copy()
        self._held -= 1
        for old in affected.tolist():
            if old != at:
                place = old - (old > at)
                like = self._like(self._has[place])
                like[place] = 0.0
                self._nearest[place] = like.max()
