"""``yggdrasil serve`` in a process of its own, and a client that keeps its connection."""

import http.client
import signal
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryFile
from time import monotonic, sleep
from types import TracebackType
from typing import Any, Final, Self

import orjson

from yggdrasil_producers.draft import Draft

from .world import MEMORY, Asked

_READY_S: Final = 120.0
_END_S: Final = 60.0
_LOOK_S: Final = 0.05
_SENT: Final = ("type", "id", "at", "session", "body", "content")  # the gateway stamps the rest


class Served:
    """The service over a directory, on a loopback port; a context manager that ends it."""

    def __init__(self, data: Path) -> None:
        with socket.create_server(("127.0.0.1", 0)) as probe:
            address = f"127.0.0.1:{probe.getsockname()[1]}"
        self.url = f"http://{address}"
        self._said = TemporaryFile()  # noqa: SIM115 - shown when it fails
        command = [sys.executable, "-m", "yggdrasil", "serve", "--data", str(data), "--http", address, "--rate", "0",
                   "--embedder", "off"]  # fmt: skip
        self._process = subprocess.Popen(command, stdout=self._said, stderr=self._said)
        self._await(address)

    def _await(self, address: str) -> None:
        until = monotonic() + _READY_S
        while True:
            if self._process.poll() is not None or monotonic() > until:
                self._process.kill()
                self._said.seek(0)
                raise RuntimeError(f"yggdrasil serve is not ready: {self._said.read().decode()[-2_000:]}")
            connection = http.client.HTTPConnection(address, timeout=5)
            try:
                connection.request("GET", "/readyz")
                if connection.getresponse().status == http.client.OK:
                    return
            except OSError:
                pass
            finally:
                connection.close()
            sleep(_LOOK_S)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.send_signal(signal.SIGTERM)
        self._process.wait(_END_S)
        self._said.close()


class Client:
    """One connection, for one thread."""

    def __init__(self, url: str) -> None:
        self._connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=60)
        self._connection.connect()
        self._connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # or a request waits for an ACK

    def ask(self, asked: Asked, k: int) -> Any:
        """Return the answer to a question, which is not recorded."""
        sent = {"query": asked.text, "k": k, "record": False, "vector": asked.vector.model_dump()}
        return self._post("context", sent)

    def append(self, made: Sequence[Draft]) -> None:
        """Append commands, and wait until they are folded."""
        commands = [{name: fields[name] for name in _SENT} for fields in (orjson.loads(one.value) for one in made)]
        answers = self._post("commands/batch", {"commands": commands})["answers"]
        assert all(answer["accepted"] for answer in answers), answers[0]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection.close()

    def _post(self, what: str, sent: dict[str, Any]) -> Any:
        path = f"/v1/memories/{MEMORY}/{what}"
        self._connection.request("POST", path, orjson.dumps(sent), {"Content-Type": "application/json"})
        reply = self._connection.getresponse()
        body = reply.read()
        assert reply.status == http.client.OK, body
        return orjson.loads(body)
