"""A host on Kafka whose disk has too little room folds nothing, is read, and goes on when there is room again."""

import threading
from time import monotonic

import pytest

from tests.faults.workers.processes import Fleet
from tests.harness.waiting import until
from tests.kafka.hosts.test_lag import publish
from tests.operating.test_full_disk import Disk
from yggdrasil.engines.query import QueryEngine
from yggdrasil.memory import Memory
from yggdrasil_infra import room
from yggdrasil_infra.log import DiskFullError
from yggdrasil_infra.signals.metrics import WorkerMetrics
from yggdrasil_processors.graph_worker import GraphWorker, WorkerSettings
from yggdrasil_processors.query_host import HostSettings, QueryHost
from yggdrasil_processors.watch import Watch
from yggdrasil_producers.draft import Drafter

PARTITIONS = 2
GIB = 1 << 30
WATCHDOG_S = 3.0
SAID = "10 MiB left, and 256 MiB are kept free: nothing more is folded, and reads go on"


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Disk:
    found = Disk(monkeypatch)
    monkeypatch.setattr(room, "monotonic", monotonic)
    return found


@pytest.fixture
def ended(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Why the watchdog would have ended this process."""
    found: list[str] = []
    monkeypatch.setattr(Watch, "_end", lambda self, why: found.append(why))
    return found


def passes(seconds: float) -> None:
    threading.Event().wait(seconds)


def positions(fleet: Fleet) -> int:
    return sum(fleet.log.end_offset(partition) for partition in range(PARTITIONS))


def test_a_worker_rests_stays_a_member_and_goes_on(fleet: Fleet, disk: Disk, ended: list[str]) -> None:
    metrics = WorkerMetrics()
    settings = WorkerSettings(
        fleet.kafka, fleet.directory("a"), fleet.topic, "development", fleet.group, watchdog_s=WATCHDOG_S
    )
    worker = GraphWorker(settings, metrics)
    thread = threading.Thread(target=worker.run)
    thread.start()
    try:
        publish(fleet, "before")
        fleet.settle()
        assert metrics.registry.get_sample_value("yggdrasil_worker_room_bytes") == 50 * GIB - (256 << 20)
        disk.free = 10 << 20
        until(lambda: worker.ready() is not None, lambda: str(worker.ready()))
        assert SAID in (worker.ready() or "")
        assert metrics.registry.get_sample_value("yggdrasil_worker_room_bytes") == (10 - 256) << 20
        stands = fleet.committed()
        publish(fleet, "meanwhile")
        passes(2 * WATCHDOG_S)  # it hangs as little as a partition does that stands still for want of room
        assert worker.live() is None
        assert fleet.committed() == stands
        assert fleet.members() == 1
        disk.free = 50 * GIB
        fleet.settle()
        until(lambda: worker.ready() is None, lambda: str(worker.ready()))
        passes(1.0)
        assert ended == []
    finally:
        worker.stop()
        thread.join()


def test_a_query_host_rests_and_is_read(fleet: Fleet, disk: Disk, ended: list[str]) -> None:
    settings = HostSettings(
        fleet.kafka, fleet.directory("q"), fleet.topic, "development", watchdog_s=WATCHDOG_S, look_every_s=0.5
    )
    host = QueryHost(settings)
    with QueryEngine(host) as engine:
        until(lambda: host.ready() is None, lambda: str(host.ready()))
        memory = Memory(engine, Drafter("me/agent", "agent", "test"))
        memory.record_event("The printer is on the second floor", features=["printer"])
        disk.free = 10 << 20
        until(lambda: SAID in (host.ready() or ""), lambda: str(host.ready()))
        before = fleet.log.end_offset(host.partition("me/agent"))
        with pytest.raises(DiskFullError, match="nothing more is folded"):
            memory.record_event("There is no room for this")
        assert fleet.log.end_offset(host.partition("me/agent")) == before
        context = memory.get_context("printer floor")
        assert (len(context.found), context.recorded) == (1, False)
        publish(fleet, "meanwhile")
        passes(2 * WATCHDOG_S)
        assert host.failure is None and host.live() is None
        disk.free = 50 * GIB
        until(lambda: host.ready() is None, lambda: str(host.ready()))
        until(lambda: sum(lag.position for lag in host.lags()) >= positions(fleet), lambda: str(host.lags()))
        memory.record_event("There is room again")
        assert ended == []


def test_a_host_that_begins_without_room_opens_what_is_there_and_makes_nothing(fleet: Fleet, disk: Disk) -> None:
    settings = HostSettings(fleet.kafka, fleet.directory("q"), fleet.topic, "development", partitions=(0,))
    with QueryHost(settings) as host:
        until(lambda: host.ready() is None, lambda: str(host.ready()))
    disk.free = 0
    both = HostSettings(fleet.kafka, fleet.directory("q"), fleet.topic, "development")
    with QueryHost(both) as host:
        until(lambda: sorted(host._partitions) == [0], lambda: str(host.ready()))
        until(lambda: "nothing more is folded" in (host.ready() or ""), lambda: str(host.ready()))
        assert not (fleet.directory("q") / "graph" / "0001").exists()
        disk.free = 50 * GIB
        until(lambda: host.ready() is None, lambda: str(host.ready()))
        assert [lag.partition for lag in host.lags()] == [0, 1]
