"""Worker processes of a test, started as the command line starts them, and the topics and directories that they use."""

import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from uuid import uuid4

from kafka.errors import CoordinatorLoadInProgressError, CoordinatorNotAvailableError, NotCoordinatorError

from tests.harness.waiting import until
from yggdrasil_infra.kafka_log.log import KafkaLog
from yggdrasil_infra.kafka_log.settings import KafkaSettings
from yggdrasil_infra.kafka_log.topics import admin, create_topic
from yggdrasil_infra.log import LogReader
from yggdrasil_processors.graph_worker.committed import PUBLISHED
from yggdrasil_schemas.topics import Profile, refused_topic

ROOT = Path(__file__).resolve().parents[3]
SESSION_S = 1.0  # the least that the test broker takes


class Worker:
    """One process. What it writes goes to a file, so that nothing has to read it while the process runs."""

    def __init__(self, arguments: Sequence[str], said: Path, shim: Sequence[str] = ()) -> None:
        """Start it; ``shim`` names a fault of shim.py and its parameters, without one it is the command itself."""
        module = ["tests.faults.workers.shim", *shim] if shim else ["yggdrasil"]
        self._said = said
        with said.open("wb") as out:
            self._process = subprocess.Popen(
                [sys.executable, "-m", *module, "worker", *arguments], cwd=ROOT, stdout=out, stderr=out
            )

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def words(self) -> str:
        """All that it has written so far."""
        return self._said.read_text(errors="replace")

    @property
    def running(self) -> bool:
        return self._process.poll() is None

    def lines(self, text: str) -> list[str]:
        return [line for line in self.words.splitlines() if text in line]

    def wait_for(self, text: str, times: int = 1) -> Self:
        """Return once ``text`` was written ``times`` times; fail when the process ends before."""

        def there() -> bool:
            ended = not self.running
            found = self.words.count(text) >= times
            assert found or not ended, f"it ended before it said {text!r}: {self._process.returncode}\n{self.words}"
            return found

        until(there, lambda: f"it did not say {text!r}:\n{self.words}")
        return self

    def signal(self, what: signal.Signals) -> None:
        self._process.send_signal(what)

    def kill(self) -> None:
        """End it as the kernel does when memory runs out."""
        self._process.kill()
        self._process.wait()

    def ended(self) -> int:
        """Wait for its end and return the exit code."""
        until(lambda: not self.running, lambda: f"it did not end:\n{self.words}")
        code: int = self._process.returncode
        return code

    def stop(self) -> None:
        """Let it stop as an operator does, once it has said anything, and hold it to its word."""
        self.wait_for(" started ")
        self._process.terminate()
        assert self.ended() == 0, self.words


class Fleet:
    """Workers of one group on one topic; a context manager that leaves no process behind."""

    def __init__(
        self, kafka: KafkaSettings, folder: Path, partitions: int = 4, profile: Profile = "development"
    ) -> None:
        self.kafka = kafka
        self.folder = folder
        self.topic = f"test-{uuid4().hex}.commands"
        self.refused = refused_topic(self.topic)
        self.group = f"group-{uuid4().hex}"
        self.partitions = partitions
        self.profile: Profile = profile
        self.workers: list[Worker] = []
        self.create_topics()
        self._log: KafkaLog | None = None
        self._opened = ExitStack()
        self._client: Any = None

    def create_topics(self) -> None:
        create_topic(self.kafka, self.topic, self.partitions, self.profile)
        create_topic(self.kafka, self.refused, 3, self.profile)

    @property
    def log(self) -> KafkaLog:
        """The log, opened when it is first asked for, and anew once its clients were closed: be it fit or not."""
        if self._log is None:
            self._log = KafkaLog(self.kafka, self.topic, None)
        return self._log

    @property
    def admin(self) -> Any:
        """A client of the brokers, opened when it is first asked for."""
        if self._client is None:
            self._client = self._opened.enter_context(admin(self.kafka))
        return self._client

    def close_log(self) -> None:
        if self._log is not None:
            self._log.close()
            self._log = None

    def close_clients(self) -> None:
        """Let go of the brokers, before they go."""
        self.close_log()
        self._opened.close()
        self._client = None

    def members(self) -> int:
        """Return how many members the group has."""
        return len(self.admin.describe_groups([self.group])[self.group]["members"])

    def directory(self, name: str) -> Path:
        return self.folder / name

    def directories(self) -> list[Path]:
        """Every directory that a worker has had."""
        return sorted(lock.parent for lock in self.folder.glob("*/worker.lock"))

    def start(self, name: str, *more: str, shim: Sequence[str] = (), recover: bool = False) -> Worker:
        """Start a worker on the directory ``name``; ``more`` are further options with their values."""
        options = {
            "--kafka": self.kafka.bootstrap_servers,
            "--topic": self.topic,
            "--group": self.group,
            "--dir": str(self.directory(name)),
            "--session-timeout-s": f"{SESSION_S:g}",
            "--http": "off",
        }
        options |= dict(zip(more[::2], more[1::2], strict=True))
        flags = ["--development"] * (self.profile == "development") + ["--recover"] * recover
        arguments = [*flags, *(word for option in options.items() for word in option)]
        said = self.folder / f"{name}-{len(self.workers)}.said"
        self.workers.append(Worker(arguments, said, shim))
        return self.workers[-1]

    def running(self) -> list[Worker]:
        return [worker for worker in self.workers if worker.running]

    def committed(self) -> dict[int, int]:
        """What the group says has been folded and its refusals published; an offset of somebody else's is left out."""
        try:
            found: dict[Any, Any] = self.admin.list_group_offsets({self.group: None})[self.group]
        except (CoordinatorNotAvailableError, CoordinatorLoadInProgressError, NotCoordinatorError):  # not yet, or again
            self.close_clients()  # an open one would ask the coordinator that it once found for ever
            return {}
        return {place.partition: it.offset for place, it in found.items() if it.metadata.startswith(PUBLISHED)}

    def settle(self, partitions: Sequence[int] | None = None, supervise: Callable[[], None] = lambda: None) -> None:
        """Wait until the group says that everything in the log was folded and every refusal published.

        ``supervise`` is called all the while.
        """
        those = range(self.log.partitions) if partitions is None else partitions
        ends = {partition: end for partition in those if (end := last_end(self.log, partition))}

        def settled() -> bool:
            supervise()
            committed = self.committed()
            return all(committed.get(partition) == end for partition, end in ends.items())

        def said() -> str:
            written = "\n".join(f"--- {worker.pid} {worker.running}\n{worker.words}" for worker in self.workers)
            return f"{self.committed()} of {ends}\n{written}"

        until(settled, said, look_s=0.1)

    def stop(self) -> None:
        """Stop every worker that runs, all at the same time."""
        running = self.running()
        for worker in running:
            worker.wait_for(" started ").signal(signal.SIGTERM)
        for worker in running:
            assert worker.ended() == 0, worker.words

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None:
            for worker in self.workers:
                error.add_note(f"--- {worker.pid}, running: {worker.running}\n{worker.words[-6000:]}")
        with self._opened as closing:
            closing.callback(self.close_log)
            for worker in self.workers:
                closing.callback(worker.kill)


def last_end(log: LogReader, partition: int) -> int:
    """Return the offset after the last record; behind it there may be markers of transactions."""
    start, end = log.start_offset(partition), log.end_offset(partition)
    offset = end
    while offset > start:
        offset = max(start, offset - 50)
        if found := log.read(partition, offset, 100):
            while more := log.read(partition, found[-1].offset + 1, 100):
                found = more
            return found[-1].offset + 1
    return 0


@contextmanager
def stopped(worker: Worker) -> Iterator[None]:
    """Hold a process as a debugger does, or a machine that hangs, and let it go on afterwards."""
    worker.signal(signal.SIGSTOP)
    try:
        yield
    finally:
        worker.signal(signal.SIGCONT)
