"""Directories and files that nobody else on the machine may read: what is remembered is its owner's alone."""

import fcntl
import os
import stat
from contextlib import suppress
from errno import EINVAL, ENOTDIR, ENOTSUP
from pathlib import Path
from typing import IO, Any, Final

from .paths import refuse

DIRECTORY_MODE: Final = 0o700
FILE_MODE: Final = 0o600


def make_directory(path: Path) -> None:
    """Make ``path``, and what is missing above it, for the owner alone; one that is there stays as it is.

    Raises PathError where none can be.
    """
    try:
        for missing in reversed([each for each in (path, *path.parents) if not each.exists()]):
            missing.mkdir(mode=DIRECTORY_MODE, exist_ok=True)
        if not path.is_dir():
            raise NotADirectoryError(ENOTDIR, "Not a directory", str(path))
    except OSError as error:
        refuse(path, error)


def open_private(path: Path, mode: str = "wb", buffering: int = -1) -> IO[Any]:
    """Open ``path``; where it is made, it is made for the owner alone."""
    return open(path, mode, buffering, opener=_private)


def replace_private(path: Path, data: bytes) -> None:
    """Put ``data`` in the place of a file at once and durably: a reader, and a power cut, find the one or the other.

    Of several processes at once each puts in all of its own, and the last one stays. Raises OSError.
    """
    written = path.with_name(f"{path.name}.new")
    with _alone(written) as file:
        try:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
            written.replace(path)
        except BaseException:
            written.unlink(missing_ok=True)  # or half of it would take room on a disk that is full
            raise
    sync_folder(path.parent)


def _alone(path: Path) -> IO[bytes]:
    """Open a file, empty and for the owner alone, that no other process writes; one that was left there is taken."""
    while True:
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, FILE_MODE)
        try:
            with suppress(OSError):  # a disk without such locks
                fcntl.flock(file, fcntl.LOCK_EX)
            if _is_at(file, path):
                with suppress(PermissionError):  # a disk without modes
                    os.fchmod(file, FILE_MODE)
                os.ftruncate(file, 0)
                return os.fdopen(file, "wb")
        except BaseException:
            os.close(file)
            raise
        os.close(file)  # it has come to its place meanwhile: that is another one's


def _is_at(file: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(file), path.lstat())
    except FileNotFoundError:
        return False


def sync_folder(path: Path) -> None:
    """Make durable which files a folder has: without, a synced file may be gone after a power cut.

    Raises OSError, but for a disk whose folders cannot be synced.
    """
    folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(folder)
    except OSError as error:
        if error.errno not in {EINVAL, ENOTSUP}:
            raise
    finally:
        os.close(folder)


def read_by_others(path: Path, found: os.stat_result) -> str | None:
    """Return what to say of a file of secrets that others on the machine may read; None where they may not."""
    if not found.st_mode & stat.S_IROTH:
        return None
    return f"{path} can be read by everybody on this machine, and what opens memories is in it: chmod o-r {path}"


def _private(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_CLOEXEC, FILE_MODE)
