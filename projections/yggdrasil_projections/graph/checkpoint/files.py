"""The files of a checkpoint: hashed as they are read, and on the disk before anything says that they are."""

import errno
import os
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import Final

from .manifest import CheckpointDamagedError, Filed

_CHUNK_BYTES: Final = 1 << 20
# Another file system, or one that has no hard links.
_NO_LINKS: Final = {errno.EXDEV, errno.EPERM, errno.EOPNOTSUPP, errno.EMLINK, errno.ENOSYS}

Read = Callable[[int], object]
"""Called with the number of bytes of each piece that was read."""


def hashed(file: Path, read: Read) -> Filed:
    """Return size and hash of ``file``. Raises CheckpointDamagedError when it cannot be read."""
    digest = blake2b(digest_size=32)
    size = 0
    for piece in _pieces(file):
        digest.update(piece)
        size += len(piece)
        read(len(piece))
    return Filed(size, digest.hexdigest())


def copied(source: Path, target: Path, read: Read) -> Filed:
    """Copy ``source`` to ``target`` and sync it; return size and hash of what was copied.

    Raises CheckpointDamagedError when ``source`` cannot be read, and OSError when ``target`` cannot be written.
    """
    digest = blake2b(digest_size=32)
    size = 0
    with target.open("xb") as made:
        for piece in _pieces(source):
            made.write(piece)
            digest.update(piece)
            size += len(piece)
            read(len(piece))
        made.flush()
        os.fsync(made.fileno())
    return Filed(size, digest.hexdigest())


def shared(source: Path, target: Path, read: Read) -> Filed:
    """Let ``target`` be another name of ``source``, or a copy of it where that cannot be; return size and hash."""
    try:
        target.hardlink_to(source)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        return copied(source, target, read)
    sync(target)
    return hashed(target, read)


def sync(path: Path) -> None:
    """Let a file's bytes, or the names in a directory, outlive a power cut."""
    opened = os.open(path, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


@contextmanager
def _readable(file: Path) -> Generator[None]:
    try:
        yield
    except OSError as error:
        raise CheckpointDamagedError(f"{file} cannot be read: {error.strerror}") from error


def _pieces(file: Path) -> Iterator[bytes]:
    """Yield the bytes of ``file``; an error of whoever takes them is not one of reading."""
    with _readable(file):
        opened = file.open("rb")
    with opened:
        while True:
            with _readable(file):
                piece = opened.read(_CHUNK_BYTES)
            if not piece:
                return
            yield piece
