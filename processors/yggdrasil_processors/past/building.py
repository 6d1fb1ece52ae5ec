"""Build a memory again as it stood at a moment: fold its own records of the log up to there, into a store of its own.

Records of other memories are passed over, so this takes as long as reading the log and folding one memory. Where an
earlier state of it is at hand, only what comes after that is read. What is built is equal, bit for bit, to what a whole
replay gives at that moment.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from yggdrasil_infra.clock import now_ms
from yggdrasil_infra.log import LogReader, LogRecord
from yggdrasil_infra.rocks.database import MemoryBudget
from yggdrasil_projections.graph.store.projector import BATCH_RECORDS_MAX, Folds, Projector
from yggdrasil_projections.graph.store.store import GraphStore, Pin
from yggdrasil_projections.retrieval.errors import InvalidAskError
from yggdrasil_projections.retrieval.past.moment import AsOf, NoSuchMomentError
from yggdrasil_projections.retrieval.past.otherwise import Voids
from yggdrasil_schemas.commands import system_memory
from yggdrasil_schemas.partitions import partition_for

Progress = Callable[[int, int], object]
"""Called with how many records have been read, and how many there are; it may raise to end the work."""
_SEVERAL: Final = 2_000  # records of one read, of which a memory among many has few
_CACHE_BYTES: Final = 16 << 20


@dataclass(frozen=True, slots=True)
class Reached:
    """How far a state of a memory has been built.

    ``seq`` is its own, ``end`` the offset of the first record that was not looked at, and ``ms`` the log's time: the
    greatest timestamp of its records, in Unix ms, 0 before the first. ``refused`` says that commands were refused after
    the one with its seq: their ids are known in this state, and were not right after that command.
    """

    seq: int = 0
    end: int = 0
    ms: int = 0
    refused: bool = False

    def before(self, as_of: AsOf) -> bool:
        """Whether a moment lies at or after this state, so that it can be built on from here."""
        if as_of.seq is not None:
            return self.seq < as_of.seq or (self.seq == as_of.seq and not self.refused)
        if as_of.receipt is not None:
            return self.end <= as_of.receipt.offset + 1
        return self.ms <= (as_of.ms or 0)


@dataclass(frozen=True, slots=True)
class Built:
    """A memory as it stood, in a store of its own. Close the projector, which closes the store.

    Of a history that never was, ``voids`` says what is void there, and ``more`` are the records beyond the log's.
    """

    memory: str
    projector: Projector
    reached: Reached
    voids: Voids | None = None
    more: tuple[LogRecord, ...] = ()


class Until:
    """A log as it was when some record was not there yet: of each partition, or of one, it ends at ``end``."""

    def __init__(self, log: LogReader, partition: int, end: int) -> None:
        self._log = log
        self._partition = partition
        self._end = end
        self.topic_id = log.topic_id
        self.partitions = log.partitions

    def start_offset(self, partition: int) -> int:
        """Return the first offset that can still be read."""
        return self._log.start_offset(partition)

    def end_offset(self, partition: int) -> int:
        """Return where it ended."""
        end = self._log.end_offset(partition)
        return min(end, self._end) if partition == self._partition else end

    def read(self, partition: int, offset: int, records_max: int) -> Sequence[LogRecord]:
        """Return records as the log does, without those that were not there yet."""
        found = self._log.read(partition, offset, records_max)
        return [each for each in found if each.partition != self._partition or each.offset < self._end]

    def close(self) -> None:
        """Do nothing: the log is somebody else's."""


def build(
    log: LogReader,
    memory: str,
    as_of: AsOf,
    path: Path,
    progress: Progress | None = None,
    begun: Reached | None = None,
    fold: Callable[[GraphStore], Folds] | None = None,
) -> Built:
    """Build ``memory`` as of a moment in the directory ``path``, where a store stands at ``begun``, or nothing does.

    ``fold`` makes what folds records into the store, where that is another than the laws alone.

    Raises NoSuchMomentError for a moment before its first command, after the present, or of which the log tells no
    more; InvalidAskError for a receipt of another partition; and LogError, StorageError and what folding raises.
    """
    partition = partition_for(memory.encode(), log.partitions)
    end = _checked(log, memory, as_of, partition)
    pin = Pin(log.topic_id, log.partitions, partition)
    begins = log.start_offset(partition)
    if begun is None and begins > 0:
        why = f"the log begins at offset {begins} of partition {partition}, and what came before is in no checkpoint"
        raise NoSuchMomentError(memory, why)
    store = GraphStore(path, pin, MemoryBudget.of(_CACHE_BYTES, _CACHE_BYTES))
    try:
        projector = Projector(log, store, None if fold is None else fold(store))
    except BaseException:
        store.close()
        raise
    try:
        reached = _folded(projector, memory, as_of, end, begun or Reached(end=begins), progress)
        _check_reached(memory, as_of, reached)
    except BaseException:
        projector.close()
        raise
    return Built(memory, projector, reached)


def records_in(log: LogReader, partition: int, offset: int, end: int) -> Iterator[LogRecord]:
    """Yield the records of a partition from ``offset`` until before ``end``, or where the log ends. Raises LogError."""
    while offset < end:
        records = log.read(partition, offset, min(_SEVERAL, end - offset))
        if not records:
            return
        yield from (record for record in records if record.offset < end)
        offset = records[-1].offset + 1


def reaches(log: LogReader, memory: str, as_of: AsOf, reached: Reached) -> bool:
    """Return whether a state is that of a moment at or after it: nothing of the memory lies between.

    Raises as ``build`` does for a moment that is none.
    """
    if as_of.seq is not None:
        return reached.seq == as_of.seq and not reached.refused
    partition = partition_for(memory.encode(), log.partitions)
    end, own = _checked(log, memory, as_of, partition), memory.encode()
    for record in records_in(log, partition, reached.end, end):
        if record.key == own:
            return as_of.ms is not None and record.timestamp_ms > as_of.ms
    return True


def _checked(log: LogReader, memory: str, as_of: AsOf, partition: int) -> int:
    """Return the offset at which the log is to be read no further. Raises InvalidAskError and NoSuchMomentError."""
    end = log.end_offset(partition)
    if as_of.ms is not None and as_of.ms > (now := now_ms()):
        raise NoSuchMomentError(memory, f"as of {as_of.written} is {_ahead(as_of.ms - now)} ahead: nobody knows it yet")
    if as_of.receipt is None:
        return end
    if as_of.receipt.partition != partition:
        said = (
            f"as_of {as_of.written} is a receipt of partition {as_of.receipt.partition}, and {memory} is in {partition}"
        )
        raise InvalidAskError(f"{said}: take a receipt of this memory, as `became` says it")
    if as_of.receipt.offset >= end:
        raise NoSuchMomentError(memory, f"the log ends at offset {end}, and as of {as_of.written} lies beyond")
    return as_of.receipt.offset + 1


def _folded(
    projector: Projector, memory: str, as_of: AsOf, end: int, begun: Reached, progress: Progress | None
) -> Reached:
    """Fold the memory's own records up to the moment, or to ``end``; return how far that is."""
    log, partition = projector.log, projector.store.pin.partition
    own, system = memory.encode(), system_memory(partition).encode()
    offset, begins, seq, ms, refused = begun.end, begun.end, begun.seq, begun.ms, begun.refused
    while offset < end and (as_of.seq is None or seq < as_of.seq):
        records = log.read(partition, offset, min(_SEVERAL, end - offset))
        if not records:
            break
        chosen: list[LogRecord] = []
        stopped = False
        for record in records:
            if record.offset >= end:
                stopped = True
                break
            if record.key == own and as_of.ms is not None and record.timestamp_ms > as_of.ms:
                end, stopped = record.offset, True  # whatever comes later came after the moment
                break
            if record.key in (own, system):
                chosen.append(record)
        offset = end if stopped else records[-1].offset + 1
        while chosen and (as_of.seq is None or seq < as_of.seq):
            # A record moves a memory by at most one seq, so this many cannot overshoot.
            most = BATCH_RECORDS_MAX if as_of.seq is None else min(BATCH_RECORDS_MAX, as_of.seq - seq)
            for each, answer in projector.apply(chosen[:most]):
                if each.key == own:
                    ms = max(ms, each.timestamp_ms)
                    refused = refused or answer.refused is not None
                if answer.seq > seq:
                    seq, refused = answer.seq, False
            chosen = [each for each in chosen if each.offset >= projector.store.state.position]
        if chosen:
            offset = projector.store.state.position
        if progress is not None:
            progress(offset - begins, end - begins)
    projector.settle_attestations()
    return Reached(seq, offset, ms, refused)


def _check_reached(memory: str, as_of: AsOf, reached: Reached) -> None:
    """Raise NoSuchMomentError for a moment before the memory began, or after where it stands."""
    if as_of.seq is not None and reached.seq < as_of.seq:
        told = f"it stands at seq {reached.seq}" if reached.seq else "nothing has been recorded for it"
        raise NoSuchMomentError(memory, f"{told}; seq {as_of.seq} has not happened yet")
    if not reached.seq:
        raise NoSuchMomentError(
            memory, f"it has no command as of {as_of.written}: it began later, or its name is another"
        )


def _ahead(ms: int) -> str:
    seconds = ms // 1_000
    for unit, each in (("days", 86_400), ("hours", 3_600), ("minutes", 60)):
        if seconds >= 2 * each:
            return f"{seconds // each} {unit}"
    return f"{max(1, seconds)} s"
