"""The log says how many partitions it was made with: what was added, or deleted, is told, and no remedy loses it."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from kafka.structs import TopicPartition

from tests.cli.runs import Cli
from tests.faults.kafka.load import Mix, Publisher
from tests.faults.workers.processes import Fleet
from tests.kafka.altered import alter
from yggdrasil_infra.kafka_log.log import KafkaLog
from yggdrasil_infra.kafka_log.pins import LogPin, PartitionsAddedError, check_pin, read_pin, write_pins
from yggdrasil_infra.kafka_log.settings import KafkaSettings
from yggdrasil_infra.kafka_log.topics import admin
from yggdrasil_processors.auditing.replay import replay
from yggdrasil_processors.query_host import HostSettings, QueryHost

PARTITIONS = 2


@pytest.fixture
def fleet(kafka: KafkaSettings, tmp_path: Path) -> Iterator[Fleet]:
    """A topic whose log says what it is, as `yggdrasil topics` makes it."""
    with Fleet(kafka, tmp_path, PARTITIONS) as created:
        assert write_pins(created.log) == PARTITIONS
        yield created


def add_partitions(fleet: Fleet, count: int) -> None:
    fleet.close_log()
    with admin(fleet.kafka) as client:
        client.create_partitions({fleet.topic: count})


def publish(fleet: Fleet, count: int) -> None:
    with Publisher(fleet.kafka, fleet.topic, PARTITIONS) as publisher:
        publisher.send(Mix("pins", PARTITIONS, memories=20).take(count))
        publisher.settle()


def test_a_log_begins_with_its_pin_and_the_fold_passes_it(fleet: Fleet, tmp_path: Path) -> None:
    pin = LogPin(PARTITIONS, fleet.log.topic_id)
    assert [read_pin(fleet.log, partition) for partition in range(PARTITIONS)] == [pin, pin]
    assert write_pins(fleet.log) == 0, "once"
    replayed = replay(fleet.log, tmp_path / "replayed", 0)
    assert (replayed.records, replayed.digests) == (1, {})


def test_a_log_that_held_records_before_stays_without(kafka: KafkaSettings, tmp_path: Path) -> None:
    with Fleet(kafka, tmp_path, PARTITIONS) as fleet:
        fleet.log.append_to(0, b"key", b"value")
        assert write_pins(fleet.log) == 0
        assert read_pin(fleet.log) is None and fleet.log.end_offset(1) == 0


def test_added_partitions_are_told_whoever_asks_and_whatever_directory_there_is(fleet: Fleet, cli: Cli) -> None:
    publish(fleet, 100)
    worker = fleet.start("a")
    fleet.settle()
    worker.stop()
    add_partitions(fleet, PARTITIONS + 3)
    remedy = f"yggdrasil topics copy {fleet.topic} NEW --partitions {PARTITIONS + 3}"
    on_topic = ("--kafka", fleet.kafka.bootstrap_servers, "--topic", fleet.topic, "--development")
    for name in ("a", "empty"):
        worker = fleet.start(name)
        assert worker.ended() == 6
        assert remedy in worker.words and "leave every directory where it is" in worker.words
    assert not (fleet.directory("empty") / "graph").exists(), "folded anew as if the count had always been this"
    run = cli("replay", *on_topic)
    assert run.code == 6 and remedy in run.err
    run = cli("topics", *on_topic, "--check", "--json")
    commands = run.json["topics"][0]
    assert (run.code, commands["pinned"], commands["partitions"]) == (1, PARTITIONS, PARTITIONS + 3)
    assert remedy in commands["error"]
    host = QueryHost(HostSettings(fleet.kafka, fleet.directory("host"), fleet.topic, "development"))
    with pytest.raises(Exception, match="partitions were added"), host:
        pass


def test_records_deleted_at_the_beginning_are_told_by_topics(fleet: Fleet, cli: Cli) -> None:
    publish(fleet, 50)
    fleet.admin.delete_records({TopicPartition(fleet.topic, 1): 5})
    run = cli("topics", "--kafka", fleet.kafka.bootstrap_servers, "--topic", fleet.topic, "--development", "--check")
    assert run.code == 1
    assert "has lost records at its beginning: partition 1 begins at offset 5" in run.out
    assert "delete no directory of a worker" in run.out


def test_what_is_lost_already_is_told_beside_what_may_lose_more(fleet: Fleet, cli: Cli) -> None:
    publish(fleet, 50)
    alter(fleet.kafka, fleet.topic, {"retention.ms": "60000"})
    fleet.admin.delete_records({TopicPartition(fleet.topic, 1): 5})
    run = cli("topics", "--kafka", fleet.kafka.bootstrap_servers, "--topic", fleet.topic, "--development", "--check")
    assert run.code == 1 and "60 s" in run.out
    assert "partition 1 begins at offset 5" in run.out and "retention.ms is 60000" in run.out


def test_a_copy_with_fewer_partitions_is_not_told_that_some_were_added(fleet: Fleet) -> None:
    with pytest.raises(PartitionsAddedError, match=r"with 3 partitions, and the topic has 2: it is a copy with fewer"):
        check_pin(fleet.log.topic, LogPin(PARTITIONS + 1, fleet.log.topic_id))


def test_the_remedy_for_a_store_of_another_topic_keeps_the_store(fleet: Fleet, kafka: KafkaSettings) -> None:
    """The topic was deleted and made again, so that the store is the only copy."""
    publish(fleet, 50)
    fleet.start("a")
    fleet.settle()
    fleet.stop()
    fleet.close_clients()
    other = Fleet(kafka, fleet.folder, PARTITIONS)
    with other, KafkaLog(kafka, other.topic, "development") as log:
        write_pins(log)
        shutil.copytree(fleet.directory("a"), other.directory("copied"))
        worker = other.start("copied")
        assert worker.ended() == 6
        assert "Keep this directory" in worker.words and "yggdrasil export DIR FILE" in worker.words
        assert "Move this directory" not in worker.words
