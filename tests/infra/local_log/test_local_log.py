"""What the local log promises beyond the port: one writer, readers beside it, a pinned shape."""

import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.contract.logs import everything, read_all
from yggdrasil_infra.local_log.files import META, RECORDS, counter, database
from yggdrasil_infra.local_log.log import PARTITIONS_MAX, LocalLog
from yggdrasil_infra.local_log.record import Acknowledged
from yggdrasil_infra.log import LogDamagedError, LogError, LogInUseError
from yggdrasil_infra.rocks.database import MemoryBudget, Rocks


def in_another_process(script: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run Python code that finds its arguments in sys.argv and the same packages as this process."""
    return subprocess.run(
        [sys.executable, "-c", script, *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "some" / "log"


@pytest.fixture
def log(path: Path) -> Iterator[LocalLog]:
    with LocalLog.create_or_open(path) as opened:
        yield opened


def raw(path: Path) -> Rocks:
    return Rocks(database(path), (META, RECORDS), MemoryBudget.of(), sync=True)


def test_a_second_writer_in_this_process_is_refused(log: LocalLog, path: Path) -> None:
    with pytest.raises(LogInUseError, match="open the log read-only"):
        LocalLog.create_or_open(path)
    log.append(b"k", b"v")  # the first one is not disturbed


def test_a_second_writer_in_another_process_is_refused_until_the_first_has_closed(log: LocalLog, path: Path) -> None:
    script = """if True:
        import sys
        from pathlib import Path
        from yggdrasil_infra.local_log.log import LocalLog
        with LocalLog.create_or_open(Path(sys.argv[1])) as log:
            log.append(b"k", b"from the other process")
    """
    refused = in_another_process(script, path)
    assert refused.returncode != 0
    assert "LogInUseError" in refused.stderr
    assert "already has its one writer. Stop that process" in refused.stderr
    log.close()
    assert in_another_process(script, path).returncode == 0
    with LocalLog.create_or_open(path) as again:
        assert [record.value for record in everything(again)] == [b"from the other process"]


def test_the_next_writer_waits_until_the_files_of_the_last_one_rest(
    log: LocalLog, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else it looks while RocksDB moves files as it closes, misses records, and says that the log is damaged."""
    log.append(b"k", b"v")
    closing = Rocks.close
    held: list[bool] = []

    def close(rocks: Rocks) -> None:
        closing(rocks)
        with pytest.raises(LogInUseError):
            Acknowledged(counter(path))
        held.append(True)

    monkeypatch.setattr(Rocks, "close", close)
    log.close()
    monkeypatch.undo()
    assert held == [True]
    LocalLog.create_or_open(path).close()


def test_a_reader_beside_the_writer_sees_what_was_durable_when_it_opened(log: LocalLog, path: Path) -> None:
    log.append(b"k", b"before")
    with LocalLog.open_read_only(path) as reader:
        log.append(b"k", b"after")
        assert (reader.topic_id, reader.partitions) == (log.topic_id, log.partitions)
        assert [record.value for record in everything(reader)] == [b"before"]
        with pytest.raises(LogError, match="read-only"):
            reader.append(b"k", b"v")
    with LocalLog.open_read_only(path) as later:
        assert [record.value for record in everything(later)] == [b"before", b"after"]


def test_a_reader_in_another_process_sees_the_same_records(log: LocalLog, path: Path) -> None:
    log.append_many((b"tenant/%d" % number, b"%d" % number) for number in range(500))
    script = """if True:
        import sys
        from pathlib import Path
        from yggdrasil_infra.local_log.log import LocalLog
        with LocalLog.open_read_only(Path(sys.argv[1])) as log:
            print(log.topic_id, *[len(log.read(partition, 0, 1000)) for partition in range(log.partitions)])
    """
    answer = in_another_process(script, path)
    expected = [log.topic_id, *[str(log.end_offset(partition)) for partition in range(log.partitions)]]
    assert (answer.stdout.split(), answer.stderr) == (expected, "")


def test_a_reader_keeps_reading_after_the_writer_has_merged_its_files(path: Path) -> None:
    with LocalLog.create_or_open(path) as log:
        for _ in range(3):  # files whose ranges of keys overlap, so that merging replaces them
            log.append_many((b"tenant/%d" % number, b"v") for number in range(200))
            log.flush()
    writer = raw(path)
    before = set(database(path).glob("*.sst"))
    with LocalLog.open_read_only(path) as reader:
        writer._families[RECORDS].compact_range(None, None)
        assert before - set(database(path).glob("*.sst")), "merging deleted no file that the reader knew"
        assert len(everything(reader)) == 600
    writer.close()


def test_readers_that_open_while_the_writer_writes_find_a_whole_log(path: Path) -> None:
    """A reader may meet files on their way out; it tries again rather than calling a sound log damaged."""
    script = """if True:
        import sys
        from pathlib import Path
        from yggdrasil_infra.local_log.log import LocalLog
        with LocalLog.create_or_open(Path(sys.argv[1])) as log:
            print("ready", flush=True)
            for number in range(400):
                log.append_many([(b"k", b"%d" % number)] * 50)
                if number % 50 == 0:
                    log.flush()
    """
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    writer = subprocess.Popen([sys.executable, "-c", script, str(path)], env=environment, stdout=subprocess.PIPE)
    assert writer.stdout is not None
    with writer, writer.stdout:
        assert writer.stdout.readline() == b"ready\n"
        seen = [0]
        while writer.poll() is None:
            with LocalLog.open_read_only(path) as reader:
                seen.append(len(everything(reader)))
    assert writer.returncode == 0
    assert seen == sorted(seen)
    with LocalLog.open_read_only(path) as reader:
        assert len(everything(reader)) == 20_000


def test_a_wal_is_deleted_once_its_records_are_in_a_table(log: LocalLog, path: Path) -> None:
    """The topic id is never written again: left in memory, it would keep the first WAL and all that follow."""
    for number in range(3):
        log.append(b"k", b"%d" % number)
        log._rocks._families[RECORDS].flush()  # as RocksDB does by itself, one family at a time
    assert len(list(database(path).glob("*.log"))) == 1


def test_reading_a_log_that_is_not_there_creates_nothing(path: Path) -> None:
    with pytest.raises(LogError, match="holds no database"):
        LocalLog.open_read_only(path)
    assert not path.exists()


@pytest.mark.parametrize("partitions", [0, -1, PARTITIONS_MAX + 1])
def test_a_partition_count_out_of_bounds_is_refused(path: Path, partitions: int) -> None:
    with pytest.raises(LogError, match=f"between 1 and {PARTITIONS_MAX}"):
        LocalLog.create_or_open(path, partitions)
    assert not path.exists()


def test_the_partition_count_is_fixed_at_creation(path: Path) -> None:
    LocalLog.create_or_open(path, partitions=3).close()
    with pytest.raises(LogError, match=r"has 3 partitions, and 4 were asked for.*open it with 3"):
        LocalLog.create_or_open(path, partitions=4)
    with LocalLog.open_read_only(path) as reader:
        assert reader.partitions == 3
    LocalLog.create_or_open(path, partitions=3).close()  # the refusal has released the lock


def test_a_log_is_taken_as_it_is_when_no_partition_count_is_asked_for(path: Path) -> None:
    LocalLog.create_or_open(path, partitions=7).close()
    with LocalLog.create_or_open(path) as log:
        assert log.partitions == 7
    with LocalLog.create_or_open(path.with_name("another")) as log:
        assert log.partitions == 4


def test_a_newer_format_is_refused(path: Path) -> None:
    LocalLog.create_or_open(path).close()
    with raw(path) as rocks:
        batch = rocks.batch()
        batch.put(META, b"format", (2).to_bytes(2, "big"))
        rocks.write(batch)
    with pytest.raises(LogError, match=r"format 2.*install a newer one"):
        LocalLog.create_or_open(path)
    with pytest.raises(LogError, match=r"format 2.*install a newer one"):
        LocalLog.open_read_only(path)


def test_a_creation_that_was_cut_short_is_completed(path: Path) -> None:
    raw(path).close()  # RocksDB is there, the topic id is not
    with pytest.raises(LogError, match="open it for writing once"):
        LocalLog.open_read_only(path)
    with LocalLog.create_or_open(path) as log:
        log.append(b"k", b"v")


def test_a_log_that_has_lost_its_topic_id_is_not_given_a_new_one(path: Path) -> None:
    with LocalLog.create_or_open(path) as log:
        log.append(b"k", b"v")
    with raw(path) as rocks:
        batch = rocks.batch()
        for key, _ in rocks.scan(META, b""):
            batch.delete(META, key)
        rocks.write(batch)
    with pytest.raises(LogDamagedError, match="lost its topic id"):
        LocalLog.create_or_open(path)


def test_the_clock_is_a_parameter(path: Path) -> None:
    ticks = iter(range(1_000, 2_000))
    with LocalLog.create_or_open(path, partitions=1, clock=lambda: next(ticks)) as log:
        log.append_many([(b"k", b"1"), (b"k", b"2")])
        log.append(b"k", b"3")
        assert [record.timestamp_ms for record in read_all(log, 0)] == [1_000, 1_000, 1_001]


def test_what_is_not_bytes_is_refused_without_harm(log: LocalLog) -> None:
    with pytest.raises(LogError, match="must be bytes, not str and bytes"):
        log.append("k", b"v")  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
    with pytest.raises(LogError, match="must be bytes, not bytes and NoneType"):
        log.append_many([(b"k", None)])  # type: ignore[list-item] # pyright: ignore[reportArgumentType]
    log.append(b"k", b"v")


FILL_THE_DISK = """if True:
    import resource, sys
    from pathlib import Path
    from yggdrasil_infra.local_log.log import LocalLog
    from yggdrasil_infra.log import LogError

    def refused(call):
        try:
            call()
        except LogError as error:
            return str(error)

    acknowledged = 0
    with LocalLog.create_or_open(Path(sys.argv[1]), partitions=1) as log:
        # No file may grow past this, as on a full disk: the kernel refuses the write.
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, resource.RLIM_INFINITY))
        while not refused(lambda: log.append(b"k", b"v" * 1_000)):
            acknowledged += 1
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        # There is room again, and still nothing is trusted.
        for call in (lambda: log.append(b"k", b"v"), lambda: log.read(0, 0, 1), lambda: log.end_offset(0)):
            assert "accepts nothing more" in refused(call)
    print(acknowledged)
"""


@pytest.mark.skipif(not hasattr(resource, "RLIMIT_FSIZE"), reason="needs a limit on the size of files")
def test_a_log_whose_disk_is_full_refuses_everything_and_keeps_what_it_acknowledged(path: Path) -> None:
    answer = in_another_process(FILL_THE_DISK, path)
    assert answer.stderr == ""
    acknowledged = int(answer.stdout)
    assert acknowledged > 10
    with LocalLog.create_or_open(path, partitions=1) as log:
        found = len(read_all(log, 0))
        assert found in (acknowledged, acknowledged + 1)  # the record that failed may have reached the file after all
        log.append(b"k", b"and it goes on")
        assert len(read_all(log, 0)) == found + 1
