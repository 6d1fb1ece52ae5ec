"""One memory, folded alone: the records of its partition under its key, into a store that is thrown away afterwards."""

import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final, NamedTuple, Self

from yggdrasil_infra.log import LogReader, LogRecord
from yggdrasil_infra.rocks.database import FrozenView, MemoryBudget
from yggdrasil_projections.graph.fold import Answer, Fold, chained_on, link_of
from yggdrasil_projections.graph.rules import FIRST, Versions
from yggdrasil_projections.graph.store.digest import state_digest
from yggdrasil_projections.graph.store.families import ACTS
from yggdrasil_projections.graph.store.projector import BATCH_RECORDS_MAX
from yggdrasil_projections.graph.store.store import GraphStore, Pin
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.codec import Decoded, decode
from yggdrasil_schemas.commands import SYSTEM_TENANT
from yggdrasil_schemas.graph.knowledge_codec import decode_act, encode_act
from yggdrasil_schemas.graph.records import Identity
from yggdrasil_schemas.ids import id_bytes
from yggdrasil_schemas.partitions import partition_for

from .building import records_in

HISTORY_BYTES: Final = 16
_LOOK_RECORDS: Final = 256
_SYSTEM: Final = f"{SYSTEM_TENANT}/".encode()


class Stands(NamedTuple):
    """How a memory stands: its seq, its history (16 bytes), and two digests of 64 hexadecimal digits.

    ``state`` is the digest without name and history: equal wherever the same commands were accepted, under whatever
    name, and whatever was refused beside them.
    """

    seq: int
    history: bytes
    digest: str
    state: str


def records_of(log: LogReader, memory: str, look: Callable[[], object] = lambda: None) -> Iterator[LogRecord]:
    """Yield what stands under the key of ``memory`` now, and what enables versions in its partition, in order.

    ``look`` is called now and then, however few of them there are among others; what it raises ends it.
    """
    key = memory.encode()
    partition = partition_for(key, log.partitions)
    records = records_in(log, partition, log.start_offset(partition), log.end_offset(partition))
    for count, record in enumerate(records, 1):
        if count % _LOOK_RECORDS == 0:
            look()
        if record.key == key or is_system(record):
            yield record


def is_system(record: LogRecord) -> bool:
    """Whether a record stands under the key of a partition itself, which no memory has."""
    return record.key is not None and record.key.startswith(_SYSTEM)


class _Nameless:
    """A view without the records of commands that made no node: they name the memory, and are in its history."""

    def __init__(self, view: FrozenView) -> None:
        self._view = view

    def walk(self, family: str, prefix: bytes) -> Iterator[tuple[bytes, bytes]]:
        rows = self._view.walk(family, prefix)
        if family != ACTS:
            return rows
        return ((key, encode_act(decode_act(data)._replace(record=b""))) for key, data in rows)


class Alone:
    """The fold of one memory into a fresh store at ``path``, record by record; a context manager."""

    def __init__(self, path: Path, pin: Pin, memory: str, versions: Versions = FIRST) -> None:
        """Begin under ``versions``. Raises StoreError and StorageError."""
        self.memory = memory
        self.store = GraphStore(path, pin, MemoryBudget.of())
        self._pin = pin
        self._fold = Fold(pin.partition, pin.partitions, self.store, versions)
        self._waiting: list[tuple[LogRecord, Answer]] = []

    @property
    def versions(self) -> Versions:
        """What holds for the next record."""
        return self._fold.enabled

    @property
    def seq(self) -> int:
        """How many commands were accepted so far."""
        return self._graph.header.seq

    @property
    def history(self) -> bytes:
        """The memory's history so far."""
        return self._graph.header.history

    def apply(self, record: LogRecord) -> Answer:
        """Fold the next record. Raises UnknownVersionError, BrokenInvariantError and StorageError."""
        answer = self._fold.apply(record)
        self._waiting.append((record, answer))
        if len(self._waiting) >= BATCH_RECORDS_MAX:
            self.commit()
        return answer

    def refused_link(self, record: LogRecord, answer: Answer) -> bytes | None:
        """Return what the history took in of the record that was just folded, if it was refused and that is kept."""
        decoded = decode(record.value) if answer.refused and not answer.duplicate else None
        if not isinstance(decoded, Decoded) or decoded.command.memory != self.memory:
            return None
        identity = self.identity(decoded.command_id)
        mine = identity is not None and identity.result and identity.offset == record.offset
        return link_of(self._graph, decoded, identity) if identity and mine else None

    def refuse(self, link: bytes) -> None:
        """Let the history take in a refused command of which only this is left."""
        header = self._graph.header
        header.history = chained_on(header.history, link)

    def hold(self, versions: Versions) -> None:
        """Go on under ``versions``, which must be known."""
        self._fold = Fold(self._pin.partition, self._pin.partitions, self.store, versions)

    def identity(self, command_id: bytes | str) -> Identity | None:
        """Return what became of a command."""
        key = id_bytes(command_id) if isinstance(command_id, str) else command_id
        return self._graph.identity(key)

    def commit(self) -> None:
        """Write what waits."""
        self.store.commit(self._waiting)
        self._waiting = []

    def stands(self) -> Stands:
        """Write what waits, and return how the memory stands now."""
        self.commit()
        header, view, prefix = self.store.frozen(self.memory)
        try:
            digest = state_digest(header, view, prefix)
            bare = replace(header, memory="", history=bytes(HISTORY_BYTES))
            return Stands(header.seq, header.history, digest, state_digest(bare, _Nameless(view), prefix))
        finally:
            view.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.store.close()
        shutil.rmtree(self.store.path)

    @property
    def _graph(self) -> Graph:
        return self.store.graph(self.memory)
