"""RocksDB as this system uses it: raw bytes, column families, atomic batches, and no silent short reads.

rocksdict is fast and thin; three of its habits are dangerous here and are closed in this one place. A flipped byte
ends an iteration early and only the iterator's status says so; after a failed write nothing that follows can be
trusted; and a lock is kept while any handle to a column family lives.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Final, NoReturn

from rocksdict import (
    AccessType,
    BlockBasedOptions,
    Cache,
    DBCompressionType,
    DBRecoveryMode,
    Options,
    Rdict,
    ReadOptions,
    Snapshot,
    WriteBatch,
    WriteBufferManager,
    WriteOptions,
)
from yggdrasil_schemas.errors import YggdrasilError

_FAMILY_BUFFER_BYTES: Final = 8 << 20  # many families share one buffer manager, so each memtable stays small
_BLOOM_BITS: Final = 10  # one false positive in a hundred, RocksDB's own advice


class StorageError(YggdrasilError):
    """The database cannot be opened or used as asked."""


class StorageInUseError(StorageError):
    """Another process has this directory open for writing."""


class StorageDamagedError(StorageError):
    """RocksDB found bytes that do not match their checksum, or a file is missing."""


class StoragePoisonedError(StorageError):
    """A write failed earlier; nothing can be trusted until the process starts again."""


@dataclass(frozen=True, slots=True)
class MemoryBudget:
    """The block cache and the write buffers that all databases of a process share."""

    cache: Cache
    buffers: WriteBufferManager

    @staticmethod
    def of(cache_bytes: int = 64 << 20, buffer_bytes: int = 64 << 20) -> MemoryBudget:
        """Return a budget of ``cache_bytes`` for blocks and ``buffer_bytes`` for memtables."""
        return MemoryBudget(Cache(cache_bytes), WriteBufferManager(buffer_bytes, False))


class Rocks:
    """One open database: a directory with named column families."""

    def __init__(
        self,
        path: Path,
        families: Sequence[str],
        budget: MemoryBudget,
        *,
        sync: bool = False,
        read_only: bool = False,
    ) -> None:
        """Open or create the database at ``path``.

        ``sync`` makes every write durable before it returns, and makes recovery refuse a WAL that is damaged
        anywhere but in its unfinished tail. Raises StorageInUseError, StorageDamagedError or StorageError.
        """
        self.path = path
        self._poison: str | None = None
        options = _options(budget, sync)
        access = AccessType.read_only(False) if read_only else AccessType.read_write()
        if not read_only:
            path.mkdir(parents=True, exist_ok=True)
        try:
            self._db = Rdict(str(path), options, dict.fromkeys(families, options), access)
        except Exception as error:  # rocksdict raises bare Exception; the text is all there is to go by
            raise _opening_error(path, error) from error
        self._families: dict[str, Rdict] = {name: self._db.get_column_family(name) for name in families}
        self._handles = {name: self._db.get_column_family_handle(name) for name in families}
        self._write_options = WriteOptions()
        self._write_options.sync = sync

    def get(self, family: str, key: bytes) -> bytes | None:
        """Return the value under ``key``, or None. Raises StorageDamagedError on a broken checksum."""
        try:
            value: bytes | None = self._families[family].get(key)
        except Exception as error:
            self._damaged(family, error)
        return value

    def scan(self, family: str, prefix: bytes, start: bytes | None = None, count: int = 0) -> list[tuple[bytes, bytes]]:
        """Return the pairs whose key begins with ``prefix``, in key order, from ``start`` on; at most ``count`` if given.

        Raises StorageDamagedError when the iteration ended for any reason but the end.
        """
        found: list[tuple[bytes, bytes]] = []
        append = found.append
        cursor = self._families[family].iter(_within(prefix))
        cursor.seek(start if start is not None else prefix)
        while cursor.valid():
            append((cursor.key(), cursor.value()))
            if len(found) == count:
                return found
            cursor.next()
        self._check(family, cursor.status)
        return found

    def last(self, family: str, prefix: bytes) -> tuple[bytes, bytes] | None:
        """Return the pair with the greatest key that begins with ``prefix``, or None."""
        cursor = self._families[family].iter(_within(prefix))
        cursor.seek_to_last()
        if cursor.valid():
            return cursor.key(), cursor.value()
        self._check(family, cursor.status)
        return None

    def snapshot(self, families: Sequence[str]) -> FrozenView:
        """Return a view of ``families`` as they are now, for another thread to read at leisure.

        The caller must not write between the call and its return; then the families are consistent with each other.
        """
        return FrozenView({name: self._families[name].snapshot() for name in families}, self)

    def batch(self) -> Batch:
        """Return an empty batch for this database."""
        return Batch(self._handles)

    def write(self, batch: Batch) -> None:
        """Apply ``batch`` atomically. A failure poisons the database: every later call refuses."""
        if self._poison:
            raise StoragePoisonedError(f"{self.path}: an earlier write failed ({self._poison}); restart the process")
        try:
            self._db.write(batch.raw, self._write_options)
        except Exception as error:
            self._poison = str(error)
            raise StoragePoisonedError(
                f"{self.path}: a write failed ({error}); nothing after it is kept, restart the process"
            ) from error

    def poison(self, why: str) -> None:
        """Refuse every later write: the caller knows that its own state and the database have parted."""
        self._poison = self._poison or why

    def flush(self) -> None:
        """Move what is in memtables to table files."""
        self._db.flush()

    def disk_bytes(self) -> int:
        """Return the size of the live table files of all families, in bytes."""
        return sum(int(entry["size"]) for entry in self._db.live_files())

    def close(self) -> None:
        """Release every handle, then the lock. Closing twice is allowed."""
        self._families.clear()  # cleared, not replaced: a batch that is still alive shares the handles
        self._handles.clear()
        self._db.close()

    def __enter__(self) -> Rocks:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _check(self, family: str, status: object) -> None:
        try:
            if callable(status):
                status()
        except Exception as error:
            self._damaged(family, error)

    def _damaged(self, family: str, error: Exception) -> NoReturn:
        raise StorageDamagedError(
            f"{self.path}: column family {family!r} cannot be read: {error}. "
            "Move this directory away; it is rebuilt from the log."
        ) from error


class Batch:
    """Puts and deletes that take effect together."""

    def __init__(self, handles: Mapping[str, object]) -> None:
        self.raw = WriteBatch(raw_mode=True)
        self._handles = handles

    def put(self, family: str, key: bytes, value: bytes) -> None:
        """Set ``key`` to ``value``."""
        self.raw.put(key, value, self._handles[family])

    def delete(self, family: str, key: bytes) -> None:
        """Remove ``key``."""
        self.raw.delete(key, self._handles[family])


class FrozenView:
    """A consistent view of some column families that later writes do not change."""

    def __init__(self, snapshots: Mapping[str, Snapshot], owner: Rocks) -> None:
        self._snapshots = snapshots
        self._owner = owner

    def scan(self, family: str, prefix: bytes) -> Iterator[tuple[bytes, bytes]]:
        """Yield the pairs whose key begins with ``prefix``, in key order. Raises StorageDamagedError."""
        cursor = self._snapshots[family].iter(_within(prefix))
        cursor.seek(prefix)
        while cursor.valid():
            yield cursor.key(), cursor.value()
            cursor.next()
        try:
            cursor.status()
        except Exception as error:
            raise StorageDamagedError(f"{self._owner.path}: column family {family!r}: {error}") from error

    def close(self) -> None:
        """Let go of the view, so that the database can be closed."""
        self._snapshots = {}


def _within(prefix: bytes) -> ReadOptions:
    options = ReadOptions()
    if after := _after(prefix):
        options.set_iterate_upper_bound(after)
    return options


def _after(prefix: bytes) -> bytes | None:
    """Return the smallest key that is greater than every key with ``prefix``."""
    stripped = prefix.rstrip(b"\xff")
    return stripped[:-1] + bytes([stripped[-1] + 1]) if stripped else None


def _options(budget: MemoryBudget, sync: bool) -> Options:
    options = Options(raw_mode=True)
    options.create_if_missing(True)
    options.create_missing_column_families(True)
    options.set_paranoid_checks(True)
    options.set_write_buffer_size(_FAMILY_BUFFER_BYTES)
    options.set_write_buffer_manager(budget.buffers)
    options.set_compression_type(DBCompressionType.lz4())
    options.set_max_open_files(256)  # 10,000 small memories live in few databases; a bound keeps the table cache small
    # 5 files of 1 MB: RocksDB's own log of events is for a developer and must not grow without end.
    options.set_keep_log_file_num(5)
    options.set_max_log_file_size(1 << 20)
    if sync:
        options.set_wal_recovery_mode(DBRecoveryMode.tolerate_corrupted_tail_records())
    table = BlockBasedOptions()
    table.set_block_cache(budget.cache)
    table.set_bloom_filter(_BLOOM_BITS, False)
    table.set_cache_index_and_filter_blocks(True)
    options.set_block_based_table_factory(table)
    return options


def _opening_error(path: Path, error: Exception) -> StorageError:
    text = str(error)
    if "lock" in text.lower() and ("IO error" in text or "hold" in text):
        return StorageInUseError(f"{path} is open in another process; close it there, or open it read-only here.")
    if "Corruption" in text or "checksum" in text:
        return StorageDamagedError(f"{path} is damaged: {text}. Restore the files, or rebuild them from the log.")
    return StorageError(f"{path} cannot be opened: {text}")
