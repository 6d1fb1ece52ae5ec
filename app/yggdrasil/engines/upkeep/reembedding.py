"""Vectors in the background: a service gives them to what was recorded without, in the memories that are asked."""

from __future__ import annotations

import logging
from threading import Event, Thread
from time import monotonic, perf_counter
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self

from yggdrasil_schemas.errors import YggdrasilError

from ..embedding import coverage, reembed
from ..reading import Reading

if TYPE_CHECKING:
    from yggdrasil_infra.embedders import Embedder

_LOGGER: Final = logging.getLogger("yggdrasil.serve")
_LOOK_S: Final = 30.0
_PAUSE_S_MAX: Final = 2.0


class _Stopping(YggdrasilError):
    """The service ends; what is left is done by the next one."""


class Reembedding:
    """Looks every half a minute at the memories whose indexes are held, from ``__enter__`` to ``__exit__``.

    Others are left alone until they are asked: to look at all would load what nobody needs. It rests as long as it
    works, so that half a processor at most is taken from those who ask. What fails is said and tried again, after the
    others: a text that no model takes keeps no other memory waiting.
    """

    def __init__(self, engine: Reading, embedder: Embedder, look_every_s: float = _LOOK_S) -> None:
        self._engine = engine
        self._embedder = embedder
        self._look_every_s = look_every_s
        self._ended = Event()
        self._begun = 0.0
        self._failed: dict[str, float] = {}  # by memory: when it failed last
        self._thread = Thread(target=self._run, name="reembedding", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Finish the batch at hand."""
        self._ended.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._ended.wait(self._look_every_s):
            asked = self._engine.memories_asked()
            self._failed = {memory: at for memory, at in self._failed.items() if memory in asked}
            for memory in sorted(asked, key=lambda each: self._failed.get(each, 0.0)):
                try:
                    self._complete(memory)
                    self._failed.pop(memory, None)
                except _Stopping:
                    return
                except YggdrasilError as error:
                    self._failed[memory] = monotonic()
                    _LOGGER.warning("no vectors for now: %s", error)
                    break

    def _complete(self, memory: str) -> None:
        found = coverage(self._engine, memory, self._embedder)
        if self._ended.is_set():
            raise _Stopping("the service ends")
        if found.covered == found.texts:
            return
        self._begun = perf_counter()
        attached = reembed(self._engine, memory, self._embedder, self._rest)
        if attached:
            _LOGGER.info("texts given vectors", extra={"texts": attached, "model": self._embedder.model})

    def _rest(self, covered: int, texts: int) -> None:
        if self._ended.wait(min(_PAUSE_S_MAX, perf_counter() - self._begun)):
            raise _Stopping("the service ends")
        self._begun = perf_counter()
