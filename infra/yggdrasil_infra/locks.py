"""Locks between processes: one holder of a directory, and whether another process writes to a database."""

import fcntl
import os
from pathlib import Path
from typing import Self

from yggdrasil_schemas.errors import YggdrasilError
from yggdrasil_schemas.problems import ExitCode, local

from .forking import in_child
from .paths import refuse, whole
from .private import make_directory, open_private


class DirectoryInUseError(YggdrasilError):
    """Another process holds the directory."""

    kind = local("in_use", ExitCode.IN_USE)


class DirectoryLock:
    """Hold a directory for one process: until it is closed, or the process ends in whatever way. A context manager.

    The file stays when the lock is gone: whoever deleted it could delete a lock that another has just taken.
    """

    def __init__(self, path: Path, name: str = "worker.lock") -> None:
        """Take the lock ``name`` in ``path``, which is made if need be, without waiting.

        Raises DirectoryInUseError, which names the process that holds it, and PathError where no file can be.
        """
        path = whole(path)
        make_directory(path)
        try:
            self._file = open_private(path / name, "a+b", buffering=0)
        except OSError as error:
            refuse(path, error)
        in_child(self, DirectoryLock.close)  # or the child would hold it for as long as it lives
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._file.truncate(0)
            self._file.write(b"%d\n" % os.getpid())
        except BlockingIOError:
            holder = self._holder()
            self._file.close()
            raise DirectoryInUseError(
                f"{path} is in use by {holder}; stop that one first, or name another directory"
            ) from None
        except BaseException:
            self._file.close()
            raise

    def fileno(self) -> int:
        """Return the file that is locked: a process that is started with it holds the lock as well, until it ends."""
        return self._file.fileno()

    def close(self) -> None:
        """Let the next one have it. Closing twice is allowed."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _holder(self) -> str:
        self._file.seek(0)
        pid = self._file.read(20).strip()
        return f"process {int(pid)}" if pid.isdigit() else "another process"


def has_holder(path: Path, name: str = "worker.lock") -> bool:
    """Whether another process holds the directory ``path``; nothing is made or changed there."""
    try:
        lock = (path / name).open("rb")
    except (FileNotFoundError, NotADirectoryError):
        return False
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


class BriefHold:
    """Say to other processes that this one lets go of a directory soon, or serves it; until it is closed.

    Whoever wants it then waits, and need not give up. No file is made; where a disk has no such locks nothing is said.
    """

    def __init__(self, path: Path) -> None:
        """Say it of ``path``, which is there."""
        self._file = -1
        try:
            self._file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
            fcntl.flock(self._file, fcntl.LOCK_SH)  # waits for no more than another one's look
        except OSError:
            self.close()
        in_child(self, BriefHold.close)

    def close(self) -> None:
        """Say it no longer. Closing twice is allowed."""
        file, self._file = self._file, -1  # first, as another thread may close it too
        if file >= 0:
            os.close(file)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def is_brief(path: Path) -> bool:
    """Whether another process says of ``path`` that it lets go of it soon."""
    try:
        folder = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    finally:
        os.close(folder)
    return False


def has_writer(database: Path) -> bool:
    """Whether another process has the RocksDB in ``database`` open for writing.

    Not to be called in a process that has it open itself: POSIX drops a process's own locks on a file when it closes
    any handle to it.
    """
    try:
        lock = (database / "LOCK").open("rb")
    except (FileNotFoundError, NotADirectoryError):
        return False
    with lock:
        try:
            fcntl.lockf(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)  # RocksDB's is exclusive; this one is gone with the handle
        except OSError:
            return True
    return False
