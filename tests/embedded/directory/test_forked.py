"""A process that is forked: what its parent has open refuses there, in words, and nothing acknowledged is lost."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from multiprocessing import get_context
from pathlib import Path
from random import Random
from time import monotonic
from typing import Any

import pytest

from tests.size import turns
from yggdrasil import ForkedError, Memory, Store
from yggdrasil.asynchronous import Threads
from yggdrasil_infra.forking import stays
from yggdrasil_infra.locks import DirectoryLock, has_holder

ME = "tenant/agent"
PATIENCE_S = 60


def texts(path: Path) -> list[str]:
    with Memory.open(path, ME, embedder="off") as memory:
        return sorted(str(each.text) for each in memory.timeline(count=100).memories)


def in_a_child(work: Callable[[], str]) -> str:
    """What ``work`` says in a process forked from this one, which ends at once, whatever it leaves open."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            said = work()
        except BaseException as error:
            said = f"{type(error).__name__}: {error}"
        os.write(writing, said.encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        said = pipe.read().decode()
    os.waitpid(child, 0)
    return said


@pytest.fixture
def memory(tmp_path: Path) -> Any:
    with Memory.open(tmp_path / "here", ME, embedder="off", partitions=1) as opened:
        opened.record_event("by the parent")
        yield opened


def test_what_a_child_records_is_refused_and_what_the_parent_recorded_is_there(
    memory: Memory[Any], tmp_path: Path
) -> None:
    said = in_a_child(lambda: memory.record_event("by the child"))
    assert said.startswith(f"ForkedError: the memory {ME} was opened in process {os.getpid()}, and this is process ")
    assert "post_fork" in said and "spawn" in said and "daemon=True" in said
    memory.record_event("after it")
    memory.close()
    assert texts(tmp_path / "here") == ["after it", "by the parent"]


ASKS: list[Callable[[Memory[Any]], object]] = [
    lambda memory: memory.get_context("parent"),
    lambda memory: memory.timeline(),
    lambda memory: memory.engine.log.append(b"a", b"b"),
    lambda memory: memory.engine.log.end_offset(0),
    lambda memory: memory.engine.behind(),
    lambda memory: memory.engine.hosting.open(0),
    lambda memory: memory.__enter__(),
]


@pytest.mark.parametrize("ask", ASKS)
def test_a_child_may_ask_nothing_of_it(memory: Memory[Any], ask: Callable[[Memory[Any]], object]) -> None:
    assert in_a_child(lambda: str(ask(memory))).startswith("ForkedError: ")


def test_what_the_parent_has_refuses_on_every_floor(memory: Memory[Any]) -> None:
    log = memory.engine.log
    asks: list[Callable[[], object]] = [lambda: log.append(b"a", b"b"), lambda: log.read(0, 0, 1), log.flush]
    for ask in asks:
        assert in_a_child(lambda ask=ask: str(ask())).startswith("ForkedError: ")  # type: ignore[misc]


def test_closing_in_a_child_closes_nothing(memory: Memory[Any], tmp_path: Path) -> None:
    def close() -> str:
        memory.close()
        memory.close()
        return "closed"

    assert in_a_child(close) == "closed"
    memory.record_event("after it")
    memory.close()
    assert texts(tmp_path / "here") == ["after it", "by the parent"]


def worker(memory: Memory[Any], number: int, told: Any) -> None:
    done = 0
    for at in range(20):
        try:
            memory.record_event(f"{number}: {at}")
            done += 1
        except ForkedError:
            pass
    told.put(done)


def test_two_forked_workers_acknowledge_nothing_that_is_not_there(memory: Memory[Any], tmp_path: Path) -> None:
    forked = get_context("fork")
    told = forked.Queue()
    workers = [forked.Process(target=worker, args=(memory, number, told)) for number in range(2)]
    for each in workers:
        each.start()
    for each in workers:
        each.join(PATIENCE_S)
        assert each.exitcode == 0
    acknowledged = told.get() + told.get()
    memory.close()
    assert len(texts(tmp_path / "here")) == 1 + acknowledged


ENDS = ["sys.exit(3)", "os._exit(3)", "raise SystemExit(3)", "memory.close(); sys.exit(3)", "del memory; sys.exit(3)"]
PROGRAM = """
import os, sys
from yggdrasil import Memory
memory = Memory.open(sys.argv[1], "tenant/agent", embedder="off", partitions=1)
memory.record_event("one")
child = os.fork()
if child == 0:
    {ends}
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
memory.record_event("two")
memory.close()
"""


@pytest.mark.parametrize("ends", ENDS)
def test_a_child_ends_however_it_does(tmp_path: Path, ends: str) -> None:
    """RocksDB's destructor would wait there for threads that only the parent has."""
    program = [sys.executable, "-c", PROGRAM.format(ends=ends), str(tmp_path / "here")]
    run = subprocess.run(program, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert (run.stdout, run.returncode) == ("3\n", 0), run.stderr
    assert texts(tmp_path / "here") == ["one", "two"]


def test_an_idle_child_holds_no_lock(memory: Memory[Any], tmp_path: Path) -> None:
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(writing)
        os.read(reading, 1)  # until the parent lets go
        os._exit(0)
    os.close(reading)
    try:
        memory.close()
        with Memory.open(tmp_path / "here", ME, embedder="off") as again:
            again.record_event("opened again")
    finally:
        os.close(writing)
        os.waitpid(child, 0)


def test_the_lock_of_a_directory_is_its_own_process_s(tmp_path: Path) -> None:
    lock = DirectoryLock(tmp_path)
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(writing)
        os.read(reading, 1)
        os._exit(0)
    os.close(reading)
    assert has_holder(tmp_path)
    lock.close()
    until = monotonic() + PATIENCE_S
    while has_holder(tmp_path) and monotonic() < until:  # the child has to begin first
        threading.Event().wait(0.01)
    assert not has_holder(tmp_path)
    os.close(writing)
    os.waitpid(child, 0)


def test_a_child_of_a_process_that_had_a_memory_open_is_told_what_to_do(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "here", ME, embedder="off") as memory:
        memory.record_event("one")
    said = in_a_child(lambda: str(Memory.open(tmp_path / "there", ME, embedder="off")))
    assert said.startswith("ForkedError: ") and "spawn" in said and "daemon=True" in said

    def through_a_service() -> str:
        with Memory.open(tmp_path / "there", ME, daemon=True) as memory:
            memory.record_event("by a process of its own")
            return str(len(memory.timeline().memories))

    assert in_a_child(through_a_service) == "1"


CHILD_FIRST = """
import os, sys
from yggdrasil import Memory
child = os.fork()
if child == 0:
    with Memory.open(sys.argv[1], "tenant/agent", embedder="off", partitions=1) as memory:
        memory.record_event("one")
    sys.exit(3)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def test_a_memory_is_opened_after_the_fork(tmp_path: Path) -> None:
    program = [sys.executable, "-c", CHILD_FIRST, str(tmp_path / "here")]
    run = subprocess.run(program, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert (run.stdout, run.returncode) == ("3\n", 0), run.stderr
    assert texts(tmp_path / "here") == ["one"]


def test_a_child_s_answers_are_its_own(tmp_path: Path) -> None:
    """Connections to a service were shared, and a child was given what another process had asked for."""
    with Store.open(tmp_path / "here", daemon=True, embedder="off") as store:
        memories = [store.memory(f"tenant{number}/agent") for number in range(4)]
        for number, each in enumerate(memories):
            each.record_event(f"the secret of {number}")
            each.timeline()  # what is imported first by a thread is locked for ever in a child that is forked meanwhile
        failures: list[int] = []
        for number, each in enumerate(memories):

            def asks(number: int = number, each: Memory[Any] = each) -> str:
                told = {str(one.text) for _ in range(30) for one in each.timeline().memories}
                return "right" if told == {f"the secret of {number}"} else f"wrong: {told}"

            thread = threading.Thread(target=lambda: [memories[0].timeline() for _ in range(20)])
            thread.start()
            if in_a_child(asks) != "right":
                failures.append(number)
            thread.join()
        assert failures == []
        assert [one.text for one in memories[3].timeline().memories] == ["the secret of 3"]


@pytest.mark.parametrize("seed", range(turns(2, 10)))
def test_a_fork_at_any_moment_loses_nothing(tmp_path: Path, seed: int) -> None:
    rng = Random(f"forks{seed}")
    path, acknowledged, ended = tmp_path / "here", list[str](), threading.Event()
    with Memory.open(path, ME, embedder="off", partitions=1) as memory:

        def write(number: int) -> None:
            for at in range(12):
                memory.record_event(f"{number}: {at}")
                acknowledged.append(f"{number}: {at}")

        threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
        for each in threads:
            each.start()
        while any(each.is_alive() for each in threads):
            ended.wait(rng.random() / 100)
            assert in_a_child(lambda: memory.record_event("by a child")).startswith("ForkedError: ")
        for each in threads:
            each.join()
    assert texts(path) == sorted(acknowledged) and len(acknowledged) == 48


class Thing:
    """Something that is open."""

    def close(self) -> None:
        raise AssertionError("closed in a child")

    def asked(self) -> str:
        return "an answer"


def test_a_child_of_a_child_refuses_too_and_pools_begin_anew() -> None:
    thing, pool = Thing(), Threads(2, "test")
    stays(thing, "a thing")
    assert pool.submit(thing.asked).result() == "an answer"

    def grandchild() -> str:
        return in_a_child(thing.asked)

    said = in_a_child(grandchild)
    assert said.startswith(f"ForkedError: a thing was opened in process {os.getpid()}, and this is process ")
    assert in_a_child(lambda: pool.submit(lambda: "a thread of its own").result()) == "a thread of its own"
    assert in_a_child(lambda: "closed" if thing.close() is None else "") == "closed"  # type: ignore[func-returns-value]
    assert thing.asked() == "an answer"
    pool.shutdown()
