"""A fork is the same however its memory is reached: in a directory, over HTTP, and of a host that folds a topic."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.contract.memories import USUAL, log_of, subject
from yggdrasil import (
    Event,
    ForkThereError,
    InvalidAskError,
    InvalidCommandError,
    Memory,
    NoSuchMomentError,
    PastError,
    Store,
)
from yggdrasil_infra.log import LogRecord
from yggdrasil_processors.past.alone import records_of
from yggdrasil_processors.past.unpacking import renamed
from yggdrasil_producers.draft import Drafter


@pytest.fixture(params=[each for each in USUAL if each not in ("kafka", "directory awaited")])
def memory(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Memory[Any]]:
    with subject(request.param, tmp_path, request.getfixturevalue) as made:
        yield made


def said(memory: Memory[Any], of: str) -> list[tuple[int, bytes]]:
    """Time and bytes of each record of a memory in the log, the memory's name left out."""
    found: list[LogRecord] = list(records_of(log_of(memory), of))
    return [(each.timestamp_ms, renamed(each.value or b"", "any/name")) for each in found]


def test_a_memory_is_forked_traced_back_and_compared(memory: Memory[Any]) -> None:
    first = memory.record_event("The router is in the cellar", features=["router"])
    memory.snapshot("before")
    second = memory.record_event("The router was moved to the attic", features=["router"])
    made = memory.fork("before", "cellar")
    assert (made.memory, made.of, made.seq, made.there, made.appended) == ("me/agent.fork-cellar", "me/agent", 2, 0, 2)
    assert said(memory, made.memory) == said(memory, memory.id)[:2], "record by record, with their times"
    fork = Memory(memory.engine, Drafter(made.memory, "agent", "yggdrasil-test"))
    assert [each.ref for each in fork.timeline().memories] == [first]
    third = fork.record_event("The router was sold", features=["router"])
    lineage = fork.lineage_of_fork()
    assert (lineage.of, lineage.seq, lineage.own, lineage.others) == ("me/agent", 2, 1, 1)
    assert memory.forks() == [lineage]
    differs = memory.compare(made.memory)
    assert (differs.gone, differs.new) == ({"event": 1}, {"event": 1})
    assert {each.ref for each in differs.strongest} >= {second, third}
    assert memory.fork(3, "attic").appended == 3
    assert memory.fork(3, "attic").there == 3, "it is there already"
    with pytest.raises(ForkThereError):
        memory.fork(3, "cellar")
    with pytest.raises(NoSuchMomentError):
        memory.fork(99, "later")
    with pytest.raises(InvalidCommandError):
        memory.fork(1, "a/b")
    with pytest.raises(InvalidAskError):
        memory.lineage_of_fork()
    with pytest.raises(PastError):
        memory.as_of(1).fork(1, "past")
    assert memory.moment().as_of == 3, "nothing was recorded"


def test_whoever_reads_forks_hears_how_far_it_is_among_the_records_of_others(tmp_path: Path) -> None:
    """Else a service that ends would wait for all of a partition, of which these memories have next to nothing."""
    with Store.open(tmp_path, embedder="off", partitions=1) as store:
        memory, other = store.memory("me/agent"), store.memory("me/other")
        memory.record_event("One")
        fork = memory.fork(1, "a")
        other.record_many([Event(f"Noise {number}") for number in range(300)])
        told: list[tuple[int, int]] = []
        store.memory(fork.memory).lineage_of_fork(progress=lambda done, total: told.append((done, total)))
        assert told and set(told) == {(1, 1)}
