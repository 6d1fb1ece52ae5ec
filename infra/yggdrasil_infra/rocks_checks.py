"""What RocksDB leaves its callers to find out."""

from pathlib import Path

from rocksdict import RdictIter


def failure_of(cursor: RdictIter) -> Exception | None:
    """Return why an exhausted ``cursor`` stopped, if it was anything but the end.

    It is returned and not raised: a traceback would keep the cursor alive, and with it the lock of the database.
    """
    try:
        cursor.status()
    except Exception as error:
        return error.with_traceback(None)
    return None


def wal_bytes(path: Path) -> int:
    """Return the size of the WALs in ``path``: 0 after a clean end. Opening the database empties them.

    Where tables and WAL join, something may be missing that nobody tells of. The join lies within this many bytes of
    the end.
    """
    return sum(file.stat().st_size for file in path.glob("*.log"))


def after(prefix: bytes) -> bytes | None:
    """Return the smallest key that is greater than every key with ``prefix``."""
    stripped = prefix.rstrip(b"\xff")
    return stripped[:-1] + bytes([stripped[-1] + 1]) if stripped else None
