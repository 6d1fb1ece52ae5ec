"""The local log after a crash, and after damage to its files: whole, or an error that says so; never just shorter."""

import os
import random
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.contract.logs import everything, read_all
from tests.size import turns
from yggdrasil_infra.local_log.files import META, RECORDS, counter, database
from yggdrasil_infra.local_log.log import LocalLog
from yggdrasil_infra.local_log.record import frame, place
from yggdrasil_infra.log import LogDamagedError, LogError
from yggdrasil_infra.rocks.database import MemoryBudget, Rocks

RECORDS_COUNT = 120
SEED = 2026
FLIPS = turns(20, 40)
CUTS = turns(30, 60)


def value(number: int) -> bytes:
    return b"%d:" % number + bytes([number]) * (3 * number)


def filled(path: Path, *, flush: bool = False) -> Path:
    """Return a log as a crash leaves it: copied under its writer's hands, since closing empties the WAL."""
    origin = path.with_name(path.name + "-origin")
    with LocalLog.create_or_open(origin, partitions=2) as log:
        for number in range(RECORDS_COUNT):
            log.append(b"tenant/%d" % (number % 5), value(number))
        if flush:
            log.flush()
        shutil.copytree(origin, path)
    return path


def largest(path: Path, pattern: str) -> Path:
    return max(database(path).glob(pattern), key=lambda file: file.stat().st_size)


def raw(path: Path) -> Rocks:
    return Rocks(database(path), (META, RECORDS), MemoryBudget.of(), sync=True)


def flip(file: Path, at: int, mask: int = 0xFF) -> None:
    stored = bytearray(file.read_bytes())
    stored[at] ^= mask
    file.write_bytes(stored)


def read_everything(path: Path, *, read_only: bool) -> list[bytes | None]:
    opened = LocalLog.open_read_only(path) if read_only else LocalLog.create_or_open(path, partitions=2)
    with opened as log:
        return [record.value for record in everything(log)]


@pytest.mark.parametrize("read_only", [False, True], ids=["writer", "reader"])
@pytest.mark.parametrize("pattern", ["*.log", "*.sst"])
def test_a_flipped_bit_never_makes_the_log_shorter(tmp_path: Path, pattern: str, read_only: bool) -> None:
    sound = filled(tmp_path / "sound", flush=pattern == "*.sst")
    expected = read_everything(shutil.copytree(sound, tmp_path / "copy"), read_only=False)
    assert sorted(map(str, expected)) == sorted(str(value(number)) for number in range(RECORDS_COUNT))
    name = largest(sound, pattern).relative_to(sound)
    rng = random.Random(SEED)
    detected = 0
    for number in range(FLIPS):
        at, mask = rng.randrange((sound / name).stat().st_size), 1 << rng.randrange(8)
        damaged = shutil.copytree(sound, tmp_path / str(number))
        flip(damaged / name, at, mask)
        try:
            assert read_everything(damaged, read_only=read_only) == expected, f"byte {at}, mask {mask}"
        except LogDamagedError:
            detected += 1
    assert detected >= FLIPS * 3 // 4  # a table has some bytes that nobody needs, such as its statistics


def test_a_damaged_table_is_named_by_partition_and_offset(tmp_path: Path) -> None:
    path = filled(tmp_path / "log", flush=True)
    flip(largest(path, "*.sst"), 50)  # in the first block: partition 0, offset 0
    with LocalLog.create_or_open(path, partitions=2) as log:
        with pytest.raises(LogDamagedError, match=r"partition 0, at or after offset 0.*[Cc]hecksum"):
            log.read(0, 0, 1_000)
        assert len(read_all(log, 1)) == log.end_offset(1)  # the other partition is still there


def test_a_manifest_that_lost_its_end_is_refused_and_no_table_that_it_forgot_is_deleted(tmp_path: Path) -> None:
    """RocksDB deletes what it has forgotten as soon as it may write, and with it acknowledged records."""
    origin, sound = tmp_path / "origin", tmp_path / "sound"
    with LocalLog.create_or_open(origin, partitions=2) as log:
        for number in range(RECORDS_COUNT):
            log.append(b"tenant/%d" % (number % 5), value(number))
            if number % 50 == 0:
                log.flush()
    shutil.copytree(origin, sound)
    (manifest,) = database(sound).glob("MANIFEST-*")
    whole = manifest.read_bytes()
    tables = {file.name for file in database(sound).glob("*.sst")}
    refused = 0
    for end in range(0, len(whole), max(1, len(whole) // CUTS)):
        manifest.write_bytes(whole[:end])
        try:
            assert len(read_everything(shutil.copytree(sound, tmp_path / f"{end}"), read_only=False)) == RECORDS_COUNT
        except LogDamagedError:
            refused += 1
            assert {file.name for file in database(tmp_path / f"{end}").glob("*.sst")} == tables
            shutil.copyfile(database(origin) / manifest.name, database(tmp_path / f"{end}") / manifest.name)
            assert len(read_everything(tmp_path / f"{end}", read_only=False)) == RECORDS_COUNT
    assert refused > CUTS * 2 // 3


def test_damage_in_the_middle_of_the_wal_is_refused(tmp_path: Path) -> None:
    path = filled(tmp_path / "log")
    wal = largest(path, "*.log")
    flip(wal, wal.stat().st_size // 2)
    with pytest.raises(LogDamagedError, match="Restore it from a copy"):
        LocalLog.create_or_open(path, partitions=2)


def test_a_wal_that_was_cut_before_its_acknowledged_end_is_refused(tmp_path: Path) -> None:
    path = filled(tmp_path / "log")
    wal = largest(path, "*.log")
    os.truncate(wal, wal.stat().st_size - 1)
    for opening in (LocalLog.open_read_only, lambda path: LocalLog.create_or_open(path, partitions=2)):
        with pytest.raises(LogDamagedError, match=r"119 records, and 120 were acknowledged.*delete .*acknowledged"):
            opening(path)
    counter(path).unlink()  # what the message offers
    assert len(read_everything(path, read_only=False)) == 119


def test_a_wal_that_is_gone_is_noticed(tmp_path: Path) -> None:
    path = filled(tmp_path / "log")
    largest(path, "*.log").unlink()
    with pytest.raises(LogDamagedError):
        LocalLog.create_or_open(path, partitions=2)


def test_a_record_torn_by_a_crash_is_dropped_and_the_log_goes_on(tmp_path: Path) -> None:
    """A crash may leave any beginning of the record that was being written, which nobody was told of."""
    origin, longer = tmp_path / "origin", tmp_path / "longer"
    with LocalLog.create_or_open(origin, partitions=2) as log:
        for number in range(RECORDS_COUNT):
            log.append(b"tenant/%d" % (number % 5), value(number))
        acknowledged = counter(origin).read_bytes()
        start = largest(origin, "*.log").stat().st_size
        log.append(b"tenant/0", b"torn")
        shutil.copytree(origin, longer)
    counter(longer).write_bytes(acknowledged)
    wal = largest(longer, "*.log")
    for length in range(start, wal.stat().st_size):
        torn = shutil.copytree(longer, tmp_path / str(length))
        os.truncate(torn / wal.relative_to(longer), length)
        assert len(read_everything(torn, read_only=True)) == RECORDS_COUNT
        with LocalLog.create_or_open(torn, partitions=2) as log:
            receipt = log.append(b"tenant/0", b"after")
            assert read_all(log, receipt.partition)[-1].value == b"after"
            assert len(everything(log)) == RECORDS_COUNT + 1
        shutil.rmtree(torn)


KILLED = """if True:
    import os, signal, sys
    from pathlib import Path
    from yggdrasil_infra.local_log.log import LocalLog
    log = LocalLog.create_or_open(Path(sys.argv[1]), partitions=2)
    for number in range(int(sys.argv[2])):
        receipt = log.append(b"tenant/%d" % (number % 5), b"%d" % number)
        os.write(1, b"%d %d %d\\n" % (receipt.partition, receipt.offset, number))
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_killed_writer_leaves_all_that_it_acknowledged(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    for run, count in enumerate((1, 7, 300)):
        path = tmp_path / str(run)
        command = [sys.executable, "-c", KILLED, str(path), str(count)]
        answer = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=240)
        assert (answer.returncode, answer.stderr) == (-signal.SIGKILL, "")
        receipts = [tuple(map(int, line.split())) for line in answer.stdout.splitlines()]
        assert len(receipts) == count
        with LocalLog.create_or_open(path, partitions=2) as log:
            for partition, offset, number in receipts:
                assert log.read(partition, offset, 1)[0].value == b"%d" % number


@pytest.mark.parametrize("pattern", ["CURRENT", "MANIFEST-*", "*.sst"])
def test_a_missing_file_is_an_error_and_not_an_empty_log(tmp_path: Path, pattern: str) -> None:
    path = filled(tmp_path / "log", flush=True)
    for file in database(path).glob(pattern):
        file.unlink()
    for opening in (LocalLog.open_read_only, lambda path: LocalLog.create_or_open(path, partitions=2)):
        with pytest.raises(LogDamagedError, match="Restore it from a copy"):
            opening(path)


def put(rocks: Rocks, where: bytes, stored: bytes | None) -> None:
    batch = rocks.batch()
    if stored is None:
        batch.delete(RECORDS, where)
    else:
        batch.put(RECORDS, where, stored)
    rocks.write(batch)


CHANGES: dict[str, tuple[Callable[[Rocks], None], str]] = {
    "missing": (
        lambda rocks: put(rocks, place(0, 4), None),
        "partition 0, offset 4: an acknowledged record is missing",
    ),
    "changed": (
        lambda rocks: put(rocks, place(0, 4), (rocks.get(RECORDS, place(0, 4)) or b"")[:-1] + b"?"),
        "partition 0, offset 4: the record is not the one",
    ),
    "misplaced": (
        lambda rocks: put(rocks, place(0, 4), rocks.get(RECORDS, place(0, 5))),
        "partition 0, offset 4: the record is not the one",
    ),
    "cut": (lambda rocks: put(rocks, place(0, 4), b"short"), "partition 0, offset 4: the record is not the one"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_record_that_was_changed_behind_the_logs_back_is_named(tmp_path: Path, change: str) -> None:
    path = tmp_path / "log"
    with LocalLog.create_or_open(path, partitions=2) as log:
        for number in range(10):
            log.append_to(0, b"k", b"%d" % number)
    do, message = CHANGES[change]
    with raw(path) as rocks:
        do(rocks)
    counter(path).unlink()  # it would notice the missing one at opening already
    with LocalLog.create_or_open(path, partitions=2) as log:
        assert [record.value for record in log.read(0, 0, 4)] == [b"0", b"1", b"2", b"3"]
        assert [record.value for record in log.read(0, 5, 10)] == [b"5", b"6", b"7", b"8", b"9"]
        with pytest.raises(LogDamagedError, match=message):
            log.read(0, 0, 10)


def test_a_damaged_last_record_is_refused_at_opening(tmp_path: Path) -> None:
    path = filled(tmp_path / "log")
    with LocalLog.create_or_open(path, partitions=2) as log:
        last = place(1, log.end_offset(1) - 1)
    with raw(path) as rocks:
        put(rocks, last, frame(place(1, 0), 0, b"k", b"v"))
    with pytest.raises(LogDamagedError, match="partition 1, offset"):
        LocalLog.create_or_open(path, partitions=2)


def test_a_damaged_count_is_refused_with_a_way_out(tmp_path: Path) -> None:
    path = filled(tmp_path / "log")
    flip(counter(path), 7)
    with pytest.raises(LogDamagedError, match="delete this file to accept the log as it is"):
        LocalLog.create_or_open(path, partitions=2)
    counter(path).unlink()
    assert len(read_everything(path, read_only=False)) == RECORDS_COUNT


def test_the_key_and_the_value_cannot_run_into_each_other() -> None:
    where = place(0, 0)
    assert frame(where, 0, b"ab", b"c") != frame(where, 0, b"a", b"bc")
    assert issubclass(LogDamagedError, LogError)
