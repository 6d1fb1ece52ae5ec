"""The files of a local log: opening them, what is written at creation, and what their errors mean to a log."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from uuid import uuid4

from ..log import LogDamagedError, LogError, LogInUseError
from ..private import sync_folder
from ..rocks.database import MemoryBudget, Rocks, StorageDamagedError, StorageError, StorageInUseError
from .record import PLACE, one_writer, prefix, unframe

FORMAT: Final = 1
META: Final = "meta"
RECORDS: Final = "records"


@dataclass(frozen=True, slots=True)
class Identity:
    """What is fixed when a log is created."""

    topic_id: str
    partitions: int


@dataclass(frozen=True, slots=True)
class Files:
    """The names of the files of a database that come and go while it is written.

    A reader beside a writer is told of the tables first and looks for WALs afterwards. A WAL that was moved into a
    table in between is missed without an error, and leaves a hole. RocksDB deletes WALs in the order of their making:
    while one that was there before the opening is there after it, no later one has gone either.
    """

    logs: frozenset[str]
    others: frozenset[str]


def files(path: Path) -> Files:
    """Return the names of what is in the database of the log at ``path`` now."""
    names = frozenset(file.name for file in database(path).glob("*"))
    logs = frozenset(name for name in names if name.endswith(".log"))
    others = frozenset(name for name in names if name.endswith(".sst") or name.startswith("MANIFEST-"))
    return Files(logs, others)


def database(path: Path) -> Path:
    """Return where the records of the log at ``path`` are."""
    return path / "records"


def counter(path: Path) -> Path:
    """Return where the log at ``path`` keeps the count of its acknowledged records."""
    return path / "acknowledged"


@contextmanager
def in_words(path: Path) -> Generator[None, None, None]:
    """Let what the operating system refuses be a LogError about the log at ``path``."""
    try:
        yield
    except OSError as error:
        raise LogError(f"The log {path} cannot be opened. {error}") from error


def open_records(path: Path, budget: MemoryBudget | None, *, read_only: bool = False) -> Rocks:
    """Open the database of the log at ``path``. Raises LogInUseError, LogDamagedError or LogError."""
    try:
        return Rocks(database(path), (META, RECORDS), budget or MemoryBudget.of(), sync=True, read_only=read_only)
    except StorageInUseError as error:
        raise LogInUseError(f"{one_writer(path)} ({error})", str(path.parent)) from error
    except StorageDamagedError as error:
        raise LogDamagedError(f"The log {path} is damaged. {error}") from error
    except StorageError as error:
        raise LogError(f"The log {path} cannot be opened. {error}") from error


def identity_of(rocks: Rocks) -> Identity | None:
    """Return what the log was created with, or None if its creation was never completed.

    Raises LogError for a format that this release does not know.
    """
    try:
        stored = dict(rocks.scan(META, b""))
    except StorageError as error:
        raise LogDamagedError(str(error)) from error
    if not stored:
        return None
    version = int.from_bytes(stored[b"format"], "big")
    if version != FORMAT:
        raise LogError(f"{rocks.path} has format {version}, and this release knows {FORMAT}: install a newer one.")
    return Identity(stored[b"topic_id"].decode(), int.from_bytes(stored[b"partitions"], "big"))


def create(rocks: Rocks, partitions: int, acknowledged: int, topic_id: str | None = None) -> Identity:
    """Give an empty database its identity, or that of the log which it is a copy of.

    Raises LogDamagedError if there have been records, LogError if it fails.
    """
    identity = Identity(topic_id or str(uuid4()), partitions)
    batch = rocks.batch()
    batch.put(META, b"format", FORMAT.to_bytes(2, "big"))
    batch.put(META, b"topic_id", identity.topic_id.encode())
    batch.put(META, b"partitions", partitions.to_bytes(2, "big"))
    try:
        if acknowledged or rocks.last(RECORDS, b"") is not None:
            raise LogDamagedError(f"{rocks.path} has lost its topic id and partitions. Restore the log from a copy.")
        rocks.write(batch)
        rocks.flush()  # or the first WAL, which holds this batch, would keep all later ones from being deleted
    except StorageError as error:
        raise LogError(f"no log could be created at {rocks.path}: {error}") from error
    return identity


def end_of(rocks: Rocks, partition: int) -> int:
    """Return the offset after the last record of ``partition``. Raises LogDamagedError if that record is damaged."""
    try:
        found = rocks.last(RECORDS, prefix(partition))
    except StorageError as error:
        raise LogDamagedError(f"partition {partition}: its last record cannot be read. {error}") from error
    if found is None:
        return 0
    unframe(*found)
    offset: int = PLACE.unpack(found[0])[1]
    return offset + 1


def sync_directories(path: Path) -> None:
    """Make the names of the log's files and of the log itself outlive a power cut, as their contents do."""
    for directory in (path, path.parent):
        sync_folder(directory)
