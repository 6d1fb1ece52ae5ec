"""Ask whether another process writes to a database, without opening it."""

import fcntl
from pathlib import Path


def has_writer(database: Path) -> bool:
    """Whether another process has the RocksDB in ``database`` open for writing.

    Not to be called in a process that has it open itself: POSIX drops a process's own locks on a file when it closes
    any handle to it.
    """
    try:
        lock = (database / "LOCK").open("rb")
    except FileNotFoundError:
        return False
    with lock:
        try:
            fcntl.lockf(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)  # RocksDB's is exclusive; this one is gone with the handle
        except OSError:
            return True
    return False
