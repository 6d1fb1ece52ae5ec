"""Unpacking overwrites nothing and goes on where it was interrupted; what a log has of an archive is named."""

import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.graph.commands import enable_version, event
from tests.graph.histories import MEMORIES
from tests.graph.list_log import ListLog
from tests.past.packed import MEMORY, by_hand, digests_of, life, logged, packed_in
from yggdrasil_infra.log import CommandLog, LogError, LogRecord, Receipt
from yggdrasil_processors.past import unpacking
from yggdrasil_processors.past.archive import Archive, ArchiveError
from yggdrasil_processors.past.packing import pack
from yggdrasil_processors.past.unpacking import Compared, MemoryThereError, check, compare, unpack
from yggdrasil_projections.graph.rules import FIRST
from yggdrasil_schemas.commands import system_memory
from yggdrasil_schemas.partitions import partition_for

ROOT = Path(__file__).parents[2]


class Breaks:
    """A log that fails once it has taken ``left`` records, as a disk does that is full."""

    def __init__(self, log: CommandLog, left: int) -> None:
        self._log = log
        self._left = left

    def __getattr__(self, name: str) -> object:
        return getattr(self._log, name)

    def append_dated(self, records: Iterable[tuple[bytes, bytes, int]]) -> list[Receipt]:
        receipts: list[Receipt] = []
        for record in records:
            if not self._left:
                raise LogError("no more")
            self._left -= 1
            receipts += self._log.append_dated([record])
        return receipts


@pytest.mark.parametrize("name", [None, "fork/one"])
def test_an_interrupted_one_goes_on(tmp_path: Path, name: str | None) -> None:
    archive = packed_in(tmp_path, life(3))
    count = archive.header.records
    assert count > 30
    checked = check(archive, tmp_path, name)
    with logged(tmp_path / "log", 2, [event("else").record(0, "some/body")]) as log:
        there = 0
        for more in (0, 1, 20, 7):
            broken: CommandLog = Breaks(log, more)  # type: ignore[assignment]  # pyright: ignore[reportAssignmentType]
            with pytest.raises(LogError, match="no more"):
                unpack(archive, checked, broken, tmp_path, name)
            there += more
        done = unpack(archive, checked, log, tmp_path, name)
        assert (done.there, done.appended, done.compared.same) == (there, count - there, True)
        again = unpack(archive, checked, log, tmp_path, name)
        assert (again.there, again.appended, again.compared.same) == (count, 0, True)


_KILLED = """
import os, sys
from pathlib import Path
from tests.past.packed import logged
from yggdrasil_processors.past import unpacking
from yggdrasil_processors.past.archive import Archive
here = Path(sys.argv[1])
unpacking._CHUNK = 7
archive, chunks = Archive(here / "archive"), 0
def progress(records):
    global chunks
    chunks += records == 7
    if chunks == 3:
        os.kill(os.getpid(), 9)
with logged(here / "log", 2) as log:
    unpacking.unpack(archive, unpacking.check(archive, here), log, here, None, progress)
"""


def test_one_that_was_killed_goes_on(tmp_path: Path) -> None:
    archive = pack(ListLog(life(3)), MEMORY, tmp_path / "archive", tmp_path)
    killed = subprocess.run([sys.executable, "-c", _KILLED, str(tmp_path)], cwd=ROOT, check=False)
    assert killed.returncode == -9
    with logged(tmp_path / "log", 2) as log:
        done = unpack(archive, check(archive, tmp_path / "other"), log, tmp_path / "other")
        assert (done.there, done.appended, done.compared.same) == (21, archive.header.records - 21, True)


def test_a_memory_that_is_there_is_left_as_it_is(tmp_path: Path) -> None:
    records = life(3)
    archive = packed_in(tmp_path, records)
    checked = check(archive, tmp_path)
    values = [entry.value for entry in archive.packed()]
    key, other = MEMORY.encode(), event("of its own").record(0, MEMORY).value or b""
    for number, there in enumerate(([other], [*values, other], [*values[:5], other], values[1:], [b"{"])):
        with logged(tmp_path / f"log-{number}", 3) as log:
            log.append_many((key, value) for value in there)
            with pytest.raises(MemoryThereError, match=f"{MEMORY} is in this log already"):
                unpack(archive, checked, log, tmp_path)
            assert log.end_offset(partition_for(key, 3)) == len(there)


def test_the_log_must_hold_to_the_versions_of_the_archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = packed_in(tmp_path, life(3))
    partition = partition_for(MEMORY.encode(), 3)
    with logged(tmp_path / "log", 3) as log:
        same = enable_version("same", 1, 1, partition).record(0, system_memory(partition))
        log.append_to(partition, same.key or b"", same.value or b"")
        assert unpack(archive, check(archive, tmp_path), log, tmp_path).compared.same
    newer = Archive(by_hand(tmp_path / "newer", archive, archive.entries(), versions=[(1, 1, 1), (5, 1, 2)]))
    checked = check(archive, tmp_path)
    with (
        logged(tmp_path / "other", 3) as log,
        pytest.raises(ArchiveError, match="schema version 1 with rules version 1 and schema version 1 with rules"),
    ):
        unpack(newer, checked, log, tmp_path)
    assert FIRST == (1, 1)


def compared(archive: Archive, values: Iterable[bytes | None], path: Path) -> Compared:
    """What a log of these values is, beside ``archive``."""
    records = [LogRecord(0, n, MEMORY.encode(), value, 0) for n, value in enumerate(values)]
    return compare(archive, check(archive, path), ListLog(records), path)


@pytest.fixture(scope="module")
def events(tmp_path_factory: pytest.TempPathFactory) -> Archive:
    """Ten events that name none of each other."""
    records = [event(f"event{n}", f"f{n % 3}").record(n, MEMORY) for n in range(10)]
    return packed_in(tmp_path_factory.mktemp("events"), records)


def named(found: Compared) -> list[tuple[str, int, int | None]]:
    return [(fault.what, fault.seq, fault.offset) for fault in found.faults]


def test_what_is_missing_altered_doubled_or_swapped_is_named(events: Archive, tmp_path: Path) -> None:
    values = [entry.value for entry in events.packed()]
    assert compared(events, values, tmp_path).same
    altered = values[4].replace(b'"f1"', b'"f2"')
    assert altered != values[4]
    other = event("other").record(0, MEMORY).value or b""
    swapped = [*values[:4], values[5], values[4], *values[6:]]
    cases: list[tuple[list[bytes], list[tuple[str, int, int | None]], int]] = [
        ([*values[:4], *values[5:]], [("missing", 5, None)], 0),
        (values[:9], [("missing", 10, None)], 0),
        ([], [("missing", n, None) for n in range(1, 11)], 0),
        ([*values[:4], altered, *values[5:]], [("altered", 5, 4)], 0),
        ([*values[:4], values[4] + b" ", *values[5:]], [("altered", 5, 4)], 0),
        ([*values[:4], b"{}", *values[5:]], [("missing", 5, None)], 0),
        (swapped, [("swapped", 6, 4)], 0),
        ([*values[:4], other, *values[4:]], [], 1),
        ([other, *values[:4], *values[5:]], [("missing", 5, None)], 1),
    ]
    for there, faults, added in cases:
        found = compared(events, there, tmp_path)
        assert (named(found), found.added, found.same) == (faults, added, False), there
    # Of a swap it is said which stands before what it came after: the one of the two that was later.


def test_what_no_memory_takes_notice_of_is_named_and_no_fault(events: Archive, tmp_path: Path) -> None:
    values = [entry.value for entry in events.packed()]
    reused = values[3].replace(b'"f0"', b'"f1"')
    found = compared(events, [*values[:4], values[2], b"{", *values[4:8], reused, *values[8:]], tmp_path)
    assert found.same
    assert (found.doubled, found.unreadable, found.faults) == ([4, 10], [5], [])
    found = compared(events, [*values, event("later").record(0, MEMORY).value or b""], tmp_path)
    assert found.same and not found.added, "what came after the last that was packed is not looked at"


def test_what_hangs_on_a_missing_one_is_refused_there(tmp_path: Path) -> None:
    cause = event("cause")
    records = [cause.record(0, MEMORY), event("effect", caused_by=("cause",)).record(1, MEMORY)]
    archive = packed_in(tmp_path, records)
    found = compared(archive, [records[1].value], tmp_path)
    assert named(found) == [("missing", 1, None), ("refused", 2, 0)]
    assert "unknown_event" in found.faults[1].detail


def test_many_faults_are_counted_and_few_are_named(
    events: Archive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unpacking, "NAMED_MAX", 3)
    first = next(events.packed()).value
    found = compared(events, [first, *[first] * 9], tmp_path)
    assert (len(found.faults), found.counts["missing"]) == (3, 9)
    assert (len(found.doubled), found.counts["doubled"]) == (3, 9)


def test_other_refused_commands_make_another_history_and_no_other_state(tmp_path: Path) -> None:
    records = life(4)
    archive = packed_in(tmp_path, records)
    checked = check(archive, tmp_path)
    values = [entry.value for entry in archive.packed()]
    refused = event("refused in the copy alone", informed_by=("nobody",)).record(0, MEMORY).value
    found = compared(archive, [values[0], refused, *values[1:]], tmp_path)
    assert (found.same, found.refused) == (True, "other")
    assert compared(archive, values, tmp_path).refused == "none"
    whole = compare(archive, checked, ListLog(records), tmp_path)
    assert (whole.same, whole.refused) == (True, "same")


def test_what_was_refused_at_the_end_is_in_the_digest_and_in_the_comparison(tmp_path: Path) -> None:
    said = event("one").record(0, MEMORY)
    refused = [event(f"refused{n}", informed_by=("nobody",)).record(n, MEMORY) for n in range(1, 4)]
    records = [said, refused[0], event("two").record(2, MEMORY), *refused[1:]]
    archive = packed_in(tmp_path, records)
    assert (archive.header.records, archive.header.refused) == (2, 3)
    checked = check(archive, tmp_path)
    for there, same in (
        (records, "same"),
        ([*records, event("three").record(0, MEMORY)], "same"),
        (records[:-1], "other"),
    ):
        found = compared(archive, [record.value for record in there], tmp_path)
        assert (found.same, found.refused, found.added) == (True, same, 0)
        assert (found.digest == checked.end.digest) == (same == "same")


def test_a_log_copied_to_another_partition_count_is_verified(tmp_path: Path) -> None:
    """As a mirror does it: every record, refused ones and all, in the order of each memory."""
    with logged(tmp_path / "one", 16, life(5)) as one, logged(tmp_path / "other", 3) as other:
        for partition in range(16):
            for record in one.read(partition, 0, 10_000):
                other.append(record.key or b"", record.value or b"")
        digests = digests_of(other, tmp_path / "other's")
        for number, memory in enumerate(MEMORIES):
            archive = pack(one, memory, tmp_path / f"archive-{number}", tmp_path)
            found = compare(archive, check(archive, tmp_path), other, tmp_path)
            assert (found.same, found.refused, archive.end().digest) == (True, "same", digests[memory])


def test_nothing_is_left_in_the_scratch_directory(tmp_path: Path) -> None:
    archive, scratch = packed_in(tmp_path, life(1, 50)), tmp_path / "scratch"
    scratch.mkdir()
    checked = check(archive, scratch)
    compare(archive, checked, ListLog(life(1, 50)), scratch)
    assert list(scratch.iterdir()) == []
