"""Neighbours in time: the events of all sessions on one line, so that what is around some of them is found by shifting.

Between two sessions as many places are free as a neighbour may be away: what spreads along the line never reaches
another session. So many terms at once cost a few passes over bytes, and few of them a few places each.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

REACH: Final = 4
"""So many events away a neighbour counts at most."""
_DENSE_SHARE: Final = 64  # from one place in so many on a pass over all of them is quicker

Places = npt.NDArray[np.int64]
"""Of 64 bits, as numpy takes them: narrower ones it would widen whenever they are used."""
Values = npt.NDArray[np.float64]


class Around(NamedTuple):
    """Which places are near to some, and how near, in (0, 1]; or all, and 0 for those that are not near.

    A place may be there twice, with the same value.
    """

    places: Places | slice
    near: Values


class Line:
    """``place`` says where each document stands: those with neighbours before ``alone``, and from there on all others.

    What is not counted is at the last of the ``length`` places, where nobody stands.
    """

    def __init__(self, counted: npt.NDArray[np.bool_], events: Places, follows: npt.NDArray[np.bool_]) -> None:
        """Take the ``counted`` documents, and their ``events`` by session and time.

        Each of ``follows``, one less than there are events, says whether the next one is of the same session.
        """
        begins, ends = np.ones(len(events), np.bool_), np.ones(len(events), np.bool_)
        np.logical_not(follows, out=begins[1:])
        np.logical_not(follows, out=ends[:-1])
        together = np.flatnonzero(~(begins & ends))
        inside, begins = events.take(together), begins.take(together)
        others = counted.copy()
        others[inside] = False
        apart = np.flatnonzero(others)
        gaps = np.cumsum(begins, dtype=np.int64)
        gaps *= REACH
        self.alone = len(inside) + REACH * (1 + int(np.count_nonzero(begins)))
        self.length = self.alone + len(apart) + 1
        self.place: Places = np.full(len(counted), self.length - 1, np.int64)
        self.place[inside] = np.arange(len(inside)) + gaps
        self.place[apart] = np.arange(self.alone, self.length - 1)

    @property
    def nbytes(self) -> int:
        """About how many bytes it takes."""
        return self.place.nbytes

    def zeros(self) -> Values:
        """Return a value for each place."""
        return np.zeros(self.length)

    def around(self, rows: Places, decay: Sequence[float], scratch: Values) -> Around:
        """Return what is around ``rows``: 1 for themselves, and of ``decay``, by distance, for their neighbours.

        ``scratch`` has a zero for each place, before and after.
        """
        if self.many(rows):
            return Around(slice(None), nearness(decay)[self.reached(rows)])
        return self._over_few(self.place[rows], decay, scratch)

    def many(self, rows: Places) -> bool:
        """Whether ``rows`` are so many that one pass over all places is quicker."""
        return len(rows) * _DENSE_SHARE > self.length

    def _over_few(self, at: Places, decay: Sequence[float], scratch: Values) -> Around:
        inside = at[at < self.alone]
        places = np.concatenate(
            (at, *(inside + offset for away in range(1, len(decay) + 1) for offset in (-away, away)))
        )
        for away in range(len(decay), 0, -1):  # the nearest comes last, and stays
            scratch[inside - away] = scratch[inside + away] = decay[away - 1]
        scratch[at] = 1.0
        near = scratch[places]
        scratch[places] = 0.0
        return Around(places, near)

    def reached(self, rows: Places) -> npt.NDArray[np.uint8]:
        """Return how often each place is reached while ``rows`` spread: the nearer, the more; see ``nearness``."""
        times = np.zeros(self.length, np.uint8)
        times[self.place.take(rows)] = 1
        reached = times[: self.alone] > 0
        times[self.alone :] *= 1 + REACH
        for _ in range(REACH):
            spread = reached.copy()
            spread[1:] |= reached[:-1]
            spread[:-1] |= reached[1:]
            reached = spread
            times[: self.alone] += reached
        return times

    def nearest(self, values: Values, decay: Sequence[float], rows: Places) -> Values:
        """Return the greatest value of any neighbour of each of ``rows``, each times its ``decay``, or 0.

        ``values`` has one for each document.
        """
        line = self.zeros()
        line[self.place] = values
        at = self.place.take(rows)
        inside = np.flatnonzero(at < self.alone)
        at = at.take(inside)
        greatest = np.zeros(len(at))
        for away, share in enumerate(decay, 1):
            np.maximum(greatest, share * np.maximum(line.take(at - away), line.take(at + away)), out=greatest)
        found = np.zeros(len(rows))
        found[inside] = greatest
        return found


def nearness(decay: Sequence[float]) -> Values:
    """Return how near a place is by how often it is reached: 0 for never, then of ``decay``, and 1 for ``rows``."""
    return np.array([0.0, *decay[::-1], 1.0])
