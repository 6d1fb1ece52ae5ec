"""A log and stores that do not belong together: refused in words before anything is appended, or folded further."""

import shutil
from pathlib import Path

import pytest

from tests.faults.local.load import MEMORIES, PARTITIONS, work
from tests.faults.local.oracle import Acknowledged, check_against_replay, read_back
from tests.size import turns
from yggdrasil.engines.embedded import Embedded
from yggdrasil_infra.local_log.log import LocalLog
from yggdrasil_producers.draft import Drafter
from yggdrasil_projections.graph.store.projector import LogMismatchError
from yggdrasil_projections.graph.store.store import StoreMismatchError
from yggdrasil_projections.retrieval.reads.operations.overview import AskDigest


def worked(path: Path, seed: str) -> Acknowledged:
    acknowledged: Acknowledged = set()
    with Embedded(path, partitions=PARTITIONS) as engine:
        assert work(engine, seed, 2, turns(20, 40), lambda *pair: acknowledged.add(pair)) == []
    return acknowledged


def records_in(path: Path) -> int:
    with LocalLog.open_read_only(path / "log") as log:
        return sum(log.end_offset(partition) for partition in range(log.partitions))


def test_a_store_of_an_earlier_day_is_folded_further(tmp_path: Path) -> None:
    path = tmp_path / "home"
    acknowledged = worked(path, "monday")
    shutil.copytree(path / "graph", tmp_path / "old")
    acknowledged |= worked(path, "tuesday")
    expected = check_against_replay(path, tmp_path / "replayed", acknowledged)
    shutil.rmtree(path / "graph")
    shutil.copytree(tmp_path / "old", path / "graph")
    assert read_back(path) == expected


@pytest.mark.parametrize("many", [False, True], ids=["one", "many"])
def test_a_log_of_an_earlier_day_is_refused_and_not_appended_to(tmp_path: Path, many: bool) -> None:
    path = tmp_path / "home"
    worked(path, "monday")
    shutil.copytree(path / "log", tmp_path / "old")
    worked(path, "tuesday")
    shutil.rmtree(path / "log")
    shutil.copytree(tmp_path / "old", path / "log")
    before = records_in(path)
    for memory in MEMORIES:
        draft = Drafter(memory, "test", "test").record_event("would be lost")
        with pytest.raises(LogMismatchError, match="but the log ends at"), Embedded(path) as engine:
            list(engine.submit_many([draft])) if many else engine.submit(draft)
    assert records_in(path) == before


def test_a_store_of_another_log_is_refused_and_its_log_not_appended_to(tmp_path: Path) -> None:
    path, other = tmp_path / "home", tmp_path / "other"
    worked(path, "monday")
    worked(other, "monday")  # the same commands, and still not the same log
    shutil.rmtree(path / "graph")
    shutil.copytree(other / "graph", path / "graph")
    before = records_in(path)
    for memory in MEMORIES:
        with (
            pytest.raises(StoreMismatchError, match="Keep this directory, moved aside if need be"),
            Embedded(path) as engine,
        ):
            engine.submit(Drafter(memory, "test", "test").record_event("would be lost"))
    assert records_in(path) == before


def test_the_stores_of_two_partitions_are_not_exchanged(tmp_path: Path) -> None:
    path = tmp_path / "home"
    worked(path, "monday")
    first, second = path / "graph" / "0000", path / "graph" / "0001"
    first.rename(tmp_path / "kept")
    second.rename(first)
    (tmp_path / "kept").rename(second)
    for memory in MEMORIES:
        with pytest.raises(StoreMismatchError), Embedded(path) as engine:
            engine.ask(memory, AskDigest())
