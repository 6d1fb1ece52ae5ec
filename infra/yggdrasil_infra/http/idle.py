"""When a service was last asked, and its end when that was long ago."""

import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Final

from ..running.periodic import Periodic

_LOOKS: Final = 4  # in the time after which it ends
_LOOK_S_MAX: Final = 5.0


class Activity:
    """Which requests are under way, and when the last one ended. For one event loop, and readers on any thread."""

    def __init__(self) -> None:
        self._under_way = 0
        self._ended = time.monotonic()

    def begin(self) -> None:
        """Take note of a request."""
        self._under_way += 1

    def end(self) -> None:
        """Take note that it was answered."""
        self._ended = time.monotonic()
        self._under_way -= 1

    @property
    def idle_s(self) -> float:
        """For how long nothing has been asked."""
        return 0.0 if self._under_way else time.monotonic() - self._ended


@contextmanager
def ended_when_idle(
    activity: Activity,
    seconds: float,
    end: Callable[[], None],
    lost: Callable[[], bool] = lambda: False,
    working: Callable[[], bool] | None = None,
) -> Generator[None, None, None]:
    """Call ``end`` once, on a thread, when nothing was asked for ``seconds``; until then the context is open.

    Not while it is ``working`` for those who have asked before; but when it is ``lost``: nobody finds the way to it any
    more.
    """
    look_s = min(seconds / _LOOKS, _LOOK_S_MAX)

    def look() -> float | None:
        if lost() or (activity.idle_s >= seconds and not (working is not None and working())):
            end()
            return None
        return look_s

    with Periodic("idle", look, look_s):
        yield
