"""Group commit: who waits together is written together, and hears the same."""

import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from yggdrasil_infra.local_log.files import create
from yggdrasil_infra.local_log.group_commit import GROUP_BYTES_MAX, GROUP_RECORDS_MAX, Entry, GroupCommit
from yggdrasil_infra.local_log.log import LocalLog
from yggdrasil_infra.local_log.record import Acknowledged
from yggdrasil_infra.log import LogError, Receipt
from yggdrasil_infra.rocks.batch import Batch
from yggdrasil_infra.rocks.database import MemoryBudget, Rocks

WAITING = 15


class Writer:
    """Writes nothing, remembers groups, and holds the first of them until ``waiting`` requests are queued behind it."""

    def __init__(self, waiting: int, fails: Callable[[int], bool] = lambda group: False) -> None:
        self.groups: list[int] = []
        self.commit = GroupCommit(self.write)
        self._waiting = waiting
        self._fails = fails
        self._written = 0

    def write(self, entries: list[Entry]) -> list[Receipt]:
        self.groups.append(len(entries))
        while len(self.groups) == 1 and self.commit.queued < self._waiting:
            os.sched_yield()
        if self._fails(len(self.groups)):
            raise OSError("the disk is gone")
        receipts = [Receipt(entry.partition, self._written + number) for number, entry in enumerate(entries)]
        self._written += len(entries)
        return receipts


def together(submit: Callable[[int], object], count: int) -> list[object]:
    """Call ``submit`` in ``count`` threads and return what each got, its error included."""
    answers: list[object] = [None] * count

    def work(number: int) -> None:
        try:
            answers[number] = submit(number)
        except LogError as error:
            answers[number] = error

    threads = [threading.Thread(target=work, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers


def entries(count: int, size: int = 1) -> list[Entry]:
    return [Entry(0, b"", b"v" * size)] * count


def test_all_that_wait_share_one_write() -> None:
    writer = Writer(waiting=WAITING)
    answers = together(lambda _: writer.commit.submit(entries(1)), WAITING + 1)
    assert writer.groups == [1, WAITING]
    assert sorted(answers, key=str) == sorted(([Receipt(0, number)] for number in range(WAITING + 1)), key=str)


def test_a_group_has_a_bound_on_its_records_and_no_request_is_split() -> None:
    writer = Writer(waiting=WAITING)
    each = GROUP_RECORDS_MAX // 3
    together(lambda _: writer.commit.submit(entries(each)), WAITING + 1)
    assert writer.groups == [each] + [3 * each] * (WAITING // 3)


def test_a_group_has_a_bound_on_its_bytes_and_holds_at_least_one_request() -> None:
    writer = Writer(waiting=WAITING)
    together(lambda _: writer.commit.submit(entries(1, GROUP_BYTES_MAX)), WAITING + 1)
    assert writer.groups == [1] * (WAITING + 1)


def test_every_caller_hears_of_a_failed_write_and_nothing_is_written_after_it() -> None:
    writer = Writer(waiting=WAITING, fails=lambda group: group == 1)
    answers = together(lambda _: writer.commit.submit(entries(1)), WAITING + 1)
    assert [type(answer) for answer in answers] == [LogError] * (WAITING + 1)
    assert all("the disk is gone" in str(answer) for answer in answers)
    assert writer.groups == [1]
    with pytest.raises(LogError, match="the disk is gone"):
        writer.commit.submit(entries(1))


def test_who_was_acknowledged_before_a_failed_write_stays_so() -> None:
    writer = Writer(waiting=WAITING, fails=lambda group: group == 2)
    answers = together(lambda _: writer.commit.submit(entries(1)), WAITING + 1)
    assert writer.groups == [1, WAITING]
    assert answers.count([Receipt(0, 0)]) == 1
    assert sum(isinstance(answer, LogError) for answer in answers) == WAITING


def test_an_interrupt_while_writing_reaches_the_leader_and_poisons() -> None:
    def interrupted(_: list[Entry]) -> list[Receipt]:
        raise KeyboardInterrupt

    commit = GroupCommit(interrupted)
    with pytest.raises(KeyboardInterrupt):
        commit.submit(entries(1))
    with pytest.raises(LogError, match="KeyboardInterrupt"):
        commit.submit(entries(1))
    commit.close()


class CountingRocks(Rocks):
    """Counts synced writes, and holds the first until the others wait for it."""

    log: LocalLog | None = None
    writes = 0

    def write(self, batch: Batch) -> None:
        if self.log is not None:
            self.writes += 1
            while self.writes == 1 and self.log._commit.queued < WAITING:
                os.sched_yield()
        super().write(batch)


def test_threads_that_append_to_the_local_log_share_a_sync(tmp_path: Path) -> None:
    rocks = CountingRocks(tmp_path / "records", ("meta", "records"), MemoryBudget.of(), sync=True)
    log = LocalLog(rocks, create(rocks, 4, 0), Acknowledged(tmp_path / "acknowledged"))
    rocks.log = log
    answers = together(lambda number: log.append(b"tenant/%d" % number, b"%d" % number), WAITING + 1)
    assert rocks.writes == 2
    for number, receipt in enumerate(answers):
        assert isinstance(receipt, Receipt)
        assert log.read(receipt.partition, receipt.offset, 1)[0].value == b"%d" % number
    log.close()
    assert Acknowledged.count(tmp_path / "acknowledged") == WAITING + 1


def test_a_reader_does_not_see_a_record_before_its_write_has_ended(tmp_path: Path) -> None:
    seen: list[int] = []

    class PeekingRocks(Rocks):
        log: LocalLog | None = None

        def write(self, batch: Batch) -> None:
            super().write(batch)
            if self.log is not None:  # in RocksDB it is by now; the log has not said so yet
                seen.append(self.log.end_offset(0))
                seen.append(len(self.log.read(0, 0, 10)))

    rocks = PeekingRocks(tmp_path / "records", ("meta", "records"), MemoryBudget.of(), sync=True)
    log = LocalLog(rocks, create(rocks, 1, 0), Acknowledged(tmp_path / "acknowledged"))
    rocks.log = log
    log.append(b"k", b"v")
    assert seen == [0, 0]
    assert log.end_offset(0) == 1
    log.close()
