"""What was packed by a codec that is not installed here is said, with what to do, and no reader hangs on it."""

import struct
from uuid import uuid4

import pytest
from kafka import codec

from tests.kafka.altered import make
from tests.kafka.log.raw import Raw, batch, produce, written
from yggdrasil_infra.kafka_log.client import PackedError
from yggdrasil_infra.kafka_log.consumer import PartitionConsumer
from yggdrasil_infra.kafka_log.log import KafkaLog
from yggdrasil_infra.kafka_log.settings import KafkaSettings


def snappy(text: bytes) -> bytes:
    """Pack a short text as Java does, without making it any shorter."""
    packed = bytes([len(text), (len(text) - 1) << 2]) + text
    return b"\x82SNAPPY\0" + struct.pack(">iii", 1, 1, len(packed)) + packed


@pytest.fixture
def topic(kafka: KafkaSettings, monkeypatch: pytest.MonkeyPatch) -> str:
    """A topic that somebody has set to be packed, and that holds one record so."""
    monkeypatch.setattr(codec, "snappy", None)
    name = f"test-{uuid4().hex}.commands"
    make(kafka, name, 1, {"compression.type": "snappy"})
    one = Raw(b"k", b"v")
    assert produce(kafka, name, 0, batch([one], attributes=2, packed=snappy(written(one, 0)))) == (0, 0)
    return name


def test_a_log_says_so_as_often_as_it_is_asked(kafka: KafkaSettings, topic: str) -> None:
    with KafkaLog(kafka, topic, None) as log:
        for _ in range(2):
            with pytest.raises(PackedError, match=r"snappy .* partition 0, from 0 on.*compression\.type=uncompressed"):
                log.read(0, 0, 10)


def test_a_consumer_says_so_and_goes_on_with_what_is_not_paused(kafka: KafkaSettings, topic: str) -> None:
    with PartitionConsumer(kafka, topic, "packed", [0]) as consumer:
        consumer.start(0, 0)
        with pytest.raises(PackedError, match=r"snappy.*install"):
            for _ in range(100):
                consumer.poll(0.2, 10)
        consumer.pause(0)
        assert consumer.poll(0.2, 10).records == {}
