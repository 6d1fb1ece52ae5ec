"""Stores and indexes are built anew beside those in use; whenever the process is killed, the next start has the one or
the other, and nothing else is left.
"""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.size import turns
from yggdrasil import Memory
from yggdrasil.cli.screen import Screen
from yggdrasil.cli.stores import stores
from yggdrasil.engines.embedded import Embedded
from yggdrasil_infra.local_log.log import LocalLog
from yggdrasil_infra.swap import begin, decide, settle
from yggdrasil_processors.auditing.rebuilding import Rebuild, partitions_in, rebuild
from yggdrasil_producers.draft import Drafter
from yggdrasil_projections.retrieval.index.image import image_path

ROOT = Path(__file__).parents[3]
NAMES = ["me/one", "me/two", "you/three"]
LEFT_OVERS = ("rebuilt", "rebuilt.partial", "replaced")
# In the order in which they are taken, with two partitions that have a store.
STEPS = [
    "built",
    "synced",
    "decided",
    "graph/0000 moved away",
    "graph/0000 moved in",
    "graph/0001 moved away",
    "graph/0001 moved in",
    "views moved away",
    "views moved in",
    "all moved",
]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(
        "yggdrasil_projections.retrieval.index.view.IMAGE_DOCUMENTS_MIN", 1
    )  # small memories, with images
    path = tmp_path / "home"
    for name in NAMES:
        with Memory.open(path, name, partitions=2) as memory:
            for number in range(30):
                memory.record_event(f"{name} step {number}", features=[f"s{number % 5}"])
            memory.get_context("step 7")
    return path


def seen(path: Path) -> dict[str, tuple[str, list[str]]]:
    """The digest of every memory, and what it answers."""
    found: dict[str, tuple[str, list[str]]] = {}
    for name in NAMES:
        with Memory.open(path, name) as memory:
            found[name] = memory.digest(), memory.get_context("step 7 and 9", record=False).refs
    return found


def inodes(path: Path) -> set[int]:
    """The files of the stores: new ones have other inodes."""
    return {file.stat().st_ino for file in path.glob("graph/*/IDENTITY")}


def rebuilt(path: Path, partitions: list[int] | None = None, *, accept: bool = False) -> Rebuild:
    log = LocalLog.create_or_open(path / "log")
    try:
        return rebuild(log, path, partitions or partitions_in(path), accept=accept)
    finally:
        log.close()


def test_what_is_rebuilt_is_the_same_and_takes_the_place_of_the_old(home: Path) -> None:
    before, files = seen(home), inodes(home)
    found = rebuilt(home)
    assert (found.same, found.swapped, len(found.partitions)) == (True, True, 2)
    assert sorted(entry.memory for one in found.partitions for entry in one.audit.compared) == NAMES
    assert sorted(memory for one in found.partitions for memory in one.indexes) == NAMES
    assert not inodes(home) & files
    assert all(image_path(home / "views", name).exists() for name in NAMES)
    assert not any((home / name).exists() for name in LEFT_OVERS)
    with Embedded(home) as engine:
        assert engine.view.counts.built == 0
        for name in NAMES:
            Memory(engine, Drafter(name, "test", "test")).get_context("step 7", record=False)
        assert engine.view.counts.loaded == len(NAMES)
    assert seen(home) == before


def test_one_partition_alone_leaves_the_others_and_their_images(home: Path) -> None:
    before = seen(home)
    kept = (home / "graph" / "0001" / "IDENTITY").stat().st_ino
    assert rebuilt(home, [0]).swapped
    assert (home / "graph" / "0001" / "IDENTITY").stat().st_ino == kept
    assert all(image_path(home / "views", name).exists() for name in NAMES)
    assert seen(home) == before


def test_a_damaged_store_is_mended_and_its_damage_is_told(home: Path) -> None:
    before = seen(home)
    for manifest in (home / "graph" / "0000").glob("MANIFEST-*"):
        manifest.write_bytes(b"damaged")
    found = rebuilt(home)
    assert found.swapped
    assert "damaged" in (found.partitions[0].not_compared or "")
    assert found.partitions[1].not_compared is None
    assert seen(home) == before


def test_what_differs_is_not_taken_unless_it_is_accepted(home: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    shutil.copytree(home, other)
    with Memory.open(home, NAMES[0]) as memory:
        partition = memory.engine.partition(NAMES[0])
        hosted = memory.engine.hosted(NAMES[0])
        node = hosted.store.graph(NAMES[0]).settle(64)
        node.salience += 1.0  # as no command has said
        hosted.store.commit([])
        altered = memory.digest()
    files = inodes(home)
    found = rebuilt(home)
    assert (found.same, found.swapped) == (False, False)
    differing = [e.memory for one in found.partitions for e in one.audit.compared if not e.same]
    assert differing == [NAMES[0]] and found.partitions[partition].not_compared is None
    assert inodes(home) == files and seen(home)[NAMES[0]][0] == altered
    assert not any((home / name).exists() for name in LEFT_OVERS)
    found = rebuilt(home, accept=True)
    assert (found.same, found.swapped) == (False, True)
    assert seen(home) == seen(other)


@pytest.mark.parametrize("step", turns(STEPS[1::2], STEPS))
def test_killed_at_any_step_the_next_start_has_the_one_or_the_other(home: Path, step: str) -> None:
    before, old = seen(home), inodes(home)
    ended = subprocess.run(
        [sys.executable, "-m", "tests.embedded.directory.test_rebuild", str(home), step],
        cwd=ROOT,
        check=False,
        timeout=120,
    )
    assert ended.returncode == -signal.SIGKILL
    with Embedded(home):
        pass
    now = inodes(home)
    assert len(now) == len(old), "a store is gone, and would be folded anew without a word"
    assert (now == old) if step in {"built", "synced"} else not now & old, "half old, half new"
    assert not any((home / name).exists() for name in LEFT_OVERS)
    assert seen(home) == before
    assert rebuilt(home).swapped


def test_what_somebody_made_meanwhile_in_an_empty_place_does_not_count(tmp_path: Path) -> None:
    """Whoever opened a store without settling first found none, and began one: it is only the log's beginning."""
    (tmp_path / "graph" / "0000").mkdir(parents=True)
    (tmp_path / "graph" / "0000" / "old").touch()
    new = begin(tmp_path)
    (new / "graph" / "0000").mkdir(parents=True)
    (new / "graph" / "0000" / "new").touch()

    class Killed(Exception):
        pass

    def at(step: str) -> None:
        if step == "graph/0000 moved away":
            raise Killed

    with pytest.raises(Killed):
        decide(tmp_path, at)
    (tmp_path / "graph" / "0000").mkdir()
    (tmp_path / "graph" / "0000" / "begun").touch()
    assert settle(tmp_path)
    assert [path.name for path in (tmp_path / "graph" / "0000").iterdir()] == ["new"]
    assert not settle(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["graph"]


def test_commands_on_a_workers_directory_miss_no_store_of_a_rebuild_that_was_killed(home: Path, tmp_path: Path) -> None:
    worker = tmp_path / "worker"
    shutil.copytree(home / "graph", worker / "graph")
    shutil.copytree(home / "graph", begin(worker) / "graph")

    class Killed(Exception):
        pass

    def at(step: str) -> None:
        if step == "graph/0001 moved away":
            raise Killed

    with pytest.raises(Killed):
        decide(worker, at)
    assert [store.pin.partition for store in stores(Screen(json=True), worker, None)] == [0, 1]


def _main(home: str, step: str) -> None:
    def at(reached: str) -> None:
        if reached == step:
            os.kill(os.getpid(), signal.SIGKILL)

    log = LocalLog.create_or_open(Path(home) / "log")
    rebuild(log, Path(home), partitions_in(Path(home)), at=at)


if __name__ == "__main__":
    _main(*sys.argv[1:])
