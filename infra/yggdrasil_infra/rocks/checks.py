"""What RocksDB leaves its callers to find out."""

from pathlib import Path
from struct import Struct
from typing import Final

_BLOCK_BYTES: Final = 32_768
_FRAME: Final = Struct("<IHB")  # checksum, length, type
# Types of records in files that are used again, which ours never are. RocksDB (9.8.4) reads one for ever when a flipped
# bit makes one of a plain record: 1 becomes 5, and the process hangs while it opens.
_RECYCLED: Final = frozenset((5, 6, 7, 8, 11))


def wal_bytes(path: Path) -> int:
    """Return the size of the WALs in ``path``: 0 after a clean end. Opening the database empties them.

    Where tables and WAL join, something may be missing that nobody tells of. The join lies within this many bytes of
    the end.
    """
    return sum(file.stat().st_size for file in path.glob("*.log"))


def endless(path: Path) -> str | None:
    """Return where the files that opening ``path`` reads hold a record that RocksDB would not come to an end with."""
    for file in sorted((*path.glob("MANIFEST-*"), *path.glob("*.log"))):
        try:
            at = _recycled(file.read_bytes())
        except FileNotFoundError:
            continue  # a writer beside this reader has done with it
        if at is not None:
            return f"{file.name} at byte {at}"
    return None


def _recycled(data: bytes) -> int | None:
    """Return the place of the first record of a recycled file, of those that can be reached by their lengths."""
    at, end = 0, len(data)
    while at + _FRAME.size <= end:
        left = _BLOCK_BYTES - at % _BLOCK_BYTES
        if left < _FRAME.size:  # the rest of a block is filled up
            at += left
            continue
        _, length, kind = _FRAME.unpack_from(data, at)
        if kind in _RECYCLED:
            return at
        at += _FRAME.size + length
    return None
