"""What was missed: which memories have moved since thinkers looked last, asked once for all of them."""

from collections.abc import Callable
from threading import Lock
from time import monotonic
from typing import Final

from .pool import Pool
from .ports import Memories

ALL_AGAIN_S: Final = 3_600.0
"""After so long all memories are listed again, for what no answer can tell: a log that was put back from a backup."""


class Looking:
    """Looks now and then which memories have moved, and wakes a pool for those alone. For any thread.

    Where a listing is cut short, by an error or by the end of the process, the next look goes on or begins again. What
    a thinker could not read waits in the pool, and what it has read it is not asked for again: see ``Desk.put_moved``.
    """

    def __init__(self, pool: Pool, memories: Memories, clock: Callable[[], float] = monotonic) -> None:
        """Begin with a list of all memories."""
        self._pool = pool
        self._memories = memories
        self._clock = clock
        self._place: str | None = None
        self._all_again_at = 0.0
        self._anew = True
        self._looking = Lock()

    def begin_again(self) -> None:
        """List all memories at the next look: this process is to think of others than before."""
        self._anew = True

    def look(self, ours: Callable[[str], bool]) -> None:
        """Wake the pool for those of ``ours`` that have moved.

        Raises StorageError, and what ``Memories`` raises; then the next look goes on where this one ended.
        """
        with self._looking:
            self._look(ours)

    def _look(self, ours: Callable[[str], bool]) -> None:
        more = True
        while more:
            if self._anew or self._clock() >= self._all_again_at:
                self._anew, self._place = False, None
                self._all_again_at = self._clock() + ALL_AGAIN_S
            found = self._memories.moved(self._place)
            self._pool.wake_moved([each for each in found.moved if ours(each.memory)])
            self._place, more = found.place, found.more
