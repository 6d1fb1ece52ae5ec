"""What the command line and a runner say to each other: one message each way, then the number of the process, the code.

A message is its length in eight bytes, and a JSON object. With the one that says that it may run go the three standard
streams: a runner that does not answer would keep open what it was never going to use, and whoever reads the other end
of a pipe would wait for it.
"""

import json
import os
import signal
import socket
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final, cast

MESSAGE_BYTES_MAX: Final = 16 << 20  # more than a system lets anybody type, with its environment
STREAMS: Final = 3
SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Those that go on to whatever runs the command."""
_HEAD_BYTES: Final = 8
# What the engine of a directory reads of the environment. A daemon that was started with others is not used silently.
_ALWAYS: Final = ("YGGDRASIL_RANKER", "YGGDRASIL_LADDER")
_OF_A_NEW_ONE: Final = ("YGGDRASIL_EMBEDDER",)  # a directory that remembers its embedder passes it over
# What makes vectors at a provider's finds these for itself.
_OF_A_PROVIDER: Final = (
    "OPENAI_API_KEY",
    "OPENAI_BASE_URL",
    "CO_API_KEY",
    "GEMINI_API_KEY",
    "GOOGLE_API_KEY",
    "VOYAGE_API_KEY",
    "HTTPS_PROXY",
    "https_proxy",
    "ALL_PROXY",
    "all_proxy",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
)
_REMEMBERED: Final = "store.json"  # settings.FILE, without its import
_NO_PROVIDER: Final = frozenset({"offline", "supplied"})
_INSTALLATION: Final = "the installation"


class WireError(Exception):
    """The other side has gone, or does not speak as we do."""


def build() -> str:
    """Return what no other installation has in common with this one: its place, when it was made, its Python."""
    package = Path(__file__).parent.parent.parent / "__init__.py"
    return f"{package} {package.stat().st_mtime_ns} {sys.executable} {sys.version}"


def system() -> list[Any]:
    """Return which files and which processes are meant by their names here: those of a container are others.

    So are those that another encoding makes of the same bytes.
    """
    found: list[Any] = [sys.getfilesystemencoding()]
    for each in ("/", "/proc/self/ns/mnt", "/proc/self/ns/pid"):
        with suppress(OSError):
            it = os.stat(each)
            found.append([it.st_dev, it.st_ino])
    return found


def settings(variables: Mapping[str, str], directory: Path) -> dict[str, str | None]:
    """Return what the engine of ``directory`` takes from an environment, as it is used by now."""
    return {name: variables.get(name) for name in _counting(directory)}


def mark(built: str, settings: Mapping[str, str | None]) -> str:
    """Return a short name for an installation with its settings, from which none of them can be read."""
    return blake2b(json.dumps([built, settings], sort_keys=True).encode(), digest_size=8).hexdigest()


def differing(message: Mapping[str, Any], built: str, ours: Mapping[str, str | None]) -> list[str]:
    """Return what another has told of itself that is not so here: the names of settings, or the installation."""
    if not isinstance(message["settings"], dict):  # of a release that said it in another form
        return [_INSTALLATION]
    theirs = cast("Mapping[str, str | None]", message["settings"])
    names = [name for name in sorted({*theirs, *ours}) if theirs.get(name) != ours.get(name)]
    return names if message["build"] == built else [_INSTALLATION, *names]


def _counting(directory: Path) -> tuple[str, ...]:
    """Return which variables count: of what is only for other embedders than that of ``directory`` none does."""
    try:
        found: Any = json.loads((directory / _REMEMBERED).read_bytes())
        embedder: Any = found["embedder"]
        provider: Any = None if isinstance(embedder, str) else embedder["provider"]
    except (OSError, ValueError, TypeError, KeyError):
        return (*_ALWAYS, *_OF_A_NEW_ONE, *_OF_A_PROVIDER)
    return _ALWAYS if provider is None or provider in _NO_PROVIDER else (*_ALWAYS, *_OF_A_PROVIDER)


def send(to: socket.socket, message: Mapping[str, Any], streams: Sequence[int] = ()) -> None:
    """Send a message, and the streams that go with it. Raises WireError."""
    body = json.dumps(message).encode()
    head = len(body).to_bytes(_HEAD_BYTES, "big")
    try:
        if streams:
            socket.send_fds(to, [head], [*streams])
        else:
            to.sendall(head)
        to.sendall(body)
    except OSError as error:
        raise WireError(str(error)) from error


def receive(by: socket.socket) -> dict[str, Any]:
    """Return the next message. Raises WireError."""
    return _message(by, _bytes(by, b"", _HEAD_BYTES))


def receive_with_streams(by: socket.socket) -> tuple[dict[str, Any], list[int]]:
    """Return the next message, and the streams that came along, which are the caller's to close. Raises WireError."""
    try:
        head, streams, _, _ = socket.recv_fds(by, _HEAD_BYTES, STREAMS)
    except OSError as error:
        raise WireError(str(error)) from error
    for each in streams:
        os.set_inheritable(each, False)
    return _message(by, _bytes(by, head, _HEAD_BYTES)), streams


def _message(by: socket.socket, head: bytes) -> dict[str, Any]:
    size = int.from_bytes(head, "big")
    if size > MESSAGE_BYTES_MAX:
        raise WireError(f"a message of {size} bytes")
    try:
        found = json.loads(_bytes(by, b"", size))
    except ValueError as error:
        raise WireError(str(error)) from error
    if not isinstance(found, dict):
        raise WireError("no object")
    return cast(dict[str, Any], found)


def _bytes(by: socket.socket, begun: bytes, size: int) -> bytes:
    found = bytearray(begun)
    while len(found) < size:
        try:
            part = by.recv(min(size - len(found), 1 << 20))
        except OSError as error:
            raise WireError(str(error)) from error
        if not part:
            raise WireError("the other side has gone")
        found += part
    return bytes(found)
