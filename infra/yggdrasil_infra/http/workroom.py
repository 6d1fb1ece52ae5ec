"""Where blocking work is done while the event loop goes on: bounded threads, by kind of work.

What waits for something (a sync of the log, the fold) and what computes have threads of their own, so that those who
wait cannot keep the others from their work. How much queues before them the gate has bounded.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import ParamSpec, Self, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class Workroom:
    """Threads for one kind of work; a context manager."""

    def __init__(self, name: str, threads: int) -> None:
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix=name)

    async def run(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Do ``work`` in a thread and return what it returns. It is finished even when nobody waits for it any more."""
        future = self._threads.submit(partial(work, *args, **kwargs))
        return await asyncio.shield(asyncio.wrap_future(future))

    def close(self) -> None:
        """Begin nothing more. What is under way is finished."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@dataclass(frozen=True, slots=True)
class Workrooms:
    """One for appends, one for reads, one for those who wait until something is folded."""

    appends: Workroom
    reads: Workroom
    waits: Workroom

    @classmethod
    def of(cls, places: int, reads: int = 8) -> Self:
        """Make them for ``places`` requests at once. More than a few ``reads`` only take turns at the interpreter."""
        return cls(Workroom("append", places), Workroom("read", min(reads, places)), Workroom("wait", places))

    def close(self) -> None:
        """Close them all."""
        for room in (self.appends, self.reads, self.waits):
            room.close()
