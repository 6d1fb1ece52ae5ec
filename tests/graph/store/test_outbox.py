"""The outbox: read in parts, deleted once published, counted in memory, and the same after a restart."""

from pathlib import Path

import orjson
import pytest

from tests.graph.commands import event, outcome
from tests.graph.hosts import folded, opened, projecting
from tests.graph.list_log import ListLog
from yggdrasil_infra.rocks.database import StoragePoisonedError
from yggdrasil_projections.graph.store.projector import Projector

REFUSED = [1, 2, 4, 5, 7]
RECORDS = [
    outcome(f"late {at}", "nobody", 1.0).record() if at in REFUSED else event(f"event {at}").record() for at in range(9)
]


def offsets(waiting: list[tuple[int, bytes]]) -> list[int]:
    for at, data in waiting:
        assert orjson.loads(data)["offset"] == at
    return [at for at, _ in waiting]


def test_what_waits_is_read_in_parts(tmp_path: Path) -> None:
    folded(RECORDS, tmp_path)
    with opened(tmp_path) as graphs:
        assert graphs.outbox_depth == 5
        assert offsets(graphs.outbox(-1, 3)) == [1, 2, 4]
        assert offsets(graphs.outbox(4, 3)) == [5, 7]
        assert offsets(graphs.outbox(3, 1)) == [4]
        assert graphs.outbox(7, 3) == graphs.outbox(-1, 0) == []
        assert [entry["offset"] for entry in graphs.refusals()] == REFUSED


def test_what_was_published_is_gone_for_ever(tmp_path: Path) -> None:
    with projecting(ListLog(RECORDS), tmp_path) as projector:
        graphs = projector.store
        depths = []
        while projector.advance(2):
            depths.append(graphs.outbox_depth)
        assert depths == [1, 2, 4, 5, 5]
        graphs.delete_from_outbox([1, 4, 4])
        graphs.delete_from_outbox([1, 3, 2**40])  # published again, never refused, not there yet: nothing to delete
        graphs.delete_from_outbox([])
        assert (graphs.outbox_depth, offsets(graphs.outbox(-1, 9))) == (3, [2, 5, 7])
    with opened(tmp_path) as graphs:
        assert (graphs.outbox_depth, offsets(graphs.outbox(-1, 9))) == (3, [2, 5, 7])
        assert graphs.state.refused == {"unknown_event": 5}


@pytest.mark.parametrize("page", [1, 2, 100])
def test_what_another_host_has_published_is_dropped(tmp_path: Path, page: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("yggdrasil_projections.graph.store.outbox._PAGE", page)
    folded(RECORDS, tmp_path)
    with opened(tmp_path) as graphs:
        assert graphs.outbox_depth == 5
        for below, left in ((0, REFUSED), (1, REFUSED), (5, [5, 7]), (5, [5, 7]), (2**40, [])):
            graphs.drop_outbox_below(below)
            assert (graphs.outbox_depth, offsets(graphs.outbox(-1, 9))) == (len(left), left)


def test_a_failed_deletion_stops_the_store(tmp_path: Path) -> None:
    log = ListLog(RECORDS)
    with opened(tmp_path) as graphs:
        projector = Projector(log, graphs)
        projector.advance(6)
        graphs._db.poison("the disk is full")
        with pytest.raises(StoragePoisonedError, match="the disk is full"):
            graphs.delete_from_outbox([1])
        assert graphs.outbox_depth == 4
        with pytest.raises(StoragePoisonedError):
            projector.advance()
    with projecting(log, tmp_path) as again:
        assert offsets(again.store.outbox(-1, 9)) == [1, 2, 4, 5]
