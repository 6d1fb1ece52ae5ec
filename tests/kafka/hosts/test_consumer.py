"""A member of a group reads from where it is told, and stays a member."""

from time import monotonic
from uuid import uuid4

import pytest

from yggdrasil_infra.kafka_log.consumer import PartitionConsumer, Polled
from yggdrasil_infra.kafka_log.log import KafkaLog
from yggdrasil_infra.kafka_log.settings import KafkaSettings
from yggdrasil_infra.kafka_log.topics import create_topic
from yggdrasil_infra.log import OffsetOutOfRangeError

SESSION_S = 1.0


@pytest.fixture
def topic(kafka: KafkaSettings) -> str:
    name = f"test-{uuid4().hex}"
    create_topic(kafka, name, 3, "development")
    return name


def member(kafka: KafkaSettings, topic: str) -> PartitionConsumer:
    return PartitionConsumer(kafka, topic, f"group-of-{topic}", session_timeout_s=SESSION_S)


def poll_until_given(consumer: PartitionConsumer, count: int) -> None:
    given: set[int] = set()
    deadline = monotonic() + 240
    while len(given) < count:
        assert monotonic() < deadline, f"only {given}"
        given |= consumer.poll(0.1, 100).assigned


def read(consumer: PartitionConsumer, partition: int, count: int) -> list[int]:
    offsets: list[int] = []
    deadline = monotonic() + 240
    while len(offsets) < count:
        assert monotonic() < deadline, f"only {offsets}"
        polled = consumer.poll(0.1, 100)
        offsets += [record.offset for record in polled.records.get(partition, [])]
    return offsets


def test_it_reads_from_where_it_is_told_whatever_the_group_has_committed(kafka: KafkaSettings, topic: str) -> None:
    with KafkaLog(kafka, topic, "development") as log, member(kafka, topic) as consumer:
        for number in range(10):
            log.append_to(1, b"key", b"%d" % number)
        poll_until_given(consumer, 3)
        consumer.commit({1: (9, "elsewhere")}, wait=True)
        assert consumer.committed(1) == (9, "elsewhere")
        assert consumer.poll(0.5, 100).records == {}, "nothing is handed out before it was started"
        consumer.start(1, 4)
        assert read(consumer, 1, 6) == [4, 5, 6, 7, 8, 9]
        assert consumer.position(1) == 10


@pytest.mark.parametrize("offset", [11, 1_000])
def test_a_position_that_the_log_does_not_have_is_refused_and_never_reset(
    kafka: KafkaSettings, topic: str, offset: int
) -> None:
    with KafkaLog(kafka, topic, "development") as log, member(kafka, topic) as consumer:
        log.append_to(0, b"key", b"one")
        poll_until_given(consumer, 3)
        consumer.start(0, offset)
        deadline = monotonic() + 240
        with pytest.raises(OffsetOutOfRangeError, match=topic):
            while monotonic() < deadline:
                consumer.poll(0.1, 100)


def test_a_member_that_polls_in_short_turns_stays_a_member(kafka: KafkaSettings, topic: str) -> None:
    """Its first assignments end between two polls, and kafka-python forgets one of them (see PartitionConsumer)."""
    with member(kafka, topic) as consumer:
        until = monotonic() + 4 * SESSION_S
        while monotonic() < until:
            consumer.poll(0.001, 100)
        consumer.commit({0: (7, "still here")}, wait=True)
        assert consumer.committed(0) == (7, "still here")


def test_fixed_partitions_are_given_once_and_need_no_group(kafka: KafkaSettings, topic: str) -> None:
    with KafkaLog(kafka, topic, "development") as log:
        log.append_to(2, b"key", b"one")
        with PartitionConsumer(kafka, topic, f"group-of-{topic}", [2]) as consumer:
            assert consumer.joined
            assert consumer.poll(0.1, 100) == Polled(assigned={2})
            consumer.start(2, 0)
            assert read(consumer, 2, 1) == [0]
            assert consumer.poll(0.1, 100) == Polled()
            consumer.commit({2: (1, "mine")}, wait=True)
            assert consumer.committed(2) == (1, "mine")
