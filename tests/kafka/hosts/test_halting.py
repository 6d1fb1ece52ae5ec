"""One bad partition stays one: it halts and is told, can be set aside, and the group goes on with the others."""

import pytest
from kafka.structs import TopicPartition

from tests.faults.kafka.load import Mix, Publisher
from tests.faults.workers.processes import Fleet, stopped
from tests.harness.waiting import until
from tests.kafka.altered import alter
from tests.kafka.hosts.test_lag import said
from tests.kafka.node import free_port
from yggdrasil_processors.query_host import HostSettings, QueryHost
from yggdrasil_producers.draft import enable_version

PARTITIONS = 3


@pytest.fixture
def port() -> int:
    return free_port(1)


def publish(fleet: Fleet, seed: str) -> None:
    with Publisher(fleet.kafka, fleet.topic, PARTITIONS) as publisher:
        publisher.send(Mix(seed, PARTITIONS).take(150))
        publisher.settle()


def metric(port: int, name: str) -> list[str]:
    return [line for line in said(port, "/metrics").splitlines() if line.startswith(f"yggdrasil_worker_{name}")]


def test_a_partition_that_has_lost_records_halts_alone_and_can_be_set_aside(fleet: Fleet, port: int) -> None:
    http = ("--http", f"127.0.0.1:{port}")
    publish(fleet, "before")
    worker = fleet.start("a", *http)
    fleet.settle()
    with stopped(worker):
        publish(fleet, "meanwhile")
        fleet.admin.delete_records({TopicPartition(fleet.topic, 1): fleet.log.end_offset(1) - 1})
    worker.wait_for("partition halted")
    assert "records were deleted" in worker.lines("partition halted")[0]
    publish(fleet, "after")
    fleet.settle([0, 2])
    until(lambda: "partition 1 is halted: its log has lost" in said(port, "/readyz"), lambda: said(port, "/readyz"))
    assert 'yggdrasil_worker_halted{partition="1"} 1.0' in metric(port, "halted")
    assert said(port, "/livez") == "ok\n"
    worker.stop()
    again = fleet.start("a", *http).wait_for("partition halted")
    until(lambda: "partition 1" in said(port, "/readyz"), lambda: said(port, "/readyz"))
    again.stop()
    aside = fleet.start("a", *http, "--set-aside", "1").wait_for("partition set aside")
    until(lambda: said(port, "/readyz") == "ok\n", lambda: said(port, "/readyz"))
    assert 'yggdrasil_worker_set_aside{partition="1"} 1.0' in metric(port, "set_aside")
    publish(fleet, "goes on")
    fleet.settle([0, 2])
    aside.stop()


def test_a_query_host_answers_from_the_other_partitions(fleet: Fleet) -> None:
    publish(fleet, "before")
    settings = HostSettings(fleet.kafka, fleet.directory("q"), fleet.topic, "development", look_every_s=0.5)
    with QueryHost(settings) as host:
        until(lambda: host.ready() is None, lambda: str(host.ready()))
    publish(fleet, "meanwhile")
    fleet.admin.delete_records({TopicPartition(fleet.topic, 1): fleet.log.end_offset(1)})
    publish(fleet, "after")
    with QueryHost(settings) as host:
        until(lambda: "partition 1 is halted: its log has lost" in (host.ready() or ""), lambda: str(host.ready()))
        until(lambda: len(host.lags()) == PARTITIONS - 1, lambda: str(host.lags()))
        assert host.failure is None and host.live() is None
        assert sorted(lag.partition for lag in host.lags()) == [0, 2]


def test_a_topic_that_may_forget_is_told_and_folded_on_by_whoever_has_begun(fleet: Fleet, port: int) -> None:
    http = ("--http", f"127.0.0.1:{port}")
    publish(fleet, "before")
    worker = fleet.start("a", *http)
    fleet.settle()
    alter(fleet.kafka, fleet.topic, {"retention.ms": "86400000"})
    worker.wait_for("the topic may lose records, and is folded all the same")
    assert "--add-config retention.ms=-1" in worker.words
    until(lambda: metric(port, "topic_unfit") == ["yggdrasil_worker_topic_unfit 1.0"], lambda: str(worker.words))
    publish(fleet, "meanwhile")
    fleet.settle()
    worker.stop()
    worker = fleet.start("a", *http).wait_for("the topic may lose records, and is folded all the same")
    publish(fleet, "after")
    fleet.settle()
    assert fleet.start("new", "--group", "another").ended() == 1, "whoever begins is to mend it first"
    alter(fleet.kafka, fleet.topic, {"retention.ms": "-1"})
    worker.wait_for("the topic is fit again")
    worker.stop()


def test_a_version_is_enabled_by_an_operator_or_the_partition_halts(fleet: Fleet, port: int) -> None:
    """Whoever may write to the topic may write that record too; what it says of itself is all there is to go by."""
    publish(fleet, "before")
    worker = fleet.start("a", "--http", f"127.0.0.1:{port}", "--operators", "cli,ops")
    stranger, operator = enable_version(1, "stranger", 99), enable_version(2, "ops", 99)
    harmless = enable_version(0, "stranger", 1)
    for partition, draft in enumerate((harmless, stranger, operator)):
        fleet.log.append_to(partition, draft.key, draft.value)
    worker.wait_for("partition halted", 2)
    lines = "\n".join(worker.lines("partition halted"))
    assert "a version is enabled by a source that is not among cli, ops (--operators)" in lines
    assert "partition=1" in lines and "this release knows" in lines
    publish(fleet, "after")
    fleet.settle([0])
    worker.stop()
