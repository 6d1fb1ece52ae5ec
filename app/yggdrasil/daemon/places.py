"""How many daemons one user may have that the command line has started: each holds one of a few places as it runs."""

import os
import stat
from pathlib import Path
from tempfile import gettempdir
from typing import Final
from zlib import crc32

from yggdrasil_infra.http.wire.socket_file import runtime
from yggdrasil_infra.locks import DirectoryInUseError, DirectoryLock
from yggdrasil_infra.paths import PathError

DAEMONS_MAX: Final = 8
"""Whoever goes through hundreds of directories has so many; where there is none, commands run as fast as ever."""
_TURNS: Final = 64
_OTHERS: Final = 0o077


def free_place() -> DirectoryLock | None:
    """Take a place, which is free again when whoever has it last has ended; None where none is, or none can be."""
    for number in range(DAEMONS_MAX):
        try:
            return _held(f"{number}.lock")
        except DirectoryInUseError:
            continue
    return None


def turn_of(directory: Path) -> DirectoryLock | None:
    """Take the turn of whoever is the first in ``directory``, which need not be there; None where none can be had.

    Some others have the same. Raises DirectoryInUseError while another process has it.
    """
    return _held(f"turn-{crc32(os.path.abspath(os.fsencode(directory))) % _TURNS}.lock")


def _held(name: str) -> DirectoryLock | None:
    """Hold a file of this user. Raises DirectoryInUseError."""
    folder = Path(runtime() or gettempdir(), f"yggdrasil-daemons-{os.geteuid()}")
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        return DirectoryLock(folder, name) if _is_own(folder) else None
    except (OSError, PathError):
        return None


def _is_own(folder: Path) -> bool:
    """Whether it is a folder of this user alone: any other could keep the places taken."""
    found = folder.lstat()
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & _OTHERS
