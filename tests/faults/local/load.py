"""A process that works: threads send seeded commands of every kind, and each acknowledged one is reported.

``python -m tests.faults.local.load DIR SEED`` runs until it is killed. It writes one short line per command to the
standard output, after its acknowledgement and past every buffer, so that a kill loses no line: ``memory command-id``.
The lines ``started`` and ``open`` say that it begins to open the directory, and that it has caught up with the log.
"""

import argparse
import os
import resource
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

from yggdrasil.engines.embedded import Embedded
from yggdrasil.memory import CommandRefusedError, Memory
from yggdrasil_infra.local_log.record import Acknowledged
from yggdrasil_infra.log import LogError
from yggdrasil_infra.rocks import options as rocks_options
from yggdrasil_infra.rocks.database import Rocks
from yggdrasil_producers.draft import Draft, Drafter
from yggdrasil_producers.stamps import Stamp
from yggdrasil_projections.graph.fold import Answer
from yggdrasil_projections.graph.store.store import GraphStore
from yggdrasil_projections.retrieval.errors import UnknownMemoryError
from yggdrasil_schemas.errors import YggdrasilError
from yggdrasil_schemas.ids import derived_id

Report = Callable[[str, str], None]

PARTITIONS = 2
BUFFERS = [name for name in vars(rocks_options) if name.endswith("_BUFFER_BYTES")]
MEMORIES = ("acme/ana", "acme/bob", "acme/cleo", "zoo/dan")  # two in each partition
AT = 1_700_000_000_000
FEATURES = [f"feature-{number}" for number in range(40)]
WORDS = ["deploy", "friday", "outage", "rollback", "cache", "queue", "index", "broker", "memory", "token"]
SESSIONS = ("default", "work", "play")
POLICIES: list[dict[str, int | float]] = [
    {"nodes_max": 80, "edges_max": 240, "sessions_open_max": 2, "recalls_kept_max": 3, "attest_interval_commands": 7},
    {"nodes_max": 50, "edges_max": 120, "degree_max": 16, "sessions_open_max": 1},
    {"nodes_max": 400, "edges_max": 900, "sessions_open_max": 4, "salience_initial": 1.25},
    {"nodes_max": 10, "sessions_open_max": 64},  # contradicts itself: refused, and that is an acknowledgement as well
]
KINDS = {"event": 40, "outcome": 18, "context": 9, "policy": 6, "attest": 9, "many": 6, "again": 12}


class Agent:
    """One thread's commands to all memories. They follow from ``seed``, but for what retrieval puts into some."""

    def __init__(self, engine: Embedded, seed: str, report: Report) -> None:
        self._engine = engine
        self._seed = seed
        self._rng = Random(seed)
        self._report = report
        self._drafters = {memory: Drafter(memory, "load", seed) for memory in MEMORIES}
        self._events: dict[str, list[str]] = {memory: [] for memory in MEMORIES}
        self._sent: list[Draft] = []
        self._numbers = count()

    def act(self) -> None:
        """Send what comes next: one command, or a chunk of them."""
        memory = self._rng.choice(MEMORIES)
        (kind,) = self._rng.choices(list(KINDS), list(KINDS.values()))
        match kind:
            case "outcome" if self._events[memory]:
                self._submit(self._outcome(memory))
            case "context":
                self._context(memory)
            case "policy":
                self._submit(self._draft(memory, "set_policy", {"changes": self._rng.choice(POLICIES)}))
            case "attest":
                self._submit(self._draft(memory, "attest", {}))
            case "many":
                self._many(self._rng.randrange(1, 40))
            case "again" if self._sent:
                self._submit(self._rng.choice(self._sent))
            case _:
                draft = self._event(memory)
                self._submit(draft)
                self._events[memory].append(draft.id)

    def _submit(self, draft: Draft) -> None:
        self._acknowledged(draft, self._engine.submit(draft))

    def _many(self, size: int) -> None:
        for draft, answer in self._engine.submit_many([self._event(self._rng.choice(MEMORIES)) for _ in range(size)]):
            self._acknowledged(draft, answer)
            self._events[draft.memory].append(draft.id)

    def _acknowledged(self, draft: Draft, answer: Answer) -> None:
        if (answer.memory, answer.command_id) != (draft.memory, draft.id):
            raise AssertionError(f"{draft.memory} {draft.id} was answered with {answer}")
        self._report(draft.memory, draft.id)
        self._sent = [*self._sent[-50:], draft]

    def _context(self, name: str) -> None:
        memory = Memory(self._engine, self._drafters[name])
        try:
            context = memory.get_context(" ".join(self._rng.sample(WORDS, 3)), k=4)
        except UnknownMemoryError:  # nothing has been said to it yet
            return
        if context.recall_id is None:
            raise LogError("the recall was not recorded")
        self._report(name, context.recall_id)
        try:
            self._report(name, memory.report_use(context.recall_id, context.refs[::2], result="success"))
        except CommandRefusedError as error:  # other threads have crowded the recall out meanwhile
            if error.reason != "recall_forgotten":
                raise

    def _event(self, memory: str) -> Draft:
        rng = self._rng
        features = rng.sample(FEATURES, rng.randrange(6))
        text = " ".join(rng.choices(WORDS, k=rng.choice((3, 8, 200))))
        return self._drafters[memory].record_event(
            text, features=features, session=rng.choice(SESSIONS), stamp=self._stamp()
        )

    def _outcome(self, memory: str) -> Draft:
        value = self._rng.uniform(-10, 10)
        return self._drafters[memory].log_outcome(
            self._rng.choice(self._events[memory][-30:]),
            value,
            kind=self._rng.choice(WORDS),
            catastrophic=value < -9,
            session=self._rng.choice(SESSIONS),
            stamp=self._stamp(),
        )

    def _draft(self, memory: str, kind: str, body: dict[str, Any]) -> Draft:
        return self._drafters[memory].draft(kind, body, stamp=self._stamp())

    def _stamp(self) -> Stamp:
        return Stamp(derived_id("load", self._seed, str(next(self._numbers))), AT)


def work(engine: Embedded, seed: str, threads: int, turns: int | None, report: Report) -> list[BaseException]:
    """Let ``threads`` agents take ``turns`` turns each, or act for ever; return what went wrong."""
    failures: list[BaseException] = []

    def run(number: int) -> None:
        agent = Agent(engine, f"{seed}-{number}", report)
        try:
            for turn in count():
                if turn == turns or failures:
                    return
                agent.act()
        except BaseException as error:
            failures.append(error)

    running = [threading.Thread(target=run, args=(number,)) for number in range(threads)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    return failures


STEPS: dict[str, tuple[type[object], str, Callable[[Any], bool]]] = {
    "log write": (Rocks, "write", lambda rocks: rocks.path.name == "records"),
    "count": (Acknowledged, "advance", lambda _: True),
    "commit": (Rocks, "write", lambda rocks: rocks.path.parent.name == "graph" and not attesting()),
    "attestation": (GraphStore, "put_attestation", lambda _: True),
}
"""Every step that changes what the next start finds."""


def attesting() -> bool:
    return threading.current_thread().name.startswith("attest")


def fault_at(step: str, when: str, nth: int) -> None:
    """Let this process kill itself right ``before`` or ``after`` the ``nth`` time that ``step`` is taken.

    ``full`` instead lets the kernel refuse all that is written during the step, as it does on a full disk.
    """
    owner, name, concerns = STEPS[step]
    original = getattr(owner, name)
    times = count(1)

    def faulty(self: object, *args: object, **kwargs: object) -> object:
        if not (concerns(self) and next(times) == nth):
            return original(self, *args, **kwargs)
        if when == "full":
            with no_space():
                return original(self, *args, **kwargs)
        if when == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        original(self, *args, **kwargs)
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError("alive")

    setattr(owner, name, faulty)


@contextmanager
def no_space() -> Iterator[None]:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def say_what_is_still_taken(engine: Embedded) -> None:
    """After a failed write: what becomes of one more command to each memory, and whether the log has grown by it."""
    for memory in MEMORIES:
        before = list(engine.log._ends)
        try:
            engine.submit(Drafter(memory, "load", "late").record_event("late"))
        except YggdrasilError as error:
            say(f"refused {engine.partition(memory)} {type(error).__name__} {engine.log._ends == before}")
        else:
            say(f"taken {engine.partition(memory)}")


def say(line: str) -> None:
    os.write(1, f"{line}\n".encode())  # less than a pipe's atomic 4,096 bytes: lines of threads do not mix


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("path", type=Path)
    parser.add_argument("seed")
    parser.add_argument("--threads", type=int, default=4)
    parser.add_argument("--turns", type=int)
    parser.add_argument("--fault", nargs=3, metavar=("STEP", "WHEN", "NTH"))
    parser.add_argument("--abandon", action="store_true", help="end by a kill instead of closing")
    parser.add_argument("--buffer-bytes", type=int, help="the size at which RocksDB moves a family to a table")
    given = parser.parse_args(arguments)
    if given.fault:
        fault_at(given.fault[0], given.fault[1], int(given.fault[2]))
    if given.buffer_bytes:
        for name in BUFFERS:
            setattr(rocks_options, name, given.buffer_bytes)
    say("started")
    with Embedded(given.path, partitions=PARTITIONS) as engine:
        engine.catch_up()
        say("open")
        failures = work(
            engine, given.seed, given.threads, given.turns, lambda memory, command: say(f"{memory} {command}")
        )
        if given.abandon and not failures:
            os.kill(os.getpid(), signal.SIGKILL)
        for failure in failures:
            say(f"failed {isinstance(failure, YggdrasilError)}")
            traceback.print_exception(failure)
        if given.fault and failures:
            say_what_is_still_taken(engine)
    say("done")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
