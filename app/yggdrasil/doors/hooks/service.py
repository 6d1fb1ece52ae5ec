"""Plain HTTP to the service, over the Unix socket of a directory or a loopback address, within a deadline."""

import json
import os
import socket
import stat
from collections.abc import Callable
from time import monotonic
from typing import Any, Final, cast

from .settings import Settings

SOCKET: Final = "serve.sock"
ADDRESS: Final = "serve.address"
_FOLDER: Final = "yggdrasil-"  # of a service, with the number of its directory behind it
_SOURCE, _PROGRAM, _ORIGIN = "yggdrasil-source", "yggdrasil-program", "yggdrasil-origin"
_ANSWER_BYTES_MAX: Final = 1 << 20
_CHUNK_BYTES: Final = 1 << 16
_ADDRESS_BYTES_MAX: Final = 4_096
_LEAST_S: Final = 0.001  # a timeout of 0 would not wait at all
_OTHERS_WRITE: Final = 0o022
_OTHERS: Final = 0o077
_LOOPBACK: Final = ("127.0.0.1", "localhost", "[::1]")


class Away(Exception):
    """The service is not there, too slow, not to be trusted, or has no answer; ``status`` is that of an answer."""

    def __init__(self, why: str, status: int = 0) -> None:
        super().__init__(why)
        self.status = status


class Deadline:
    """A moment after which nothing is waited for."""

    def __init__(self, until: float) -> None:
        """``until`` is of the monotonic clock, in seconds."""
        self._until = until

    @classmethod
    def within(cls, seconds: float) -> "Deadline":
        """Return the moment in so many seconds."""
        return cls(monotonic() + seconds)

    def left_s(self) -> float:
        """Return how many seconds are left. Raises Away when none are."""
        left = self._until - monotonic()
        if left < _LEAST_S:
            raise Away("the time of the hook is used up")
        return left


def record(value: object) -> dict[str, Any]:
    """Return what is an object in JSON; an empty one for anything else."""
    return cast(dict[str, Any], value) if isinstance(value, dict) else {}


def listed(value: object) -> list[Any]:
    """Return what is a list in JSON; an empty one for anything else."""
    return value if isinstance(value, list) else []  # pyright: ignore[reportUnknownVariableType]


class Service:
    """The service of a directory, or at an address."""

    def __init__(self, settings: Settings, deadline: Deadline) -> None:
        self._settings = settings
        self._deadline = deadline

    def get(self, path: str) -> dict[str, Any]:
        """Return the answer to a read. Raises Away."""
        return self._ask("GET", path, b"")

    def post(self, path: str, body: object, origin: str = "agent") -> dict[str, Any]:
        """Return the answer to ``body``, which is sent as JSON. Raises Away.

        ``origin`` is who stands behind it, where the service asks for no key; a key has its own.
        """
        return self._ask("POST", path, json.dumps(body).encode(), origin)

    def listens(self) -> bool:
        """Whether somebody listens."""
        try:
            self._connected()[0].close()
        except Away:
            return False
        return True

    def _ask(self, method: str, path: str, body: bytes, origin: str = "agent") -> dict[str, Any]:
        connection, host = self._connected()
        head = f"{method} {self._settings.path}{path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n"
        if self._settings.url is None:  # to the owner of a directory its service listens, as to who opens it
            head += f"{_SOURCE}: {self._settings.source}\r\n{_PROGRAM}: yggdrasil-hooks\r\n{_ORIGIN}: {origin}\r\n"
        elif self._settings.key:
            head += f"Authorization: Bearer {self._settings.key}\r\n"
        if body:
            head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
        try:
            with connection:
                connection.settimeout(self._deadline.left_s())
                connection.sendall(head.encode("latin-1") + b"\r\n" + body)
                status, answer = self._answer(connection)
        except (OSError, ValueError) as error:
            raise Away(str(error)) from error
        if not 200 <= status < 300:
            raise Away(f"status {status}", status)
        try:
            found = json.loads(answer)
        except ValueError as error:
            raise Away("the answer is no JSON") from error
        return record(found)

    def _answer(self, connection: socket.socket) -> tuple[int, bytes]:
        """Return status and body. The service always says how long its body is. Raises OSError, ValueError, Away."""
        taken = b""
        while b"\r\n\r\n" not in taken:
            taken += self._more(connection, taken)
        head, _, body = taken.partition(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        length = next((int(line[15:]) for line in lines if line.lower().startswith("content-length:")), 0)
        while len(body) < length:
            body += self._more(connection, body)
        return int(first.split(" ")[1]), body[:length]

    def _more(self, connection: socket.socket, taken: bytes) -> bytes:
        if len(taken) > _ANSWER_BYTES_MAX:
            raise Away("the answer is too long")
        connection.settimeout(self._deadline.left_s())
        more = connection.recv(_CHUNK_BYTES)
        if not more:
            raise Away("the connection ended early")
        return more

    def _connected(self) -> tuple[socket.socket, str]:
        """Return a connection, and the name for the header Host. Raises Away."""
        url = self._settings.url
        family = socket.AF_INET6 if url and "[" in url else socket.AF_INET if url else socket.AF_UNIX
        where, host = _tcp(url) if url else (_unix(self._settings.data), "localhost")
        connection = socket.socket(family, socket.SOCK_STREAM)
        try:
            connection.settimeout(self._deadline.left_s())
            connection.connect(where)
        except (OSError, Away) as error:
            connection.close()
            raise Away(str(error)) from error
        return connection, host


def _tcp(url: str) -> tuple[tuple[str, int], str]:
    """Return the address in a URL. What is said, and the key, go in the clear: so only to this machine. Raises Away."""
    scheme, _, rest = url.partition("://")
    name, _, port = rest.rstrip("/").rpartition(":")
    if scheme != "http" or name not in _LOOPBACK or not port.isdigit():
        raise Away(f"YGGDRASIL_SERVICE takes http://127.0.0.1:PORT, and not {url[:80]}")
    return (name.strip("[]"), int(port)), f"{name}:{port}"


def _unix(data: str) -> str:
    """Return the socket of a directory, if it is of this user and of nobody else. Raises Away."""
    try:
        path = os.path.join(data, SOCKET)
        address = os.path.join(data, ADDRESS)
        if not os.path.lexists(path) and os.path.lexists(address):
            _check_own(address, stat.S_ISREG)
            with open(os.open(address, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW), encoding="utf-8") as file:
                path = file.read(_ADDRESS_BYTES_MAX).strip()
            folder, own = os.path.dirname(path), os.stat(data)
            if os.path.basename(folder).startswith(_FOLDER) and f"{_FOLDER}{own.st_dev:x}.{own.st_ino:x}." not in path:
                raise Away(f"{data} is a copy of the directory that is served there")
            _check_own(folder, stat.S_ISDIR, _OTHERS)
        _check_own(path, stat.S_ISSOCK)
    except (OSError, ValueError) as error:
        raise Away(str(error)) from error
    return path


def _check_own(path: str, is_kind: Callable[[int], bool], others: int = _OTHERS_WRITE) -> None:
    """Raise Away unless a file is of its kind, this user's own (or the system's), and others may not do ``others``."""
    found = os.lstat(path)
    if not is_kind(found.st_mode) or found.st_uid not in {os.geteuid(), 0} or found.st_mode & others:
        raise Away(f"{path} is not this user's own, or open to others")
