"""What is packed is unpacked to the same memory: at other partition counts, under other names, whatever was refused."""

from pathlib import Path

import orjson
import pytest

from tests.graph.commands import event
from tests.graph.histories import MEMORIES, TINY
from tests.graph.hosts import folded
from tests.graph.list_log import ListLog
from tests.past.packed import MEMORY, digests_of, life, logged, packed_in
from tests.size import turns
from yggdrasil_processors.auditing.replay import replay_as_of
from yggdrasil_processors.past.archive import Archive, ArchiveError, Packed, Refused
from yggdrasil_processors.past.packing import NothingToPackError, pack
from yggdrasil_processors.past.unpacking import check, compare, renamed, unpack
from yggdrasil_schemas.partitions import partition_for


@pytest.mark.parametrize("seed", range(turns(4, 100)))
@pytest.mark.parametrize(("before", "after"), [(16, 3), (3, 16)])
def test_at_another_partition_count_it_is_the_same_memory(tmp_path: Path, seed: int, before: int, after: int) -> None:
    with logged(tmp_path / "one", before, life(seed)) as one, logged(tmp_path / "other", after) as other:
        digests = digests_of(one, tmp_path / "replayed")
        for number, memory in enumerate(MEMORIES):
            archive = pack(one, memory, tmp_path / f"archive-{number}", tmp_path)
            checked = check(archive, tmp_path)
            assert checked.same and checked.end.digest == digests[memory]
            assert archive.header.refused, "a history in which nothing is refused shows nothing of that"
            done = unpack(archive, checked, other, tmp_path)
            assert (done.there, done.appended) == (0, archive.header.records)
            assert done.compared.same and done.compared.refused == "none"
            assert done.compared.digest == archive.header.alone.digest
            assert compare(archive, checked, one, tmp_path).refused == "same"
        alone = digests_of(other, tmp_path / "unpacked")
        assert alone.keys() == digests.keys()
        # Packed again from there, nothing was refused: so the digest is the very same.
        again = pack(other, MEMORY, tmp_path / "again", tmp_path)
        assert again.end().digest == again.header.alone.digest == alone[MEMORY]
        assert list(map(said, again.packed())) == list(map(said, Archive(tmp_path / "archive-0").packed()))


def said(entry: Packed) -> tuple[int, int, bytes]:
    return entry.seq, entry.timestamp_ms, entry.value


@pytest.mark.parametrize("seed", range(turns(3, 50)))
def test_under_another_name_it_is_what_it_would_be_had_it_been_said_there(tmp_path: Path, seed: int) -> None:
    records = life(seed)
    archive = packed_in(tmp_path, records)
    checked = check(archive, tmp_path, "fork/one")
    with logged(tmp_path / "log", 4) as log:
        done = unpack(archive, checked, log, tmp_path, "fork/one")
        assert done.compared.same and done.compared.memory == "fork/one"
        assert done.compared.partition == partition_for(b"fork/one", 4)
        digest = digests_of(log, tmp_path / "there")["fork/one"]
    there = [
        record._replace(key=b"fork/one", value=orjson.dumps(orjson.loads(record.value) | {"memory": "fork/one"}))
        for record in (records[entry.offset] for entry in archive.packed())
        if record.value
    ]
    assert folded(ListLog(there).records, tmp_path / "said there") == {"fork/one": digest}
    assert digest == done.compared.digest != archive.header.alone.digest


def test_bytes_seqs_offsets_and_times_are_kept_and_repetitions_are_not(tmp_path: Path) -> None:
    once, wide = event("once", "a"), event("wide", "b")
    spaced = wide.record(0, MEMORY)
    assert spaced.value is not None
    spaced = spaced._replace(value=spaced.value.replace(b":", b" :\n ", 1))  # as no writer of ours has it
    records = [once.record(0, MEMORY), event("other").record(1, MEMORIES[1]), once.record(2, MEMORY), spaced]
    log = ListLog(record._replace(timestamp_ms=70 + n) for n, record in enumerate(records))
    archive = pack(log, MEMORY, tmp_path / "archive", tmp_path)
    expected = [Packed(1, 0, 70, records[0].value or b""), Packed(2, 3, 73, spaced.value or b"")]
    assert list(archive.packed()) == expected
    assert (archive.header.records, archive.header.refused, archive.header.offsets) == (2, 0, (0, 4))
    checked = check(archive, tmp_path)
    assert checked.same and checked.end.digest == archive.header.alone.digest
    with logged(tmp_path / "log", 2) as there:
        unpack(archive, checked, there, tmp_path)
        found = there.read(partition_for(MEMORY.encode(), 2), 0, 10)
    assert [(record.value, record.timestamp_ms) for record in found] == [(one[3], one[2]) for one in expected]


def test_of_what_was_refused_nothing_but_its_answer_is_left(tmp_path: Path) -> None:
    secret = event("refused", "secret-word", informed_by=("nobody",))
    archive = packed_in(tmp_path, [event("one").record(0, MEMORY), secret.record(1, MEMORY)])
    entries = list(archive.entries())
    assert [type(entry) for entry in entries] == [Packed, Refused]
    assert isinstance(entries[1], Refused) and b"secret-word" not in entries[1].link
    assert check(archive, tmp_path).same
    assert archive.end().digest != archive.header.alone.digest


@pytest.mark.parametrize("at", [1, 7, 30])
def test_it_is_packed_as_far_as_a_seq(tmp_path: Path, at: int) -> None:
    records = life(1)
    archive = packed_in(tmp_path, records, at=at)
    assert archive.header.records == at
    checked = check(archive, tmp_path)
    assert checked.same
    assert checked.end.digest == replay_as_of(ListLog(records), tmp_path / "replayed", MEMORY, at)
    with logged(tmp_path / "log", 3) as log:
        assert unpack(archive, checked, log, tmp_path).compared.same
    assert compare(archive, checked, ListLog(records), tmp_path).same, "what came after it is not looked at"


def test_a_memory_that_is_not_there_is_not_packed(tmp_path: Path) -> None:
    refused = event("refused", informed_by=("nobody",))
    log = ListLog([TINY.record(0, MEMORY), refused.record(1, MEMORIES[1])])
    for memory, at, told in (
        ("no/body", None, "no accepted command of no/body"),
        (MEMORIES[1], None, "no accepted command of tenant/b"),
        (MEMORY, 2, "stands at seq 1, and 2 has not happened yet"),
    ):
        with pytest.raises(NothingToPackError, match=told):
            pack(log, memory, tmp_path / "archive", tmp_path, at)
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_overwritten_and_nothing_is_left_over(tmp_path: Path) -> None:
    there = tmp_path / "archive"
    there.write_text("mine")
    with pytest.raises(ArchiveError, match="exists already"):
        pack(ListLog(life(1)), MEMORY, there, tmp_path)
    assert there.read_text() == "mine" and list(tmp_path.iterdir()) == [there]


def test_a_log_without_its_beginning_is_not_packed(tmp_path: Path) -> None:
    with pytest.raises(ArchiveError, match="begins at offset 7: records were deleted"):
        pack(ListLog(life(1), start=7), MEMORY, tmp_path / "archive", tmp_path)


def test_a_record_that_a_longer_name_makes_too_large_stays_where_it_is(tmp_path: Path) -> None:
    fields = event("large").fields(MEMORY)
    fields["content"] = {"text": "x" * 131_072, "payload": {"more": ""}}
    fields["content"]["payload"]["more"] = "y" * (262_144 - len(orjson.dumps(fields)))
    record = event("large").record(0, MEMORY)._replace(value=orjson.dumps(fields))
    archive = packed_in(tmp_path, [record])
    assert renamed(record.value or b"", "t/a") != record.value
    with pytest.raises(ArchiveError, match="more than a command may have"):
        check(archive, tmp_path, "a-longer-tenant/a")


@pytest.mark.parametrize("name", ["", "one", "a/b/c", "_system/0", "a/\n", "a/" + "b" * 65])
def test_a_name_that_is_none_is_refused(tmp_path: Path, name: str) -> None:
    archive = packed_in(tmp_path, life(1, 50))
    with pytest.raises(ArchiveError, match="is no name for a memory"):
        check(archive, tmp_path, name)
