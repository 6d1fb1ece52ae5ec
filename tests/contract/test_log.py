"""What every log promises, be it local or Kafka."""

import threading
from collections.abc import Callable, Iterator
from itertools import pairwise

import pytest

from tests.contract.logs import Logs, everything, read_all
from yggdrasil_infra.log import (
    ENTRY_BYTES_MAX,
    READ_BYTES_MAX,
    CommandLog,
    LogError,
    LogRecord,
    OffsetOutOfRangeError,
    Receipt,
)
from yggdrasil_schemas.partitions import partition_for


def one_key_per_partition(partitions: int) -> list[bytes]:
    keys: dict[int, bytes] = {}
    number = 0
    while len(keys) < partitions:
        key = b"tenant/%d" % number
        keys.setdefault(partition_for(key, partitions), key)
        number += 1
    return [keys[partition] for partition in range(partitions)]


def test_a_receipt_says_where_the_record_can_be_read(log: CommandLog) -> None:
    receipt = log.append(b"tenant/agent", b"hello")
    (record,) = log.read(receipt.partition, receipt.offset, 10)
    assert (record.partition, record.offset) == (receipt.partition, receipt.offset)
    assert (record.key, record.value) == (b"tenant/agent", b"hello")
    assert record.timestamp_ms > 0
    assert log.end_offset(receipt.partition) > receipt.offset


@pytest.mark.parametrize(
    ("key", "value"),
    [(b"", b""), (b"", b"v"), (b"k", b""), (b"\x00\xff\x00", bytes(range(256))), (b"k" * 1000, b"v" * 100_000)],
    ids=["empty", "empty-key", "empty-value", "any-bytes", "long"],
)
def test_bytes_come_back_as_they_went_in_and_never_as_none(log: CommandLog, key: bytes, value: bytes) -> None:
    receipt = log.append(key, value)
    (record,) = log.read(receipt.partition, receipt.offset, 1)
    assert (record.key, record.value) == (key, value)


@pytest.mark.parametrize("partitions", [1, 3, 4])
def test_a_record_lies_in_the_murmur2_partition_of_its_key(logs: Logs, partitions: int) -> None:
    log = logs.fresh(partitions)
    assert log.partitions == partitions
    for number in range(40):
        key = b"tenant/%d" % number
        assert log.append(key, b"v").partition == partition_for(key, partitions)
    assert {record.partition for record in everything(log)} == set(range(partitions))


def test_a_partition_keeps_the_order_of_appending(log: CommandLog) -> None:
    keys = one_key_per_partition(log.partitions)
    for number in range(80):
        log.append(keys[number % len(keys)], b"%d" % number)
    for partition in range(log.partitions):
        records = read_all(log, partition, records_max=7)
        assert [record.value for record in records] == [b"%d" % n for n in range(partition, 80, len(keys))]
        assert all(a.offset < b.offset for a, b in pairwise(records))
        assert {record.key for record in records} == {keys[partition]}


def test_reading_begins_at_any_offset(log: CommandLog) -> None:
    receipts = [log.append(b"k", b"%d" % number) for number in range(20)]
    for number, receipt in enumerate(receipts):
        records = log.read(receipt.partition, receipt.offset, 5)
        assert records[0].value == b"%d" % number
        assert 1 <= len(records) <= 5
    assert read_all(log, receipts[0].partition, 1) == read_all(log, receipts[0].partition, 1000)


def test_an_empty_partition_begins_where_it_ends(log: CommandLog) -> None:
    full = log.append(b"k", b"v").partition
    for partition in set(range(log.partitions)) - {full}:
        assert log.start_offset(partition) == log.end_offset(partition)
        assert list(log.read(partition, log.end_offset(partition), 10)) == []


def test_nothing_is_read_at_the_end(log: CommandLog) -> None:
    partition = log.append(b"k", b"v").partition
    assert list(log.read(partition, log.end_offset(partition), 10)) == []


@pytest.mark.parametrize("place", [lambda log: log.start_offset(0) - 1, lambda log: log.end_offset(0) + 1])
def test_an_offset_that_the_log_does_not_hold_is_an_error(log: CommandLog, place: Callable[[CommandLog], int]) -> None:
    log.append_to(0, b"k", b"v")
    with pytest.raises(OffsetOutOfRangeError, match="partition 0"):
        log.read(0, place(log), 10)


@pytest.mark.parametrize("partition", [-1, 4])
def test_a_partition_that_the_log_does_not_have_is_an_error(log: CommandLog, partition: int) -> None:
    calls: list[Callable[[], object]] = [
        lambda: log.start_offset(partition),
        lambda: log.end_offset(partition),
        lambda: log.read(partition, 0, 1),
        lambda: log.append_to(partition, b"k", b"v"),
    ]
    for call in calls:
        with pytest.raises(LogError, match=str(partition)):
            call()
    assert everything(log) == []


def test_append_to_puts_a_record_where_its_key_does_not_belong(log: CommandLog) -> None:
    other = (partition_for(b"k", log.partitions) + 1) % log.partitions
    receipt = log.append_to(other, b"k", b"v")
    assert receipt.partition == other
    assert [(record.key, record.value) for record in read_all(log, other)] == [(b"k", b"v")]


def test_append_many_takes_a_generator_and_answers_in_its_order(log: CommandLog) -> None:
    keys = one_key_per_partition(log.partitions)
    receipts = log.append_many((keys[number % 3], b"%d" % number) for number in range(2_500))
    assert len(set(receipts)) == 2_500
    for number in (0, 1, 999, 1_000, 1_001, 2_499):
        (record,) = log.read(receipts[number].partition, receipts[number].offset, 1)
        assert (record.key, record.value) == (keys[number % 3], b"%d" % number)
    for partition in range(3):
        values = [record.value for record in read_all(log, partition, 1_000)]
        assert values == [b"%d" % number for number in range(partition, 2_500, 3)]


def test_what_was_in_another_log_keeps_its_timestamps(log: CommandLog) -> None:
    before = log.append(b"k", b"now")
    (now,) = log.read(before.partition, before.offset, 1)
    receipts = log.append_dated([(b"k", b"first", 1_700_000_000_000), (b"k", b"second", 5), (b"k", b"third", -1)])
    records = log.read(before.partition, receipts[0].offset, 3)
    assert [record.value for record in records] == [b"first", b"second", b"third"]
    assert [record.timestamp_ms for record in records[:2]] == [1_700_000_000_000, 5]
    assert records[2].timestamp_ms >= now.timestamp_ms


def test_append_many_of_nothing_appends_nothing(log: CommandLog) -> None:
    assert log.append_many([]) == []
    assert everything(log) == []


def test_append_many_acknowledges_nothing_when_the_generator_fails(log: CommandLog) -> None:
    def broken() -> Iterator[tuple[bytes, bytes]]:
        yield b"k", b"first"
        raise KeyError("no more")

    with pytest.raises(KeyError):
        log.append_many(broken())
    receipt = log.append(b"k", b"later")
    assert log.read(receipt.partition, receipt.offset, 1)[0].value == b"later"


def test_a_record_that_is_too_large_is_refused_before_anything_is_written(log: CommandLog) -> None:
    with pytest.raises(LogError, match=str(ENTRY_BYTES_MAX)):
        log.append(b"k", b"v" * ENTRY_BYTES_MAX)
    with pytest.raises(LogError, match=str(ENTRY_BYTES_MAX)):
        log.append_to(1, b"k", b"v" * ENTRY_BYTES_MAX)
    with pytest.raises(LogError, match=str(ENTRY_BYTES_MAX)):
        log.append_many([(b"k", b"small"), (b"k", b"v" * ENTRY_BYTES_MAX)])
    assert everything(log) == []
    log.append(b"k", b"v" * (ENTRY_BYTES_MAX - 1))
    assert len(everything(log)) == 1


def test_threads_that_append_together_lose_nothing_and_keep_their_order(log: CommandLog) -> None:
    threads_count, each = 8, 60
    start = threading.Barrier(threads_count)
    receipts: list[list[Receipt]] = [[] for _ in range(threads_count)]

    def work(worker: int) -> None:
        start.wait()
        for number in range(each):
            receipts[worker].append(log.append(b"tenant/%d" % worker, b"%d:%d" % (worker, number)))

    threads = [threading.Thread(target=work, args=(worker,)) for worker in range(threads_count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    stored = {Receipt(record.partition, record.offset): record for record in everything(log)}
    assert len(stored) == threads_count * each
    for worker, own in enumerate(receipts):
        assert [stored[receipt].value for receipt in own] == [b"%d:%d" % (worker, number) for number in range(each)]
        assert all(a.offset < b.offset for a, b in pairwise(own))


def test_an_acknowledged_record_can_be_read_at_once_while_others_append(log: CommandLog) -> None:
    stop = threading.Event()

    def noise() -> None:
        while not stop.is_set():
            log.append(b"noise", b"v")

    thread = threading.Thread(target=noise)
    thread.start()
    try:
        for number in range(100):
            receipt = log.append(b"noise", b"mine %d" % number)
            assert log.end_offset(receipt.partition) > receipt.offset
            assert log.read(receipt.partition, receipt.offset, 1)[0].value == b"mine %d" % number
    finally:
        stop.set()
        thread.join()


def test_a_log_that_is_opened_anew_is_the_same_log(logs: Logs) -> None:
    log = logs.fresh(partitions=3)
    log.append_many((b"tenant/%d" % number, b"%d" % number) for number in range(50))
    before: list[LogRecord] = everything(log)
    topic_id, ends = log.topic_id, [log.end_offset(partition) for partition in range(3)]

    again = logs.reopen(log)

    assert (again.topic_id, again.partitions) == (topic_id, 3)
    assert [again.end_offset(partition) for partition in range(3)] == ends
    assert everything(again) == before
    receipt = again.append(b"tenant/1", b"next")
    assert receipt.offset >= ends[receipt.partition]


def test_two_logs_have_different_topic_ids(logs: Logs) -> None:
    assert logs.fresh(partitions=1).topic_id != logs.fresh(partitions=1).topic_id


def test_closing_twice_is_allowed_and_a_closed_log_refuses(log: CommandLog) -> None:
    log.append(b"k", b"v")
    log.close()
    log.close()
    with pytest.raises(LogError, match="closed"):
        log.append(b"k", b"v")
    with pytest.raises(LogError, match="closed"):
        log.read(0, 0, 1)


def test_a_read_brings_no_more_into_memory_than_it_may(log: CommandLog) -> None:
    receipts = log.append_many((b"k", bytes([number]) * 900_000) for number in range(24))
    records = log.read(receipts[0].partition, receipts[0].offset, 500)
    assert sum(len(record.value or b"") for record in records) < READ_BYTES_MAX + ENTRY_BYTES_MAX
    assert [(record.value or b"")[:1] for record in read_all(log, receipts[0].partition, 500)] == [
        bytes([number]) for number in range(24)
    ]
