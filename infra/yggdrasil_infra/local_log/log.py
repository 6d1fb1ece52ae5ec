"""The local log: the log port on one RocksDB, for one machine and one writing process."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Final, cast

from yggdrasil_schemas.partitions import partition_for

from ..clock import now_ms
from ..forking import NATIVE_THREADS, stays
from ..log import (
    READ_BYTES_MAX,
    LogDamagedError,
    LogError,
    LogRecord,
    OffsetOutOfRangeError,
    Receipt,
    RecordMissingError,
    check_entry,
)
from ..paths import whole
from ..private import make_directory
from ..rocks.checks import wal_bytes
from ..rocks.database import MemoryBudget, Rocks, StorageDamagedError
from .files import (
    RECORDS,
    Identity,
    counter,
    create,
    database,
    end_of,
    files,
    identity_of,
    in_words,
    open_records,
    sync_directories,
)
from .group_commit import GROUP_BYTES_MAX, GROUP_RECORDS_MAX, Entry, GroupCommit
from .record import Acknowledged, frame, place, prefix, unframe

PARTITIONS_MAX: Final = 1_024  # a log of one process gains nothing from more, and each costs a seek at opening
PARTITIONS_DEFAULT: Final = 4  # enough to meet every question that several partitions raise, on one machine
_JOIN_RECORDS: Final = 256  # read at a time when opening; the WAL of a crash seldom holds more
_READ_ONLY_TRIES: Final = 50  # opening takes milliseconds; a writer at full speed moves files some ten times a second


class LocalLog:
    """A durable log in a directory: ``records/`` is a RocksDB, ``acknowledged`` the count of records it must hold.

    Any number of threads may use it. Offsets start at 0 and have no gaps; nothing is ever deleted. One process
    writes; others may open it read-only and see what was durable when they did.
    """

    def __init__(
        self,
        rocks: Rocks,
        identity: Identity,
        acknowledged: Acknowledged | None,
        clock: Callable[[], int] = now_ms,
    ) -> None:
        """Take over an open database; ``create_or_open`` and ``open_read_only`` are the ways to call this.

        ``acknowledged`` is None for a reader; ``clock`` returns the timestamp of new records, in ms since 1970.
        """
        self._rocks = rocks
        self._identity = identity
        self._acknowledged = acknowledged
        self._clock = clock
        self._ends = [end_of(rocks, partition) for partition in range(identity.partitions)]
        self._reading = threading.Lock()  # a read holds an iterator, which must be gone before the database closes
        self._commit = GroupCommit(self._write)
        stays(self, f"the log {rocks.path.parent}")

    @classmethod
    def create_or_open(
        cls,
        path: Path,
        partitions: int | None = None,
        budget: MemoryBudget | None = None,
        clock: Callable[[], int] = now_ms,
    ) -> LocalLog:
        """Open the log at ``path`` for writing, and create it if nothing is there.

        ``partitions`` is fixed at creation (4 unless given); leave it out to take the log as it is. Raises
        LogInUseError when it is open for writing elsewhere, LogDamagedError when it does not hold what was
        acknowledged, LogError when it has another number of partitions or was written by a newer release, and
        PathError where no directory can be.
        """
        if partitions is not None and not 1 <= partitions <= PARTITIONS_MAX:
            raise LogError(f"a local log has between 1 and {PARTITIONS_MAX} partitions, not {partitions}")
        path = whole(path)
        NATIVE_THREADS.check(f"the log {path}")
        with in_words(path), ExitStack() as opened:  # closes what is open already when a later step fails
            make_directory(path)
            acknowledged = opened.enter_context(closing(Acknowledged(counter(path))))
            count = Acknowledged.count(counter(path))
            recovered_bytes = wal_bytes(database(path))
            if count:
                cls._look_first(path, budget, count, recovered_bytes)
            rocks = opened.enter_context(open_records(path, budget))
            identity = identity_of(rocks) or create(rocks, partitions or PARTITIONS_DEFAULT, count)
            if partitions is not None and identity.partitions != partitions:
                raise LogError(
                    f"{path} has {identity.partitions} partitions, and {partitions} were asked for. The number is "
                    f"fixed when a log is created: open it with {identity.partitions}, or copy it into a new log."
                )
            log = cls(rocks, identity, acknowledged, clock)
            log._verify(path, count)
            log._verify_join(recovered_bytes)
            acknowledged.advance(sum(log._ends), sync=True)
            sync_directories(path)
            opened.pop_all()
        return log

    @classmethod
    def _look_first(cls, path: Path, budget: MemoryBudget | None, count: int, recovered_bytes: int) -> None:
        """Verify the log first: once it may write, RocksDB deletes the tables that a damaged MANIFEST has forgotten."""
        with open_records(path, budget, read_only=True) as rocks:
            identity = identity_of(rocks)
            if identity is None:
                raise LogDamagedError(
                    f"{rocks.path} has lost its topic id and partitions. Restore the log from a copy."
                )
            log = cls(rocks, identity, None)
            log._verify(path, count)
            log._verify_join(recovered_bytes)

    @classmethod
    def open_read_only(cls, path: Path, budget: MemoryBudget | None = None) -> LocalLog:
        """Open the log at ``path`` as it is now, beside a writer or without one; it does not grow afterwards.

        Raises LogError when there is none, and LogDamagedError when it does not hold what was acknowledged.
        """
        path = whole(path)
        for _ in range(_READ_ONLY_TRIES):
            before = files(path)
            try:
                log = cls._try_read_only(path, budget)
            except LogError:
                if files(path) == before:
                    raise  # no writer is at work, so it is true
                continue
            if before.logs <= files(path).logs:
                return log
            log.close()  # see Files: records that moved from a WAL to a table meanwhile may be missing
        raise LogError(f"{path} changed while it was being opened, {_READ_ONLY_TRIES} times; try again.")

    @classmethod
    def _try_read_only(cls, path: Path, budget: MemoryBudget | None) -> LocalLog:
        with in_words(path), ExitStack() as opened:
            count = Acknowledged.count(counter(path))  # before the records, which may grow meanwhile
            rocks = opened.enter_context(open_records(path, budget, read_only=True))
            identity = identity_of(rocks)
            if identity is None and count:
                raise LogDamagedError(
                    f"{rocks.path} has lost its topic id and partitions. Restore the log from a copy."
                )
            if identity is None:
                raise LogError(f"{path} was not created to the end; open it for writing once.")
            log = cls(rocks, identity, None)
            log._verify(path, count)
            opened.pop_all()
        return log

    @property
    def topic_id(self) -> str:
        """The random id that the log was given when it was created."""
        return self._identity.topic_id

    @property
    def partitions(self) -> int:
        """How many partitions the log has."""
        return self._identity.partitions

    def start_offset(self, partition: int) -> int:
        """Return 0: a local log keeps everything."""
        self._check(partition)
        return 0

    def end_offset(self, partition: int) -> int:
        """Return the offset after the last durable record."""
        self._check(partition)
        return self._ends[partition]

    def read(self, partition: int, offset: int, records_max: int) -> Sequence[LogRecord]:
        """Return as many records from ``offset`` on as there are, up to ``records_max`` and about 16 MiB.

        Raises OffsetOutOfRangeError, and LogDamagedError naming the first place that cannot be vouched for.
        """
        with self._reading:
            end = self.end_offset(partition)
            if not 0 <= offset <= end:
                raise OffsetOutOfRangeError(f"partition {partition} ends at offset {end}, and {offset} was asked for")
            count = min(records_max, end - offset)
            if count <= 0:
                return []
            try:
                start = place(partition, offset)
                found = self._rocks.scan(RECORDS, prefix(partition), start, count, READ_BYTES_MAX)
            except StorageDamagedError as error:
                raise LogDamagedError(f"partition {partition}, at or after offset {offset}: {error}") from error
        if sum(len(data) for _, data in found) >= READ_BYTES_MAX:
            count = len(found)  # cut short on purpose
        records: list[LogRecord] = []
        for expected in range(offset, offset + count):
            where = place(partition, expected)
            at = expected - offset
            if at >= len(found) or found[at][0] != where:
                raise RecordMissingError(f"partition {partition}, offset {expected}: an acknowledged record is missing")
            records.append(unframe(where, found[at][1]))
        return records

    def append(self, key: bytes, value: bytes) -> Receipt:
        """Append one record to the partition of its key and return once it is durable. Raises LogError."""
        return self._commit.submit((self._entry(None, key, value),))[0]

    def append_to(self, partition: int, key: bytes, value: bytes) -> Receipt:
        """Append one record to a named partition and return once it is durable. Raises LogError."""
        self._check(partition)
        return self._commit.submit((self._entry(partition, key, value),))[0]

    def append_many(self, records: Iterable[tuple[bytes, bytes]]) -> list[Receipt]:
        """Append pairs in order, in chunks of at most 1,000 records and 4 MiB; see the port. Raises LogError."""
        return self._append(self._entry(None, key, value) for key, value in records)

    def append_dated(self, records: Iterable[tuple[bytes, bytes, int]]) -> list[Receipt]:
        """Append what was in another log, in order and in chunks, with its timestamps in ms; see the port."""
        return self._append(self._entry(None, key, value, at) for key, value, at in records)

    def _append(self, entries: Iterable[Entry]) -> list[Receipt]:
        receipts: list[Receipt] = []
        chunk: list[Entry] = []
        size = 0
        for entry in entries:
            if chunk and (len(chunk) == GROUP_RECORDS_MAX or size + entry.size > GROUP_BYTES_MAX):
                receipts += self._commit.submit(chunk)
                chunk, size = [], 0
            chunk.append(entry)
            size += entry.size
        if chunk:
            receipts += self._commit.submit(chunk)
        return receipts

    def flush(self) -> None:
        """Move records from the WAL to table files, which are merged and compressed in the background."""
        self._commit.check()
        self._rocks.flush()

    def close(self) -> None:
        """Wait for the write under way, refuse what still waits, and release the lock. Closing twice is allowed."""
        self._commit.close()
        with self._reading, ExitStack() as last:
            if self._acknowledged is not None:  # it holds off the next writer, who must not look while files still move
                last.callback(self._acknowledged.close)
            self._rocks.close()

    def __enter__(self) -> LocalLog:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _entry(self, partition: int | None, key: bytes, value: bytes, at: int | None = None) -> Entry:
        """Refuse here what would otherwise fail in the leader's hands, and with it the others' records."""
        if self._acknowledged is None:
            raise LogError("the log was opened read-only; open it for writing to append")
        if not all(isinstance(each, bytes) for each in cast(tuple[object, ...], (key, value))):
            raise LogError(f"key and value must be bytes, not {type(key).__name__} and {type(value).__name__}")
        check_entry(key, value)
        return Entry(partition_for(key, self.partitions) if partition is None else partition, key, value, at)

    def _write(self, entries: list[Entry]) -> list[Receipt]:
        """Give offsets to ``entries`` and make them durable. One thread at a time is in here.

        1. All records in one batch, synced. 2. The acknowledged count. 3. The ends that readers see.
        """
        ends = self._ends.copy()
        timestamp_ms = self._clock()
        batch = self._rocks.batch()
        receipts: list[Receipt] = []
        for entry in entries:
            receipt = Receipt(entry.partition, ends[entry.partition])
            where = place(receipt.partition, receipt.offset)
            at = timestamp_ms if entry.timestamp_ms is None or entry.timestamp_ms < 0 else entry.timestamp_ms
            batch.put(RECORDS, where, frame(where, at, entry.key, entry.value))
            ends[entry.partition] += 1
            receipts.append(receipt)
        self._rocks.write(batch)  # 1
        if self._acknowledged is not None:
            self._acknowledged.advance(sum(ends))  # 2
        self._ends = ends  # 3
        return receipts

    def _check(self, partition: int) -> None:
        self._commit.check()
        if not 0 <= partition < self.partitions:
            raise LogError(f"the log has partitions 0 to {self.partitions - 1}, and {partition} was asked for")

    def _verify(self, path: Path, count: int) -> None:
        found = sum(self._ends)
        if found < count:
            raise LogDamagedError(
                f"{database(path)} holds {found} records, and {count} were acknowledged: the newest are lost. "
                f"Restore the log from a copy, or delete {counter(path)} to accept the loss."
            )

    def _verify_join(self, recovered_bytes: int) -> None:
        """Read the records among which tables and WAL join. Raises LogDamagedError when one of them is missing."""
        for partition, end in enumerate(self._ends):
            start, left = end, recovered_bytes
            while left > 0 and start > 0:
                count = min(start, _JOIN_RECORDS)
                start -= count
                # What is read counts without what the WAL adds to it, so this goes a little too far, and never less.
                left -= sum(len(record.value or b"") for record in self.read(partition, start, count))
