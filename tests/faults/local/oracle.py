"""What must hold after every fault: nothing acknowledged is missing, and the state is that of a clean replay."""

import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from yggdrasil.engines.embedded import Embedded
from yggdrasil_processors.auditing.replay import replay, verify_chain
from yggdrasil_projections.graph.store.source import StoreSource
from yggdrasil_projections.retrieval.reads.operations.overview import AskDigest
from yggdrasil_schemas.graph.records import Identity
from yggdrasil_schemas.ids import id_bytes

ROOT = Path(__file__).resolve().parents[3]
DEADLINE_S = 240.0  # for what takes a second: only a hang gets here

Acknowledged = set[tuple[str, str]]
"""Memory and command id."""


class Child:
    """A process of this test, killed when the test leaves it, with the lines that it writes."""

    def __init__(self, *arguments: str, module: str = "tests.faults.local.load") -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", module, *arguments], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        self.lines: list[str] = []
        self.errors = ""
        self._fresh: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._readers = [threading.Thread(target=self._read_lines), threading.Thread(target=self._read_errors)]
        for reader in self._readers:
            reader.start()

    def wait_for(self, *wanted: str) -> None:
        """Return when a line begins with one of ``wanted``; fail when the process ends before."""
        while (line := self._fresh.get(timeout=DEADLINE_S)) is not None:
            if line.startswith(wanted):
                return
        raise AssertionError(f"the child ended before it said {wanted}: {self.end(None)} {self.errors}")

    def end(self, how: signal.Signals | None) -> int:
        """Send ``how``, if given, wait for the end, and return the exit code; then every line is in ``lines``."""
        if how is not None:
            self._process.send_signal(how)
        code = self._process.wait(DEADLINE_S)
        for reader in self._readers:
            reader.join()
        return code

    def signal(self, what: signal.Signals) -> None:
        self._process.send_signal(what)

    def stopped(self) -> bool:
        """Return once the process is stopped by SIGSTOP; the kernel tells, so nobody has to guess."""
        return os.waitid(os.P_PID, self._process.pid, os.WSTOPPED | os.WNOWAIT) is not None

    def acknowledged(self) -> Acknowledged:
        """Return what was reported so far: all of it once this has ended."""
        found = (line.split() for line in [*self.lines] if "/" in line)
        return {(memory, command) for memory, command in found}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self.end(None)
        for pipe in (self._process.stdout, self._process.stderr):
            if pipe is not None:
                pipe.close()

    def _read_lines(self) -> None:
        for line in self._process.stdout or ():
            self.lines.append(line.decode().rstrip("\n"))
            self._fresh.put(self.lines[-1])
        self._fresh.put(None)

    def _read_errors(self) -> None:
        self.errors = b"".join(self._process.stderr or ()).decode()


@dataclass(frozen=True)
class Found:
    """All that a directory says of its memories when it is read to the end."""

    digests: dict[str, str]
    chains: dict[int, str]
    identities: dict[str, dict[bytes, Identity]]
    contents: dict[str, list[tuple[int, bytes]]]
    links: dict[str, set[Any]]
    refusals: list[Any]

    def lacks(self, acknowledged: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
        return [
            (memory, command)
            for memory, command in acknowledged
            if id_bytes(command) not in self.identities.get(memory, {})
        ]


def found_in(engine: Embedded) -> Found:
    """Catch up and read everything, in the ways that the system itself reads it."""
    engine.catch_up()
    found = Found({}, {}, {}, {}, {}, [])
    for partition in range(engine.log.partitions):
        store = engine.store(partition)
        found.chains[partition] = verify_chain(engine.log, store)
        found.refusals.extend(store.refusals())
    for memory in engine.memories():
        source = engine.graph(memory).source
        assert isinstance(source, StoreSource)
        numbers = [int.from_bytes(key, "big") for key, _ in source.node_rows()]
        found.digests[memory] = engine.ask(memory, AskDigest()).digest
        found.identities[memory] = engine.store(engine.partition(memory)).identities(memory)
        found.contents[memory] = source.contents_from(0)
        found.links[memory] = {(number, *key) for number in numbers for key in source.links(number)}
    return found


def read_back(path: Path) -> Found:
    with Embedded(path) as engine:
        return found_in(engine)


def check_identities(path: Path, acknowledged: Acknowledged) -> None:
    """Open ``path`` as the next start would, and look for every acknowledged command."""
    with Embedded(path) as engine:
        engine.catch_up()
        known = {memory: engine.store(engine.partition(memory)).identities(memory) for memory in engine.memories()}
    missing = [pair for pair in acknowledged if id_bytes(pair[1]) not in known.get(pair[0], {})]
    assert missing == [], f"{len(missing)} of {len(acknowledged)} acknowledged commands are gone"


def check_against_replay(path: Path, scratch: Path, acknowledged: Acknowledged) -> Found:
    """Open ``path``, and compare all of it with a clean replay of its log into ``scratch``."""
    with Embedded(path) as engine:
        found = found_in(engine)
        replays = [replay(engine.log, scratch / str(partition), partition) for partition in found.chains]
    digests: dict[str, str] = {}
    for replayed in replays:
        digests |= replayed.digests
    assert found.lacks(acknowledged) == []
    assert found.digests == digests
    assert found.chains == {replayed.partition: replayed.chain for replayed in replays}
    return found


def flip(file: Path, at: int, mask: int = 0xFF) -> None:
    stored = bytearray(file.read_bytes())
    stored[at] ^= mask
    file.write_bytes(stored)
