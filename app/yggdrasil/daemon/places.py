"""How many daemons one user may have that the command line has started: each holds one of a few places as it runs."""

import os
import stat
from pathlib import Path
from tempfile import gettempdir
from typing import Final

from yggdrasil_infra.http.wire.socket_file import runtime
from yggdrasil_infra.locks import DirectoryInUseError, DirectoryLock
from yggdrasil_infra.paths import PathError

DAEMONS_MAX: Final = 8
"""Whoever goes through hundreds of directories has so many; where there is none, commands run as fast as ever."""
_OTHERS: Final = 0o077


def free_place() -> DirectoryLock | None:
    """Take a place, which is free again when whoever has it last has ended; None where none is, or none can be."""
    folder = Path(runtime() or gettempdir(), f"yggdrasil-daemons-{os.geteuid()}")
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        if not _is_own(folder):
            return None
        for number in range(DAEMONS_MAX):
            try:
                return DirectoryLock(folder, f"{number}.lock")
            except DirectoryInUseError:
                continue
    except (OSError, PathError):
        pass
    return None


def _is_own(folder: Path) -> bool:
    """Whether it is a folder of this user alone: any other could keep the places taken."""
    found = folder.lstat()
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & _OTHERS
