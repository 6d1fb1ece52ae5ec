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

Places = npt.NDArray[np.int32]
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
        inside = events[together]
        others = counted.copy()
        others[inside] = False
        apart = np.flatnonzero(others)
        gaps = np.cumsum(begins[together], dtype=np.int32)
        gaps *= REACH
        self.alone = len(inside) + REACH * (1 + np.count_nonzero(begins[together]))
        self.length = self.alone + len(apart) + 1
        self.place: Places = np.full(len(counted), self.length - 1, np.int32)
        self.place[inside] = np.arange(len(inside), dtype=np.int32) + gaps
        self.place[apart] = np.arange(self.alone, self.length - 1, dtype=np.int32)

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
        at = self.place[rows]
        if len(at) * _DENSE_SHARE > self.length:
            return self._over_all(at, decay)
        return self._over_few(at, decay, scratch)

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

    def _over_all(self, at: Places, decay: Sequence[float]) -> Around:
        times = np.zeros(self.length, np.uint8)  # that a place is reached while that spreads: the nearer, the more
        times[at] = 1
        reached = times[: self.alone] > 0
        times[self.alone :] *= 1 + len(decay)
        for _ in decay:
            spread = reached.copy()
            spread[1:] |= reached[:-1]
            spread[:-1] |= reached[1:]
            reached = spread
            times[: self.alone] += reached
        return Around(slice(None), np.array([0.0, *decay[::-1], 1.0])[times])

    def nearest(self, values: Values, decay: Sequence[float], rows: npt.NDArray[np.int64]) -> Values:
        """Return the greatest value of any neighbour of each of ``rows``, each times its ``decay``, or 0.

        ``values`` has one for each document.
        """
        line = self.zeros()
        line[self.place] = values
        at = self.place[rows]
        inside = np.flatnonzero(at < self.alone)
        at = at[inside]
        greatest = np.zeros(len(at))
        for away, share in enumerate(decay, 1):
            np.maximum(greatest, share * np.maximum(line[at - away], line[at + away]), out=greatest)
        found = np.zeros(len(rows))
        found[inside] = greatest
        return found
