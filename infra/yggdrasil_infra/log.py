"""The log port: what the rest of the system knows of a log, be it local or Apache Kafka.

A log has a topic id, a fixed number of partitions, and in each partition records with rising offsets (gaps are
allowed). It is append-only; an append is acknowledged only once it is durable.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple, Protocol, Self

from yggdrasil_schemas.errors import YggdrasilError
from yggdrasil_schemas.problems import AWAY, DAMAGED, DISK_FULL, NOT_READY, ExitCode

from .trace import Trace

# Room for what the fold must refuse, within Kafka's default limit of 1,048,588 bytes for a batch.
ENTRY_BYTES_MAX: Final = 1_000_000
# What one read may bring into memory, give or take a record: 500 of the largest would take half a gigabyte.
READ_BYTES_MAX: Final = 16 << 20


@dataclass(frozen=True, slots=True)
class Rejection:
    """Why a log will never take a record as it is, and what to do about it; both are for anybody, and name no host.

    ``clock`` says that it is the record's time.
    """

    why: str
    remedy: str
    clock: bool = False


class LogError(YggdrasilError):
    """The log cannot do what was asked. With a ``rejection`` the record that was refused is certainly not in it."""

    kind = AWAY
    rejection: Rejection | None = None


class LogInUseError(LogError):
    """Another process writes to this log. ``directory`` is the path that it is in, where that is known."""

    kind = replace(AWAY, exit=ExitCode.IN_USE, code="in_use")

    def __init__(self, message: str, directory: str | None = None) -> None:
        super().__init__(message)
        self.directory = directory


class LogDamagedError(LogError):
    """The log's files do not hold what was acknowledged; the message names the place."""

    kind = DAMAGED


class RecordMissingError(LogDamagedError):
    """An acknowledged record is not there."""


class DiskFullError(LogError):
    """Nothing is appended for want of room on the disk; what is there can be read."""

    kind = DISK_FULL


class ReadOnlyError(LogError):
    """Nothing is appended, since the directory can only be read; what is there can be read."""

    kind = replace(
        NOT_READY,
        remedy="Tell the operator to have the directory mounted for writing, and send it again; reads go on.",
        exit=ExitCode.USAGE,
        code="read_only",
    )


class OffsetOutOfRangeError(LogError):
    """A read asked for an offset that the log does not hold: before its start or past its end."""


class UnknownPartitionsError(LogError):
    """Partitions were asked for that the log does not have."""

    kind = replace(AWAY, exit=ExitCode.USAGE, code="unknown_partitions")


class NotFoldedError(LogError):
    """Commands are in the log, durable, and could not be folded: what folds them failed, or ended, after that.

    ``ids`` are theirs, in order; ``__cause__`` says what failed. Nothing is lost: whoever folds next folds them, and
    one that is sent again is taken once.
    """

    def __init__(self, why: str, ids: Sequence[str]) -> None:
        these = "the command is" if len(ids) == 1 else f"all {len(ids)} commands are"
        super().__init__(
            f"{why.rstrip('.')}. Nothing is lost: {these} durable in the log, and will be folded once that is mended "
            "and the memory is open again. Sent again with the same id, each is taken once"
        )
        self.ids = list(ids)


@dataclass(frozen=True, slots=True)
class Receipt:
    """Where an acknowledged record stands."""

    partition: int
    offset: int

    @property
    def written(self) -> str:
        """It as requests and answers have it: partition-offset."""
        return f"{self.partition}-{self.offset}"

    @classmethod
    def parsed(cls, text: str) -> Self:
        """Return the receipt that was ``written`` so."""
        partition, _, offset = text.partition("-")
        return cls(int(partition), int(offset))


class LogRecord(NamedTuple):
    """One record. ``timestamp_ms`` is the log's own clock; no law reads it.

    ``trace`` is of whose request it is, where its headers on Kafka say so. Other headers are not read at all.
    """

    partition: int
    offset: int
    key: bytes | None
    value: bytes | None
    timestamp_ms: int
    trace: Trace | None = None


class LogReader(Protocol):
    """Read any partition from any offset."""

    @property
    def topic_id(self) -> str:
        """The identity of this topic: a re-created topic of the same name has another one."""
        ...

    @property
    def partitions(self) -> int:
        """How many partitions the topic has."""
        ...

    def start_offset(self, partition: int) -> int:
        """Return the first offset that can still be read."""
        ...

    def end_offset(self, partition: int) -> int:
        """Return the offset after the last acknowledged record; equal to the start when the partition is empty."""
        ...

    def read(self, partition: int, offset: int, records_max: int) -> Sequence[LogRecord]:
        """Return up to ``records_max`` records whose offset is at least ``offset``, in order, and about 16 MiB at most.

        An empty answer means that nothing is there yet. Raises OffsetOutOfRangeError when ``offset`` lies before
        the start or past the end, and LogDamagedError when the log cannot vouch for what it read.
        """
        ...

    def close(self) -> None:
        """Release the log. Closing twice is allowed."""
        ...


class CommandLog(LogReader, Protocol):
    """A log that can be appended to. The partition is Kafka's murmur2 of the key."""

    def append(self, key: bytes, value: bytes) -> Receipt:
        """Append one record and return once it is durable; concurrent appends share one sync.

        Raises LogError when it is too large (nothing is written then) or when the log cannot be written.
        """
        ...

    def append_many(self, records: Iterable[tuple[bytes, bytes]]) -> list[Receipt]:
        """Append ``(key, value)`` pairs in order and return their receipts once all are durable.

        The pairs are drawn as they are needed and appended in chunks, so there may be any number of them. When an
        error is raised, be it the log's or that of ``records`` itself, none is acknowledged, and yet the pairs of
        earlier chunks are in the log. Appending all of them again is the remedy: the fold takes a command id once.
        """
        ...

    def append_dated(self, records: Iterable[tuple[bytes, bytes, int]]) -> list[Receipt]:
        """Append ``(key, value, timestamp)`` of records that were in another log, as ``append_many`` does.

        Timestamps are in ms since 1970, as that log had them; below 0 it is now.
        """
        ...

    def append_to(self, partition: int, key: bytes, value: bytes) -> Receipt:
        """Append one record to a named partition: an operator's own records, and tests of the fold's refusals."""
        ...


def check_entry(key: bytes, value: bytes) -> None:
    """Raise LogError when a record is larger than any log takes."""
    if (size := len(key) + len(value)) > ENTRY_BYTES_MAX:
        raise LogError(f"a record may have {ENTRY_BYTES_MAX} bytes of key and value, and this one has {size}")
