"""A store beside its log: whatever kind of record differs is named, with both values and the command behind it."""

import shutil
from pathlib import Path
from typing import Final

import pytest

from tests.graph.golden.fixed_history import fixed_history
from tests.graph.hosts import opened, projecting
from tests.graph.list_log import ListLog
from yggdrasil_infra.rocks.database import MemoryBudget, Rocks
from yggdrasil_processors.auditing.against_log.comparing import PartitionVerdict, verify_against_log
from yggdrasil_processors.auditing.against_log.stores import COMPARED
from yggdrasil_projections.graph.store import families
from yggdrasil_projections.graph.store.digest import DIGESTED
from yggdrasil_projections.graph.store.source import PREFIX_BYTES
from yggdrasil_projections.retrieval.past.against_log import RecordDiffers
from yggdrasil_schemas.codec import command_of
from yggdrasil_schemas.refusals import Refused

RECORDS: Final = fixed_history(1_000)
AFTER_MARK: Final = bytes(5)


@pytest.fixture(scope="module")
def standing(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("standing") / "store"
    with projecting(ListLog(RECORDS), path) as projector:
        projector.catch_up()
        projector.settle_attestations()
    return path


@pytest.fixture
def store(standing: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(standing, tmp_path / "store"))


def verified(store: Path, work: Path, records: int = len(RECORDS)) -> PartitionVerdict:
    with opened(store) as it:
        return verify_against_log(ListLog(RECORDS[:records]), it, work, lambda _step, _records: None)


def rows(store: Path, family: str) -> list[tuple[bytes, bytes]]:
    with Rocks(store, families.ALL, MemoryBudget.of()) as rocks:
        return rocks.scan(family, b"", AFTER_MARK)


def put(store: Path, family: str, key: bytes, value: bytes | None) -> None:
    with Rocks(store, families.ALL, MemoryBudget.of()) as rocks:
        batch = rocks.batch()
        if value is None:
            batch.delete(family, key)
        else:
            batch.put(family, key, value)
        rocks.write(batch)


def only(verdict: PartitionVerdict) -> RecordDiffers:
    """The one record that differs."""
    (one,) = all_of(verdict).values()
    return one


def all_of(verdict: PartitionVerdict) -> dict[str, RecordDiffers]:
    """The records that differ, of each family one."""
    assert not verdict.same and not verdict.log.count and not verdict.state
    found = [one for memory in verdict.memories for one in memory.differs]
    assert all(count == 1 for memory in verdict.memories for count in memory.counts.values())
    return {one.family: one for one in found}


def check_command(one: RecordDiffers) -> None:
    """The command that touched it stands in the log where it is said to."""
    assert one.touched is not None
    command = command_of(RECORDS[one.touched.offset].value)
    assert not isinstance(command, Refused)
    assert (command.id, command.type, command.source) == (one.touched.id, one.touched.type, one.touched.source)


def test_what_was_not_touched_is_equal(store: Path, tmp_path: Path) -> None:
    verdict = verified(store, tmp_path / "work")
    assert verdict.same and verdict.position == len(RECORDS) and verdict.behind == 0
    counted = sum(len(rows(store, family)) for family in COMPARED)
    assert sum(each.records for each in verdict.memories) == counted


def test_all_kinds_of_records_are_there_and_compared(standing: Path) -> None:
    assert set(DIGESTED) < set(COMPARED)
    assert [family for family in COMPARED if not rows(standing, family)] == []


def test_a_value_that_was_changed_is_named_whatever_it_is_of(store: Path, tmp_path: Path) -> None:
    changed = {each: rows(store, each)[-1] for each in COMPARED}
    for family, (key, value) in changed.items():
        put(store, family, key, value[:-1] + bytes([value[-1] ^ 1]) if value else b"1")
    found = all_of(verified(store, tmp_path / "work"))
    assert sorted(found) == sorted(COMPARED)
    for one in found.values():
        assert one.standing is not None and one.by_log is not None and one.standing != one.by_log and one.fields
        if one.family != families.ATTESTATIONS:  # which the host computes, after the command that asked for it
            check_command(one)
            assert one.touched is not None and not one.touched.removed


def test_a_record_that_was_removed_is_named_whatever_it_is_of(store: Path, tmp_path: Path) -> None:
    for family in COMPARED:
        put(store, family, rows(store, family)[0][0], None)
    found = all_of(verified(store, tmp_path / "work"))
    assert sorted(found) == sorted(set(COMPARED) - {families.ATTESTATIONS})  # of these a host may lack some
    for one in found.values():
        assert one.standing is None and one.by_log is not None
        check_command(one)


def test_a_record_that_no_command_made_is_named(store: Path, tmp_path: Path) -> None:
    key, value = rows(store, families.NODES)[-1]
    number = (1 << 40).to_bytes(8, "big")
    put(store, families.NODES, key[:PREFIX_BYTES] + number, value)
    one = only(verified(store, tmp_path / "work"))
    assert one.by_log is None and one.standing is not None and one.touched is None
    assert one.called == f"node {1 << 40} (seq {1 << 34})"


def test_a_record_that_a_command_had_removed_is_named_with_it(store: Path, tmp_path: Path) -> None:
    there = dict(rows(store, families.NODES))
    with projecting(ListLog(RECORDS[:600]), tmp_path / "before") as projector:
        projector.catch_up()
    key, value = next(each for each in rows(tmp_path / "before", families.NODES) if each[0] not in there)
    put(store, families.NODES, key, value)
    one = only(verified(store, tmp_path / "work"))
    check_command(one)
    assert one.touched is not None and one.touched.removed and one.touched.offset >= 600


def test_the_header_of_a_memory_is_compared(store: Path, tmp_path: Path) -> None:
    key, value = rows(store, families.MEMORIES)[-1]
    put(store, families.MEMORIES, key, value[:4] + (1).to_bytes(8, "big") + value[12:])
    one = only(verified(store, tmp_path / "work"))
    assert (one.family, one.called, one.fields) == (families.MEMORIES, "header", ["seq"])
    assert one.standing is not None and one.standing["seq"] == 1
    check_command(one)


def test_a_memory_that_is_missing_differs_in_all_it_had(store: Path, tmp_path: Path) -> None:
    key, value = rows(store, families.MEMORIES)[-1]
    number = value[:PREFIX_BYTES]
    put(store, families.MEMORIES, key, None)
    verdict = verified(store, tmp_path / "work")
    (memory,) = [each for each in verdict.memories if not each.same]
    assert memory.memory == key.decode() and memory.standing_seq is None and memory.log_seq
    assert memory.counts[families.MEMORIES] == 1 and not memory.counts.keys() & {families.ATTESTATIONS}
    assert memory.counts[families.NODES] == len([1 for row, _ in rows(store, families.NODES) if row[:4] == number])


def test_of_many_the_first_of_each_kind_is_told(store: Path, tmp_path: Path) -> None:
    edges = rows(store, families.EDGES)
    of_last = [(key, value) for key, value in edges if key[:PREFIX_BYTES] == edges[-1][0][:PREFIX_BYTES]]
    for key, value in of_last:
        put(store, families.EDGES, key, value[:-1] + bytes([value[-1] ^ 1]))
    (memory,) = [each for each in verified(store, tmp_path / "work").memories if not each.same]
    assert memory.counts == {families.EDGES: len(of_last)}
    (first,) = memory.differs
    assert first.called.startswith("edge ") and first.fields == ["trust"]


def test_a_store_that_lags_is_compared_where_it_stands(tmp_path: Path) -> None:
    with projecting(ListLog(RECORDS[:700]), tmp_path / "store") as projector:
        projector.catch_up()
    verdict = verified(tmp_path / "store", tmp_path / "work")
    assert verdict.same and (verdict.position, verdict.behind) == (700, len(RECORDS) - 700)
