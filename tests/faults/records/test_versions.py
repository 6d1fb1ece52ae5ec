"""A version that the log enables and this release does not know: the partition halts, loudly, and nothing is lost."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest

from yggdrasil_infra.local_log.log import LocalLog
from yggdrasil_infra.rocks.database import MemoryBudget
from yggdrasil_projections.graph.fold import UnknownVersionError
from yggdrasil_projections.graph.store.projector import Projector, ProjectorStoppedError
from yggdrasil_projections.graph.store.store import GraphStore, Pin
from yggdrasil_schemas.codec import encode
from yggdrasil_schemas.commands import system_memory
from yggdrasil_schemas.ids import derived_id
from yggdrasil_schemas.partitions import partition_for

PARTITIONS = 4
MEMORY = "acme/coder"
PARTITION = partition_for(MEMORY.encode(), PARTITIONS)
OTHER = next(f"acme/{n}" for n in range(99) if partition_for(b"acme/%d" % n, PARTITIONS) != PARTITION)

Host = Callable[[int], Projector]


def said(kind: str, name: str, memory: str, body: dict[str, Any]) -> dict[str, Any]:
    fields = {"version": 1, "id": derived_id("version", name), "memory": memory, "at": 0, "type": kind, "body": body}
    return fields | {"source": "test", "process": "test", "origin": "operator"}


def event(name: str, memory: str = MEMORY) -> bytes:
    return encode(said("record_event", name, memory, {"features": [name]}))


def of_version(version: int, name: str) -> bytes:
    fields = said("record_event", name, MEMORY, {"features": [name]})
    return orjson.dumps(fields | {"version": version, "a field of the future": True})


def enabling(partition: int, schema_version: int, rules_version: int) -> bytes:
    body: dict[str, Any] = {"partition": partition, "schema_version": schema_version, "rules_version": rules_version}
    return encode(said("enable_version", f"enable {body}", system_memory(partition), body))


def seq(running: Projector, memory: str) -> int:
    graph = running.store.peek(memory)
    return graph.header.seq if graph else 0


@pytest.fixture
def log(tmp_path: Path) -> Iterator[LocalLog]:
    with LocalLog.create_or_open(tmp_path / "log", PARTITIONS) as opened:
        yield opened


@pytest.fixture
def host(log: LocalLog, tmp_path: Path) -> Iterator[Host]:
    opened: list[Projector] = []
    budget = MemoryBudget.of(8 << 20, 8 << 20)

    def start(partition: int) -> Projector:
        """Open the partition's store as a new process would: the one before has gone."""
        for before in opened:
            before.close()
        opened.clear()
        store = GraphStore(tmp_path / f"graph-{partition}", Pin(log.topic_id, PARTITIONS, partition), budget)
        opened.append(Projector(log, store))
        return opened[0]

    yield start
    for last in opened:
        last.close()


@pytest.mark.parametrize("versions", [(2, 1), (1, 2), (2, 2), (2**31 - 1, 1)], ids=str)
@pytest.mark.parametrize("before", [0, 1, 3])
def test_an_unknown_version_halts_the_partition_after_committing_what_came_before(
    log: LocalLog, host: Host, versions: tuple[int, int], before: int
) -> None:
    for number in range(before):
        log.append(MEMORY.encode(), event(f"before {number}"))
    enabled = log.append_to(PARTITION, system_memory(PARTITION).encode(), enabling(PARTITION, *versions))
    log.append(MEMORY.encode(), event("after"))
    running = host(PARTITION)
    with pytest.raises(
        UnknownVersionError, match=f"partition {PARTITION}, offset {before}: .* Install a release"
    ) as caught:
        running.advance()
    assert (caught.value.partition, caught.value.offset) == (enabled.partition, enabled.offset)
    assert running.store.state.position == running.store.state.folded == enabled.offset == before
    with pytest.raises(ProjectorStoppedError):
        running.advance()
    for _ in range(2):  # starting it again changes nothing, and says so each time
        running = host(PARTITION)
        assert seq(running, MEMORY) == before
        with pytest.raises(UnknownVersionError):
            running.advance()
    newer = log.read(PARTITION, running.store.state.position, 1)  # where a release that knows the version goes on
    assert newer[0].value == enabling(PARTITION, *versions)


def test_the_other_partitions_go_on(log: LocalLog, host: Host) -> None:
    log.append_to(PARTITION, system_memory(PARTITION).encode(), enabling(PARTITION, 2, 1))
    for number in range(3):
        log.append(OTHER.encode(), event(f"other {number}", OTHER))
    with pytest.raises(UnknownVersionError):
        host(PARTITION).advance()
    running = host(partition_for(OTHER.encode(), PARTITIONS))
    assert running.catch_up() == 3
    assert seq(running, OTHER) == 3
    log.append(OTHER.encode(), event("one more", OTHER))
    assert running.catch_up() == 1


def test_what_came_before_its_version_was_enabled_is_refused_for_ever(log: LocalLog, host: Host) -> None:
    early = log.append(MEMORY.encode(), of_version(2, "early"))
    log.append(MEMORY.encode(), event("known"))
    log.append_to(PARTITION, system_memory(PARTITION).encode(), enabling(PARTITION, 2, 1))
    log.append(MEMORY.encode(), of_version(2, "late"))
    running = host(PARTITION)
    with pytest.raises(UnknownVersionError):
        running.advance()
    waiting = [(entry["offset"], entry["reason"], entry["detail"]) for entry in running.store.refusals()]
    assert waiting == [(early.offset, "version_not_enabled", "version 2")]
    assert running.store.state.refused == {"version_not_enabled": 1}
    assert seq(running, MEMORY) == 1


def test_enabling_the_present_version_again_changes_nothing(log: LocalLog, host: Host) -> None:
    log.append(MEMORY.encode(), event("first"))
    log.append_to(PARTITION, system_memory(PARTITION).encode(), enabling(PARTITION, 1, 1))
    log.append(MEMORY.encode(), event("second"))
    running = host(PARTITION)
    assert running.catch_up() == 3
    assert running.store.memories() == [MEMORY]
    assert seq(running, MEMORY) == 2
    assert running.store.refusals() == []


def test_only_an_operators_record_in_its_own_partition_halts_it(log: LocalLog, host: Host) -> None:
    elsewhere = (PARTITION + 1) % PARTITIONS
    body: dict[str, Any] = {"partition": PARTITION, "schema_version": 2, "rules_version": 2}
    log.append_to(PARTITION, system_memory(elsewhere).encode(), enabling(elsewhere, 2, 2))
    log.append_to(PARTITION, MEMORY.encode(), enabling(PARTITION, 2, 2))
    log.append_to(PARTITION, MEMORY.encode(), encode(said("enable_version", "agent", MEMORY, body)))
    running = host(PARTITION)
    assert running.catch_up() == 3
    assert [entry["reason"] for entry in running.store.refusals()] == [
        "wrong_partition",
        "wrong_key",
        "reserved_memory",
    ]
