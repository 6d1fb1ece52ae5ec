"""Iterations that end for a reason: the functions through which everything that moves a cursor goes.

A failure is returned and not raised, and a cursor lives in these functions' frames alone: a traceback would keep it
alive, and with it the lock of the database.
"""

from rocksdict import RdictIter

Pairs = list[tuple[bytes, bytes]]


def forward(
    cursor: RdictIter, prefix: bytes, start: bytes | None, count: int, bytes_max: int
) -> tuple[Pairs, Exception | None]:
    """Return the pairs whose key begins with ``prefix`` from ``start`` on, and why it stopped if not at the end.

    At most ``count`` of them, and none once the values have ``bytes_max`` bytes; 0 is no bound.
    """
    found: Pairs = []
    size = 0
    cursor.seek(max(prefix, start) if start is not None else prefix)
    while cursor.valid():
        key: bytes = cursor.key()
        if not key.startswith(prefix):
            return found, None
        value: bytes = cursor.value()
        found.append((key, value))
        size += len(value)
        if len(found) == count or (bytes_max and size >= bytes_max):
            return found, None
        cursor.next()
    return found, _failure_of(cursor)


def backward(cursor: RdictIter, count: int, before: bytes | None) -> tuple[Pairs, Exception | None]:
    """Return up to ``count`` pairs below ``before``, greatest key first, and why it stopped if not at the beginning."""
    found: Pairs = []
    if before is None:
        cursor.seek_to_last()
    else:
        cursor.seek_for_prev(before)
        if cursor.valid() and cursor.key() == before:
            cursor.prev()
    while cursor.valid():
        found.append((cursor.key(), cursor.value()))
        if len(found) == count:
            return found, None
        cursor.prev()
    return found, _failure_of(cursor)


def after(prefix: bytes) -> bytes | None:
    """Return the smallest key that is greater than every key with ``prefix``; None when there is no such key."""
    stripped = prefix.rstrip(b"\xff")
    return stripped[:-1] + bytes([stripped[-1] + 1]) if stripped else None


def _failure_of(cursor: RdictIter) -> Exception | None:
    """Return why ``cursor`` stopped, if it was anything but the end."""
    try:
        cursor.status()
    except Exception as error:
        return error.with_traceback(None)
    return None
