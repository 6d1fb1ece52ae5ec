"""Checkpoints that are damaged, cut short or killed while they are made: what bears a name is whole, or is refused."""

import os
import shutil
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.faults.local.checkpoints import HISTORY, PIN
from tests.faults.local.load import no_space
from tests.faults.local.oracle import Child
from tests.graph.hosts import BUDGET, digests, folded, projecting
from tests.graph.list_log import ListLog
from tests.size import turns
from yggdrasil_infra.rocks.database import StorageError
from yggdrasil_projections.graph.checkpoint.manifest import CheckpointDamagedError, CheckpointError
from yggdrasil_projections.graph.checkpoint.restore import restore, verify
from yggdrasil_projections.graph.checkpoint.taking import STORE, begin, positions, take

SEED = 90_210
RECORDS = HISTORY[:400]
LOG = ListLog(RECORDS)
PLACE = Path("topic-1", "0000")
CHANGES = {"open", "os.chmod", "os.link", "os.mkdir", "os.remove", "os.rename", "os.rmdir", "shutil.rmtree"}
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT
UNPLACED = {"os.remove", "os.rmdir"}  # a tree is removed by names within it


def two_taken(path: Path) -> Path:
    """Checkpoints at offsets 100 and 200."""
    with projecting(LOG, path / "home") as projector:
        for _ in range(2):
            projector.advance(100)
            take(projector.store, path / "root")
    return path / "root"


def all_are_whole(root: Path) -> list[int]:
    """Verify whatever bears the name of a position; return the positions."""
    return [verify(path).position for path in positions(root / PLACE)]


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return folded(RECORDS, tmp_path_factory.mktemp("clean"))


def test_damage_to_any_file_is_told_by_its_name(tmp_path: Path, expected: dict[str, str]) -> None:
    root, rng = two_taken(tmp_path), Random(SEED)
    newest, older = positions(root / PLACE)
    files = sorted(file for file in newest.rglob("*") if file.is_file())
    assert len(files) >= 15
    for file in files:
        sound = file.read_bytes()
        spoils = [None, sound + b"\x00"]
        if sound:
            at = rng.randrange(len(sound))
            spoils += [sound[:at], sound[:at] + bytes([sound[at] ^ 1 << rng.randrange(8)]) + sound[at + 1 :]]
        for spoil in spoils:
            file.unlink(missing_ok=True)  # its bytes are those of the store as well
            if spoil is not None:
                file.write_bytes(spoil)
            with pytest.raises(CheckpointDamagedError, match=file.name):
                verify(newest)
        found = restore(root, tmp_path / "new", PIN, LOG, BUDGET)
        assert [path for path, reason in found.unfit if file.name in reason] == [newest]
        assert found.checkpoint is not None
        assert found.checkpoint.path == older
        shutil.rmtree(tmp_path / "new")
        file.write_bytes(sound)
    assert restore(root, tmp_path / "new", PIN, LOG, BUDGET).unfit == ()
    assert folded(RECORDS, tmp_path / "new") == expected


def test_a_flipped_bit_is_told_wherever_it_is_and_the_one_before_is_taken(
    tmp_path: Path, expected: dict[str, str]
) -> None:
    root, rng = two_taken(tmp_path), Random(SEED)
    newest, older = positions(root / PLACE)
    files = [file for file in sorted(newest.rglob("*")) if file.is_file() and file.stat().st_size]
    sizes = [max(file.stat().st_size, 2_000) for file in files]  # small ones, of which there are many, count as well
    for file in rng.choices(files, sizes, k=turns(20, 1_000)):
        sound = file.read_bytes()
        at, mask = rng.randrange(len(sound)), 1 << rng.randrange(8)
        file.unlink()  # its bytes are those of the store as well
        file.write_bytes(sound[:at] + bytes([sound[at] ^ mask]) + sound[at + 1 :])
        with pytest.raises(CheckpointDamagedError):
            verify(newest)
        found = restore(root, tmp_path / "new", PIN, LOG, BUDGET)
        assert found.checkpoint is not None and found.checkpoint.path == older, (file.name, at, mask)
        shutil.rmtree(tmp_path / "new")
        file.write_bytes(sound)
    restore(root, tmp_path / "new", PIN, LOG, BUDGET)
    assert folded(RECORDS, tmp_path / "new") == expected


def test_a_file_too_many_is_told_by_its_name(tmp_path: Path) -> None:
    newest, _ = positions(two_taken(tmp_path) / PLACE)
    (newest / STORE / "000099.log").touch()
    with pytest.raises(CheckpointDamagedError, match=r"000099\.log is not named by its manifest"):
        verify(newest)


class Snapshots:
    """Copies of a directory as a kill would leave it, one before each change of names and each opening to write."""

    def __init__(self) -> None:
        self.taken: list[Path] = []
        self._of: Path | None = None
        sys.addaudithook(self._heard)  # for good: Python knows no way to remove one

    @contextmanager
    def of(self, path: Path, to: Path) -> Iterator[list[Path]]:
        self._of, self._to, self.taken = path, to, []
        try:
            yield self.taken
        finally:
            self._of = None

    def _heard(self, what: str, arguments: tuple[Any, ...]) -> None:
        if self._of is None or what not in CHANGES or (what == "open" and not arguments[2] & WRITING):
            return
        if what not in UNPLACED and not any(str(self._of) in str(argument) for argument in arguments):
            return
        of, self._of = self._of, None
        copy = self._to / str(len(self.taken))
        shutil.copytree(of, copy)
        self.taken.append(copy)
        self._of = of


SNAPSHOTS = Snapshots()


def test_whenever_taking_one_is_cut_short_what_bears_a_name_is_whole(tmp_path: Path) -> None:
    root = two_taken(tmp_path)
    whole = named(root)
    with projecting(LOG, tmp_path / "home") as projector:
        projector.advance(100)
        with SNAPSHOTS.of(root, tmp_path / "cut") as cut:
            take(projector.store, root)
        assert all_are_whole(root) == [300, 200]
        whole |= named(root)
        found = [named(each) for each in cut]
        steps = [list(each) for each in found]
        assert len(steps) > 50
        newest = sorted(whole, reverse=True)
        assert [step for step, _ in groupby(steps)] == [newest[1:], newest, newest[:2]]
        assert all(whole[name] == files for each in found for name, files in each.items())
        projector.advance(50)
        for each in cut[:: len(cut) // 6]:
            take(projector.store, each)
            assert all_are_whole(each)[0] == projector.store.state.position > 300
            assert not list((each / PLACE).glob(".unfinished-*"))


def named(root: Path) -> dict[str, dict[str, bytes]]:
    """The files of whatever bears the name of a position, newest first."""
    return {
        path.name: {str(file.relative_to(path)): file.read_bytes() for file in path.rglob("*") if file.is_file()}
        for path in positions(root / PLACE)
    }


def test_whenever_restoring_is_cut_short_there_is_a_whole_store_or_none(
    tmp_path: Path, expected: dict[str, str]
) -> None:
    root, graph = two_taken(tmp_path), tmp_path / "graph"
    graph.mkdir()
    with SNAPSHOTS.of(graph, tmp_path / "cut") as cut:
        restore(root, graph / "0000", PIN, LOG, BUDGET)
    assert len(cut) > 20
    for each in [*cut[:: len(cut) // 4], *cut[-2:]]:
        store = each / "0000"
        assert not store.exists() or (store / "CURRENT").exists()
        if not store.exists():
            assert restore(root, store, PIN, LOG, BUDGET).checkpoint is not None
        assert not (each / "0000.restoring").exists() or store.exists()
        assert folded(RECORDS, store) == expected


def test_a_full_disk_stops_a_checkpoint_and_not_the_fold(tmp_path: Path, expected: dict[str, str]) -> None:
    root = two_taken(tmp_path)
    with projecting(LOG, tmp_path / "home") as projector:
        projector.advance(100)
        pending = begin(projector.store, root)
        with no_space(), pytest.raises((CheckpointError, StorageError)):
            pending.finish()
        assert all_are_whole(root) == [200, 100]
        projector.catch_up()
        assert digests(projector.store) == expected
        take(projector.store, root)
        assert all_are_whole(root) == [400, 200]
        assert not list((root / PLACE).glob(".unfinished-*"))


def test_a_full_disk_stops_a_restore_and_leaves_no_store(tmp_path: Path, expected: dict[str, str]) -> None:
    root = two_taken(tmp_path)
    with no_space(), pytest.raises(OSError, match="File too large"):
        restore(root, tmp_path / "new", PIN, LOG, BUDGET)
    assert sorted(os.listdir(tmp_path)) == ["home", "home.checkpoint", "root"]
    restore(root, tmp_path / "new", PIN, LOG, BUDGET)
    assert folded(RECORDS, tmp_path / "new") == expected


def test_a_process_killed_at_any_moment_leaves_whole_ones_alone(tmp_path: Path) -> None:
    rng, root, seen = Random(SEED), tmp_path / "root", 0
    for _ in range(turns(3, 20)):
        with Child(str(tmp_path / "home"), str(root), module="tests.faults.local.checkpoints") as child:
            child.wait_for("taken")
            time.sleep(rng.uniform(0, 0.3))  # not to wait for anything: this is the random moment
            assert (child.end(signal.SIGKILL), child.errors) == (-signal.SIGKILL, "")
        found = all_are_whole(root)
        assert found[0] >= seen
        seen = found[0]
        restored = restore(root, tmp_path / "new", PIN, ListLog(HISTORY), BUDGET)
        assert restored.checkpoint is not None
        assert restored.unfit == ()
        assert folded(HISTORY[:seen], tmp_path / "new") == folded(HISTORY[:seen], tmp_path / "clean")
        shutil.rmtree(tmp_path / "new")
    assert len(list((root / PLACE).glob(".unfinished-*"))) <= 2  # the next one removes what this kill has left
