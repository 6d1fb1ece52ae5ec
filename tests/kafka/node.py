"""A Kafka node as a process of the tests: started, killed and stopped by its own id."""

import os
import random
import signal
import socket
import subprocess
from collections.abc import Mapping
from pathlib import Path
from threading import Event
from time import monotonic
from typing import Self

from yggdrasil_infra.kafka_log.settings import BOOTSTRAP_VARIABLE

NODE = Path(__file__).parent.parent.parent / "infra" / "kafka" / "node"
READY_S = 240.0  # a JVM on a busy machine
_HELD_S = 10.0
_PORTS = (12_000, 32_000)
_choice = random.SystemRandom()  # the test runner seeds the other one alike in each of its processes
_given: set[int] = set()


def free_port(span: int = 2) -> int:
    """Return a port of which the next ``span`` are free now; Kafka cannot be asked to choose one.

    From below those that the system gives to connections (32768 and up): a broker binds a second after it is chosen.
    None is returned twice: who asked for the first may not have bound it yet.
    """
    while True:
        port = _choice.randrange(*_PORTS)
        ports = range(port, port + span)
        if _given.isdisjoint(ports) and all(map(_is_free, ports)):
            _given.update(ports)
            return port


class KafkaNode:
    """Node ``number`` of ``nodes``; ``address`` is where clients find it."""

    def __init__(
        self, folder: Path, port: int, number: int = 1, nodes: int = 1, environment: Mapping[str, str] | None = None
    ) -> None:
        self.folder = folder
        self.number = number
        self.address = f"127.0.0.1:{port + 10 * (number - 1)}"
        self._arguments = [str(folder), str(number), str(nodes), str(port)]
        self._environment = {**os.environ, **(environment or {})}
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int | None:
        """The id of its process, while there is one."""
        return None if self._process is None else self._process.pid

    def hold(self) -> None:
        """Stop its process by SIGSTOP, and return once no thread of it runs: until then one may still answer."""
        assert self.pid is not None
        os.kill(self.pid, signal.SIGSTOP)
        until = monotonic() + _HELD_S
        while any(_runs(task) for task in Path(f"/proc/{self.pid}/task").iterdir()):
            assert monotonic() < until, "it goes on although it was told to stop"
            pause(0.01)

    @property
    def running(self) -> bool:
        """Whether it was started, and has not been killed or stopped since."""
        return self._process is not None

    def start(self) -> None:
        """Start the process; it is not ready yet."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with (self.folder / "node.log").open("ab") as log:
            # A session of its own: a Ctrl-C for the tests must not reach the broker before they have closed their logs.
            self._process = subprocess.Popen(
                [str(NODE), "run", *self._arguments],
                env=self._environment,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def wait_until_ready(self) -> None:
        """Wait until the broker answers a client. Raises AssertionError with its last words when it ends or hangs."""
        host, port = self.address.split(":")
        deadline = monotonic() + READY_S
        while monotonic() < deadline:
            assert self._process is not None
            if self._process.poll() is None and _answers(host, int(port)):
                return
            if self._process.poll() is not None:
                break
            pause(0.1)
        raise AssertionError(f"Kafka at {self.address} is not ready: {(self.folder / 'node.log').read_text()[-3000:]}")

    def __enter__(self) -> Self:
        """Start it, and wait until it is ready."""
        self.start()
        try:
            self.wait_until_ready()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def kill(self) -> None:
        """End it as a power cut does."""
        self._signal(signal.SIGKILL)

    def stop(self) -> None:
        """Let it stop cleanly, and end it if it does not."""
        if self._process is None:
            return
        self._process.terminate()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self.kill()
        self._process = None

    def _signal(self, number: int) -> None:
        if self._process is not None:
            self._process.send_signal(number)
            self._process.wait()
            self._process = None


def named_broker() -> str | None:
    """Return the broker that the environment names, if it does; then the tests start none."""
    return os.environ.get(BOOTSTRAP_VARIABLE)


def _runs(task: Path) -> bool:
    """Whether a thread is neither stopped nor gone, by what the kernel says of it."""
    try:
        state = (task / "stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in "TZX"


def _answers(host: str, port: int) -> bool:
    """Whether the broker answers an ApiVersions request, the first that every client sends."""
    request = b"\x00\x12\x00\x00\x00\x00\x00\x01\x00\x05probe"
    try:
        with socket.create_connection((host, port), timeout=1.0) as connection:
            connection.sendall(len(request).to_bytes(4, "big") + request)
            return len(connection.recv(8)) == 8
    except OSError:
        return False


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def pause(seconds: float) -> None:
    """Wait between two looks at another process; there is nothing to wait on."""
    Event().wait(seconds)
