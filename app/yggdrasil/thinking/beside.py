"""Thinkers beside an engine: a thread that lets them think whenever something has been appended."""

import logging
from collections.abc import Sequence
from threading import Event, Thread
from time import monotonic
from types import TracebackType
from typing import Any, Final, Self

from yggdrasil_infra.rocks.errors import StorageError
from yggdrasil_infra.signals.metrics import ThinkerMetrics
from yggdrasil_processors.thinkers.frame.kept import ThoughtStore
from yggdrasil_processors.thinkers.frame.looking import Looking
from yggdrasil_processors.thinkers.frame.pool import Desk
from yggdrasil_processors.thinkers.frame.thinking import Progress
from yggdrasil_processors.thinkers.thinker import Thinker
from yggdrasil_producers.draft import Draft
from yggdrasil_projections.retrieval.records import fields_in
from yggdrasil_schemas.errors import YggdrasilError

from ..engines.embedded import Embedded
from .memories import EngineMemories
from .once import PLACE, pool_of
from .summaries import ModelSummary, summarising

IDLE_S: Final = 300.0
"""After so long without anything new thinkers are told that a memory rests."""
_AWAY_S: Final = 1.0
_LOGGER: Final = logging.getLogger("yggdrasil.thinkers")


class Beside:
    """Thinkers in a thread of their own, beside an engine; a context manager. For any thread.

    Nothing waits for them, and what they had not finished when this is closed they finish another time.
    """

    def __init__(
        self,
        engine: Embedded,
        thinkers: Sequence[Thinker[Any]],
        memories: EngineMemories,
        *,
        idle_s: float = IDLE_S,
        summary: ModelSummary | None = None,
        metrics: ThinkerMetrics | None = None,
    ) -> None:
        """Begin with all memories, for what happened while nobody thought of it.

        ``summary`` says what episodes were about; it is closed with this.
        """
        self._store = ThoughtStore(engine.path / PLACE)
        self._summary = summary
        rewrite = None if summary is None else summarising(memories, summary, summary.name)
        self.pool = pool_of(thinkers, memories, self._store, metrics=metrics, rewrite=rewrite)
        self._engine = engine
        self._memories = memories
        self._idle_s = idle_s
        self._woken = Event()
        self._ending = Event()
        self._active: dict[str, float] = {}  # by memory: when something last happened there
        self._thread = Thread(target=self._run, name="thinkers", daemon=True)

    def __enter__(self) -> Self:
        self._engine.told = self._told
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._engine.told = None
        self._ending.set()
        self._woken.set()
        if self._summary is not None:
            self._summary.end()  # or a model that does not answer would be waited for
        self._thread.join()
        if self._summary is not None:
            self._summary.close()
        try:
            self.pool.keep()
        except StorageError as failed:
            _LOGGER.warning("what thinkers have read is not kept, and will be read again: %s", failed)
        self._store.close()

    def _told(self, drafts: Sequence[Draft]) -> None:
        """Wake those whom what was appended concerns."""
        for draft in drafts:
            fields = fields_in(draft.value)
            thinker = fields["body"].get("thinker")
            if self.pool.wake(draft.memory, fields["type"], None if thinker is None else thinker["name"]):
                self._active[draft.memory] = monotonic()
                self._woken.set()

    def _run(self) -> None:
        begun, looking = False, Looking(self.pool, self._memories)
        while not self._ending.is_set():
            try:
                if not begun:
                    looking.look(lambda _: True)
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
        """Let all think until nothing waits, or this is ended. A memory that is away keeps no other from its turn."""
        idle = False
        while not idle and not self._ending.is_set():
            done = [self._step(desk) for desk in self.pool.desks]
            idle = all(each is None for each in done)
            if any(each is not None and each.waits for each in done):
                self._ending.wait(_AWAY_S)

    def _step(self, desk: Desk) -> Progress | None:
        try:
            return self.pool.step(desk)
        except StorageError:
            raise
        except YggdrasilError as error:
            _LOGGER.warning("thinker %s waits: %s", desk.name, error)
            return Progress(0, 0, whole=False, waits=True)

    def _rest(self) -> None:
        """Tell of memories in which nothing has happened for a while, each once."""
        now = monotonic()
        for memory in [memory for memory, at in list(self._active.items()) if now - at >= self._idle_s]:
            del self._active[memory]
            self.pool.wake_all([memory], resting=True)
            self._woken.set()
