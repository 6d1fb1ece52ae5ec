"""Read a database to its end, so that damage shows before somebody asks for what it hit.

It is opened beside whoever writes, with a small cache of its own: blocks that the writer holds in memory would say
nothing of the disk. Opening reads the MANIFEST, the WAL and the index of every table; each block is then read with its
checksum. What is not read are filters, which only save time.
"""

from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from threading import Event
from typing import Final

from .database import MemoryBudget, Rocks, StorageDamagedError, StorageError
from .marking import marked

_CACHE_BYTES: Final = 1 << 20
_PAGE_BYTES: Final = 256 << 10
_PAGE_RECORDS: Final = 500  # half a millisecond, in which other threads of the process wait
_TRIES: Final = 8  # a writer removes files that it has merged, some of them while another process opens them
_PAUSE_S: Final = 0.1
_WAIT: Final = Event()  # never set

Read = Callable[[int], object]
"""Called with the bytes of each piece that was read; it may wait, and may raise."""


def small_budget() -> MemoryBudget:
    """Return a budget for a database that is read through once."""
    return MemoryBudget.of(_CACHE_BYTES, _CACHE_BYTES)


def opened_beside(path: Path, families: Sequence[str], *, sync: bool = False) -> Rocks:
    """Open the database in ``path`` for reading, beside its writer if there is one.

    Raises StorageDamagedError when it is damaged, and not just changing, and StorageError.
    """
    for left in reversed(range(_TRIES)):
        try:
            return Rocks(path, families, small_budget(), sync=sync, read_only=True)
        except StorageDamagedError:
            if not left or marked(path) is not None:
                raise
            _WAIT.wait(_PAUSE_S)
    raise StorageError(f"{path} changed whenever it was opened; try again")


def read_through(path: Path, families: Sequence[str], read: Read | None = None) -> int:
    """Read everything in the database at ``path``, with its checksums; return how many bytes of keys and values.

    Raises StorageDamagedError for the first place that is damaged, and what ``read`` raises.
    """
    total = 0
    with closing(opened_beside(path, families)) as db:
        for family in families:
            start: bytes | None = b""
            while start is not None:
                page = db.scan(family, b"", start, _PAGE_RECORDS, _PAGE_BYTES)
                size = sum(len(key) + len(value) for key, value in page)
                start = page[-1][0] + b"\x00" if page else None
                total += size
                if read is not None:
                    read(size)
    return total
