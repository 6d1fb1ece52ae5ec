"""What iterating over RocksDB needs beside the iterator."""

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


def after(prefix: bytes) -> bytes | None:
    """Return the smallest key that is greater than every key with ``prefix``."""
    stripped = prefix.rstrip(b"\xff")
    return stripped[:-1] + bytes([stripped[-1] + 1]) if stripped else None
