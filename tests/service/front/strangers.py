"""Clients that show no key and mean no good, byte by byte; and what a process holds meanwhile."""

import contextlib
import os
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tests.service.client import Reply

COMMANDS = "/v1/memories/me/agent/commands"
FROM = ("127.0.0.2", 0)  # not where services and brokers of other tests are about to listen: thousands take many a port


def place_of(url: str) -> tuple[str, int]:
    host, port = url.removeprefix("http://").split(":")
    return host, int(port)


def connected(url: str) -> socket.socket:
    return socket.create_connection(place_of(url), timeout=60, source_address=FROM)


def reply_of(connection: socket.socket) -> Reply:
    """All that comes back until the service closes the connection."""
    found = b""
    with contextlib.suppress(ConnectionResetError):
        while part := connection.recv(65_536):
            found += part
    head, _, body = found.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    return Reply(int(first.split()[1]), headers, body)


def said(url: str, *parts: bytes) -> Reply:
    """Send the parts, each in a packet of its own, and return what comes back until the service ends the connection."""
    with connected(url) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            for part in parts:
                connection.sendall(part)
        return reply_of(connection)


def head(first: str, *lines: str) -> bytes:
    return "\r\n".join((f"{first} HTTP/1.1", "Host: localhost", *lines, "", "")).encode()


def unread(url: str, asked: bytes) -> socket.socket:
    """A connection that asks and never takes its answer."""
    made = socket.socket()
    made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
    made.settimeout(60)
    made.bind(FROM)
    made.connect(place_of(url))
    made.sendall(asked)
    return made


@contextmanager
def opened(url: str, count: int) -> Iterator[list[socket.socket]]:
    """Connections that say nothing; those that the service does not take within a second wait on."""
    with ExitStack() as stack:
        made = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in made:
            one.setblocking(False)
            one.bind(FROM)
            one.connect_ex(place_of(url))
        yield made


def descriptors(pid: int) -> int:
    return len(os.listdir(f"/proc/{pid}/fd"))


def resident_bytes(pid: int) -> int:
    line = next(line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) * 1024
