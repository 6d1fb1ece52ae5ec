"""One memory of a host that goes on, compared with what the log gives of it: its own records are folded, and no others.

So nothing of another memory is in what is found, and a log that holds many is folded as far as that one goes.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Final

from yggdrasil_infra.log import LogError, LogReader, LogRecord
from yggdrasil_projections.graph.fold import UnknownVersionError
from yggdrasil_projections.graph.store.chain import record_hash
from yggdrasil_projections.graph.store.projector import BATCH_RECORDS_MAX, Projector
from yggdrasil_projections.graph.store.store import Frozen, GraphStore
from yggdrasil_projections.graph.working_set import BrokenInvariantError
from yggdrasil_projections.retrieval.past.against_log import AgainstLog, MemoryVerdict
from yggdrasil_schemas.commands import system_memory

from ..replay import fresh_projector
from .comparing import verdict_of
from .stores import OfMemory, OfStore, OneFrozen, compared
from .touched import last_touched, records_until

LISTED_MAX: Final = 20
"""Of so many altered records the offsets are listed; all are counted."""
Progress = Callable[[int, int], object]
"""Called with how many records of the partition of how many are read, once more where something differs."""


class _Altered:
    """The records of a memory in the log that are not those that its store has folded."""

    def __init__(self, store: GraphStore) -> None:
        self.count = 0
        self.first: list[int] = []
        self._store = store

    def look(self, record: LogRecord) -> None:
        kept = self._store.record_hash(record.offset)
        if kept != record_hash(record):
            self.count += 1
            if self.count <= LISTED_MAX:
                self.first.append(record.offset)


def verify_memory(
    log: LogReader, store: GraphStore, frozen: Frozen, position: int, work: Path, progress: Progress | None = None
) -> AgainstLog:
    """Compare a memory, ``frozen`` with what is compared when its store stood at ``position``, with the ``log``.

    ``work`` is a new directory for stores. What ``progress`` raises ends it. Raises LogError where the log cannot be
    read at all, and StorageError where a store cannot.
    """
    memory, partition = frozen.header.memory, store.pin.partition
    start = log.start_offset(partition)
    read, total = 0, position - start

    def tell(records: int) -> None:
        nonlocal read
        read += records
        if progress is not None:
            progress(min(read, total), total)

    altered = _Altered(store)
    projector = fresh_projector(log, work / "by-log", partition)
    try:
        stopped = _fold(log, projector, memory, position, altered, tell)
        nothing = MemoryVerdict(memory, frozen.header.seq, None, 0, {}, [])
        if stopped is not None:
            return AgainstLog(memory, partition, position, False, nothing, altered.count, altered.first, stopped)
        projector.settle_attestations()
        with OfStore(projector.store) as by_log:
            found = compared(memory, OneFrozen(frozen), by_log, None)
        read = 0
        verdict = _traced(log, work / "watched", partition, position, found, tell)
        same = verdict.same and not altered.count
        return AgainstLog(memory, partition, position, same, verdict, altered.count, altered.first, None)
    finally:
        projector.close()


def _fold(
    log: LogReader,
    projector: Projector,
    memory: str,
    position: int,
    altered: _Altered,
    tell: Callable[[int], object],
) -> str | None:
    """Fold a memory up to ``position``; return why that cannot be done, if so, with nothing of the host's inside."""
    key, system = memory.encode(), system_memory(projector.store.pin.partition).encode()
    if start := log.start_offset(projector.store.pin.partition):
        return f"the log begins at offset {start}: records were deleted, and without them no memory can be folded"
    batch: list[LogRecord] = []
    try:
        for record in records_until(log, projector.store.pin.partition, position, tell):
            if record.key == key:
                altered.look(record)
            if record.key in (key, system):
                batch.append(record)
            if len(batch) >= BATCH_RECORDS_MAX:
                projector.apply(batch)
                batch = []
        if batch:
            projector.apply(batch)
    except (LogError, UnknownVersionError, BrokenInvariantError) as error:
        return error.told()
    return None


def _traced(
    log: LogReader, path: Path, partition: int, position: int, found: OfMemory, tell: Callable[[int], object]
) -> MemoryVerdict:
    keys = [each.at for each in found.first]
    return verdict_of(found, last_touched(log, path, partition, position, keys, tell) if keys else {})
