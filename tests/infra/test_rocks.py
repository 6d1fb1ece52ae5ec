"""The RocksDB wrapper: no short reads, no trust after a failed write, no lock left behind."""

import os
import re
import shutil
from collections.abc import Callable
from itertools import repeat
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from tests.harness.waiting import until
from yggdrasil_infra.rocks import database, scans
from yggdrasil_infra.rocks.database import (
    FrozenView,
    MemoryBudget,
    Rocks,
    StorageDamagedError,
    StorageError,
    StorageInUseError,
    StoragePoisonedError,
)

FAMILIES = ("a", "b")


def opened(path: Path, *, sync: bool = False, read_only: bool = False) -> Rocks:
    return Rocks(path, FAMILIES, MemoryBudget.of(), sync=sync, read_only=read_only)


def put(rocks: Rocks, *keys: bytes, family: str = "a", value: bytes = b"v" * 100) -> None:
    batch = rocks.batch()
    for key in keys:
        batch.put(family, key, value)
    rocks.write(batch)


def numbered(prefix: bytes, count: int) -> list[bytes]:
    return [prefix + number.to_bytes(8, "big") for number in range(count)]


def test_a_batch_puts_and_deletes_in_several_families_at_once(tmp_path: Path) -> None:
    with opened(tmp_path) as rocks:
        put(rocks, b"old")
        batch = rocks.batch()
        batch.put("a", b"new", b"1")
        batch.put("b", b"new", b"2")
        batch.delete("a", b"old")
        rocks.write(batch)
        assert (rocks.get("a", b"new"), rocks.get("b", b"new"), rocks.get("a", b"old")) == (b"1", b"2", None)


def test_many_are_put_and_deleted_as_one_is(tmp_path: Path) -> None:
    keys = numbered(b"k", 5)
    with opened(tmp_path) as rocks:
        batch = rocks.batch()
        batch.put_all("a", keys, [b"0", b"1", b"2", b"3", b"4"])
        batch.put_all("b", keys[:2], repeat(b""))
        batch.delete_all("a", keys[1:3])
        rocks.write(batch)
        assert rocks.scan("a", b"") == [(keys[0], b"0"), (keys[3], b"3"), (keys[4], b"4")]
        assert rocks.scan("b", b"") == [(keys[0], b""), (keys[1], b"")]


@pytest.mark.parametrize("prefix", [b"\x00\x00", b"\x00\xff", b"m", b"\xff\xff"])
def test_a_scan_returns_every_key_with_its_prefix_and_no_other(tmp_path: Path, prefix: bytes) -> None:
    """An iterator with an upper bound returned 1 of these 100: the bound was freed under it."""
    with opened(tmp_path) as rocks:
        mine = numbered(prefix, 100)
        put(rocks, *mine, b"\x00", b"\x00\x01", b"\x01\x00", b"l\xff", b"n", b"\xff", b"\xff\xfe\xff")
        for _ in range(2):
            assert [key for key, _ in rocks.scan("a", prefix)] == mine
            assert [key for key, _ in rocks.scan("a", prefix, mine[97])] == mine[97:]
            assert [key for key, _ in rocks.scan("a", prefix, b"")] == mine
            assert [key for key, _ in rocks.scan("a", prefix, mine[3], 4)] == mine[3:7]
            assert rocks.last("a", prefix) == (mine[-1], b"v" * 100)
            view = rocks.snapshot(FAMILIES)
            assert [key for key, _ in view.walk("a", prefix)] == mine
            view.close()
            rocks.flush()


def test_a_scan_back_begins_at_the_end_or_below_a_key(tmp_path: Path) -> None:
    with opened(tmp_path) as rocks:
        assert rocks.scan_back("a", 3) == []
        keys = numbered(b"k", 100)
        put(rocks, *keys)
        put(rocks, b"other", family="b")
        for _ in range(2):
            assert [key for key, _ in rocks.scan_back("a", 3)] == keys[:-4:-1]
            assert [key for key, _ in rocks.scan_back("a", 3, keys[50])] == [keys[49], keys[48], keys[47]]
            assert [key for key, _ in rocks.scan_back("a", 2, keys[50] + b"0")] == [keys[50], keys[49]]
            assert [key for key, _ in rocks.scan_back("a", 200, keys[5])] == keys[4::-1]
            assert rocks.scan_back("a", 1, keys[0]) == []
            rocks.flush()


def test_an_empty_prefix_is_the_whole_family(tmp_path: Path) -> None:
    with opened(tmp_path) as rocks:
        assert (rocks.scan("a", b""), rocks.last("a", b"")) == ([], None)
        put(rocks, b"1", b"2", b"\xff\xff")
        assert [key for key, _ in rocks.scan("a", b"")] == [b"1", b"2", b"\xff\xff"]
        assert rocks.last("a", b"") == (b"\xff\xff", b"v" * 100)
        assert rocks.scan("b", b"") == []


@pytest.mark.parametrize("prefix", [b"b", b"\xff"])
def test_a_prefix_without_keys_has_no_last_one_even_beside_a_full_neighbour(tmp_path: Path, prefix: bytes) -> None:
    with opened(tmp_path) as rocks:
        put(rocks, b"a1", b"a2", b"c")  # "c" is the very key that follows all keys with the prefix "b"
        assert rocks.last("a", prefix) is None


def test_a_view_does_not_change_when_the_database_does(tmp_path: Path) -> None:
    """rocksdict's own snapshot iterated over what was written after it."""
    with opened(tmp_path) as rocks:
        before = numbered(b"k", 1_300)
        put(rocks, *before)
        view = rocks.snapshot(FAMILIES)
        put(rocks, b"k", *numbered(b"kk", 20))
        put(rocks, *before[:50], value=b"overwritten")
        batch = rocks.batch()
        for key in before[600:700]:
            batch.delete("a", key)
        rocks.write(batch)
        put(rocks, b"k1", family="b")
        rocks.flush()
        rocks._families["a"].compact_range(None, None)
        assert list(view.walk("a", b"k")) == [(key, b"v" * 100) for key in before]
        assert list(view.walk("b", b"k")) == []
        assert len(rocks.scan("a", b"k")) == 1_300 - 100 + 21
        view.close()
        with pytest.raises(StorageError, match=r"view.*is closed"):
            list(view.walk("a", b"k"))


def test_two_scans_of_one_view_do_not_disturb_each_other(tmp_path: Path) -> None:
    with opened(tmp_path) as rocks:
        left, right = numbered(b"l", 1_100), numbered(b"r", 1_100)
        put(rocks, *left, *right)
        view = rocks.snapshot(FAMILIES)
        pairs = list(zip(view.walk("a", b"l"), view.walk("a", b"r"), strict=True))
        assert [(a[0], b[0]) for a, b in pairs] == list(zip(left, right, strict=True))
        view.close()


def test_flush_moves_every_family_to_tables(tmp_path: Path) -> None:
    with opened(tmp_path) as rocks:
        put(rocks, b"k", family="a")
        put(rocks, b"k", family="b")
        rocks.flush()
        assert len(list(tmp_path.glob("*.sst"))) == 2
        assert all(rocks.disk_bytes()[family] > 0 for family in FAMILIES)


def test_a_few_records_in_many_families_do_not_fill_the_buffers_that_all_share(tmp_path: Path) -> None:
    """By RocksDB's own block size, 13 families with next to nothing in them flushed at every write."""
    families = [f"family-{number}" for number in range(13)]
    with Rocks(tmp_path, families, MemoryBudget.of(8 << 20, 8 << 20)) as rocks:
        for number in range(200):
            batch = rocks.batch()
            for family in families:
                batch.put(family, b"%d" % number, b"v" * 20)
            rocks.write(batch)
        assert list(tmp_path.glob("*.sst")) == []


def test_families_move_to_tables_together(tmp_path: Path) -> None:
    """Then all of them are back at one moment when the WAL is lost, and none is ahead of the others."""
    sound, damaged = tmp_path / "sound", tmp_path / "damaged"
    with Rocks(sound, FAMILIES, MemoryBudget.of(8 << 20, 1 << 20)) as rocks:
        for number in range(700):
            batch = rocks.batch()
            batch.put("a", b"latest", b"%d" % number)
            batch.put("b", b"latest", b"%d" % number)
            batch.put("b", b"%d" % number, os.urandom(2_000))
            rocks.write(batch)
        rocks._db.cancel_all_background(True)  # so that the files hold still while they are copied
        rocks.poison("no background is left to close with")
        shutil.copytree(sound, damaged)
    assert list(damaged.glob("*.sst"))
    for wal in damaged.glob("*.log"):
        wal.unlink()
    with opened(damaged) as rocks:
        assert rocks.get("a", b"latest") == rocks.get("b", b"latest") != b"699"


@pytest.mark.parametrize(("sync", "advice"), [(True, "Restore it from a copy"), (False, "it is folded from the log")])
def test_a_flipped_byte_in_a_table_is_an_error_for_every_way_of_reading(
    tmp_path: Path, sync: bool, advice: str
) -> None:
    keys = numbered(b"k", 3_000)
    with opened(tmp_path, sync=sync) as rocks:
        for number, key in enumerate(keys):
            put(rocks, key, value=b"%d" % number * 20)
        rocks.flush()
    (table,) = tmp_path.glob("*.sst")
    stored = bytearray(table.read_bytes())
    stored[len(stored) // 2] ^= 0xFF
    table.write_bytes(stored)
    reads: list[Callable[[Rocks], object]] = [
        lambda rocks: rocks.scan("a", b"k"),
        lambda rocks: rocks.scan_back("a", 3_000),
        read_view,
        lambda rocks: [rocks.get("a", key) for key in keys],
    ]
    for read in reads:
        with opened(tmp_path, sync=sync) as rocks:
            with pytest.raises(StorageDamagedError, match=advice):
                read(rocks)
            with pytest.raises(StorageDamagedError, match=advice):
                read(rocks)  # and ever after
        (tmp_path / "DAMAGED").unlink(missing_ok=True)
    with opened(tmp_path, sync=sync) as rocks:
        assert len(rocks.scan("a", b"k", count=10)) == 10  # what is sound can still be read


def read_view(rocks: Rocks) -> None:
    view = rocks.snapshot(FAMILIES)
    try:
        list(view.walk("a", b"k"))
    finally:
        view.close()


@pytest.mark.parametrize(
    "read",
    [
        lambda rocks: rocks.get("a", b"k"),
        lambda rocks: rocks.scan("a", b"k"),
        lambda rocks: rocks.scan_back("a", 1),
        lambda rocks: rocks.last("a", b"k"),
        read_view,
    ],
    ids=["get", "scan", "back", "last", "view"],
)
def test_an_error_that_somebody_holds_does_not_hold_the_lock(tmp_path: Path, read: Callable[[Rocks], object]) -> None:
    """A traceback keeps the variables of its functions: a cursor among them kept the database open."""
    with opened(tmp_path) as rocks:
        put(rocks, b"k")
        rocks.flush()
    (table,) = tmp_path.glob("*.sst")
    stored = bytearray(table.read_bytes())
    stored[10] ^= 0xFF
    table.write_bytes(stored)
    with pytest.raises(StorageDamagedError) as held, opened(tmp_path) as rocks:
        read(rocks)
    (tmp_path / "DAMAGED").unlink()  # or it would not be opened for that
    opened(tmp_path).close()
    assert held.value is not None


@pytest.mark.parametrize("pattern", ["CURRENT", "MANIFEST-*", "*.sst"])
@pytest.mark.parametrize("read_only", [False, True], ids=["writer", "reader"])
def test_a_missing_file_is_damage_and_nothing_is_deleted(tmp_path: Path, pattern: str, read_only: bool) -> None:
    sound, damaged = tmp_path / "sound", tmp_path / "damaged"
    with opened(sound) as rocks:
        put(rocks, b"k")
        rocks.flush()
    shutil.copytree(sound, damaged)
    missing = [file.name for file in damaged.glob(pattern)]
    for name in missing:
        (damaged / name).unlink()
    with pytest.raises(StorageDamagedError):
        opened(damaged, read_only=read_only)
    for name in missing:
        shutil.copy(sound / name, damaged / name)
    with opened(damaged) as rocks:
        assert rocks.get("a", b"k") == b"v" * 100


def test_a_poisoned_database_refuses_to_write_and_can_be_read_and_closed(tmp_path: Path) -> None:
    with opened(tmp_path) as rocks:
        put(rocks, b"before")
        rocks.poison("state and store have parted")
        rocks.poison("a later reason does not hide the first")
        with pytest.raises(StoragePoisonedError, match=r"state and store have parted.*restart the process"):
            put(rocks, b"after")
        assert rocks.get("a", b"before") is not None
    with opened(tmp_path) as rocks:
        assert (rocks.get("a", b"before") is not None, rocks.get("a", b"after")) == (True, None)


def test_a_failed_write_poisons(tmp_path: Path) -> None:
    rocks = opened(tmp_path)
    rocks._db.close()  # underneath: the next write fails as it would on a broken disk
    with pytest.raises(StoragePoisonedError, match="a write failed"):
        put(rocks, b"k")
    with pytest.raises(StoragePoisonedError, match="an earlier write failed"):
        put(rocks, b"k")
    rocks.close()


def test_one_writer_and_readers_beside_it(tmp_path: Path) -> None:
    with opened(tmp_path, sync=True) as rocks:
        put(rocks, *numbered(b"k", 100))
        with pytest.raises(StorageInUseError, match="open in this process"):
            opened(tmp_path)
        with opened(tmp_path, read_only=True) as reader:
            assert len(reader.scan("a", b"k")) == 100
            with pytest.raises(StorageError):
                put(reader, b"other")
    opened(tmp_path).close()


def test_closing_releases_the_lock_though_a_batch_lives_on(tmp_path: Path) -> None:
    rocks = opened(tmp_path)
    batch = rocks.batch()
    batch.put("a", b"k", b"v")
    rocks.close()
    rocks.close()
    with opened(tmp_path) as again:
        assert again.get("a", b"k") is None
    assert batch.raw.len() == 1  # alive until here


def test_closing_releases_the_lock_though_somebody_reads_a_view(tmp_path: Path) -> None:
    rocks = opened(tmp_path)
    put(rocks, *numbered(b"k", 1_000))  # a page has 512
    view = rocks.snapshot(FAMILIES)
    walk = view.walk("a", b"")
    assert next(walk)[0] == numbered(b"k", 1)[0]
    rocks.close()
    with opened(tmp_path) as again:
        assert again.get("a", numbered(b"k", 1)[0])
    with pytest.raises(StorageError, match="is closed"):
        list(walk)
    view.close()


def test_a_signal_may_close_it_in_the_midst_of_a_read_of_its_thread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its handler waited for the read, which goes on when the handler is done."""
    rocks = opened(tmp_path)
    put(rocks, *numbered(b"k", 3))
    view = rocks.snapshot(FAMILIES)

    def forward(*args: Any) -> Any:
        rocks.close()
        return scans.forward(*args)

    monkeypatch.setattr(database, "forward", forward)
    read: list[object] = []
    thread = Thread(target=lambda: read.append(len(view.scan("a", b""))), daemon=True)  # or a hang would be for ever
    thread.start()
    until(lambda: read)
    thread.join()
    assert read == [3]
    with pytest.raises(StorageError, match="is closed"):
        view.scan("a", b"")
    opened(tmp_path).close()


def test_who_is_interrupted_while_it_is_closed_leaves_no_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It waits for a read under way; and who closes it once more is told that it is closed."""

    def interrupted(_: FrozenView) -> None:
        raise KeyboardInterrupt

    rocks = opened(tmp_path)
    view = rocks.snapshot(FAMILIES)
    with monkeypatch.context() as during:
        during.setattr(FrozenView, "close", interrupted)
        with pytest.raises(KeyboardInterrupt):
            rocks.close()
    view.close()
    rocks.close()
    opened(tmp_path).close()


def test_a_closed_database_says_so(tmp_path: Path) -> None:
    rocks = opened(tmp_path)
    batch = rocks.batch()
    rocks.close()
    for call in (
        lambda: rocks.get("a", b"k"),
        lambda: rocks.scan("a", b"k"),
        lambda: rocks.last("a", b"k"),
        lambda: rocks.snapshot(FAMILIES),
        lambda: rocks.write(batch),
    ):
        with pytest.raises(StorageError, match="is closed"):
            call()


def test_a_reader_of_nothing_creates_nothing(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="holds no database"):
        opened(tmp_path / "none", read_only=True)
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize(("sync", "syncs"), [(True, 10), (False, 0)])
def test_every_write_is_synced_if_asked_for(tmp_path: Path, sync: bool, syncs: int) -> None:
    with opened(tmp_path, sync=sync) as rocks:
        for key in numbered(b"k", 10):
            put(rocks, key)
        stats: str = rocks._db.property_value("rocksdb.stats") or ""
    (counted,) = re.findall(r"Cumulative WAL: (\d+) writes, (\d+) syncs", stats)
    assert counted == ("10", str(syncs))


def test_the_name_of_a_directory_does_not_decide_what_is_wrong_with_it(tmp_path: Path) -> None:
    """Any input error below a directory called lock was taken for one that is in use."""
    path = tmp_path / "lock"
    opened(path).close()
    (path / "CURRENT").write_text("MANIFEST-999999\n")
    with pytest.raises(StorageDamagedError):
        opened(path)


@pytest.mark.parametrize("mask", [4, 8 | 2])  # a plain record becomes one of a recycled file
@pytest.mark.parametrize("files", ["MANIFEST-*", "*.log"])
def test_what_would_be_read_for_ever_is_refused(tmp_path: Path, files: str, mask: int) -> None:
    """A flipped bit in a record's type: RocksDB read such a MANIFEST without end, and the whole process stood still."""
    with opened(tmp_path) as rocks:
        for key in numbered(b"k", 10):
            put(rocks, key)
        shutil.copytree(tmp_path, tmp_path / "copy")
    path = tmp_path / "copy"
    (file,) = path.glob(files)
    stored = bytearray(file.read_bytes())
    second = 7 + int.from_bytes(stored[4:6], "little")
    assert stored[second + 6] == 1
    stored[second + 6] ^= mask
    file.write_bytes(stored)
    with pytest.raises(StorageDamagedError, match=f"at byte {second} holds what is never written"):
        opened(path)
