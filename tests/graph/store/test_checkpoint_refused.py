"""Checkpoints that do not fit are refused in words: passed over for an older one, unless they speak against the log."""

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson
import pytest

from tests.graph.commands import event
from tests.graph.golden.fixed_history import fixed_history
from tests.graph.hosts import BUDGET, digests, folded, projecting
from tests.graph.list_log import ListLog
from yggdrasil_infra.rocks.database import Rocks
from yggdrasil_projections.graph.checkpoint.files import hashed
from yggdrasil_projections.graph.checkpoint.manifest import CheckpointError, read_manifest, write_manifest
from yggdrasil_projections.graph.checkpoint.restore import Restored, restore, verify
from yggdrasil_projections.graph.checkpoint.taking import STORE, positions, take
from yggdrasil_projections.graph.rules import Versions
from yggdrasil_projections.graph.store import families
from yggdrasil_projections.graph.store import state as store_state
from yggdrasil_projections.graph.store.projector import LogMismatchError
from yggdrasil_projections.graph.store.store import Pin, StoreMismatchError

RECORDS = fixed_history(300)
PIN = Pin("topic-1", 1, 0)
PLACE = Path("topic-1", "0000")


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Checkpoints at offsets 100 and 200."""
    root = tmp_path_factory.mktemp("two")
    with projecting(ListLog(RECORDS), root / "home") as projector:
        for _ in range(2):
            projector.advance(100)
            take(projector.store, root / "root")
    return root / "root"


@pytest.fixture
def root(two: Path, tmp_path: Path) -> Path:
    return shutil.copytree(two, tmp_path / "root")


def newest(root: Path) -> Path:
    return positions(root / PLACE)[0]


def started(root: Path, log: ListLog | None = None, pin: Pin = PIN) -> Restored:
    return restore(root, root.parent / "new", pin, log or ListLog(RECORDS), BUDGET)


def rewritten(path: Path, **changes: Any) -> None:
    """Let the manifest say something else, with a hash that is right."""
    write_manifest(path, replace(read_manifest(path), **changes))


def edited(path: Path) -> None:
    manifest = path / "manifest.json"
    manifest.write_text(manifest.read_text().replace('"position": 200', '"position": 201'))


def of_a_newer_release(path: Path) -> None:
    rewritten(path, enabled=Versions(1, 2))


def of_another_format(path: Path, difference: int) -> None:
    manifest = read_manifest(path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(store_state, "FORMAT", store_state.FORMAT + difference)
        write_manifest(path, manifest)


def with_another_digest(path: Path) -> None:
    memories = dict(read_manifest(path).memories)
    memories["tenant/a"] = replace(memories["tenant/a"], digest="0" * 64)
    rewritten(path, memories=memories)


def without_a_memory(path: Path) -> None:
    rewritten(path, memories=dict(list(read_manifest(path).memories.items())[1:]))


def with_a_file_elsewhere(path: Path) -> None:
    files = dict(read_manifest(path).files)
    rewritten(path, files=files | {"../../../outside": files["CURRENT"]})


def further_than_its_store(path: Path) -> None:
    rewritten(path, last_offset=198)


UNFIT: dict[str, tuple[Callable[[Path], object], str]] = {
    "edited": (edited, "manifest.json was changed after it was written"),
    "no-manifest": (lambda path: (path / "manifest.json").unlink(), "manifest.json cannot be read: No such file"),
    "half-a-manifest": (lambda path: (path / "manifest.json").write_bytes(b'{"pin"'), "is no manifest of a checkpoint"),
    "not-an-object": (lambda path: (path / "manifest.json").write_bytes(b"[1]"), "is no manifest of a checkpoint"),
    "newer-release": (of_a_newer_release, r"written by a newer release \(newer rules_version\); install that one"),
    "older-format": (lambda path: of_another_format(path, -1), "by an older release, and cannot be used by this one"),
    "newer-format": (
        lambda path: of_another_format(path, 1),
        r"written by a newer release \(newer store_format\); install that one",
    ),
    "digest": (with_another_digest, "tenant/a is not the memory that was written"),
    "memory": (without_a_memory, "is not the memory that was written"),
    "outside": (with_a_file_elsewhere, "names files outside of the checkpoint"),
    "state": (further_than_its_store, "says offset 200, and its store says otherwise"),
    "chain": (lambda path: rewritten(path, chain="00" * 32), "its store says otherwise"),
    "folded": (lambda path: rewritten(path, folded=199), "its store says otherwise"),
}


@pytest.mark.parametrize("case", UNFIT)
def test_one_that_is_unfit_is_named_and_the_one_before_it_taken(root: Path, case: str) -> None:
    spoil, reason = UNFIT[case]
    spoiled, older = positions(root / PLACE)
    spoil(spoiled)
    with pytest.raises(CheckpointError, match=reason) as refused:
        verify(spoiled)
    found = started(root)
    assert found.unfit == ((spoiled, str(refused.value)),)
    assert found.checkpoint is not None
    assert found.checkpoint.path == older
    with projecting(ListLog(RECORDS), root.parent / "new") as projector:
        assert projector.store.state.position == 100
        projector.catch_up()
        assert digests(projector.store) == folded(RECORDS, root.parent / "clean")


@pytest.mark.parametrize("pin", [Pin("topic-2", 1, 0), Pin("topic-1", 1, 1)], ids=str)
def test_one_of_another_topic_or_partition_is_not_looked_at(root: Path, pin: Pin) -> None:
    assert restore(root, root.parent / "new", pin, ListLog(RECORDS), BUDGET) == Restored(None, ())


@pytest.mark.parametrize("its", [Pin("topic-2", 1, 0), Pin("topic-1", 1, 3)], ids=str)
def test_one_that_was_put_where_anothers_belongs_is_refused(root: Path, its: Pin) -> None:
    for path in positions(root / PLACE):
        rewritten(path, pin=its)
    found = started(root)
    assert found.checkpoint is None
    assert [path for path, _ in found.unfit] == positions(root / PLACE)
    assert f"is of topic {its.topic_id}, partition {its.partition}, offset 200" in found.unfit[0].reason


def test_the_pin_of_the_store_counts_and_not_that_of_the_manifest_alone(root: Path) -> None:
    other = Pin("topic-1", 2, 0)
    for path in positions(root / PLACE):
        rewritten(path, pin=other)
    found = restore(root, root.parent / "new", other, ListLog(RECORDS, partitions=2), BUDGET)
    assert found.checkpoint is None
    assert "`yggdrasil topics copy OLD NEW --was 1 --partitions 2`" in found.unfit[0].reason


def test_one_that_bears_the_name_of_another_position_is_refused(root: Path) -> None:
    newest(root).rename(root / PLACE / f"{250:020d}")
    found = started(root)
    assert "offset 200: it was put where that of another one belongs" in found.unfit[0].reason
    assert found.checkpoint is not None
    assert found.checkpoint.manifest.position == 100


def test_partitions_that_were_added_stop_everything(root: Path) -> None:
    with pytest.raises(StoreMismatchError, match="a topic of 1 partitions, and the same topic has 2 now"):
        restore(root, root.parent / "new", Pin("topic-1", 2, 0), ListLog(RECORDS, partitions=2), BUDGET)
    assert not (root.parent / "new").exists()


def test_a_log_that_ends_before_it_stops_everything(root: Path) -> None:
    with pytest.raises(LogMismatchError, match="up to offset 200, but the log ends at 199: acknowledged records are"):
        started(root, ListLog(RECORDS[:199]))
    assert not (root.parent / "new").exists()
    shutil.rmtree(newest(root))  # as the message says, to accept the loss
    assert started(root, ListLog(RECORDS[:199])).checkpoint is not None


def test_a_log_with_another_record_there_stops_everything(root: Path) -> None:
    log = ListLog([*RECORDS[:199], event("other").record(), *RECORDS[200:]])
    with pytest.raises(LogMismatchError, match=r"the log contradicts it.*offset 199.*move the checkpoint away"):
        started(root, log)
    assert sorted(path.name for path in root.parent.iterdir()) == ["root"]


@pytest.mark.parametrize(("start", "taken"), [(100, 200), (200, 200), (201, None)])
def test_one_from_before_the_logs_start_is_too_old(root: Path, start: int, taken: int | None) -> None:
    found = started(root, ListLog(RECORDS[start:], start=start))
    assert (found.checkpoint and found.checkpoint.manifest.position) == taken
    if taken is None:
        assert [path for path, _ in found.unfit] == positions(root / PLACE)
        assert all("and the log begins at 201: it is too old" in reason for _, reason in found.unfit)
        assert not (root.parent / "new").exists()


def test_a_store_of_a_newer_release_inside_is_refused_too(root: Path) -> None:
    store = newest(root) / STORE
    with Rocks(store, families.ALL, BUDGET) as rocks:
        batch = rocks.batch()
        state = orjson.loads(rocks.get(families.META, b"state") or b"")
        batch.put(families.META, b"state", orjson.dumps(state | {"format": store_state.FORMAT + 1}))
        rocks.write(batch)
    rewritten(newest(root), files={file.name: hashed(file, int) for file in store.iterdir()})
    with pytest.raises(CheckpointError, match=r"holds no sound store.*newer release"):
        verify(newest(root))
    assert "newer release" in started(root).unfit[0].reason
