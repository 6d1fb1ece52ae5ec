"""How much room a disk has left: appends end before it is full, so that what folds, and a restart, still have some."""

import os
from math import nan
from pathlib import Path
from time import monotonic
from typing import Final

from .log import DiskFullError
from .paths import whole

BYTES_DEFAULT: Final = 256 << 20
_SHARE: Final = 0.02  # of a small disk, that is enough
_LOOK_EVERY_S: Final = 1.0  # a second of appends takes far less than what is left free
_FULL: Final = ("No space left", "File too large", "quota exceeded")


class Room:
    """The room on the disk of a directory. For any thread."""

    def __init__(self, path: Path, bytes_min: int | None = None, what: str = "appended") -> None:
        """``bytes_min`` are to stay free; without it 256 MiB, or 2 % of a disk that is small. 0: no bound.

        ``what`` is no more done when less is free, in one word.
        """
        self._path = whole(path)
        self._what = what
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

    def spare_bytes(self) -> float:
        """Return how many bytes are free beyond those that are kept free: below 0, ``low`` says why. NaN: unknown."""
        found = self._free()
        return nan if found is None else float(found[0] - found[1])

    def _look(self) -> str | None:
        found = self._free()
        if found is None or found[0] >= found[1]:
            return None  # a disk that does not answer fails whoever writes there
        left, least = found
        return (
            f"the disk has {left >> 20} MiB left, and {least >> 20} MiB are kept free: nothing more is {self._what}, "
            "and reads go on. Make room, or move the directory to a larger disk; it then goes on by itself"
        )

    def _free(self) -> tuple[int, int] | None:
        """Return how many bytes are free, and how many are to be kept free; None when the disk does not say."""
        try:
            disk = os.statvfs(self._path)
        except OSError:
            return None
        left, whole = disk.f_bavail * disk.f_frsize, disk.f_blocks * disk.f_frsize
        return left, min(BYTES_DEFAULT, int(whole * _SHARE)) if self._bytes_min is None else self._bytes_min


def is_full(error: Exception) -> bool:
    """Whether ``error`` says that nothing could be written for want of room."""
    return any(sign in str(error) for sign in _FULL)
