"""What workers count is what happened: a store that is folded again tells of no refusal a second time."""

import shutil

from tests.faults.kafka.load import Mix, Publisher
from tests.faults.kafka.oracle import published_refusals
from tests.faults.workers.processes import Fleet
from tests.harness.waiting import until
from tests.kafka.hosts.test_lag import said
from tests.kafka.node import free_port

PARTITIONS = 2


def publish(fleet: Fleet, mix: Mix) -> None:
    with Publisher(fleet.kafka, fleet.topic, PARTITIONS) as publisher:
        publisher.send(mix.take(400))
        publisher.settle()


def count(port: int, metric: str) -> float:
    name = f"yggdrasil_worker_{metric}_total{{"
    found = [line for line in said(port, "/metrics").splitlines() if line.startswith(name)]
    return sum(float(line.split()[-1]) for line in found)


def test_a_rebuild_counts_no_refusal_again_and_counts_the_next_one(fleet: Fleet) -> None:
    port, mix = free_port(1), Mix("counting", PARTITIONS)
    publish(fleet, mix)
    worker = fleet.start("a", "--http", f"127.0.0.1:{port}")
    fleet.settle()
    first = len(published_refusals(fleet))
    assert first > 20
    until(lambda: count(port, "refused") == first, lambda: said(port, "/metrics"))
    assert count(port, "records_refolded") == 0
    folded = count(port, "records_folded")
    worker.stop()
    shutil.rmtree(fleet.directory("a") / "graph" / "0000")
    for name, again in (("a", "a part"), ("b", "all")):  # one whose store is gone, and one that never had any
        worker = fleet.start(name, "--http", f"127.0.0.1:{port}")
        worker.wait_for("partition caught up", PARTITIONS)
        assert count(port, "refused") == count(port, "duplicates") == 0
        assert 0 < count(port, "records_refolded") == count(port, "records_folded") <= folded
        assert (count(port, "records_folded") == folded) == (again == "all")
        worker.stop()
    worker = fleet.start("b", "--http", f"127.0.0.1:{port}")
    worker.wait_for("partition taken", PARTITIONS)
    publish(fleet, mix)
    fleet.settle()
    more = len(published_refusals(fleet)) - first
    assert more > 0
    until(lambda: count(port, "refused") == more, lambda: said(port, "/metrics"))
    assert count(port, "records_refolded") == 0
    worker.stop()


def test_a_reason_has_a_series_when_it_is_first_met_and_the_topic_says_how_many_partitions_it_has(fleet: Fleet) -> None:
    port = free_port(1)
    worker = fleet.start("a", "--http", f"127.0.0.1:{port}").wait_for("partition taken", PARTITIONS)
    assert "yggdrasil_worker_refused_total{" not in said(port, "/metrics")
    assert f"\nyggdrasil_worker_topic_partitions {PARTITIONS}.0\n" in said(port, "/metrics")
    publish(fleet, Mix("reasons", PARTITIONS))
    fleet.settle()
    until(lambda: count(port, "refused") == len(published_refusals(fleet)), lambda: said(port, "/metrics"))
    told = [line for line in said(port, "/metrics").splitlines() if line.startswith("yggdrasil_worker_refused_total{")]
    assert all(float(line.split()[-1]) > 0 for line in told)
    worker.stop()
