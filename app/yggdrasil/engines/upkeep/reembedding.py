"""Vectors in the background: a service gives them to what was recorded without, where that is asked for or waits."""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Event, Lock, Thread
from time import monotonic
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self

from yggdrasil_infra.log import Receipt
from yggdrasil_projections.retrieval.errors import NotHereError, NotReadyError, NotYetError, UnknownMemoryError
from yggdrasil_schemas.errors import YggdrasilError
from yggdrasil_schemas.ids import tenant_of

from ..embedding import attaching
from ..reading import Reading
from .waiting import Waiting

if TYPE_CHECKING:
    from yggdrasil_infra.embedders import Embedder

_LOGGER: Final = logging.getLogger("yggdrasil.serve")
_LOOK_S: Final = 30.0
_SOON_S: Final = 1.0  # where something waits
_SLICE_S: Final = 5.0  # of one memory; to change more often would load indexes more often
_PAUSE_S_MAX: Final = 2.0
_ALONE_S: Final = 1.0  # after the last request
_BATCH_BYTES: Final = 36_000  # of the log, about: 32 vectors of 512 dimensions
_FAILURES_MAX: Final = 3  # in a row: then it is the embedder that is away, and not a text that it does not take


class _OverQuotaError(YggdrasilError):
    """A tenant has taken so much of its quota that what is left is for its commands."""


@dataclass(slots=True)
class _Pass:
    """A pass over a memory: the batches to come, what ``Waiting.done`` is told after it, and what came of it so far."""

    batches: Iterator[int]
    begun: int | None
    texts: int = 0


class Reembedding:
    """Gives texts their vectors, from ``__enter__`` to ``__exit__``: those of memories that wait for them, at once.

    Every half a minute it looks at the memories whose indexes are held as well. Others are left alone until they are
    asked: to look at all would load what nobody needs. Tenants have their turns one after the other, some seconds
    each, and within a tenant its memories. While others ask it rests as long as it works, so that half a processor at
    most is taken from them; half as long for what waits, since somebody has just said that. What fails is said and
    tried again, after the others: a text that no model takes keeps no other memory waiting.
    """

    def __init__(
        self,
        engine: Reading,
        embedder: Embedder,
        waiting: Waiting | None = None,
        *,
        look_every_s: float = _LOOK_S,
    ) -> None:
        """``waiting`` are the memories to begin with."""
        self._engine = engine
        self._embedder = embedder
        self._waiting = Waiting() if waiting is None else waiting
        self._look_every_s = look_every_s
        self.idle_s: Callable[[], float] = lambda: 0.0
        """Says for how long nobody has asked anything."""
        self.may_record: Callable[[str, int], bool] = lambda memory, size: True
        """Says whether about so many bytes may be added to a memory: its tenant may have taken its quota."""
        self._ended = Event()
        self._passes: dict[str, _Pass] = {}
        self._noting = Lock()  # of the two that follow
        self._unfolded: dict[str, Receipt] = {}  # by memory: what was appended last and was not folded then
        self._unsure = set(self._waiting.memories())  # memories to which something may have come that is not folded
        self._failed: dict[str, float] = {}  # by memory: when it failed last
        self._served: dict[str, float] = {}  # by tenant and by memory: when it had its turn last
        self._thread = Thread(target=self._run, name="reembedding", daemon=True)

    # What an append asks for

    def takes(self, memory: str, texts: int) -> bool:
        """Return whether so many texts may be appended now, and get their vectors later."""
        return self._thread.is_alive() and not self._ended.is_set() and self._waiting.takes(memory, texts)

    @contextmanager
    def appending(self, memory: str, texts: int) -> Generator[Callable[[Receipt], object]]:
        """Note, durably, that so many texts are appended without vectors; yield what is told of what is not folded."""

        def unfolded(receipt: Receipt) -> None:
            with self._noting:
                self._unfolded[memory] = receipt

        with self._waiting.appending(memory, texts):
            try:
                yield unfolded
            except BaseException:
                with self._noting:
                    self._unsure.add(memory)  # the log may have it all the same
                raise

    def working(self) -> bool:
        """Whether something waits for which the embedder has not just failed."""
        return any(memory not in self._failed for memory in self._waiting.memories())

    # The thread

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Finish the batch at hand. What is left is done by the next one."""
        self._ended.set()
        self._waiting.news.set()
        self._thread.join()

    def _run(self) -> None:
        looked = monotonic()
        while not self._ended.is_set():
            look_s = min(_SOON_S, self._look_every_s) if self.working() else self._look_every_s
            self._waiting.news.wait(look_s)
            self._waiting.news.clear()
            asked: list[str] = []
            if monotonic() - looked >= self._look_every_s:
                looked, asked = monotonic(), self._engine.memories_asked()
            self._look(asked)

    def _look(self, asked: list[str]) -> None:
        """Give vectors to the memories that were ``asked`` and to those that wait, until there is nothing to do."""
        self._forget(asked)
        over: set[str] = set()
        failures = 0
        while not self._ended.is_set() and failures < _FAILURES_MAX:
            due = {*asked, *self._waiting.due()} - over - self._lately_failed()
            if not due:
                return
            memory = min(due, key=self._turn)
            try:
                if self._given(memory):
                    over.add(memory)
                self._failed.pop(memory, None)
                failures = 0
            except (NotHereError, NotReadyError):  # it comes back, or is another host's by now
                self._passes.pop(memory, None)
                over.add(memory)
            except _OverQuotaError as error:
                over.add(memory)
                if memory not in self._failed:
                    _LOGGER.warning("no vectors for now: %s", error)
                self._failed[memory] = monotonic()
            except YggdrasilError as error:
                self._passes.pop(memory, None)
                self._failed[memory] = monotonic()
                over.add(memory)
                failures += 1
                _LOGGER.warning("no vectors for now: %s", error)
            tenant = tenant_of(memory)
            self._served[tenant] = self._served[memory] = monotonic()

    def _lately_failed(self) -> set[str]:
        """Return what is not tried again before the next look, however much comes meanwhile."""
        now = monotonic()
        return {memory for memory, at in self._failed.items() if now - at < self._look_every_s}

    def _turn(self, memory: str) -> tuple[float, float, float, str]:
        """Return what orders the turns: what failed comes last, then it is the tenant that had its turn longest ago."""
        tenant = tenant_of(memory)
        return self._failed.get(memory, 0.0), self._served.get(tenant, 0.0), self._served.get(memory, 0.0), memory

    def _given(self, memory: str) -> bool:
        """Go on with a memory for a while, and return whether nothing is left to do there for now."""
        going = self._passes.get(memory)
        if going is None:
            begun = self._waiting.begun(memory)  # first: what comes from here on is another version
            sure = self._folded(memory)
            batches = attaching(self._engine, memory, self._embedder)
            going = self._passes[memory] = _Pass(batches, begun if sure else None)
        until = monotonic() + _SLICE_S
        while (attached := self._next(memory, going)) is not None:
            going.texts += attached
            self._waiting.attached(memory, attached)
            if self._ended.is_set() or monotonic() >= until:
                break
        if attached is not None and not self._ended.is_set():
            return False
        if going.texts:
            _LOGGER.info("texts given vectors", extra={"texts": going.texts, "model": self._embedder.model})
        if attached is not None:
            return False
        del self._passes[memory]
        self._waiting.done(memory, going.begun)
        return True

    def _next(self, memory: str, going: _Pass) -> int | None:
        """Give the texts of one batch their vectors, rest, and return how many it were; None when there are no more.

        Vectors keep no commands out: they end before a quota does.
        """
        if not self.may_record(memory, _BATCH_BYTES):
            raise _OverQuotaError(f"{memory}: its tenant has taken its quota; the rest is found by its words")
        began = monotonic()
        try:
            attached = next(going.batches, None)
        except UnknownMemoryError:  # nothing of it is folded: the append that it waits for has failed
            return None
        if attached is not None and self.idle_s() < _ALONE_S:
            worked_s = monotonic() - began
            self._ended.wait(min(_PAUSE_S_MAX, worked_s if going.begun is None else worked_s / 2))
        return attached

    def _folded(self, memory: str) -> bool:
        """Whether all is folded that was appended to a memory: a pass that begins now then finds every text."""
        hosted = self._engine.hosted(memory)
        after = self._unfolded.get(memory)
        if after is not None:
            try:
                hosted.wait(after, 0.0)
            except NotYetError:
                return False
            with self._noting:
                if self._unfolded.get(memory) == after:
                    del self._unfolded[memory]
        if memory not in self._unsure:
            return True
        if not any(lag.position >= lag.end for lag in self._engine.lags() if lag.partition == hosted.number):
            return False
        with self._noting:
            self._unsure.discard(memory)
        return True

    def _forget(self, asked: list[str]) -> None:
        """Keep nothing of memories that are neither asked nor waiting."""
        with self._noting:  # whoever notes something waits, so that it is kept
            kept = {*asked, *self._waiting.memories()}
            self._unfolded = {memory: after for memory, after in self._unfolded.items() if memory in kept}
            self._unsure &= kept
        tenants = {tenant_of(memory) for memory in kept}
        self._passes = {memory: going for memory, going in self._passes.items() if memory in kept}
        self._failed = {memory: at for memory, at in self._failed.items() if memory in kept}
        self._served = {name: at for name, at in self._served.items() if name in kept or name in tenants}
