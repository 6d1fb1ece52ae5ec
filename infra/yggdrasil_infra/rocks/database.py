"""RocksDB as this system uses it: raw bytes, column families, atomic batches, and no silent short reads.

rocksdict is fast and thin; six of its habits are dangerous here and are closed in this one place. A flipped byte
ends an iteration early and only the iterator's status says so; an iterator does not own its upper bound, which is
overwritten under it, so no bounds are set here and keys are compared; a snapshot iterates over later writes; after a
failed write nothing can be trusted; a lock is kept while any handle to a column family lives; and a directory without
a CURRENT file is emptied as a new one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from threading import Lock, RLock
from typing import Final, NoReturn
from weakref import WeakSet

from rocksdict import (
    AccessType,
    Cache,
    Checkpoint,
    Options,
    Rdict,
    RdictIter,
    WriteBufferManager,
    WriteOptions,
)

from ..forking import NATIVE_THREADS, stays
from ..paths import is_read_only, whole
from ..private import make_directory
from .batch import Batch
from .checks import endless
from .errors import OF_LOG, OF_STORE, StorageDamagedError, StorageError, StorageInUseError, StoragePoisonedError
from .marking import mark, marked
from .mirror import Mirror, mirrored
from .options import options_for
from .scans import after, backward, forward

__all__ = [
    "FrozenView",
    "MemoryBudget",
    "Rocks",
    "StorageDamagedError",
    "StorageError",
    "StorageInUseError",
    "StoragePoisonedError",
]

_PAGE_RECORDS: Final = 512  # few enough to be small even with contents, enough to make the seek cheap
_PAGE_BYTES: Final = 4 << 20  # records of commands may have 262,144 bytes each
# What RocksDB says of damage. A family is missing when the end of a MANIFEST is, and a reader may not make it anew.
_DAMAGE: Final = ("Corruption", "checksum", "No such file", "Column family not found", "Input/output error")


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
        anywhere but in its unfinished tail. Raises StorageInUseError, StorageDamagedError or StorageError, and
        ForkedError in a process that was forked from one that had a database open.
        """
        self.path = path = whole(path)
        NATIVE_THREADS.begin(str(path))
        self._poison: str | None = None
        self._damage: str | None = None
        self._closed = False
        self._viewing = Lock()
        self._views: WeakSet[FrozenView] = WeakSet()
        self._read_only = read_only
        # What is synced is a log: nothing else holds its records, so it is never to be thrown away.
        self._advice = OF_LOG if sync else OF_STORE
        self._marks = not (sync or read_only)  # what is left of a log is read on, and who only reads changes nothing
        options = options_for(budget.cache, budget.buffers, sync=sync, read_only=read_only)
        access = AccessType.read_only(False) if read_only else AccessType.read_write()
        self._mirror: Mirror | None = None
        try:
            if not (path / "CURRENT").exists():
                self._start_anew(read_only)
            self.path = path = path.resolve()  # files are made by name later: a link may lead to another one by then
            why = None if sync else marked(path)
            if why is not None:
                raise StorageDamagedError(f"{path} was found damaged: {why}. {self._advice}")
            where = endless(path)
            if where is not None:
                raise StorageDamagedError(f"{path}: {where} holds what is never written there. {self._advice}")
            self._db = self._opened(options, families, access, read_only=read_only)
        except StorageError:
            raise
        except Exception as error:  # rocksdict raises bare Exception; the text is all there is to go by
            raise self._opening_error(error) from error
        self._families: dict[str, Rdict] = {name: self._db.get_column_family(name) for name in families}
        self._handles = {name: self._db.get_column_family_handle(name) for name in families}
        self._write_options = WriteOptions()
        self._write_options.sync = sync
        stays(self, f"the database {path}")

    def get(self, family: str, key: bytes) -> bytes | None:
        """Return the value under ``key``, or None. Raises StorageDamagedError on a broken checksum."""
        handle = self._family(family)
        try:
            value: bytes | None = handle.get(key)
        except Exception as error:
            del handle  # or the traceback would keep the database locked
            self.damaged(family, error)
        return value

    def scan(
        self, family: str, prefix: bytes, start: bytes | None = None, count: int = 0, bytes_max: int = 0
    ) -> list[tuple[bytes, bytes]]:
        """Return the pairs whose key begins with ``prefix``, in order, from ``start`` on.

        At most ``count`` of them if given, and none once the values have ``bytes_max`` bytes, if given.
        Raises StorageDamagedError when the iteration ended for any reason but the end.
        """
        found, failure = forward(self._family(family).iter(), prefix, start, count, bytes_max)
        if failure:
            self.damaged(family, failure)
        return found

    def scan_back(self, family: str, count: int, before: bytes | None = None) -> list[tuple[bytes, bytes]]:
        """Return up to ``count`` pairs with the greatest keys below ``before``, or of all, greatest first.

        Raises StorageDamagedError when the iteration ended for any reason but the end.
        """
        found, failure = backward(self._family(family).iter(), count, before)
        if failure:
            self.damaged(family, failure)
        return found

    def last(self, family: str, prefix: bytes) -> tuple[bytes, bytes] | None:
        """Return the pair with the greatest key that begins with ``prefix``, or None. Raises StorageDamagedError."""
        found = self.scan_back(family, 1, after(prefix))
        return found[0] if found and found[0][0].startswith(prefix) else None

    def snapshot(self, families: Sequence[str]) -> FrozenView:
        """Return a view of ``families`` as they are now, for another thread to read at leisure.

        The caller must not write between the call and its return; then the families are consistent with each other.
        """
        with self._viewing:
            view = FrozenView({name: self._family(name).iter() for name in families}, self)
            self._views.add(view)
        return view

    def batch(self) -> Batch:
        """Return an empty batch for this database."""
        return Batch(self._handles)

    def write(self, batch: Batch) -> None:
        """Apply ``batch`` atomically. A failure poisons the database: every later call refuses."""
        self.check_writable()
        try:
            self._db.write(batch.raw, self._write_options)
        except Exception as error:
            if self._marks and _DAMAGE[0] in str(error):  # met by a merge of tables in the background
                self.poison_damaged(str(error).rstrip("."))
                self.check_writable()
            self._poison = str(error)
            raise StoragePoisonedError(f"{self.path}: a write failed ({error}); restart the process") from error

    def check_writable(self) -> None:
        """Raise StorageDamagedError once damage was met, StoragePoisonedError after a failed write, or StorageError."""
        self._check_open()
        if self._poison:
            raise StoragePoisonedError(f"{self.path}: an earlier write failed ({self._poison}); restart the process")

    def poison_damaged(self, why: str) -> None:
        """Refuse every later read and write, here and, by a mark in the directory, wherever it is opened again."""
        if self._damage is None:
            self._damage = why
            mark(self.path, why)

    def poison(self, why: str) -> None:
        """Refuse every later write: the caller knows that its own state and the database have parted."""
        self._poison = self._poison or why

    def checkpoint(self, path: Path) -> None:
        """Make ``path``, which must not exist, a database as of now: flush, then link the tables, which never change.

        Raises StorageError. On another file system everything is copied, which takes its time.
        """
        self.check_writable()
        try:
            Checkpoint(self._db).create_checkpoint(str(path))
        except Exception as error:
            raise StorageError(f"{self.path}: no checkpoint could be made at {path}: {error}") from error

    def flush(self) -> None:
        """Move what is in the memtables of all families to table files; nothing, where this only reads."""
        if self._read_only:
            return
        for handle in self._families.values():  # the handle of the database itself flushes the default family alone
            handle.flush()

    def disk_bytes(self) -> dict[str, int]:
        """Return the size of the live table files of each family, in bytes."""
        name = "rocksdb.live-sst-files-size"  # live_files() does not say which family a file belongs to
        return {family: handle.property_int_value(name) or 0 for family, handle in self._families.items()}

    def close(self) -> None:
        """Close its views, release every handle, then the lock. Closing twice is allowed.

        A view that somebody still reads would keep the directory locked, for as long as that takes.
        """
        with self._viewing:
            if self._closed:
                return
            self._closed = True
            views = list(self._views)
        with ExitStack() as closing:  # who waits for a read under way may be interrupted
            closing.callback(self._release)
            for view in views:
                closing.callback(view.close)

    def _release(self) -> None:
        self._families.clear()  # cleared, not replaced: a batch that is still alive shares the handles
        self._handles.clear()
        try:
            self._db.close()
        except Exception as error:
            if self._poison is None:  # a failed write makes closing fail too, and has been reported
                what = f"{self.path} was not closed cleanly: {error}"
                if "Corruption" in what:  # met by a merge of tables in the background
                    raise StorageDamagedError(f"{what}. {self._advice}") from error
                raise StorageError(what) from error
        finally:
            if self._mirror is not None:
                self._mirror.cleanup()

    def __enter__(self) -> Rocks:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _check_open(self) -> None:
        if self._closed:
            raise StorageError(f"{self.path} is closed")
        if self._damage is not None:
            raise StorageDamagedError(f"{self.path} was found damaged: {self._damage}. {self._advice}")

    def _family(self, name: str) -> Rdict:
        self._check_open()
        return self._families[name]

    def _opened(self, options: Options, families: Sequence[str], access: AccessType, *, read_only: bool) -> Rdict:
        """Open what is there; where only reading is wanted and nothing can be written, through a mirror."""
        try:
            return Rdict(str(self.path), options, dict.fromkeys(families, options), access)
        except Exception as error:  # rocksdict raises bare Exception
            if not (read_only and is_read_only(error)):
                raise
        self._mirror = mirrored(self.path)
        try:
            return Rdict(self._mirror.name, options, dict.fromkeys(families, options), access)
        except BaseException:
            self._mirror.cleanup()
            raise

    def _start_anew(self, read_only: bool) -> None:
        """Make the directory. RocksDB takes one without a CURRENT file for a new one, and deletes what lies in it."""
        # The very first MANIFEST is made before CURRENT and the first WAL, so a crash may leave it alone: it is empty.
        manifests = (file for file in self.path.glob("MANIFEST-*") if file.name != "MANIFEST-000001")
        for left_over in (*manifests, *self.path.glob("*.sst"), *self.path.glob("*.log")):
            raise StorageDamagedError(f"{self.path}: CURRENT is missing beside {left_over.name}. {self._advice}")
        if read_only:
            raise StorageError(f"{self.path} holds no database; name the directory of one that exists.")
        make_directory(self.path)

    def _opening_error(self, error: Exception) -> StorageError:
        text = str(error).rstrip(".")  # RocksDB ends some sentences and not others
        if "While lock file" in text or "lock hold by current process" in text:
            where = "in this process" if "current process" in text else "in another process"
            return StorageInUseError(f"{self.path} is open {where}; close it there, or open it read-only here.")
        if any(sign in text for sign in _DAMAGE):
            return StorageDamagedError(f"{self.path} is damaged: {text}. {self._advice}")
        return StorageError(f"{self.path} cannot be opened: {text}")

    def damaged(self, family: str, error: Exception) -> NoReturn:
        """Raise StorageDamagedError for what RocksDB said of ``family``; from now on everything is refused."""
        text = str(error).rstrip(".")
        if not any(sign in text for sign in _DAMAGE):  # too many open files, for one
            raise StorageError(f"{self.path}: family {family!r} cannot be read just now: {text}") from error
        if self._marks:
            self.poison_damaged(f"family {family!r} cannot be read: {text}")
        raise StorageDamagedError(f"{self.path}: family {family!r} cannot be read: {text}. {self._advice}") from error


class FrozenView:
    """A consistent view of some column families that later writes do not change.

    It is made of iterators, which stay at the moment of their making: rocksdict's own snapshots do so for single keys
    only, and iterate over what was written later (0.3.29). One thread at a time may use a view.
    """

    def __init__(self, cursors: Mapping[str, RdictIter], owner: Rocks) -> None:
        self._cursors: Mapping[str, RdictIter] = cursors
        self._owner = owner
        self._reading = RLock()  # a signal's handler may close it in the midst of a read of its own thread
        stays(self, f"a view of the database {owner.path}")

    def get(self, family: str, key: bytes) -> bytes | None:
        """Return the value under ``key``, or None. Raises StorageDamagedError."""
        found = self._read(family, key, key, 1)
        return found[0][1] if found and found[0][0] == key else None

    def scan(self, family: str, prefix: bytes, start: bytes | None = None, count: int = 0) -> list[tuple[bytes, bytes]]:
        """Return the pairs whose key begins with ``prefix``, in order, from ``start`` on; at most ``count`` if given.

        Raises StorageDamagedError.
        """
        return self._read(family, prefix, start, count)

    def walk(self, family: str, prefix: bytes) -> Iterator[tuple[bytes, bytes]]:
        """Yield the pairs whose key begins with ``prefix``, in key order, a page at a time: there may be very many.

        Raises StorageDamagedError.
        """
        start = prefix
        while page := self._read(family, prefix, start, _PAGE_RECORDS, _PAGE_BYTES):
            yield from page
            start = page[-1][0] + b"\x00"  # the smallest key after it

    def close(self) -> None:
        """Let go of the view, so that the database can be closed. For any thread: it waits for a read under way."""
        with self._reading:
            self._cursors = {}

    def _read(
        self, family: str, prefix: bytes, start: bytes | None, count: int, bytes_max: int = 0
    ) -> list[tuple[bytes, bytes]]:
        """Read in one go, since another read may move the same cursor while a walk is suspended in a yield."""
        with self._reading:
            if not self._cursors:
                raise StorageError(f"this view of {self._owner.path} is closed")
            found, failure = forward(self._cursors[family], prefix, start, count, bytes_max)
        if failure:
            self._owner.damaged(family, failure)
        return found
