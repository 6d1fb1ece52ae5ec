"""Offsets without a record, as aborted transactions leave them: as many as there may be, they are no damage."""

import shutil
from pathlib import Path

import pytest

from tests.graph.golden.fixed_history import fixed_history
from tests.graph.hosts import digests, folded, opened, projecting
from tests.graph.list_log import ListLog
from yggdrasil_infra.rocks.database import MemoryBudget, Rocks, StorageDamagedError
from yggdrasil_projections.graph.store import families, marks
from yggdrasil_schemas.graph.codec import NUMBER

GAP = 10_000
RECORDS = [
    record._replace(offset=offset + GAP * (offset >= 30) + GAP * (offset >= 59))
    for offset, record in enumerate(fixed_history(60))
]


def as_a_kill_leaves_it(path: Path, home: Path, flushed: int) -> None:
    """Fold everything, the first ``flushed`` records into tables, and leave the rest to the WAL."""
    with projecting(ListLog(), home) as projector:
        for at in range(0, len(RECORDS), 10):
            if at == flushed:
                projector.store.flush()
            projector.apply(RECORDS[at : at + 10])
        shutil.copytree(home, path)


@pytest.mark.parametrize("flushed", [0, 20, 40, 50])
@pytest.mark.parametrize("page", [1, 7, 10_000])
def test_a_long_gap_near_the_end_is_no_damage(
    tmp_path: Path, flushed: int, page: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(marks, "_PAGE", page)
    as_a_kill_leaves_it(tmp_path / "left", tmp_path / "home", flushed)
    for _ in range(2):  # with a WAL, and after it was emptied
        with opened(tmp_path / "left") as graphs:
            assert (graphs.state.position, graphs.state.folded) == (60 + 2 * GAP, 60)
            assert digests(graphs) == folded(fixed_history(60), tmp_path / "without-gaps")


@pytest.mark.parametrize("missing", [0, 29, 30, 58, 59])
def test_a_record_that_is_missing_beside_a_gap_is_found_out(tmp_path: Path, missing: int) -> None:
    as_a_kill_leaves_it(tmp_path / "left", tmp_path / "home", 0)
    with Rocks(tmp_path / "left", families.ALL, MemoryBudget.of(8 << 20, 256 << 20)) as rocks:
        batch = rocks.batch()
        batch.delete(families.RECORD_HASHES, NUMBER.pack(RECORDS[missing].offset))
        batch.put(families.CONTENTS, b"zzzz padding", bytes(1 << 16))  # so that the WAL may hold all of them
        rocks.write(batch)
        shutil.copytree(tmp_path / "left", tmp_path / "damaged")
    with pytest.raises(StorageDamagedError, match=f"records are missing before offset {60 + 2 * GAP}"):
        opened(tmp_path / "damaged").__enter__()
