"""Batches of records as no client library writes them, and brokers take them: none stops a partition, or a service.

What brokers take of them was tried with Kafka 4.1. It refuses a batch whose numbers do not add up, a codec that it does
not know, what does not unpack or is too large once it is unpacked (the topic is ``uncompressed``), a control batch, a
format before the second, and a time that is more than an hour ahead.
"""

import gzip
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import pytest

from tests.faults.kafka.load import Mix, Publisher
from tests.faults.kafka.oracle import check
from tests.faults.workers.processes import Fleet
from tests.kafka.log.raw import NOW_MS, Raw, batch, old, produce, written
from yggdrasil_infra.kafka_log.settings import KafkaSettings
from yggdrasil_producers.draft import Draft, Drafter
from yggdrasil_schemas.partitions import partition_for

PARTITIONS = 2
PARTITION: Final = partition_for(b"acme/coder", PARTITIONS)
UNNAMED: Final = (b"\xff\xfe", b"x")
LARGE: Final = 900_000
UNPACKED: Final = 8 << 20


def drafted(text: str) -> Draft:
    return Drafter("acme/coder", "tests", "tests").record_event(text, features=["odd"])


def odd(sound_ids: list[str]) -> dict[str, bytes]:
    """Batches that the broker takes; note the ids of the commands in them that are sound."""

    def sound(text: str, *headers: tuple[bytes | None, bytes | None]) -> Raw:
        draft = drafted(text)
        sound_ids.append(draft.id)
        return Raw(draft.key, draft.value, headers)

    zipped = sound("zipped", UNNAMED)
    return {
        "a name of a header is no UTF-8": batch([sound("one"), sound("two", UNNAMED), sound("three")]),
        "it is no UTF-8, and packed": batch([zipped], attributes=1, packed=gzip.compress(written(zipped, 0))),
        "values of headers that are read are null": batch(
            [sound("a", (b"traceparent", None), (b"yggdrasil-request", None))]
        ),
        "a header has an empty name and value": batch([sound("b", (b"", b""), (b"", None))]),
        "headers without number": batch([sound("c", *[(b"h", b"")] * 200_000)]),
        "a header of nearly a megabyte": batch([sound("d", (b"yggdrasil-request", b"x" * LARGE))]),
        "no key": batch([Raw(None, drafted("e").value)]),
        "a key that is no UTF-8": batch([Raw(b"\xff\x00", drafted("f").value)]),
        "a key of nearly a megabyte": batch([Raw(b"k" * LARGE, b"v")]),
        "no value": batch([Raw(b"acme/coder", None)]),
        "an empty value": batch([Raw(b"acme/coder", b"")]),
        "nothing at all": batch([Raw(None, None)]),
        "before 1970": batch([sound("g")], first_ms=-1),
        "before all years": batch([sound("h")], first_ms=-(1 << 62)),
        "times that fall within a batch": batch(
            [
                sound(
                    "i",
                ),
                Raw(b"k", b"v", later_ms=-NOW_MS),
            ]
        ),
        "marks that nobody knows": batch([sound("j")], attributes=0x7F80),
        "it says that brokers gave the time": batch([sound("k")], attributes=0x08),
    }


def refused() -> Mapping[str, bytes]:
    """Batches that the broker does not take: nobody has to read them."""
    never = drafted("never")
    one = Raw(never.key, never.value)
    bomb = Raw(one.key, bytes(UNPACKED))
    return {
        "no name": batch([Raw(b"k", b"v", [(None, b"")])]),
        "headers of a negative number": batch([Raw(b"k", b"v", header_count=-1)]),
        "fewer headers than it says": batch([Raw(b"k", b"v", header_count=2)]),
        "more headers than it says": batch([Raw(b"k", b"v", [(b"a", b"b")], 0)]),
        "no records": batch([one], packed=b"\xff" * 50),
        "more than records": batch([one], packed=written(one, 0) + b"xx"),
        "an unknown codec": batch([one], attributes=5),
        "it does not unpack": batch([one], attributes=4, packed=b"nonsense"),
        "it unpacks to far more": batch([bomb], attributes=1, packed=gzip.compress(written(bomb, 0))),
        "it unpacks to more than records": batch(
            [one], attributes=1, packed=gzip.compress(written(one, 0) + bytes(UNPACKED))
        ),
        "a control batch": batch([Raw(b"\0\0\0\1", bytes(6))], attributes=0x20),
        "a transaction without a producer": batch([one], attributes=0x10),
        "after all years": batch([one], first_ms=1 << 62),
        "format 0": old(0, b"k", b"v"),
        "format 1": old(1, b"k", b"v"),
    }


def test_no_batch_stops_a_partition(kafka: KafkaSettings, tmp_path: Path) -> None:
    mix = Mix("batches", PARTITIONS)
    sound_ids: list[str] = []
    with Fleet(kafka, tmp_path, PARTITIONS) as fleet, Publisher(kafka, fleet.topic, PARTITIONS) as publisher:
        fleet.start("a")
        for name, records in odd(sound_ids).items():
            code, _ = produce(kafka, fleet.topic, PARTITION, records)
            assert code == 0, name
            publisher.send(mix.take(10))
        acknowledged = publisher.settle() | {("acme/coder", each) for each in sound_ids}
        fleet.settle()
        fleet.stop()
        assert check(fleet, acknowledged).stores == PARTITIONS


@pytest.mark.parametrize("name", refused())
def test_what_a_broker_does_not_take(kafka: KafkaSettings, fleet: Fleet, name: str) -> None:
    code, _ = produce(kafka, fleet.topic, PARTITION, refused()[name])
    assert code != 0
    assert fleet.log.end_offset(PARTITION) == 0
