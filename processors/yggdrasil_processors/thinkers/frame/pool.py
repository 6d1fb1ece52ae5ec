"""Several thinkers over the memories of one place: who is to think of what, and what happens when one cannot."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from threading import Lock
from time import sleep
from typing import Any, Final, Protocol

from yggdrasil_infra.log import Receipt
from yggdrasil_infra.rocks.errors import StorageError
from yggdrasil_infra.signals.metrics import ThinkerMetrics
from yggdrasil_projections.retrieval.errors import UnknownMemoryError
from yggdrasil_projections.service.moved import Moved
from yggdrasil_schemas.errors import YggdrasilError

from ..thinker import Thinker
from .ports import Memories
from .thinking import Progress, ThinkerError

_NAP_S: Final = 0.25  # while all that is left waits for somebody else
_KEEPING_S: Final = 5.0  # a page that is being read when the process is to end is not waited for longer
_LOGGER: Final = logging.getLogger("yggdrasil.thinkers")


class Thinks(Protocol):
    """A thinker at work, or in the shadow."""

    @property
    def thinker(self) -> Thinker[Any]:
        """The thinker."""
        ...

    def advance(self, memory: str, *, resting: bool = False) -> Progress:
        """Read the next page of a memory, and decide what follows from it."""
        ...

    def stands(self, memory: str) -> int | None:
        """Return the seq up to which a memory was read and that is kept; None where it must be looked at."""
        ...

    def keep(self) -> None:
        """Keep what was read of every memory."""
        ...


@dataclass(slots=True)
class Waiting:
    """A memory that waits for a thinker: whether it rests, and where what woke the thinker stands in the log."""

    resting: bool = False
    after: Receipt | None = None


class Desk:
    """One thinker of a pool, and the memories that wait for it, in the order in which they came."""

    def __init__(self, thinks: Thinks) -> None:
        """Nothing waits yet."""
        self.thinks = thinks
        self.name = thinks.thinker.name
        self.stopped: str | None = None
        """Why the thinker is not asked any more, in a sentence; None while it is."""
        self.working = Lock()
        self._waiting: dict[str, Waiting] = {}
        self._read: dict[str, int] = {}  # by memory: the seq at which nothing of it was left to be read
        self._changing = Lock()

    def put(self, memory: str, *, resting: bool = False, after: Receipt | None = None) -> None:
        """Let a memory wait, unless it does; ``after`` is where what woke the thinker stands."""
        with self._changing:
            waiting = self._waiting.setdefault(memory, Waiting())
            waiting.resting = waiting.resting or resting
            if after is not None and (waiting.after is None or waiting.after.offset < after.offset):
                waiting.after = after

    def put_moved(self, memory: str, seq: int) -> None:
        """Let a memory that is at ``seq`` wait, unless all of it has been read up to there."""
        read = self._read.get(memory)
        if read is None and (read := self.thinks.stands(memory)) is not None:
            self._read[memory] = read
        if read != seq:  # also where it was set back
            self.put(memory)

    def note_read(self, memory: str, progress: Progress) -> None:
        """Take notice of how far a memory was read, if to its end."""
        if progress.whole and progress.seq is not None:
            self._read[memory] = progress.seq

    def take(self) -> tuple[str, Waiting] | None:
        """Take the memory that has waited longest; None when none waits."""
        with self._changing:
            memory = next(iter(self._waiting), None)
            return None if memory is None else (memory, self._waiting.pop(memory))

    @property
    def waiting(self) -> int:
        """How many memories wait."""
        return len(self._waiting)


class Pool:
    """Several thinkers, each on its own: when one fails it stops, alone. For any thread."""

    def __init__(self, thinks: Sequence[Thinks], memories: Memories, metrics: ThinkerMetrics) -> None:
        """Nobody thinks of anything until it is woken."""
        self._memories = memories
        self.desks = [Desk(each) for each in thinks]
        self._metrics = metrics
        for desk in self.desks:
            metrics.stopped.labels(desk.name).set(0)
            # Asked for whenever it is shown: what cannot be reached waits without a step that could say so.
            metrics.waiting.labels(desk.name).set_function(partial(getattr, desk, "waiting"))

    def wake(self, memory: str, command: str, thinker: str | None, after: Receipt | None = None) -> bool:
        """Let those think of ``memory`` whom a ``command`` of that type concerns; return whether there are any.

        What a ``thinker`` has decided wakes only those that follow it. ``after`` is where the command stands, for
        memories that may not have folded it yet.
        """
        woken = False
        for desk in self.desks:
            of = desk.thinks.thinker
            if command in of.wakes and (thinker is None or thinker in of.follows):
                desk.put(memory, after=after)
                woken = True
        return woken

    def wake_all(self, memories: Sequence[str], *, resting: bool = False) -> None:
        """Let all think of all of ``memories``: at the start, and again when nothing has happened for a while."""
        for desk in self.desks:
            for memory in memories:
                desk.put(memory, resting=resting)

    def wake_moved(self, moved: Sequence[Moved]) -> None:
        """Let all think of those memories that have moved since they were read to their end. Raises StorageError."""
        for desk in self.desks:
            for each in moved:
                desk.put_moved(each.memory, each.seq)

    def step(self, desk: Desk) -> Progress | None:
        """Let one thinker read one page of the memory that has waited longest; None when none does, or it stopped.

        What cannot be reached now waits on. Raises StorageError: the process is to end.
        """
        with desk.working:
            taken = None if desk.stopped else desk.take()
            if taken is None:
                return None
            memory, waiting = taken
            progress = self._advance(desk, memory, waiting)
            desk.note_read(memory, progress)
            if not progress.whole:
                desk.put(memory, resting=waiting.resting)
        if progress.taken:
            for other in self.desks:
                if desk.name in other.thinks.thinker.follows:
                    other.put(memory)
        self._metrics.read.labels(desk.name).inc(progress.read)
        self._metrics.decided.labels(desk.name).inc(progress.taken)
        return progress

    def drain(self, progress: Callable[[str, Progress], object] | None = None) -> int:
        """Let all think until nothing waits for them; return how many commands were taken.

        Thinkers that follow others see what these have decided. ``progress`` is called after each page. What cannot be
        reached raises.
        """
        taken = 0
        idle = False
        while not idle:
            idle = waits = True
            for desk in self.desks:
                done = self.step(desk)
                if done is None:
                    continue
                idle = False
                waits = waits and done.waits
                taken += done.taken
                if progress:
                    progress(desk.name, done)
            if waits and not idle:  # for what another has begun and may be about to end
                sleep(_NAP_S)
        return taken

    def keep(self) -> None:
        """Keep what all have read, for a process that is about to end: else it is read again. Raises StorageError."""
        for desk in self.desks:
            if desk.stopped or not desk.working.acquire(timeout=_KEEPING_S):
                continue
            try:
                desk.thinks.keep()
            except ThinkerError as error:
                desk.stopped = str(error)
            finally:
                desk.working.release()

    def failed(self) -> str | None:
        """Return which thinkers have stopped and why, in one sentence; None when all are at work."""
        stopped = [desk.stopped for desk in self.desks if desk.stopped]
        return "; ".join(stopped) if stopped else None

    def _advance(self, desk: Desk, memory: str, waiting: Waiting) -> Progress:
        try:
            if waiting.after is not None:
                self._memories.wait(memory, waiting.after)
            return desk.thinks.advance(memory, resting=waiting.resting)
        except UnknownMemoryError:
            return Progress(0, 0, whole=True)
        except ThinkerError as error:
            desk.stopped = str(error)
            self._metrics.stopped.labels(desk.name).set(1)
            _LOGGER.exception("thinker %s is stopped; the others go on, and so does the memory", desk.name)
            return Progress(0, 0, whole=True)
        except StorageError:
            raise
        except YggdrasilError:
            self._metrics.away.inc()
            desk.put(memory, resting=waiting.resting, after=waiting.after)
            raise
