"""How much may be asked at once and in a while: a bucket of tokens per key, and a gate before the work."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from math import inf
from time import monotonic
from typing import Final

from .problems import BUSY, TOO_MANY, ProblemError

_BUCKETS_MAX: Final = 100_000  # keys are at most as many as their file holds; revoked ones stay until then
QUEUE_WAIT_S: Final = 2.0  # whoever waited longer would rather be told to come again


class Buckets:
    """A bucket of tokens per key: it fills at ``rate`` per second up to ``burst``, and a request takes one or more."""

    def __init__(self, rate: float, burst: float | None = None) -> None:
        """``rate`` 0 means no limit. ``burst`` is a second's worth unless it is given."""
        self._rate = rate
        self._burst = max(1.0, rate if burst is None else burst)
        self._left: dict[str, tuple[float, float]] = {}

    def take(self, key: str, tokens: float = 1.0) -> None:
        """Take tokens out of the bucket of ``key``, which may go below zero for a batch. Raises ProblemError (429)."""
        if not self._rate:
            return
        now = monotonic()
        left, then = self._left.get(key, (self._burst, now))
        left = min(self._burst, left + (now - then) * self._rate)
        if left < 1.0:
            wait = (1.0 - left) / self._rate
            raise ProblemError(TOO_MANY, f"this key may send {self._rate:g} requests per second", retry_after_s=wait)
        if len(self._left) >= _BUCKETS_MAX:
            self._left.clear()
        self._left[key] = left - tokens, now


@dataclass(slots=True, eq=False)
class _Waiting:
    future: "asyncio.Future[None]"
    key: str


class Gate:
    """Lets a bounded number of requests work at once, and a bounded number wait for a short while.

    Who comes under one name holds at most ``share`` places, and as much of the queue, so that whoever sends slow
    requests leaves room for others. Of one event loop.
    """

    def __init__(self, places: int, queue: int | None = None, share: int | None = None) -> None:
        """``queue`` is as long as there are places, unless it is given; a share is all places unless given."""
        self._free = places
        self._queue_max = places if queue is None else queue
        self._share = places if share is None else share
        self._queue_share = max(1, self._queue_max * self._share // places)
        self._held: dict[str, int] = {}
        self._queue: deque[_Waiting] = deque()

    @property
    def waiting(self) -> int:
        """How many requests wait."""
        return len(self._queue)

    @asynccontextmanager
    async def entered(self, key: str, wait_s: float = QUEUE_WAIT_S) -> AsyncGenerator[None, None]:
        """Hold a place while the context is open. Raises ProblemError (503) when there is none soon enough."""
        await self._enter(key, wait_s)
        try:
            yield
        finally:
            self._leave(key)

    async def _enter(self, key: str, wait_s: float) -> None:
        if self._may(key):
            self._take(key)
            return
        theirs = sum(waiting.key == key for waiting in self._queue)
        if len(self._queue) >= self._queue_max or theirs >= self._queue_share:
            raise ProblemError(BUSY, "as many requests as can be served at once are under way", retry_after_s=1)
        waiting = _Waiting(asyncio.get_running_loop().create_future(), key)
        self._queue.append(waiting)
        try:
            await asyncio.wait_for(waiting.future, None if wait_s == inf else wait_s)
        except BaseException as error:
            if waiting in self._queue:
                self._queue.remove(waiting)
            else:
                self._leave(key)  # it was given a place in the moment in which it gave up
            if isinstance(error, TimeoutError):
                raise ProblemError(BUSY, f"no place became free within {wait_s:g} s", retry_after_s=1) from None
            raise

    def _may(self, key: str) -> bool:
        return self._free > 0 and self._held.get(key, 0) < self._share

    def _take(self, key: str) -> None:
        self._free -= 1
        self._held[key] = self._held.get(key, 0) + 1

    def _leave(self, key: str) -> None:
        self._free += 1
        self._held[key] -= 1
        if not self._held[key]:
            del self._held[key]
        for waiting in self._queue:
            if self._may(waiting.key) and not waiting.future.done():
                self._queue.remove(waiting)
                self._take(waiting.key)
                waiting.future.set_result(None)
                return
