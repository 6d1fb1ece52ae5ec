"""What is said waits in a small file until the service has it: away, slow or busy, nothing is lost before the bound.

Everything goes this way. 1. A hook adds its commands to the file, under a short lock. 2. One hook at a time sends what
is there, in order, and 3. takes out what the service has. Each command has an id that follows from what happened, so
one that was sent by a hook that was then stopped is sent again, and is recorded once.
"""

import fcntl
import json
import os
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from time import sleep
from typing import Any, Final

from .service import Away, Deadline, Service, record

FILE: Final = "waiting.jsonl"
LOST: Final = "lost"
NOTE: Final = "note"
"""The feature of what a user has said is to be kept."""
WAITING_BYTES_MAX: Final = 1 << 20
WAITING_MAX: Final = 1_000
_BATCH_MAX: Final = 50
_BATCH_BYTES_MAX: Final = 200_000
_LOCK_POLL_S: Final = 0.005
# The service may take it later: no key, one that was revoked, a clash, too many, too long in coming.
_LATER: Final = frozenset({401, 403, 404, 408, 409, 421, 429})


class Outbox:
    """The commands that wait, in a folder of one memory."""

    def __init__(self, folder: str, deadline: Deadline) -> None:
        self._folder = folder
        self._deadline = deadline
        self._file = os.path.join(folder, FILE)

    @contextmanager
    def locked(self, name: str = "state") -> Generator[None]:
        """Hold a lock of this folder. Raises Away when another hook has it until the deadline."""
        os.makedirs(self._folder, exist_ok=True)
        at = os.open(os.path.join(self._folder, f"{name}.lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            while True:
                try:
                    fcntl.flock(at, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except OSError:
                    sleep(min(_LOCK_POLL_S, self._deadline.left_s()))
            yield
        finally:
            os.close(at)

    def add(self, commands: Sequence[dict[str, Any]]) -> None:
        """Let commands wait. Called with the lock; beyond the bound the oldest go, and are counted."""
        if not commands:
            return
        lines = [json.dumps(command, separators=(",", ":")) for command in commands]
        if self._append("".join(f"{line}\n" for line in lines).encode()) > WAITING_BYTES_MAX:
            self._bound()

    def _append(self, lines: bytes) -> int:
        """Append lines to the file, from a new line on, or nothing; return how long it is then. Raises OSError."""
        at = os.open(self._file, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            size = os.fstat(at).st_size
            if size and os.pread(at, 1, size - 1) != b"\n":  # a hook was ended while it wrote
                lines = b"\n" + lines
            try:
                written = os.write(at, lines)
                while written < len(lines):
                    written += os.write(at, lines[written:])
            except OSError:
                os.ftruncate(at, size)
                raise
            return size + len(lines)
        finally:
            os.close(at)

    def waiting(self) -> list[str]:
        """Return what waits, a line each."""
        try:
            with open(self._file, encoding="utf-8", errors="replace") as file:
                return [line for line in file.read().split("\n") if line]
        except OSError:
            return []

    def send(self, service: Service) -> None:
        """Send what waits, as long as there is time. Raises Away when the service does not take it.

        While another hook sends, this one leaves it to that one.
        """
        if not os.path.exists(self._file) or not os.path.getsize(self._file):
            return
        at = os.open(os.path.join(self._folder, "send.lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(at, fcntl.LOCK_EX | fcntl.LOCK_NB)
            while lines := _batch(self.waiting()):
                self._send(service, lines)
        except BlockingIOError:
            return
        finally:
            os.close(at)

    def _send(self, service: Service, lines: list[str]) -> None:
        commands = [found for line in lines if (found := _command(line)) is not None]
        lost = len(lines) - len(commands)
        try:
            if commands:
                service.post("/commands/batch?wait=false", {"commands": commands}, _origin(lines[0]))
        except Away as error:
            if not 400 <= error.status < 500 or error.status in _LATER:
                raise
            lost += self._one_by_one(service, commands)
        with self.locked():
            sent = set(lines)  # not the first so many: the bound may have taken some of them out meanwhile
            self._keep([line for line in self.waiting() if line not in sent])
            self.count_lost(lost)

    def _one_by_one(self, service: Service, commands: list[dict[str, Any]]) -> int:
        """Send a batch of which the service would take nothing, without what is malformed; return how many those are.

        Raises Away when it takes no more: all of them are then sent again.
        """
        lost = 0
        for command in commands:
            try:
                service.post("/commands?wait=false", command, _origin(json.dumps(command)))
            except Away as error:
                if not 400 <= error.status < 500 or error.status in _LATER:
                    raise
                lost += 1
        return lost

    def _bound(self) -> None:
        lines = self.waiting()
        kept = lines[-WAITING_MAX:]
        while sum(map(len, kept)) > WAITING_BYTES_MAX // 2:
            kept = kept[len(kept) // 4 + 1 :]
        self._keep(kept)
        self.count_lost(len(lines) - len(kept))

    def _keep(self, lines: Sequence[str]) -> None:
        write(self._file, "".join(f"{line}\n" for line in lines))

    def count_lost(self, lost: int) -> None:
        """Count what is lost. Called with the lock."""
        count_lost(self._folder, lost)


def standing(folder: str) -> tuple[int, int]:
    """Return how many commands wait in a folder, and how many were lost for being refused or too many."""
    return len(Outbox(folder, Deadline.within(0.0)).waiting()), lost_in(folder)


def lost_in(folder: str) -> int:
    """Return how much is counted as lost in a folder."""
    try:
        with open(os.path.join(folder, LOST), encoding="utf-8") as file:
            return int(file.read(20))
    except (OSError, ValueError):
        return 0


def count_lost(folder: str, lost: int) -> None:
    """Count what is lost in a folder. Called with a lock of it."""
    if lost:
        write(os.path.join(folder, LOST), str(lost_in(folder) + lost))


def write(path: str, text: str) -> None:
    """Replace a file in one step, for its owner alone."""
    beside = f"{path}.{os.getpid()}"
    with open(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(beside, path)


def _batch(lines: Sequence[str]) -> list[str]:
    """Return the first lines that go together: of one origin, and not too long."""
    size = 0
    for count, line in enumerate(lines[:_BATCH_MAX]):
        size += len(line)
        if count and (size > _BATCH_BYTES_MAX or _origin(line) != _origin(lines[0])):
            return list(lines[:count])
    return list(lines[:_BATCH_MAX])


def _origin(line: str) -> str:
    """Return who stands behind a command.

    Outcomes are what a tool has seen, a note is what a user has said, and the rest is what an agent does.
    """
    found = _command(line) or {}
    if found.get("type") == "log_outcome":
        return "tool"
    return "user" if record(found.get("body")).get("features") == [NOTE] else "agent"


def _command(line: str) -> dict[str, Any] | None:
    try:
        found = json.loads(line, strict=False)
    except (ValueError, RecursionError):
        return None
    return record(found) or None
