"""Partitions replayed beside each other, each in a process of its own: the fold is Python, and takes a core."""

import gc
import signal
from collections import deque
from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from multiprocessing.resource_tracker import ensure_running
from time import monotonic
from typing import Any, Final

from yggdrasil_infra.log import LogReader

from ..auditing.replay import ReplayError
from .partition import Passing, Replayed, Task, replay_partition

Opening = Callable[[], AbstractContextManager[LogReader]]
"""Opens the log; it is sent to the processes, so it can be pickled."""
_TELL_EVERY_S: Final = 0.1
_END_S: Final = 30.0  # what a process may take to end its batch and close its stores, before it is killed


class _EndedError(Exception):
    """Whoever waits for this process has gone, or waits no more."""


def together(opening: Opening, tasks: Sequence[Task], jobs: int, progress: Passing) -> list[Replayed]:
    """Replay partitions in ``jobs`` processes, in this one if that is 1; return what each found, in the tasks' order.

    When one fails, or this process is interrupted, the others end after their batch, and all stores stand where they
    are: the same tasks go on from there. Raises what ``replay_partition`` raises.
    """
    if jobs == 1:
        with opening() as log:
            return [replay_partition(task, log, progress) for task in tasks]
    waiting = deque(sorted(range(len(tasks)), key=lambda at: tasks[at].end, reverse=True))  # the longest first
    found: dict[int, Replayed] = {}
    with _processes(opening, min(jobs, len(tasks))) as connections:
        busy: dict[Connection, int] = {}
        for connection in connections:
            busy[connection] = waiting.popleft()
            connection.send(tasks[busy[connection]])
        while busy:
            for each in wait([*busy]):
                connection = next(one for one in busy if one is each)
                at = busy[connection]
                try:
                    kind, told = connection.recv()
                except EOFError:
                    raise ReplayError(
                        f"the process that replayed partition {tasks[at].partition} has ended, as if it was killed: is "
                        "there memory for so many (--jobs)? With --into the same command goes on where it was"
                    ) from None
                if kind == "passed":
                    progress(told)
                elif kind == "less":
                    progress.less(told)
                elif kind == "failed":
                    raise told
                else:
                    found[at] = told
                    del busy[connection]
                    if waiting:
                        busy[connection] = waiting.popleft()
                        connection.send(tasks[busy[connection]])
    return [found[at] for at in range(len(tasks))]


@contextmanager
def _processes(opening: Opening, count: int) -> Generator[list[Connection]]:
    """Start processes that replay what they are sent, and end them all."""
    context = get_context("spawn")  # a fork would share what this process has open
    made: list[tuple[Connection, BaseProcess]] = []
    try:
        with _uninterrupted():
            for _ in range(count):
                ours, theirs = context.Pipe()
                process = context.Process(target=_serve, args=(theirs, opening), name="replay", daemon=True)
                process.start()
                theirs.close()
                made.append((ours, process))
        yield [connection for connection, _ in made]
    finally:
        for connection, _ in made:
            connection.close()  # which ends what it does
        ends = monotonic() + _END_S
        for _, begun in made:
            begun.join(max(0.0, ends - monotonic()))
            if begun.is_alive():
                begun.kill()
                begun.join()


@contextmanager
def _uninterrupted() -> Generator[None]:
    """Let Ctrl-C wait: a process that begins meanwhile has it blocked for good, and is ended by this one."""
    ensure_running()  # or it would begin with the first process, and unblock what is blocked here
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class _Telling:
    """Tells the process that waits how far this one is, and learns from it that nobody waits any more."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._passed = 0
        self._told = monotonic()

    def __call__(self, records: int, /) -> None:
        self._passed += records
        if monotonic() - self._told >= _TELL_EVERY_S:
            self.tell()

    def less(self, records: int, /) -> None:
        self._send("less", records)

    def tell(self) -> None:
        """Tell what was not told yet."""
        if self._connection.poll():
            raise _EndedError
        self._send("passed", self._passed)
        self._passed, self._told = 0, monotonic()

    def _send(self, kind: str, told: Any) -> None:
        try:
            self._connection.send((kind, told))
        except OSError as error:
            raise _EndedError from error


def _serve(connection: Connection, opening: Opening) -> None:
    """Replay partitions, one after another, for as long as somebody sends them."""
    gc.set_threshold(10_000, 100, 50)  # as the command line does for its own fold
    with suppress(_EndedError, EOFError, OSError):
        while True:
            task = connection.recv()
            telling = _Telling(connection)
            try:
                with opening() as log:
                    found = replay_partition(task, log, telling)
                telling.tell()
            except _EndedError:
                return
            except Exception as error:
                connection.send(("failed", error))
            else:
                connection.send(("found", found))
