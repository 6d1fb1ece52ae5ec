"""Thinkers beside an engine: a thread that lets them think whenever something has been appended."""

import logging
from collections.abc import Sequence
from pathlib import Path
from threading import Event, Thread
from time import monotonic
from types import TracebackType
from typing import Any, Final, Self

from yggdrasil_infra.rocks.errors import StorageError
from yggdrasil_infra.signals.metrics import ThinkerMetrics
from yggdrasil_processors.thinkers.frame.kept import ThoughtStore
from yggdrasil_processors.thinkers.frame.pool import Pool
from yggdrasil_processors.thinkers.frame.thinking import Rewrite, Thinking
from yggdrasil_processors.thinkers.thinker import Thinker
from yggdrasil_schemas.errors import YggdrasilError

from .memories import SOURCE, EngineMemories

PLACE: Final = "thoughts"
"""Where thinkers keep what they know, in a directory of memories or in one of their own."""
IDLE_S: Final = 300.0
"""After so long without anything new thinkers are told that a memory rests."""
_AWAY_S: Final = 1.0
_LOGGER: Final = logging.getLogger("yggdrasil.thinkers")


def pool_of(
    thinkers: Sequence[Thinker[Any]],
    memories: EngineMemories,
    store: ThoughtStore,
    metrics: ThinkerMetrics | None = None,
    rewrite: Rewrite | None = None,
) -> Pool:
    """Return thinkers over ``memories`` that keep what they know in ``store``."""
    thinks = [Thinking(thinker, memories, store, SOURCE, rewrite) for thinker in thinkers]
    return Pool(thinks, memories, metrics or ThinkerMetrics())


class Beside:
    """A pool of thinkers in a thread of its own; a context manager. For any thread.

    Whoever appends says so with ``appended``. Nothing waits for thinkers, and what they had not finished when this is
    closed they finish another time.
    """

    def __init__(self, pool: Pool, memories: EngineMemories, directory: Path, idle_s: float = IDLE_S) -> None:
        """Begin with all memories, for what happened while nobody thought of it."""
        self.pool = pool
        self._memories = memories
        self._idle_s = idle_s
        self._woken = Event()
        self._ending = Event()
        self._active: dict[str, float] = {}  # by memory: when something last happened there
        self._thread = Thread(target=self._run, name=f"thinkers of {directory.name}", daemon=True)

    def appended(self, memory: str, command: str, thinker: str | None) -> None:
        """Say that a command was appended, by a ``thinker`` or not."""
        if self.pool.wake(memory, command, thinker):
            self._active[memory] = monotonic()
            self._woken.set()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ending.set()
        self._woken.set()
        self._thread.join()

    def _run(self) -> None:
        begun = False
        while not self._ending.is_set():
            try:
                if not begun:
                    self.pool.wake_all(self._memories.memories())
                    begun = True
                self._think()
            except StorageError:
                _LOGGER.exception("thinkers cannot keep what they know: they end, and the memories go on")
                return
            except YggdrasilError as error:
                _LOGGER.warning("thinkers wait: %s", error)
                self._ending.wait(_AWAY_S)
                continue
            self._rest()
            self._woken.wait(min(self._idle_s, 1.0))
            self._woken.clear()

    def _think(self) -> None:
        """Let all think until nothing waits, or this is ended."""
        idle = False
        while not idle and not self._ending.is_set():
            idle = True
            for desk in self.pool.desks:
                if (done := self.pool.step(desk)) is not None:
                    idle = False
                    if done.waits:
                        self._ending.wait(_AWAY_S)

    def _rest(self) -> None:
        """Tell of memories in which nothing has happened for a while, each once."""
        now = monotonic()
        for memory in [memory for memory, at in list(self._active.items()) if now - at >= self._idle_s]:
            del self._active[memory]
            self.pool.wake_all([memory], resting=True)
            self._woken.set()
