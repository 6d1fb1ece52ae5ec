"""The audit log: who read or wrote which memory, from where, with which key; never what was asked or said.

A stream of its own: a file that is rotated by its size, or the logger ``yggdrasil.audit``. What cannot be written is
told, so that whoever serves can stop: nothing is done that nobody would know of.
"""

import json
import logging
import os
import stat
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic
from typing import Final

from yggdrasil_schemas.errors import YggdrasilError

from ..paths import whole

FILE_BYTES_MAX: Final = 64 << 20
FILES_MAX: Final = 10
_FLAGS: Final = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
_AGAIN_S: Final = 1.0
_STRANGERS_MAX: Final = 100.0  # lines at once, and one a second: whoever has no key must not push out what others did
_LOGGER: Final = logging.getLogger("yggdrasil.audit")
_COMPLAINTS: Final = logging.getLogger("yggdrasil.http")


class AuditError(YggdrasilError):
    """The audit log cannot be written; the message says why."""


class Audit:
    """Writes one line of JSON for each request. Of one event loop."""

    def __init__(self, path: Path | None, files_max: int = FILES_MAX, file_bytes_max: int = FILE_BYTES_MAX) -> None:
        """Append to ``path``, and keep at most ``files_max`` files beside each other: ``path``, ``path.1`` and so on.

        Without ``path`` it goes to the logger ``yggdrasil.audit``. Raises AuditError.
        """
        path = self._path = None if path is None else whole(path)
        self._files_max = files_max
        self._file_bytes_max = file_bytes_max
        self._descriptor = -1
        self._failed: str | None = None
        self._tried = 0.0
        self._torn = False  # the last line may have no end
        self._strangers = _STRANGERS_MAX
        self._strangers_at = monotonic()
        self._unwritten = 0
        if path is not None:
            try:
                self._open(path)
            except OSError as error:
                raise AuditError(f"{path} cannot be written: {error.strerror}; name another --audit-log") from error

    def write(self, entry: Mapping[str, object]) -> None:
        """Write one entry. An entry without a ``key`` is left out, and counted, where there are too many of them.

        A failure is logged and told by ``failure``; it is never raised.
        """
        line = dict(entry)
        if line.get("key") is None:
            if not self._take():
                self._unwritten += 1
                return
            if self._unwritten:
                line["unwritten"], self._unwritten = self._unwritten, 0
        if self._path is None:
            _LOGGER.info("%s %s %s", line.pop("method"), line.pop("route"), line.pop("status"), extra=line)
            return
        now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        self._append(self._path, {"time": now, **line})

    def failure(self) -> str | None:
        """Return in a sentence why nothing can be written, or None; once a second it tries again."""
        if self._failed is not None and self._path is not None and monotonic() - self._tried >= _AGAIN_S:
            now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
            self._append(self._path, {"time": now, "event": "the audit log can be written again"})
        return self._failed

    def close(self) -> None:
        """Close the file. Closing twice is allowed."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def _append(self, path: Path, line: Mapping[str, object]) -> None:
        data = json.dumps(line).encode() + b"\n"
        try:
            self._follow(path, len(data))
            data = b"\n" + data if self._torn else data
            written = os.write(self._descriptor, data)
            self._torn = written < len(data)
            if self._torn:
                raise OSError(0, "there was room for a part of a line only")
        except OSError as error:
            self._tried = monotonic()
            if self._failed is None:
                _COMPLAINTS.error("the audit log cannot be written, and nothing is answered: %s", error)
            self._failed = f"the audit log cannot be written: {error.strerror}"
            return
        self._failed = None

    def _follow(self, path: Path, size: int) -> None:
        """See that the file is open, is the one that stands at ``path``, and has room. Raises OSError."""
        try:
            there = path.lstat()
        except FileNotFoundError:
            there = None
        ours = os.fstat(self._descriptor) if self._descriptor >= 0 else None
        if ours is not None and ours.st_size + size > self._file_bytes_max and ours.st_size:
            if there is not None and there.st_ino == ours.st_ino:
                self._rotate(path)
            ours = None
        if ours is None or there is None or (there.st_ino, there.st_dev) != (ours.st_ino, ours.st_dev):
            self._open(path)

    def _rotate(self, path: Path) -> None:
        """Move every file on by one; the last one goes. Raises OSError."""
        if self._files_max == 1:
            path.unlink()
            return
        for number in range(self._files_max - 2, 0, -1):
            earlier = path.with_name(f"{path.name}.{number}")
            if earlier.exists():
                earlier.replace(path.with_name(f"{path.name}.{number + 1}"))
        path.replace(path.with_name(f"{path.name}.1"))

    def _open(self, path: Path) -> None:
        """Open the file for appending; only its owner may read it, and that is us. Raises OSError."""
        self.close()
        descriptor = os.open(path, _FLAGS, 0o600)
        try:
            found = os.fstat(descriptor)
            if not stat.S_ISREG(found.st_mode) or found.st_uid != os.geteuid():
                raise OSError(0, "it is no file of this user")
            if found.st_mode & 0o077:
                os.fchmod(descriptor, 0o600)
        except BaseException:
            os.close(descriptor)
            raise
        self._descriptor = descriptor

    def _take(self) -> bool:
        """Whether one more line may be written of whoever has no key."""
        now = monotonic()
        self._strangers = min(_STRANGERS_MAX, self._strangers + now - self._strangers_at)
        self._strangers_at = now
        if self._strangers < 1.0:
            return False
        self._strangers -= 1.0
        return True
