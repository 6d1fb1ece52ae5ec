"""How much room a disk has left: appends end before it is full, so that what folds, and a restart, still have some."""

import os
from pathlib import Path
from time import monotonic
from typing import Final

from .log import DiskFullError

BYTES_DEFAULT: Final = 256 << 20
_SHARE: Final = 0.02  # of a small disk, that is enough
_LOOK_EVERY_S: Final = 1.0  # a second of appends takes far less than what is left free
_FULL: Final = ("No space left", "File too large", "quota exceeded")


class Room:
    """The room on the disk of a directory. For any thread."""

    def __init__(self, path: Path, bytes_min: int | None = None) -> None:
        """``bytes_min`` are to stay free; without it 256 MiB, or 2 % of a disk that is small. 0: no bound."""
        self._path = path
        self._bytes_min = bytes_min
        self._looked = float("-inf")
        self._said: str | None = None

    def check(self) -> None:
        """Raise DiskFullError, with the remedy, when too little is left. It looks at most once a second."""
        if (said := self.low()) is not None:
            raise DiskFullError(said)

    def low(self) -> str | None:
        """Return that too little is left, without a path and with the remedy, or None."""
        if self._bytes_min != 0 and monotonic() - self._looked >= _LOOK_EVERY_S:
            self._looked = monotonic()
            self._said = self._look()
        return self._said

    def _look(self) -> str | None:
        try:
            disk = os.statvfs(self._path)
        except OSError:
            return None  # whoever writes there hears of it
        left, whole = disk.f_bavail * disk.f_frsize, disk.f_blocks * disk.f_frsize
        least = min(BYTES_DEFAULT, int(whole * _SHARE)) if self._bytes_min is None else self._bytes_min
        if left >= least:
            return None
        return (
            f"the disk has {left >> 20} MiB left, and {least >> 20} MiB are kept free: nothing more is appended, "
            "and reads go on. Make room, or move the directory to a larger disk; then appends are taken again"
        )


def is_full(error: Exception) -> bool:
    """Whether ``error`` says that nothing could be written for want of room."""
    return any(sign in str(error) for sign in _FULL)
