"""Reading from Kafka what lies between the readers' own positions and what the consumer has fetched ahead."""

from collections.abc import Iterator
from uuid import uuid4

import pytest
from kafka import KafkaAdminClient
from kafka.structs import TopicPartition

from yggdrasil_infra.kafka_log.log import KafkaLog
from yggdrasil_infra.kafka_log.settings import KafkaSettings
from yggdrasil_infra.kafka_log.topics import create_topic
from yggdrasil_infra.log import OffsetOutOfRangeError

PARTITIONS = 3
RECORDS = 3_000  # of a KiB each: a fetch brings a part of a partition


@pytest.fixture
def log(kafka: KafkaSettings) -> Iterator[KafkaLog]:
    topic = f"test-{uuid4().hex}"
    create_topic(kafka, topic, PARTITIONS, "development")
    with KafkaLog(kafka, topic, "development") as log:
        yield log


def fill(log: KafkaLog, partition: int, size: int = 1_024) -> None:
    chunk = [b"%d" % number for number in range(RECORDS)]
    deliveries = [log._send(partition, b"k", value.ljust(size)) for value in chunk]
    assert [delivery.result().offset for delivery in deliveries] == list(range(RECORDS))


def numbers(log: KafkaLog, partition: int, offset: int, records_max: int) -> list[int]:
    return [int(record.value or b"") for record in log.read(partition, offset, records_max)]


def test_partitions_read_in_turn_come_whole_and_in_order(log: KafkaLog) -> None:
    for partition in range(PARTITIONS):
        fill(log, partition)
    found: list[list[int]] = [[] for _ in range(PARTITIONS)]
    for turn in range(10 * RECORDS):
        own = found[turn % PARTITIONS]
        own += numbers(log, turn % PARTITIONS, len(own), 1 + turn % 97)
        if all(len(one) == RECORDS for one in found):
            break
    assert found == [list(range(RECORDS))] * PARTITIONS


def test_a_reader_that_jumps_about_gets_what_lies_there(log: KafkaLog) -> None:
    fill(log, 1)
    for offset in (0, 2_900, 10, 20, 2_999, 0, 1_500, 1_501):
        found = numbers(log, 1, offset, 10)
        assert found == list(range(offset, offset + len(found)))
        assert found
    assert numbers(log, 1, RECORDS, 10) == []
    log.append_to(1, b"k", b"3000")
    assert numbers(log, 1, RECORDS, 10) == [RECORDS]


def test_records_that_are_deleted_before_a_reader_comes_to_them_are_missed(kafka: KafkaSettings, log: KafkaLog) -> None:
    """The position is one that follows from the last read, so that nobody asks where the log begins."""
    fill(log, 0, 4_096)
    at = 0
    while at < 1_000:
        at += len(log.read(0, at, 100))
    client = KafkaAdminClient(bootstrap_servers=kafka.bootstrap_servers)
    client.delete_records({TopicPartition(log.topic.name, 0): 2_500})
    client.close()
    with pytest.raises(OffsetOutOfRangeError, match="partition 0"):
        while at < RECORDS:
            at += len(log.read(0, at, 100))
    assert at < 2_500
    assert numbers(log, 0, 2_500, 1) == [2_500]
