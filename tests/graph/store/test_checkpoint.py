"""Checkpoints: another host starts from one, folds on, and holds what a clean replay holds."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import pytest

from tests.graph.golden.fixed_history import fixed_history
from tests.graph.hosts import BUDGET, digests, folded, opened, projecting
from tests.graph.list_log import ListLog
from yggdrasil_infra.locks import DirectoryInUseError, DirectoryLock
from yggdrasil_infra.rocks.database import Rocks, StorageError
from yggdrasil_projections.graph.checkpoint.manifest import CheckpointError
from yggdrasil_projections.graph.checkpoint.restore import Restored, restore, set_aside, verify
from yggdrasil_projections.graph.checkpoint.taking import STORE, Checkpoint, begin, place, positions, take
from yggdrasil_projections.graph.store import families
from yggdrasil_projections.graph.store.projector import Projector
from yggdrasil_projections.graph.store.store import Pin

RECORDS = fixed_history(500)
PIN = Pin("topic-1", 1, 0)


@contextmanager
def folding(path: Path, position: int) -> Iterator[Projector]:
    """A store that has folded RECORDS up to ``position``."""
    with projecting(ListLog(RECORDS), path) as projector:
        fold_to(projector, position)
        yield projector


def fold_to(projector: Projector, position: int) -> None:
    while (at := projector.store.state.position) < position:
        projector.advance(min(40, position - at))


def taken(root: Path, home: Path, *at: int) -> list[Checkpoint]:
    """Checkpoints below ``root`` at the positions ``at``."""
    found: list[Checkpoint] = []
    for position in at:
        with folding(home, position) as projector:
            found.append(take(projector.store, root))
    return found


def restored(root: Path, into: Path) -> Restored:
    return restore(root, into, PIN, ListLog(RECORDS), BUDGET)


def names(directory: Path) -> list[str]:
    return [path.name for path in positions(directory)]


def content(path: Path) -> dict[str, tuple[int, bytes]]:
    return {str(file): (file.stat().st_mtime_ns, file.read_bytes()) for file in path.rglob("*") if file.is_file()}


@pytest.mark.parametrize("links", [True, False], ids=["linked", "copied"])
def test_another_host_starts_from_it_and_folds_on(tmp_path: Path, links: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not links:
        monkeypatch.setattr(os, "link", across_file_systems)
    (checkpoint,) = taken(tmp_path / "root", tmp_path / "one" / "0000", 300)
    assert checkpoint.path == tmp_path / "root" / "topic-1" / "0000" / f"{300:020d}"
    tables = [(checkpoint.path / STORE / name) for name in checkpoint.manifest.files if name.endswith(".sst")]
    assert tables
    assert {table.stat().st_nlink for table in tables} == ({2} if links else {1})
    shutil.rmtree(tmp_path / "one")
    assert restored(tmp_path / "root", tmp_path / "two" / "0000") == Restored(checkpoint, ())
    with projecting(ListLog(RECORDS), tmp_path / "two" / "0000") as projector:
        store = projector.store
        assert (store.state.position, store.state.folded) == (300, 300)
        assert digests(store) == folded(RECORDS[:300], tmp_path / "part")
        with folding(tmp_path / "part", 300) as replayed:
            assert store.refusals() == replayed.store.refusals() != []
            for memory in store.memories():
                assert store.identities(memory) == replayed.store.identities(memory)
        projector.catch_up()
        assert digests(store) == folded(RECORDS, tmp_path / "clean")
    assert sorted(path.name for path in (tmp_path / "two").iterdir()) == ["0000"]


def across_file_systems(*_: object, **__: object) -> None:
    raise OSError(18, "Invalid cross-device link")


def test_it_is_of_the_moment_when_it_was_begun_however_long_it_takes(tmp_path: Path) -> None:
    expected = folded(RECORDS[:200], tmp_path / "part")
    with folding(tmp_path / "home" / "0000", 200) as projector:
        pending = begin(projector.store, tmp_path / "root")
        fold_to(projector, 260)
        finished: list[Checkpoint] = []
        finishing = Thread(target=lambda: finished.append(pending.finish()))
        finishing.start()
        projector.catch_up()
        finishing.join()
        assert digests(projector.store) == folded(RECORDS, tmp_path / "clean")
    (checkpoint,) = finished
    assert (checkpoint.manifest.position, checkpoint.path.name) == (200, f"{200:020d}")
    assert {memory: entry.digest for memory, entry in checkpoint.manifest.memories.items()} == expected
    assert restored(tmp_path / "root", tmp_path / "new").checkpoint == checkpoint
    with opened(tmp_path / "new") as store:
        assert digests(store) == expected


def test_a_store_that_has_folded_nothing_can_be_started_from(tmp_path: Path) -> None:
    (checkpoint,) = taken(tmp_path / "root", tmp_path / "one", 0)
    assert restored(tmp_path / "root", tmp_path / "two").checkpoint == checkpoint
    assert folded(RECORDS, tmp_path / "two") == folded(RECORDS, tmp_path / "clean")


def test_the_newest_are_kept_and_another_hosts_later_one_is_left_alone(tmp_path: Path) -> None:
    root = tmp_path / "root"
    taken(root, tmp_path / "ahead", 450)
    taken(root, tmp_path / "behind", 100, 150, 200)
    assert names(place(root, PIN)) == [f"{at:020d}" for at in (450, 200, 150)]
    with folding(tmp_path / "behind", 300) as projector:
        take(projector.store, root, keep=1)
    assert names(place(root, PIN)) == [f"{at:020d}" for at in (450, 300)]
    assert sorted(os.listdir(place(root, PIN))) == [".lock", *sorted(names(place(root, PIN)))]


def test_the_same_position_again_takes_the_place_of_the_first(tmp_path: Path) -> None:
    root, home = tmp_path / "root", tmp_path / "home"
    (first,) = taken(root, home, 100)
    (first.path / STORE / "CURRENT").write_text("damaged")
    (second,) = taken(root, home, 100)
    assert second.path == first.path
    assert verify(second.path).position == 100
    assert len(os.listdir(place(root, PIN))) == 2  # with the lock


def test_one_at_a_time_and_an_abandoned_one_leaves_nothing(tmp_path: Path) -> None:
    root = tmp_path / "root"
    with folding(tmp_path / "home", 100) as projector:
        pending = begin(projector.store, root)
        with pytest.raises(CheckpointError, match="not finished yet"):
            begin(projector.store, root)
        pending.abandon()
        pending.abandon()
        assert not root.exists()
        with DirectoryLock(place(root, PIN), ".lock"), pytest.raises(DirectoryInUseError, match="in use by process"):
            take(projector.store, root)
        assert os.listdir(place(root, PIN)) == [".lock"]
        assert os.listdir(tmp_path / "home.checkpoint") == ["lock"]
        assert verify(take(projector.store, root).path).position == 100


def test_what_a_killed_process_left_is_removed(tmp_path: Path) -> None:
    root, home = tmp_path / "root", tmp_path / "home"
    for left_over in (place(root, PIN) / ".unfinished-abc", tmp_path / "home.checkpoint" / STORE):
        left_over.mkdir(parents=True)
        (left_over / "000012.sst").write_bytes(b"half of a tab")
    (checkpoint,) = taken(root, home, 100)
    assert sorted(os.listdir(place(root, PIN))) == [".lock", checkpoint.path.name]
    (tmp_path / "new.restoring").mkdir()
    (tmp_path / "new.restoring" / "000012.sst").write_bytes(b"half of a tab")
    assert restored(root, tmp_path / "new").checkpoint == checkpoint
    assert not (tmp_path / "new.restoring").exists()


def test_verifying_changes_nothing_and_reports_how_far_it_is(tmp_path: Path) -> None:
    seen: list[tuple[str, int, int]] = []
    with folding(tmp_path / "home", 200) as projector:
        path = take(projector.store, tmp_path / "root", progress=lambda *at: seen.append(at)).path
    assert [what for what, done, total in seen if done == total] == ["Computing digests", "Hashing files"]
    before, seen[:] = content(path), []
    manifest = verify(path, lambda *at: seen.append(at))
    assert content(path) == before
    assert [what for what, done, total in seen if done == total] == ["Verifying files", "Computing digests"]
    assert seen == sorted(seen, key=lambda at: (at[0] == "Computing digests", at[1]))
    assert manifest.size == sum(file.stat().st_size for file in (path / STORE).iterdir())


def test_a_memory_that_decayed_on_the_disk_is_told_by_the_digest_that_it_had(tmp_path: Path) -> None:
    """The hash of a file says only what was copied; the digest of an earlier checkpoint says what was folded."""
    root, home = tmp_path / "root", tmp_path / "home"
    (sound,) = taken(root, home, 200)
    with folding(home, 200) as projector:
        changed = projector.store.memories()[0]
        prefix = projector.store.frozen(changed).prefix
    with Rocks(home, families.ALL, BUDGET) as rocks:
        (key, row), *_ = rocks.scan(families.NODES, prefix)
        batch = rocks.batch()
        batch.put(families.NODES, key, row[:-1] + bytes([row[-1] ^ 1]))
        rocks.write(batch)
    shutil.copytree(sound.path, tmp_path / "sound")
    (decayed,) = taken(root, home, 200)
    with pytest.raises(CheckpointError, match=f"{changed} is not the memory that was written"):
        verify(decayed.path)
    assert verify(tmp_path / "sound") == sound.manifest


def test_a_store_is_never_overwritten(tmp_path: Path) -> None:
    root, home = tmp_path / "root", tmp_path / "graph" / "0000"
    taken(root, home, 100)
    with pytest.raises(CheckpointError, match="is there already; set it aside"):
        restored(root, home)
    assert set_aside(home) == tmp_path / "graph" / "0000.refused-1"
    assert restored(root, home).checkpoint is not None
    assert set_aside(home) == tmp_path / "graph" / "0000.refused-2"
    home.mkdir()
    assert restored(root, home).checkpoint is not None  # an empty directory is no store
    with opened(tmp_path / "graph" / "0000.refused-1") as aside:
        assert aside.state.position == 100


def test_one_that_is_removed_while_it_is_read_gives_way_to_the_newer_one(tmp_path: Path) -> None:
    root, home = tmp_path / "root", tmp_path / "home"
    (first,) = taken(root, home, 100)
    newer: list[Checkpoint] = []

    def meanwhile(what: str, done: int, total: int) -> None:
        if not newer:
            newer.extend(taken(root, home, 150, 200))

    found = restore(root, tmp_path / "new", PIN, ListLog(RECORDS), BUDGET, meanwhile)
    assert not first.path.exists()
    assert [path for path, _ in found.unfit] == [first.path]
    assert found.checkpoint == newer[1]


def test_where_there_is_none_nothing_is_made(tmp_path: Path) -> None:
    assert restored(tmp_path / "root", tmp_path / "new") == Restored(None, ())
    assert os.listdir(tmp_path) == []


def test_a_poisoned_or_closed_store_gives_none(tmp_path: Path) -> None:
    root = tmp_path / "root"
    with folding(tmp_path / "home", 100) as projector:
        projector.store._db.poison("the disk is full")
        with pytest.raises(StorageError, match="the disk is full"):
            take(projector.store, root)
    with pytest.raises(StorageError, match="is closed"):
        take(projector.store, root)
    assert not root.exists()
    taken(root, tmp_path / "home", 100)  # and its own lock is free


def test_a_checkpoint_that_fails_leaves_the_store_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "root").write_text("a file where a directory should be")
    with folding(tmp_path / "home", 100) as projector:
        with pytest.raises(CheckpointError, match="no checkpoint can be written below"):
            take(projector.store, tmp_path / "root")
        projector.catch_up()
        assert digests(projector.store) == folded(RECORDS, tmp_path / "clean")
        assert os.listdir(tmp_path / "home.checkpoint") == ["lock"]
