"""`yggdrasil serve` as a process of its own."""

import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection
from pathlib import Path
from threading import Event
from time import monotonic

from tests.kafka.node import free_port

SCRIPT = str(Path(sys.executable).parent / "yggdrasil")
READY_S = 240.0


@dataclass
class Process:
    process: subprocess.Popen[str]
    port: int
    log: Path
    url: str = field(init=False)

    def __post_init__(self) -> None:
        self.url = f"http://127.0.0.1:{self.port}"

    def probe(self, path: str = "/readyz") -> tuple[int, str]:
        """Ask on a connection of its own; 0 when nobody listens."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request("GET", path)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        except OSError:
            return 0, ""
        finally:
            connection.close()

    def until(self, status: int, path: str = "/readyz") -> str:
        deadline = monotonic() + READY_S
        while (found := self.probe(path))[0] != status:
            assert monotonic() < deadline, found
            assert self.process.poll() is None, self.log.read_text()
            Event().wait(0.05)
        return found[1]

    def ended(self) -> int:
        return self.process.wait(READY_S)


@contextmanager
def serving(folder: Path, *arguments: str, command: Sequence[str] = (SCRIPT,)) -> Iterator[Process]:
    """``command`` is what starts it."""
    port = free_port()
    log = folder / "serve.log"
    started = [*command, "serve", "--http", f"127.0.0.1:{port}", *arguments]
    with log.open("a") as written:
        process = subprocess.Popen(started, cwd=folder, stdout=written, stderr=written, text=True)
    it = Process(process, port, log)
    try:
        it.until(200)
        yield it
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()
