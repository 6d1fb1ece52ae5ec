"""A header whose name is no UTF-8 stops nobody: brokers take it, and its record is read as any other."""

import struct
from random import Random
from uuid import uuid4

import pytest
from aiokafka.record.memory_records import MemoryRecords
from crc32c import crc32c

from tests.kafka.log.raw import COVERED, Raw, batch, produce
from yggdrasil_infra.kafka_log.header_names import readable
from yggdrasil_infra.kafka_log.log import KafkaLog
from yggdrasil_infra.kafka_log.settings import KafkaSettings
from yggdrasil_infra.kafka_log.topics import create_topic
from yggdrasil_infra.trace import REQUEST

BAD = (b"\xff\xfe", b"x")
NAMED = (REQUEST.encode(), b"r-1")
EACH = [
    Raw(b"a", b"1", [BAD]),
    Raw(b"b", b"2"),
    Raw(None, b"3", [(b"", None), BAD, NAMED, (b"\xc3", b"")]),
    Raw(b"d", None, [NAMED, (b"ok\xf0\x9f", b"\xff" * 200)]),
    Raw(b"\xff", b"5", [("ü".encode(), b"\xff")]),
]


@pytest.mark.parametrize("together", [True, False], ids=["in one batch", "one by one"])
def test_records_are_read_whatever_the_names_of_their_headers(kafka: KafkaSettings, together: bool) -> None:
    topic = f"test-{uuid4().hex}.commands"
    create_topic(kafka, topic, 1, "development")
    for records in [EACH] if together else [[one] for one in EACH]:
        assert produce(kafka, topic, 0, batch(records))[0] == 0
    with KafkaLog(kafka, topic, "development") as log:
        for first in (0, 3):  # where a batch begins, and within it
            found = log.read(0, first, 10)
            assert [(one.offset, one.key, one.value) for one in found] == [
                (at, one.key, one.value) for at, one in enumerate(EACH)
            ][first:]
            assert [one.offset for one in found if one.trace is not None] == [at for at in (2, 3) if at >= first]


def test_a_parser_that_cannot_be_taught_reads_them_too() -> None:
    fetched = batch(EACH) + batch([Raw(b"k", b"v")]) + batch(EACH[:1])
    cut_off = fetched + batch(EACH)[:-3]
    for those in (fetched, cut_off):
        found = MemoryRecords(readable(those))
        read: list[tuple[bytes | None, bytes | None]] = []
        while found.has_next():
            one = found.next_batch()
            assert one is not None and one.validate_crc()
            read += [(record.key, record.value) for record in one]
        assert read == [(one.key, one.value) for one in (*EACH, Raw(b"k", b"v"), EACH[0])]


def test_what_is_sound_stays_as_it_is() -> None:
    sound = batch([one for one in EACH if BAD not in one.headers and b"ok\xf0\x9f" not in dict(one.headers)]) * 3
    assert readable(sound) is sound


def test_damage_stays_for_the_client_to_find() -> None:
    altered = bytearray(batch(EACH))
    altered[-1] ^= 1
    assert readable(bytes(altered)) == altered


def test_no_bytes_make_it_fail_or_go_on_for_ever() -> None:
    chance = Random(7)
    whole = batch(EACH)
    for _ in range(5_000):
        some = bytearray(whole)
        for _ in range(chance.randrange(1, 6)):
            some[chance.randrange(COVERED, len(some))] = chance.choice((0, 1, 0x7F, 0x80, 0xFF, chance.randrange(256)))
        assert readable(bytes(some)) in (some, readable(whole))
        struct.pack_into(">I", some, COVERED - 4, crc32c(bytes(some[COVERED:])))
        assert len(readable(bytes(some))) == len(some)
    assert readable(whole[:8] + struct.pack(">i", -100) + whole[12:])
