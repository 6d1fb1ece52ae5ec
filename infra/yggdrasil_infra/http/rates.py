"""How much may be asked at once and in a while: buckets of tokens, a gate before the work, quotas of tenants, bytes."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from math import inf
from threading import Lock
from time import time
from typing import Final, Protocol

from yggdrasil_schemas.ids import tenant_of

from .bucket import Bucket
from .callers import OWNER, Caller
from .problems import BUSY, DAY_QUOTA, QUOTA, TOO_MANY, ProblemError

_BUCKETS_MAX: Final = 100_000  # keys are at most as many as their file holds; revoked ones stay until then
_DAY_S: Final = 86_400.0
_ASKED_SHARE: Final = 0.9  # of a quota may be used before questions are recorded no more
QUEUE_WAIT_S: Final = 2.0  # whoever waited longer would rather be told to come again


class Buckets:
    """A bucket of tokens per key: it fills at ``rate`` per second up to ``burst``, and a request takes one or more."""

    def __init__(self, rate: float, burst: float | None = None, whose: str = "this key") -> None:
        """``rate`` 0 means no limit. ``burst`` is a second's worth unless it is given; ``whose`` is for the message."""
        self._whose = whose
        self._rate = rate
        self._burst = max(1.0, rate if burst is None else burst)
        self._of: dict[str, Bucket] = {}

    def take(self, key: str, tokens: float = 1.0) -> None:
        """Take tokens out of the bucket of ``key``, which may go below zero for a batch. Raises ProblemError (429)."""
        if not self._rate or key == OWNER:  # who has the machine's word that all of this is theirs
            return
        bucket = self._of.get(key)
        if bucket is None:
            if len(self._of) >= _BUCKETS_MAX:
                self._of.clear()
            bucket = self._of[key] = Bucket(self._rate, self._burst)
        if wait := bucket.take(tokens):
            said = f"{self._whose} may send {self._rate:g} requests per second, and a batch counts as its commands"
            raise ProblemError(TOO_MANY, said, retry_after_s=wait)


class Held:
    """Counts bytes that are held, by the name for which they are held and in all. Of one event loop.

    Nobody's bytes are refused while nothing else is held under that name, and in all: what is larger than a bound has
    to go through as well.
    """

    def __init__(self, what: str, most: int, share: int) -> None:
        """At most ``most`` bytes in all, and ``share`` under one name; ``what`` they are, for messages."""
        self._what = what
        self._most = most
        self._share = share
        self._all = 0
        self._of: dict[str, int] = {}

    @property
    def bytes(self) -> int:
        """How many bytes are held in all."""
        return self._all

    def much(self, key: str) -> bool:
        """Whether more than a third of what may be held under this name is."""
        return self._of.get(key, 0) * 3 > self._share

    def take(self, key: str, size: int) -> None:
        """Hold ``size`` bytes more. Raises ProblemError: 429 for the name's bound, 503 for that of all."""
        theirs = self._of.get(key, 0)
        if not size:
            return
        if theirs and theirs + size > self._share:
            raise ProblemError(TOO_MANY, f"{self._what} of this tenant hold {theirs} bytes already", retry_after_s=1)
        if self._all and self._all + size > self._most:
            raise ProblemError(BUSY, f"{self._what} hold {self._all} bytes already", retry_after_s=1)
        self._of[key] = theirs + size
        self._all += size

    def give(self, key: str, size: int) -> None:
        """Hold ``size`` bytes less."""
        self._all -= size
        if left := self._of.pop(key, 0) - size:
            self._of[key] = left


@dataclass(slots=True, eq=False)
class _Waiting:
    future: "asyncio.Future[None]"
    key: str
    share: int


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
    async def entered(
        self, key: str, wait_s: float = QUEUE_WAIT_S, share: int | None = None
    ) -> AsyncGenerator[None, None]:
        """Hold a place while the context is open; ``share`` is a smaller one than the gate's.

        Raises ProblemError (503) when there is no place soon enough.
        """
        await self._enter(key, wait_s, self._share if share is None else min(share, self._share))
        try:
            yield
        finally:
            self._leave(key)

    async def _enter(self, key: str, wait_s: float, share: int) -> None:
        if self._may(key, share):
            self._take(key)
            return
        theirs = sum(waiting.key == key for waiting in self._queue)
        if len(self._queue) >= self._queue_max or theirs >= self._queue_share:
            raise ProblemError(BUSY, "as many requests as can be served at once are under way", retry_after_s=1)
        waiting = _Waiting(asyncio.get_running_loop().create_future(), key, share)
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

    def _may(self, key: str, share: int) -> bool:
        return self._free > 0 and self._held.get(key, 0) < share

    def _take(self, key: str) -> None:
        self._free -= 1
        self._held[key] = self._held.get(key, 0) + 1

    def _leave(self, key: str) -> None:
        self._free += 1
        self._held[key] -= 1
        if not self._held[key]:
            del self._held[key]
        for waiting in self._queue:
            if self._may(waiting.key, waiting.share) and not waiting.future.done():
                self._queue.remove(waiting)
                self._take(waiting.key)
                waiting.future.set_result(None)
                return


@dataclass(frozen=True, slots=True)
class Quota:
    """What one tenant may take; 0 is no limit.

    ``total_bytes`` and ``day_bytes`` are of its records in the log; ``rate`` is requests and commands per second.
    """

    total_bytes: int = 0
    day_bytes: int = 0
    memories: int = 0
    rate: float = 0.0


class Taken(Protocol):
    """Knows how many bytes each tenant has taken. For any thread."""

    def taken(self, tenant: str) -> tuple[int, int]:
        """Return the bytes of a tenant: in all, and today."""
        ...

    def let_in(self, tenant: str, size: int) -> None:
        """Note bytes that are about to be appended."""
        ...


class Memories(Protocol):
    """Knows which memories there are. For any thread."""

    def knows(self, memory: str) -> bool:
        """Return whether anything of ``memory`` has been folded."""
        ...

    def memories(self, tenant: str | None) -> list[str]:
        """Return the ids of all memories, or of one tenant's."""
        ...


class Quotas:
    """Says when a tenant has taken what it may. The last tenth of a quota of bytes is for commands, not for questions.

    What is under way is not counted yet, so as much as is worked on at once may go beyond a quota.
    """

    def __init__(self, quota: Quota, keys: Buckets, memories: Memories, taken: Taken | None = None) -> None:
        """Each request has taken one token of its key from ``keys``; ``taken`` is needed where bytes are bounded."""
        self._quota = quota
        self._keys = keys
        self._tenants = Buckets(quota.rate, whose="this tenant")
        self._memories = memories
        self._taken = taken
        self._making: dict[str, set[str]] = {}  # by tenant: memories that were let in and were not there before
        self._lock = Lock()

    def pay(self, caller: Caller, memory: str, commands: int = 1) -> None:
        """Take the tokens of one request with so many commands. Raises ProblemError (429). Of one event loop."""
        if commands > 1:
            self._keys.take(caller.id, commands - 1)
        self._tenants.take(tenant_of(memory), commands)

    def check(self, memory: str, size: int) -> None:
        """Let ``size`` bytes into a memory. Raises ProblemError: 403 for a quota, 429 for one of the day."""
        if self._quota.memories:
            self._check_memories(memory)
        if self._taken is None:
            return
        tenant = tenant_of(memory)
        total, today = self._taken.taken(tenant)
        if 0 < self._quota.total_bytes < total + size:
            raise ProblemError(
                QUOTA, f"{tenant} may have {self._quota.total_bytes} bytes in the log (--quota-bytes), and has {total}"
            )
        if 0 < self._quota.day_bytes < today + size:
            raise ProblemError(
                DAY_QUOTA,
                f"{tenant} may append {self._quota.day_bytes} bytes a day (--quota-day-bytes), and has {today} today",
                retry_after_s=_DAY_S - time() % _DAY_S,
            )
        self._taken.let_in(tenant, size)

    def may_record(self, memory: str, size: int) -> bool:
        """Whether a question of about ``size`` bytes may be recorded: questions must not keep commands out."""
        if self._taken is None:
            return True
        total, today = self._taken.taken(tenant_of(memory))
        bounds = (total, self._quota.total_bytes), (today, self._quota.day_bytes)
        if any(taken + size > bound * _ASKED_SHARE for taken, bound in bounds if bound):
            return False
        self._taken.let_in(tenant_of(memory), size)
        return True

    def _check_memories(self, memory: str) -> None:
        """Raise ProblemError (403) for a memory that would be one too many."""
        if self._memories.knows(memory):
            return
        tenant = tenant_of(memory)
        with self._lock:
            making = self._making.get(tenant, set[str]())
            if memory in making:
                return
            there = self._memories.memories(tenant)
            making = making.difference(there)
            if len(there) + len(making) >= self._quota.memories:
                raise ProblemError(
                    QUOTA, f"{tenant} may have {self._quota.memories} memories (--quota-memories), and has that many"
                )
            self._making[tenant] = {*making, memory}
