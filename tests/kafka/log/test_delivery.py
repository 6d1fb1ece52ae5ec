"""What was sent is acknowledged or its sender is told, whatever becomes of the broker; and nothing piles up meanwhile.

A broker that is killed loses nothing that the kernel has, so a single one keeps what it acknowledged.
"""

import os
import signal
from collections import Counter
from collections.abc import Iterator
from uuid import uuid4

import pytest

from tests.contract.logs import everything
from tests.faults.local.oracle import Child
from tests.kafka.altered import make
from tests.kafka.log.sending import PARTITIONS
from tests.kafka.node import KafkaNode, free_port
from yggdrasil_infra.kafka_log.log import KafkaLog
from yggdrasil_infra.kafka_log.sender import DeliveryError, KafkaSender
from yggdrasil_infra.kafka_log.settings import KafkaSettings
from yggdrasil_infra.log import ENTRY_BYTES_MAX, LogError
from yggdrasil_schemas.topics import MESSAGE_BYTES_MIN

MODULE = "tests.kafka.log.sending"


@pytest.fixture(scope="module")
def own_node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaNode]:
    """A broker of this module's own, to be killed."""
    node = KafkaNode(tmp_path_factory.mktemp("killed"), free_port())
    yield node
    node.stop()


@pytest.fixture
def node(own_node: KafkaNode) -> KafkaNode:
    """The same, up again after whatever the test before did to it."""
    if not own_node.running:
        own_node.start()
        own_node.wait_until_ready()
    return own_node


def fresh_topic(settings: KafkaSettings, message_bytes_max: int = MESSAGE_BYTES_MIN) -> str:
    topic = f"test-{uuid4().hex}"
    make(settings, topic, PARTITIONS, {"max.message.bytes": str(message_bytes_max)})
    return topic


def check_acknowledged(child: Child, settings: KafkaSettings, topic: str) -> Counter[str]:
    """Every acknowledged record stands where its receipt says; return how often each record is in the log."""
    with KafkaLog(settings, topic, "development") as log:
        stored = {
            (record.partition, record.offset): (record.value or b"").decode().strip() for record in everything(log)
        }
    for line in child.lines:
        if line.startswith("acknowledged"):
            _, name, partition, offset = line.split()
            assert stored[int(partition), int(offset)] == name
    return Counter(stored.values())


def names(child: Child, outcome: str) -> list[str]:
    return [line.split()[1] for line in child.lines if line.startswith(outcome)]


def test_a_broker_that_is_killed_and_comes_back_costs_no_record_and_doubles_none(node: KafkaNode) -> None:
    settings = KafkaSettings(node.address)
    topic = fresh_topic(settings)
    with Child(node.address, topic, module=MODULE) as child:
        child.wait_for("acknowledged")
        node.kill()
        node.start()
        node.wait_until_ready()
        enough = len(child.lines) + 500
        while len(child.lines) < enough:
            child.wait_for("acknowledged")
        assert child.end(signal.SIGTERM) == 0
    assert names(child, "uncertain") == names(child, "refused") == []
    times = check_acknowledged(child, settings, topic)
    assert set(times) == set(names(child, "acknowledged"))
    assert set(times.values()) == {1}


def test_a_broker_that_stays_away_is_told_of_and_sending_goes_on_when_it_is_back(node: KafkaNode) -> None:
    settings = KafkaSettings(node.address)
    topic = fresh_topic(settings)
    bounds = ("--delivery-s", "2", "--records-max", "50", "--threads", "4")
    with Child(node.address, topic, *bounds, module=MODULE) as child:
        child.wait_for("acknowledged")
        node.kill()
        child.wait_for("uncertain")  # what was under way
        child.wait_for("refused")  # what found no room, or no broker
        node.start()
        node.wait_until_ready()
        child.wait_for("acknowledged")
        assert child.end(signal.SIGTERM) == 0
    times = check_acknowledged(child, settings, topic)
    assert not set(names(child, "refused")) & set(times)
    told = [*names(child, "acknowledged"), *names(child, "uncertain"), *names(child, "refused")]
    assert len(told) == len(set(told))
    assert set(times) <= set(told)
    assert int(child.lines[-1].split()[1]) == 50


def test_bytes_under_way_are_bounded_too(node: KafkaNode) -> None:
    topic = fresh_topic(KafkaSettings(node.address))
    with Child(node.address, topic, "--bytes-max", "200000", "--size", "50000", module=MODULE) as child:
        child.wait_for("acknowledged 0:100 ")
        assert child.end(signal.SIGTERM) == 0
    assert 100_000 <= int(child.lines[-1].split()[2]) <= 200_000
    check_acknowledged(child, KafkaSettings(node.address), topic)


def test_leaving_while_the_broker_is_away_ends_and_tells_of_every_record(node: KafkaNode) -> None:
    topic = fresh_topic(KafkaSettings(node.address))
    with Child(node.address, topic, "--delivery-s", "2", module=MODULE) as child:
        child.wait_for("acknowledged")
        node.kill()
        assert child.end(signal.SIGTERM) == 0
    told = Counter([*names(child, "acknowledged"), *names(child, "uncertain"), *names(child, "refused")])
    for thread in range(4):
        of_thread = [name for name in told if name.startswith(f"{thread}:")]
        assert set(of_thread) == {f"{thread}:{number}" for number in range(len(of_thread))}
    assert set(told.values()) == {1}


def test_a_record_that_is_too_large_is_refused_before_a_broker_is_asked() -> None:
    with KafkaSender(KafkaSettings("127.0.0.1:1")) as sender, pytest.raises(LogError, match=str(ENTRY_BYTES_MAX)):
        sender.send("topic", 0, b"k", b"v" * ENTRY_BYTES_MAX)


def test_one_record_that_the_broker_refuses_does_not_end_the_sending_of_others(kafka: KafkaSettings) -> None:
    """kafka-python alone would refuse everything from then on."""
    topic = fresh_topic(kafka, 1_000)
    with KafkaSender(kafka) as sender:
        assert sender.send(topic, 1, b"k", b"small").result().offset == 0
        with pytest.raises(
            DeliveryError, match=r"partition 1: .*was not appended; .*same command again is safe"
        ) as found:
            sender.send(topic, 1, b"k", b"v" * 2_000).result()
        assert (found.value.topic, found.value.partition, found.value.uncertain) == (topic, 1, False)
        assert sender.send(topic, 1, b"k", b"small").result().offset == 1


@pytest.mark.parametrize("what", ["too large", "of a time to come"])
def test_behind_one_that_is_refused_nothing_of_its_call_is_written(kafka: KafkaSettings, what: str) -> None:
    """A new producer would write what was still to be sent; appended again, as is the remedy, the one comes last."""
    topic, at, count = fresh_topic(kafka, 20_000), 5, 1_500
    year_9999 = 253_370_764_800_000
    refused = (b"%d" % at, year_9999) if what != "too large" else (b"x" * 30_000, 1)
    values = [refused if number == at else (b"%d" % number, 1) for number in range(count)]
    with KafkaLog(kafka, topic, None) as log:
        there = log.append(b"k", b"first").partition
        with pytest.raises(DeliveryError) as told:
            log.append_dated((b"k", value, ms) for value, ms in values)
        assert told.value.rejection is not None and not told.value.uncertain
        assert len(everything(log)) <= 1 + at
        log.append_dated((b"k", value[:9], 1) for value, _ in values)
        found = [record.value for record in everything(log) if record.partition == there]
        assert list(dict.fromkeys(found)) == [b"first", *(value[:9] for value, _ in values)]


def test_while_a_broker_hangs_what_is_written_of_a_call_is_its_beginning(node: KafkaNode) -> None:
    """What was under way is written when it goes on, and what was still to be sent never is."""
    settings = KafkaSettings(node.address)
    topic, count, held_at = fresh_topic(settings), 2_000, 1_500  # while the second thousand is drawn

    def records() -> Iterator[tuple[bytes, bytes]]:
        for number in range(count):
            if number == held_at:
                node.hold()
            yield b"k", b"%d" % number

    with KafkaLog(settings, topic, "development") as log:
        log._sender = KafkaSender(settings, delivery_s=3.0, records_max=50)
        log.append(b"k", b"0")
        try:
            with pytest.raises(DeliveryError) as told:
                log.append_many(records())
        finally:
            assert node.pid is not None
            os.kill(node.pid, signal.SIGCONT)
        assert told.value.uncertain
        log.append(b"k", b"behind")
        found = [int(record.value or b"") for record in everything(log) if record.value != b"behind"]
    assert found == [0, *range(len(found) - 1)]
    assert 900 < len(found) < held_at


def test_a_topic_or_a_partition_that_is_not_there_is_said(kafka: KafkaSettings) -> None:
    with KafkaSender(kafka, delivery_s=1.0) as sender:
        with pytest.raises(DeliveryError, match=r"no-such-topic, partition 0.*was not appended"):
            sender.send("no-such-topic", 0, b"k", b"v")
        with pytest.raises(DeliveryError, match=r"partition 9.*was not appended"):
            sender.send(fresh_topic(kafka), 9, b"k", b"v")
        assert sender.under_way == 0


def test_closing_delivers_what_is_under_way_and_then_refuses(kafka: KafkaSettings) -> None:
    topic = fresh_topic(kafka)
    sender = KafkaSender(kafka)
    deliveries = [sender.send(topic, number % PARTITIONS, b"k", b"%d" % number) for number in range(500)]
    sender.close()
    sender.close()
    assert all(delivery.done() for delivery in deliveries)
    assert len({delivery.result() for delivery in deliveries}) == 500
    with pytest.raises(DeliveryError, match="closed"):
        sender.send(topic, 0, b"k", b"v")
