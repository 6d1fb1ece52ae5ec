"""Requests by chance over the real wire, 100,000 at length: no fault of the service, and it goes on as if nothing was.

In their form all are drawn from the OpenAPI document; most have something wrong in them, and a fifth are no HTTP.
"""

import contextlib
import os
import re
import socket
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from random import Random
from time import monotonic
from typing import Any

import pytest

from tests.faults.requests import Requests
from tests.service.client import Client
from tests.service.front.strangers import connected, descriptors, resident_bytes
from tests.service.processes import Process, serving
from tests.size import turns
from yggdrasil_infra.http.keys import new_key

SEED = os.environ.get("YGGDRASIL_FUZZ_SEED", "2026")
COUNT = turns(2_000, 100_000)
CLIENTS = 4
BROKEN_SHARE = 0.2
MEMORY = "me/agent"
ROLES = ("append", "read", "audit", "operate", "embed")
GROWTH_BYTES_MAX = 1 << 30  # what has been said is remembered; a leak of some KB with each request is more
STATUS = re.compile(rb"HTTP/1\.1 (\d{3}) ")
FAULTS = re.compile(r"a request failed|Traceback|event loop|ERROR|CRITICAL")


class Sender:
    """One client: it keeps its connection for as long as the service does."""

    def __init__(self, it: Process, seed: str, document: dict[str, Any], keys: list[str], names: list[str]) -> None:
        self._url = it.url
        self._rng = Random(seed)
        self._requests = Requests(self._rng, document, keys, MEMORY, names)
        self._connection = connected(it.url)
        self.statuses: Counter[int] = Counter()

    def send(self, count: int) -> "Sender":
        try:
            for _ in range(count):
                if self._rng.random() < BROKEN_SHARE:
                    self._send_broken(self._requests.broken())
                else:
                    self._send_whole(self._requests.whole())
        finally:
            self._connection.close()
        return self

    def _send_whole(self, data: bytes) -> None:
        try:
            status = self._answer_to(data)
        except (OSError, HTTPException):  # the service may have ended the connection after the answer before
            self._renew()
            status = self._answer_to(data)
        self._count(status, data)

    def _answer_to(self, data: bytes) -> int:
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # it has answered before the end of the body
            self._connection.sendall(data)
        answer = HTTPResponse(self._connection, method=data.partition(b" ")[0].decode())
        answer.begin()
        body = answer.read()
        if answer.status >= 400 and not data.startswith(b"HEAD "):
            assert b"urn:yggdrasil:problem:" in body or b"/readyz" in data, (data[:2_000], body)
        if answer.will_close:
            self._renew()
        return answer.status

    def _send_broken(self, data: bytes) -> None:
        with connected(self._url) as one, contextlib.suppress(OSError):
            one.settimeout(0.05 if self._rng.random() < 0.5 else 60)
            one.sendall(data)
            one.shutdown(socket.SHUT_WR)
            found = b""
            while part := one.recv(65_536):
                found += part
                for status in STATUS.findall(found):
                    assert int(status) != 500, data
        self.statuses[0] += 1

    def _renew(self) -> None:
        self._connection.close()
        self._connection = connected(self._url)

    def _count(self, status: int, data: bytes) -> None:
        assert status < 500 or status == 503, (status, data[:2_000])
        self.statuses[status] += 1


def test_no_request_is_a_fault_of_the_service(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "keys.json"
    operator = new_key(file, "*", list(ROLES), "operator")[1]
    agent = new_key(file, "me", ["append", "read"], "agent")[1]
    keys = [operator, operator, agent, new_key(file, "other", list(ROLES), "other")[1], "ygg_unknown"]
    with serving(tmp_path, "--keys", "keys.json", "--rate", "0", "--embedder", "off") as it:
        with Client(it.url, operator, MEMORY) as client:
            document = client.send("GET", "/openapi.json").json
            said = [client.event(f"Deployed for the time {at}", features=["deploy", "friday"]) for at in range(20)]
            context = client.ask("Who deployed?")
        names = [*(one["id"] for one in said), *(one["receipt"] for one in said[-3:]), context["recall_id"]]
        names += ["feature:deploy", "feature:friday", "default", "deploy", "friday", MEMORY, "2026-01-31"]
        before, begun = resident_bytes(it.process.pid), monotonic()
        senders = [Sender(it, f"{SEED}-{number}", document, keys, names) for number in range(CLIENTS)]
        with ThreadPoolExecutor(CLIENTS) as threads:
            done = list(threads.map(lambda sender: sender.send(COUNT // CLIENTS), senders))
        statuses = sum((one.statuses for one in done), Counter[int]())
        grown = resident_bytes(it.process.pid) - before
        with capsys.disabled():
            sys.stdout.write(
                f"{sum(statuses.values())} requests in {monotonic() - begun:.0f} s, by status (0: none by HTTP) "
                f"{dict(sorted(statuses.items()))}; memory {before >> 20} MB and {grown >> 20} more, "
                f"{descriptors(it.process.pid)} descriptors\n"
            )
        with Client(it.url, operator, MEMORY) as client:
            assert client.event("Still there")["accepted"]
            assert b'status="500"' not in client.send("GET", "/metrics").body
        it.until(200)
        assert it.process.poll() is None
    faults = [line for line in it.log.read_text().splitlines() if FAULTS.search(line)]
    assert not faults, "\n".join(faults[:20])
    assert statuses[200] > COUNT // 20, "hardly anything was taken"
    assert grown < GROWTH_BYTES_MAX
