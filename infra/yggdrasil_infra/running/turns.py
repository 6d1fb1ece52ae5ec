"""Turns at what one thread may use at a time: readers go before a fold that works in slices, and never for ever."""

from collections import deque
from collections.abc import Generator
from contextlib import contextmanager
from threading import Lock
from time import monotonic, perf_counter
from typing import Final

SWITCH_S: Final = 0.0005
"""For so long Python is best told (``sys.setswitchinterval``) to let one thread compute while another one waits for it.

That is ten times as often as by default: beside a greedy fold a read of 2 ms takes 9, not 63. It is of the whole
process, so it is for its owner to choose, and no library's.
"""
OWED_S_MAX: Final = 0.006
"""By how much a slice may be longer when readers had kept the fold waiting: little beside a read of 10 ms."""
_LATELY_S: Final = 1.0  # who asks once asks again soon; a fold that nobody waits for takes as much as it likes


class Turns:
    """A lock with two kinds of holders, handed from one to the next, so that nobody slips in between.

    After a slice of the fold all readers that wait by then have their turn, then the fold has its next slice. So a
    reader waits for one slice at most and for the readers before it, and the fold for those that came before it
    (phase-fair: B. Brandenburg and J. Anderson, Spin-Based Reader-Writer Synchronization, 2010). Readers exclude each
    other as well, since to read a graph fills its cache. A thread that has a turn must not take another one.

    Somebody who always asks, and whose reads are long, would leave the fold a small share all the same; so the time for
    which it was kept waiting is ``owed`` to it, up to a bound.
    """

    def __init__(self) -> None:
        self._state = Lock()
        self._held = False
        self._readers: deque[Lock] = deque()
        self._folders: deque[Lock] = deque()
        self._due = 0  # readers that go before the next slice
        self._waited = -_LATELY_S
        self._owed_s = 0.0

    @property
    def wanted(self) -> bool:
        """Whether a reader has had to wait lately, so that whoever folds had better do so in slices."""
        return bool(self._readers) or monotonic() - self._waited < _LATELY_S

    @contextmanager
    def reading(self) -> Generator[None]:
        """Hold the turn of a reader."""
        self._take(self._readers)
        begun = perf_counter()
        try:
            yield
        finally:
            if self._folders:
                self._owed_s = min(OWED_S_MAX, self._owed_s + perf_counter() - begun)
            self._hand_on()

    def owed_s(self) -> float:
        """Return by how many seconds the slice that begins now may be longer; whoever has its turn asks once."""
        owed_s, self._owed_s = self._owed_s, 0.0
        return owed_s

    @contextmanager
    def folding(self) -> Generator[None]:
        """Hold the turn of the fold, for one slice."""
        self._take(self._folders)
        try:
            yield
        finally:
            self._hand_on(slice_ended=True)

    def _take(self, queue: deque[Lock]) -> None:
        with self._state:
            if not self._held:
                self._held = True
                return
            mine = Lock()
            mine.acquire()
            queue.append(mine)
            if queue is self._readers:
                self._waited = monotonic()
        try:
            mine.acquire()  # until it is handed to us
        except BaseException:  # a signal's handler may raise while we wait
            with self._state:
                waiting = mine in queue
                if waiting:
                    queue.remove(mine)
            if not waiting:
                self._hand_on()
            raise

    def _hand_on(self, *, slice_ended: bool = False) -> None:
        with self._state:
            if slice_ended:
                self._due = len(self._readers)
            if self._readers and (self._due > 0 or not self._folders):
                self._due -= 1
                self._readers.popleft().release()
            elif self._folders:
                self._folders.popleft().release()
            else:
                self._held = False
