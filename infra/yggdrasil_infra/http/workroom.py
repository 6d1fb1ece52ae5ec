"""Where blocking work is done while the event loop goes on: bounded threads, by kind of work.

What waits for something (a sync of the log, the fold) and what computes have threads of their own, so that those who
wait cannot keep the others from their work. How much queues before them the gate has bounded. In the queue one tenant
after the other has its turn, and what computes for one never has all threads; while its work is heavy, it has one.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import ContextVar, copy_context
from dataclasses import dataclass
from functools import partial
from threading import Lock
from time import thread_time
from typing import Any, Final, ParamSpec, Self, TypeVar

FOR: Final[ContextVar[str]] = ContextVar("FOR", default="")
"""The tenant for whom work is done."""
_JOBS: Final = 2  # each folds memories, as the building of a past does
_HEAVY_S: Final = 0.05  # of a processor: ten times what a question takes, and less than the longest answers

P = ParamSpec("P")
T = TypeVar("T")


class Workroom:
    """Threads for one kind of work; a context manager."""

    def __init__(self, name: str, threads: int, share: int | None = None) -> None:
        """``share`` is how many threads work for one tenant; all of them unless given.

        With a share, a tenant whose last piece of work was heavy has one thread until one was not: whoever comes after
        it waits for one heavy piece at most.
        """
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix=name)
        self._most = threads
        self._share = threads if share is None else share
        self._lock = Lock()
        self._waiting: dict[str, deque[tuple[Future[Any], Callable[[], Any]]]] = {}  # in the order of their turns
        self._working: dict[str, int] = {}
        self._heavy: set[str] = set()
        self.closed = False
        """Whether nothing more is begun: what takes long looks at it, and ends."""

    async def run(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Do ``work`` in a thread and return what it returns. It is finished even when nobody waits for it any more."""
        future: Future[T] = Future()
        with self._lock:
            whose = partial(copy_context().run, partial(work, *args, **kwargs))  # for which request, in that thread too
            self._waiting.setdefault(FOR.get(), deque()).append((future, whose))
        self._threads.submit(self._do_next)
        return await asyncio.shield(asyncio.wrap_future(future))

    def _do_next(self) -> None:
        """Do what may be done now: a thread that finds nothing leaves it to those who are at work for that tenant."""
        while (taken := self._next()) is not None:
            name, future, work = taken
            begun = thread_time()
            tell: Callable[[], None] | None = None
            if future.set_running_or_notify_cancel():
                try:
                    tell = partial(future.set_result, work())
                except BaseException as error:  # whoever waits for it is told
                    tell = partial(future.set_exception, error)
            self._ended(name, heavy=thread_time() - begun > _HEAVY_S)
            if tell is not None:  # only now: who asks again at once has the threads that this leaves it
                tell()

    def _ended(self, name: str, heavy: bool) -> None:
        with self._lock:
            if not heavy and name in self._heavy and name in self._waiting:
                self._threads.submit(self._do_next)  # the threads that it could not have then have gone
            (self._heavy.add if heavy else self._heavy.discard)(name)
            self._working[name] -= 1
            if not self._working[name]:
                del self._working[name]

    def _next(self) -> tuple[str, Future[Any], Callable[[], Any]] | None:
        with self._lock:
            name = next((one for one in self._waiting if self._working.get(one, 0) < self._share_of(one)), None)
            if name is None:
                return None
            waiting = self._waiting.pop(name)
            future, work = waiting.popleft()
            if waiting:
                self._waiting[name] = waiting  # behind the others
            self._working[name] = self._working.get(name, 0) + 1
            return name, future, work

    def _share_of(self, name: str) -> int:
        return 1 if name in self._heavy and self._share < self._most else self._share

    def close(self) -> None:
        """Begin nothing more. What is under way is finished."""
        with self._lock:
            self.closed = True
            for waiting in self._waiting.values():
                for future, _ in waiting:
                    future.cancel()
            self._waiting.clear()
        self._threads.shutdown(wait=False, cancel_futures=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@dataclass(frozen=True, slots=True)
class Workrooms:
    """One for appends, one for reads, one for those who wait until something is folded.

    In ``jobs`` is done what goes on when nobody waits for it any more: one piece for a tenant at a time. What any
    reader may ask of that sort is done in ``lineages``, apart from what operators and auditors ask.
    """

    appends: Workroom
    reads: Workroom
    waits: Workroom
    jobs: Workroom
    lineages: Workroom

    @classmethod
    def of(cls, places: int, reads: int = 8) -> Self:
        """Make them for ``places`` requests at once. More than a few ``reads`` only take turns at the interpreter."""
        reads = min(reads, places)
        room = Workroom("read", reads, max(1, reads // 2))
        jobs, lineages = Workroom("job", _JOBS, 1), Workroom("lineage", 1)
        return cls(Workroom("append", places), room, Workroom("wait", places), jobs, lineages)

    def close(self) -> None:
        """Close them all."""
        for room in (self.appends, self.reads, self.waits, self.jobs, self.lineages):
            room.close()
