"""Workers whose broker is killed, held, or put back from a copy. It is a broker of these tests' own."""

import os
import shutil
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from tests.faults.kafka.load import Acknowledged, Mix, Publisher
from tests.faults.kafka.oracle import check
from tests.faults.kafka.test_brokers import wait_for_leaders
from tests.faults.workers.processes import Fleet, Worker, stopped
from tests.harness.waiting import until
from tests.kafka.node import KafkaNode, free_port
from tests.size import only_at_length, turns
from yggdrasil_infra.kafka_log.settings import KafkaSettings

PARTITIONS = 4
# As it is in production but shorter: members of an empty group that come within this time begin together.
DELAYED = "group.initial.rebalance.delay.ms=1500\n"


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaNode]:
    """Every test leaves it running."""
    folder = tmp_path_factory.mktemp("broker")
    properties = folder / "extra.properties"
    properties.write_text(DELAYED)
    own = KafkaNode(folder / "node", free_port(), environment={"EXTRA_PROPERTIES": str(properties)})
    own.start()
    try:
        own.wait_until_ready()
        yield own
    finally:
        own.kill()


def again(node: KafkaNode) -> None:
    node.start()
    node.wait_until_ready()


def published(fleet: Fleet, mix: Mix, count: int) -> Acknowledged:
    """Publish, and let go of the broker: a client that is open while it dies leaves its sockets open."""
    with Publisher(fleet.kafka, fleet.topic, PARTITIONS) as publisher:
        publisher.send(mix.take(count))
        return publisher.settle()


@only_at_length
def test_a_worker_outlives_its_broker(node: KafkaNode, tmp_path: Path) -> None:
    """Killed while there is much to fold, and while there is nothing; once it is away for longer than a session.

    Shorter: a sender outlives its broker (tests/kafka/log/test_delivery.py), and workers that are killed (beside).
    """
    rng = Random("broker")
    mix = Mix("broker", PARTITIONS)
    acknowledged: Acknowledged = set()
    with Fleet(KafkaSettings(node.address), tmp_path, PARTITIONS) as fleet:
        worker = fleet.start("a").wait_for("partition taken", PARTITIONS)
        for kill in range(turns(1, 20)):
            acknowledged |= published(fleet, mix, 300)
            if kill % 2:
                fleet.settle()
                fleet.close_clients()
            time.sleep(rng.uniform(0, 0.5))  # not to wait for anything: this is the random moment
            node.kill()
            time.sleep(rng.uniform(0, turns(2, 5)))
            again(node)
        acknowledged |= published(fleet, mix, 300)
        fleet.settle()
        assert fleet.running() == [worker]
        fleet.stop()
        check(fleet, acknowledged)


def halted(worker: Worker) -> None:
    """See that every partition halts, and stop the worker, which goes on until then."""
    worker.wait_for("partition halted", PARTITIONS).stop()
    for line in worker.lines("partition halted"):
        assert "is not the one that was folded. The log was truncated or altered" in line


@only_at_length
def test_a_log_that_was_put_back_and_grew_again_is_not_folded_on(node: KafkaNode, tmp_path: Path) -> None:
    """The worker is held meanwhile, so that it meets a log that is longer than the one that it knew.

    Shorter: no store is folded on from a log that has another record there (tests/graph/store/test_store.py), and a
    worker ends when its topic was made anew (test_topic.py).
    """
    mix = Mix("put back", PARTITIONS)
    with Fleet(KafkaSettings(node.address), tmp_path, PARTITIONS) as fleet:
        published(fleet, mix, 300)
        node.stop()
        shutil.copytree(node.folder, tmp_path / "copy")
        again(node)
        published(fleet, mix, 300)
        worker = fleet.start("a")
        fleet.settle()
        ends = fleet.committed()
        fleet.close_clients()
        with stopped(worker):
            node.stop()
            shutil.rmtree(node.folder)
            shutil.copytree(tmp_path / "copy", node.folder)
            again(node)
            acknowledged = published(fleet, mix, 900)
        halted(worker)
        assert all(fleet.log.end_offset(partition) > end for partition, end in ends.items())
        halted(fleet.start("a"))
        shutil.move(fleet.directory("a"), tmp_path / "aside")  # what the remedy comes to when nothing was copied
        (tmp_path / "aside" / "worker.lock").unlink()
        fleet.start("a")
        fleet.settle()
        fleet.stop()
        check(fleet, acknowledged)


@only_at_length
def test_a_worker_that_cannot_stop_within_its_grace_ends_all_the_same(node: KafkaNode, tmp_path: Path) -> None:
    """Its broker hangs: nothing that it says on leaving is answered. Shorter: the service's (tests/service)."""
    mix = Mix("grace", PARTITIONS)
    with Fleet(KafkaSettings(node.address), tmp_path, PARTITIONS) as fleet:
        worker = fleet.start("a", "--grace-s", "1").wait_for("partition taken", PARTITIONS)
        published(fleet, mix, 300)
        fleet.settle()
        fleet.close_clients()
        assert node.pid is not None
        node.hold()
        try:
            worker.signal(signal.SIGTERM)
            assert worker.ended() == 1
        finally:
            os.kill(node.pid, signal.SIGCONT)
        assert "the watchdog ends this process: it did not stop within its grace of 1 s" in worker.words
        acknowledged = published(fleet, mix, 300)
        fleet.start("a")
        fleet.settle()
        fleet.stop()
        check(fleet, acknowledged)


def test_what_a_worker_has_lost_goes_to_whoever_comes(node: KafkaNode, tmp_path: Path) -> None:
    """The only member is held until its session has ended, and goes on just when another one joins the empty group."""
    mix = Mix("lost", PARTITIONS)
    with Fleet(KafkaSettings(node.address), tmp_path, PARTITIONS) as fleet:
        held = fleet.start("a").wait_for("partition taken", PARTITIONS)
        with stopped(held):
            until(lambda: fleet.members() == 0, lambda: f"{fleet.members()} members")
            acknowledged = published(fleet, mix, 300)
            fleet.start("b").wait_for(" started ")
        fleet.settle()
        assert held.running
        fleet.stop()
        check(fleet, acknowledged)


@only_at_length
def test_workers_outlive_the_brokers_of_a_cluster(tmp_path: Path) -> None:
    """One broker after the other is killed, and with it leaders of partitions, or the coordinator of the group.

    Shorter: a worker outlives the only broker there is (above), and what a cluster acknowledges while it elects
    leaders is kept (tests/faults/kafka/test_brokers.py).

    Now and then kafka-python goes on without fetching one of its partitions. The watchdog ends such a worker, and
    whoever started it starts it again.
    """
    rng = Random("cluster")
    mix = Mix("cluster", PARTITIONS)
    port = free_port(22)
    cluster = [KafkaNode(tmp_path / f"node-{number}", port, number, 3) for number in (1, 2, 3)]
    kafka = KafkaSettings(",".join(each.address for each in cluster))
    acknowledged: Acknowledged = set()
    for each in cluster:
        each.start()
    try:
        for each in cluster:
            each.wait_until_ready()
        with Fleet(kafka, tmp_path, PARTITIONS, "production") as fleet:
            watched = ("--watchdog-s", "15")
            workers = {name: fleet.start(name, *watched) for name in ("a", "b")}

            def supervise() -> None:
                for name, worker in workers.items():
                    if not worker.running:
                        assert "the watchdog ends this process" in worker.words, worker.words
                        workers[name] = fleet.start(name, *watched)

            workers["b"].wait_for("partition taken", PARTITIONS // 2)
            for kill in range(turns(1, 12)):
                acknowledged |= published(fleet, mix, 300)
                fleet.close_clients()
                killed = cluster[kill % 3]
                killed.kill()
                time.sleep(rng.choice((0.0, 2.0)))  # not to wait for anything: for so long it is away
                again(killed)
                wait_for_leaders(kafka, fleet.topic, replicas_in_sync=3)
            acknowledged |= published(fleet, mix, 300)
            fleet.settle(supervise=supervise)
            fleet.stop()
            check(fleet, acknowledged)
    finally:
        for each in cluster:
            each.kill()
