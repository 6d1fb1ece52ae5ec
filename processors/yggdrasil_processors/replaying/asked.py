"""What is asked of a replay: which memories, and where in each partition a stretch begins and ends."""

from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase

from yggdrasil_infra.clock import now_ms
from yggdrasil_infra.log import LogReader, LogRecord
from yggdrasil_projections.retrieval.past.moment import UNNAMED, AsOf
from yggdrasil_schemas.limits import MEMORY_FORM
from yggdrasil_schemas.partitions import partition_for

from ..auditing.replay import ReplayError
from ..past.alone import is_system
from ..past.building import records_in

_PATTERN = frozenset("*?[")


@dataclass(frozen=True, slots=True)
class Chosen:
    """The memories that are replayed, each by its name or by a pattern such as ``acme/*``; none named: all of them."""

    names: tuple[str, ...] = ()

    @property
    def one(self) -> str | None:
        """The only memory that is meant, if one is."""
        return self.names[0] if len(self.names) == 1 and not _PATTERN & {*self.names[0]} else None

    def has(self, memory: str) -> bool:
        """Whether a memory is among them."""
        return not self.names or any(self.matches(name, memory) for name in self.names)

    @staticmethod
    def matches(name: str, memory: str) -> bool:
        """Whether a memory has a name, or one that fits it as a pattern."""
        return memory == name or fnmatchcase(memory, name)

    def takes(self, record: LogRecord) -> bool:
        """Whether folding them takes this record: it is under the key of one, or enables a version in the partition."""
        return not self.names or is_system(record) or self.keyed(record)

    def keyed(self, record: LogRecord) -> bool:
        """Whether a record stands under the key of one of them."""
        return not self.names or (record.key is not None and self.has(record.key.decode(errors="replace")))

    def partitions(self, count: int) -> tuple[int, ...]:
        """Return in which of ``count`` partitions they can be."""
        if not self.names or any(_PATTERN & {*name} for name in self.names):
            return tuple(range(count))
        return tuple(sorted({partition_for(name.encode(), count) for name in self.names}))


@dataclass(frozen=True, slots=True)
class Edge:
    """Where a stretch begins or ends in a partition: before the record at ``offset``, or after the command ``seq``."""

    offset: int | None = None
    seq: int | None = None

    @property
    def named(self) -> str:
        """What it is noted as."""
        return f"offset {self.offset}" if self.seq is None else f"seq {self.seq}"

    def reached(self, offset: int, seq: int) -> bool:
        """Whether a fold is there, or beyond it, that has looked at what is before ``offset``."""
        return offset >= self.offset if self.offset is not None else seq >= (self.seq or 0)

    def passed(self, offset: int, seq: int) -> bool:
        """Whether a fold is beyond it."""
        return offset > self.offset if self.offset is not None else seq > (self.seq or 0)


def edge_of(log: LogReader, partition: int, end: int, chosen: Chosen, as_of: AsOf) -> Edge:
    """Return where a moment lies in a partition that ends at ``end``.

    A time lies before the first record that is later, of those that are chosen. Raises ReplayError for a moment that is
    ahead, or that has a name, and LogError.
    """
    if as_of.snapshot is not None:
        raise ReplayError(
            f"{as_of.snapshot} would be the name of a snapshot, which a replay does not look up: "
            f"`yggdrasil past snapshots` says its seq. A moment of a replay is {UNNAMED}"
        )
    if as_of.receipt is not None:
        if as_of.receipt.offset >= end:
            raise ReplayError(f"partition {partition} ends at offset {end}, and {as_of.written} lies beyond")
        return Edge(offset=as_of.receipt.offset + 1)
    if as_of.ms is not None:
        if as_of.ms > now_ms():
            raise ReplayError(f"{as_of.written} lies ahead: nobody knows yet what will be in the log")
        later = (
            record.offset
            for record in records_of(log, partition, end, chosen)
            if chosen.keyed(record) and record.timestamp_ms > (as_of.ms or 0)
        )
        return Edge(offset=next(later, end))
    return Edge(seq=as_of.seq)


def records_of(
    log: LogReader, partition: int, end: int, chosen: Chosen, begin: int | None = None
) -> Iterator[LogRecord]:
    """Yield what folding the chosen memories takes, from ``begin`` or the log's first record until before ``end``."""
    first = log.start_offset(partition) if begin is None else begin
    return (record for record in records_in(log, partition, first, end) if chosen.takes(record))


def check_stretch(
    log: LogReader, chosen: Chosen, since: AsOf | None, until: AsOf | None, named: tuple[int, ...] | None = None
) -> tuple[int, ...]:
    """Return the partitions that a stretch is of; ``named`` are those that were named, None: all.

    Raises ReplayError where no such stretch can be meant, and says why.
    """
    for name in chosen.names:
        if "/" not in name and not _PATTERN & {*name}:
            raise ReplayError(f"{name!r} is no name of a memory: {MEMORY_FORM}, or a pattern such as acme/* (--memory)")
    partitions = chosen.partitions(log.partitions)
    if named is not None:
        if beyond := [each for each in named if each >= log.partitions]:
            raise ReplayError(
                f"there is no partition {beyond[0]}: the log has partitions 0 to {log.partitions - 1} (--partitions)"
            )
        partitions = tuple(each for each in partitions if each in named)
        if not partitions:
            raise ReplayError(f"{', '.join(chosen.names)} is in none of the partitions that were named (--partitions)")
    for moment in (since, until):
        if moment is None:
            continue
        if moment.seq is not None and chosen.one is None:
            raise ReplayError(
                f"{moment.seq} is a seq, which every memory counts for itself: name one memory, or give an offset such "
                "as 3-1250 or a time with its zone"
            )
        if moment.receipt is None:
            continue
        partition = moment.receipt.partition
        if partition >= log.partitions:
            raise ReplayError(
                f"there is no partition {partition}, which {moment.written} names: the log has partitions 0 to "
                f"{log.partitions - 1}"
            )
        if partition not in partitions:
            where = "what is to be replayed is in " + ", ".join(map(str, partitions))
            raise ReplayError(f"{moment.written} is an offset of partition {partition}, and {where}")
        partitions = (partition,)
    if since is not None and until is not None and _after(since, until):
        raise ReplayError(f"the stretch would begin at {since.written} and end before, at {until.written}: swap them")
    return partitions


def _after(since: AsOf, until: AsOf) -> bool:
    """Whether a moment lies after another one of its kind."""
    if since.receipt is not None and until.receipt is not None:
        return since.receipt.offset > until.receipt.offset
    if since.ms is not None and until.ms is not None:
        return since.ms > until.ms
    return since.seq is not None and until.seq is not None and since.seq > until.seq
