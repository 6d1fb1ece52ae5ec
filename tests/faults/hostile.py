"""Clients that mean no good to a service: ``python -m tests.faults.hostile KIND URL KEY``, a process for each kind.

They go on until they are killed. The key is of a tenant of its own; most kinds do without.
"""

import contextlib
import os
import select
import socket
import sys
from collections.abc import Callable
from itertools import cycle
from time import sleep

from tests.service.front.strangers import COMMANDS, connected, head, opened, place_of, unread

CHUNKED = head(f"POST {COMMANDS}", "Content-Type: application/json", "Transfer-Encoding: chunked")
TIMELINE = "GET /v1/memories/greedy/agent/timeline?count=200"
HELD = 88
PAGE = "GET /docs/swagger-ui-bundle.js"


def connections(url: str, key: str) -> None:
    """Three thousand at once, which say nothing, again and again."""
    while True:
        with opened(url, 3_000):
            sleep(2)


def chunks(url: str, key: str) -> None:
    """Bodies of one-byte chunks without end."""
    while True:
        with connected(url) as one, contextlib.suppress(OSError):
            one.sendall(CHUNKED)
            while True:
                one.sendall(b"1\r\n{\r\n" * 10_000)


def crumbs(url: str, key: str) -> None:
    """Heads of a megabyte, a byte in a packet."""
    while True:
        with connected(url) as one, contextlib.suppress(OSError):
            one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            one.sendall(b"GET /livez HTTP/1.1\r\n")
            for part in cycle((b"X", b":", b"y", b"\r", b"\n")):
                one.sendall(part)


def strangers(url: str, key: str) -> None:
    """Requests without a key, as fast as they are answered."""
    asked = head("GET /v1/memories")
    while True:
        with connected(url) as one, contextlib.suppress(OSError):
            while True:
                one.sendall(asked)
                if not one.recv(65_536):
                    break


def pages(url: str, key: str) -> None:
    """The largest answer that takes no key, asked for ahead and never read."""
    _unread(url, head(PAGE) * 20)


def timelines(url: str, key: str) -> None:
    """Long answers of the own tenant, never read."""
    _unread(url, head(TIMELINE, f"Authorization: Bearer {key}"))


def halves(url: str, key: str) -> None:
    """Bodies with a key of which half never comes."""
    lines = ("Content-Type: application/json", "Content-Length: 100000", f"Authorization: Bearer {key}")
    asked = head("POST /v1/memories/greedy/agent/context", *lines) + b"{" * 50_000
    _unread(url, asked)


def _unread(url: str, asked: bytes) -> None:
    """Hold 88 connections; another one comes in the place of each that the service ends."""
    ends = select.poll()
    held: dict[int, socket.socket] = {}
    while True:
        with contextlib.suppress(OSError):
            if len(held) < HELD:
                made = unread(url, asked)
                held[made.fileno()] = made
                ends.register(made, select.POLLRDHUP)
        for descriptor, _ in ends.poll(20):
            ends.unregister(descriptor)
            held.pop(descriptor).close()


KINDS: dict[str, Callable[[str, str], None]] = {
    kind.__name__: kind for kind in (connections, chunks, crumbs, strangers, pages, timelines, halves)
}

if __name__ == "__main__":
    os.nice(10)  # what is measured is the service, not how the machine shares itself out
    _, kind, url, key = sys.argv
    place_of(url)
    KINDS[kind](url, key)
