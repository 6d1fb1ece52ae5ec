"""Neighbours in time: the events of all sessions on one line, so that what is around some of them is found by shifting.

Between two sessions as many places are free as a neighbour may be away: what spreads along the line never reaches
another session. So many terms at once cost a few passes over bytes, and few of them a few places each.
"""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from .columns.growing import Growing

REACH: Final = 4
"""So many events away a neighbour counts at most."""
_DENSE_SHARE: Final = 64  # from one place in so many on a pass over all of them is quicker
_ROOM_MIN: Final = 64  # places for what comes later, and one for so many documents more
_ROOM_SHARE: Final = 32

_NOBODY: Final = -1
_PLACE_BIT: Final = 3  # of a key: which of several, the place, and in the last bits how many events away it is
_OF_BIT: Final = 40

Places = npt.NDArray[np.int64]
"""Of 64 bits, as numpy takes them: narrower ones it would widen whenever they are used."""
Values = npt.NDArray[np.float64]


class Around(NamedTuple):
    """Which places are near to some, and how near, in (0, 1]; or all, and 0 for those that are not near.

    A place may be there twice, with the same value.
    """

    places: Places | slice
    near: Values


class Spread(NamedTuple):
    """Which places are near to what: ``of`` says to which of several, ascending, and ``away`` how many events away."""

    of: Places
    places: Places
    away: Places


class Line:
    """``place`` says where each document stands: those with neighbours before ``alone``, and from there on all others.

    What is not counted is at the last of the ``length`` places, where nobody stands. Some others are free, for what
    comes later.
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
        room = _ROOM_MIN + len(counted) // _ROOM_SHARE
        self._free = len(inside) + REACH * (1 + int(np.count_nonzero(begins)))  # the first place, a gap before it
        self.alone = self._free + room
        self._free_alone = self.alone + len(apart)
        self.length = self._free_alone + room + 1
        self._places = Growing(np.full(len(counted), self.length - 1, np.int64))
        self.place: Places = self._places.values
        self.place[inside] = np.arange(len(inside)) + gaps
        self.place[apart] = np.arange(self.alone, self._free_alone)
        self._kept: dict[int, int] = {}  # where what is kept free for a session ends, by the place of its last event

    def grow(self, count: int) -> None:
        """Take in ``count`` documents more, which do not stand anywhere yet."""
        self._places.extend(np.full(count, self.length - 1))
        self.place = self._places.values

    def stand_alone(self, row: int) -> bool:
        """Let a document have no neighbours for now; return False, and leave all as it is, when there is no room."""
        if self._free_alone == self.length - 1:
            return False
        self.place[row] = self._free_alone
        self._free_alone += 1
        return True

    def follow(self, row: int, last: int, before: npt.NDArray[np.int32]) -> bool:
        """Let an event stand after the ``last`` one of its session; return False when there is no room.

        ``before`` has the event before each in its session. Where others stand right after the session it is moved to
        the end of the line, with as much room as it takes: so each event is moved but a few times.
        """
        place, at = self.place, int(self.place[last])
        end = self._kept.pop(at, 0)
        if at + 1 + REACH == self._free and self._free < self.alone:
            self._free += 1
        elif at + 1 >= end:
            session = [last]
            while (earlier := int(before[session[-1]])) >= 0:
                session.append(earlier)
            room = 2 * len(session) if at < self.alone else 2
            if self._free + room + REACH > self.alone:
                return False
            place[session[::-1]] = np.arange(self._free, self._free + len(session))
            end = self._free + room
            self._free = end + REACH
            at = int(place[last])
        place[row] = at + 1
        if end > at + 2:
            self._kept[at + 1] = end
        return True

    @property
    def nbytes(self) -> int:
        """About how many bytes it takes."""
        return self._places.nbytes

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

    def around_each(self, terms: Sequence[Places], reach: int) -> Spread:
        """Return what is around the rows of each of several terms, at most ``reach`` events away, each place once.

        In as many passes as for one term: for terms of a few rows each that is a tenth of the time.
        """
        at = self.place.take(np.concatenate(terms))
        keys = np.repeat(np.arange(len(terms)) << _OF_BIT, [len(rows) for rows in terms]) | (at << _PLACE_BIT)
        inside = keys[at < self.alone]
        steps = [((offset << _PLACE_BIT) + abs(offset)) for offset in range(-reach, 1 + reach) if offset]
        found = np.sort(np.concatenate((keys, *(inside + step for step in steps))))
        near_to = found >> _PLACE_BIT
        nearest = np.ones(len(found), np.bool_)
        np.not_equal(near_to[1:], near_to[:-1], out=nearest[1:])  # of one place the nearest comes first
        found = found[nearest]
        places = (found >> _PLACE_BIT) & ((1 << (_OF_BIT - _PLACE_BIT)) - 1)
        return Spread(found >> _OF_BIT, places, found & ((1 << _PLACE_BIT) - 1))

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
        greatest, earlier, later, other = np.zeros(len(at)), np.empty(len(at)), np.empty(len(at)), np.empty_like(at)
        for away, share in enumerate(
            decay, 1
        ):  # in place: fresh pages for what is large take longer than to compute it
            line.take(np.subtract(at, away, out=other), out=earlier, mode="clip")
            line.take(np.add(at, away, out=other), out=later, mode="clip")
            np.maximum(earlier, later, out=earlier)
            np.maximum(greatest, np.multiply(earlier, share, out=earlier), out=greatest)
        found = np.zeros(len(rows))
        found[inside] = greatest
        return found


class Neighbours:
    """``before`` and ``after`` are an event's neighbours in its session, -1 where it has none; ``line`` has all."""

    def __init__(self, counted: npt.NDArray[np.bool_], events: Places, sessions: npt.NDArray[np.integer[Any]]) -> None:
        """Take the ``counted`` documents, and their ``events`` by session and time with the ``sessions`` of these."""
        follow = sessions[1:] == sessions[:-1]
        self.before = np.full(len(counted), _NOBODY, np.int32)
        self.after = self.before.copy()
        self.before[events[1:]] = np.where(follow, events[:-1], _NOBODY)
        self.after[events[:-1]] = np.where(follow, events[1:], _NOBODY)
        self.line = Line(counted, events, follow)
        last = np.full(int(sessions.max(initial=_NOBODY)) + 1, _NOBODY, np.int32)
        last[sessions] = events  # the last of those of one session
        self._before, self._after, self._last = Growing(self.before), Growing(self.after), Growing(last)

    @property
    def nbytes(self) -> int:
        """About how many bytes they take."""
        return self.line.nbytes + self._before.nbytes + self._after.nbytes + self._last.nbytes

    def grow(self, count: int, others: Places, events: Places, sessions: npt.NDArray[np.integer[Any]]) -> bool:
        """Take in ``count`` documents more: of those that are counted the ``events``, with their sessions, and others.

        Return False when there is no room: then these are of no use any more.
        """
        line = self.line
        line.grow(count)
        for column in (self._before, self._after):
            column.extend(np.full(count, _NOBODY))
        before, after = self.before, self.after = self._before.values, self._after.values
        more = int(sessions.max(initial=_NOBODY)) + 1 - len(self._last)
        self._last.extend(np.full(max(0, more), _NOBODY))
        last = self._last.values
        found = all(map(line.stand_alone, others.tolist()))
        for row, session in zip(events.tolist(), sessions.tolist(), strict=True):
            earlier = int(last[session])
            found = found and (line.follow(row, earlier, before) if earlier >= 0 else line.stand_alone(row))
            last[session] = row
            if earlier >= 0:
                before[row], after[earlier] = earlier, row
        return found


def nearness(decay: Sequence[float]) -> Values:
    """Return how near a place is by how often it is reached: 0 for never, then of ``decay``, and 1 for ``rows``."""
    return np.array([0.0, *decay[::-1], 1.0])
