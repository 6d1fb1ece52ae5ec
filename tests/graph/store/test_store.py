"""The store and the projector: one write holds everything, a log that is not the one folded is refused, and after a
failure nothing goes on."""

from itertools import accumulate
from pathlib import Path

import orjson
import pytest

from tests.graph.commands import MEMORY, attest, command_id, enable_version, event, outcome, policy
from tests.graph.golden.fixed_history import fixed_history
from tests.graph.hosts import digests, folded, opened, projecting
from tests.graph.list_log import ListLog
from tests.graph.world import World
from yggdrasil_infra.log import LogDamagedError, LogRecord
from yggdrasil_infra.rocks.database import MemoryBudget, Rocks, StorageError
from yggdrasil_projections.graph.fold import UnknownVersionError
from yggdrasil_projections.graph.store import families
from yggdrasil_projections.graph.store.chain import CHAIN_START, chained, record_hash
from yggdrasil_projections.graph.store.digest import state_digest
from yggdrasil_projections.graph.store.projector import LogMismatchError, Projector, ProjectorStoppedError
from yggdrasil_projections.graph.store.state import FORMAT
from yggdrasil_projections.graph.store.store import GraphStore, Pin, StoreError, StoreMismatchError
from yggdrasil_schemas.commands import system_memory
from yggdrasil_schemas.graph.codec import EDGE_KEY, reversed_key
from yggdrasil_schemas.graph.records import Node, NodeFlag
from yggdrasil_schemas.ids import id_bytes
from yggdrasil_schemas.refusals import Refusal

RECORDS = fixed_history(400)
LAST = event("last", "rain").record(49)
PIN = Pin("topic-1", 1, 0)


def change_state(path: Path, **changes: object) -> None:
    """Write other values into the stored state, as another release or another host would have left them."""
    with Rocks(path, families.ALL, MemoryBudget.of(1 << 20, 1 << 20)) as rocks:
        state = orjson.loads(rocks.get(families.META, b"state") or b"")
        batch = rocks.batch()
        batch.put(families.META, b"state", orjson.dumps(state | changes))
        rocks.write(batch)


def test_position_chain_and_state_go_together(tmp_path: Path) -> None:
    hashes = [record_hash(record) for record in RECORDS]
    chains = list(accumulate(hashes, chained, initial=CHAIN_START))
    log = ListLog(RECORDS)
    for position in (100, 150, 151, 400):
        with projecting(log, tmp_path) as projector:
            while projector.store.state.position < position:
                projector.advance(position - projector.store.state.position)
        with opened(tmp_path) as reopened:
            state = reopened.state
            assert (state.position, state.last_offset, state.folded) == (position, position - 1, position)
            assert state.chain == chains[position]
            assert reopened.record_hashes() == list(enumerate(hashes[:position]))
            part = folded(RECORDS[:position], tmp_path / f"to-{position}")
            assert digests(reopened) == part


def test_what_is_delivered_again_is_passed_over(tmp_path: Path) -> None:
    with projecting(ListLog(RECORDS), tmp_path) as projector:
        assert len(projector.apply(RECORDS[:100])) == 100
        assert projector.apply(RECORDS[:100]) == []
        assert [applied.record.offset for applied in projector.apply(RECORDS[50:150])] == list(range(100, 150))
        assert digests(projector.store) == folded(RECORDS[:150], tmp_path / "once")


@pytest.mark.parametrize("offset", [0, 8, 9, 11])
def test_offsets_that_do_not_rise_are_damage_and_not_redelivery(tmp_path: Path, offset: int) -> None:
    altered = [*RECORDS[:10], RECORDS[10]._replace(offset=offset), *RECORDS[11:20]]
    with projecting(ListLog(RECORDS), tmp_path) as projector:
        with pytest.raises(LogDamagedError, match="between 0 and 19 are not in order"):
            projector.apply(altered)
        assert projector.store.state.position == 0
        assert len(projector.apply(RECORDS[:20])) == 20


def test_what_was_not_committed_is_gone_and_folded_again(tmp_path: Path) -> None:
    log = ListLog(RECORDS)
    with projecting(log, tmp_path) as projector:
        projector.advance(50)
        before = digests(projector.store)
        for record in log.read(0, projector.store.state.position, 50):
            projector._fold.apply(record)
        assert digests(projector.store) == before  # it is in the working set alone
    with projecting(log, tmp_path) as projector:
        assert (projector.store.state.position, digests(projector.store)) == (50, before)
        projector.catch_up()
        assert digests(projector.store) == folded(RECORDS, tmp_path / "clean")


@pytest.mark.parametrize("pin", [Pin("topic-2", 1, 0), Pin("topic-1", 2, 0), Pin("topic-1", 1, 1)], ids=str)
def test_a_store_of_another_log_is_refused(tmp_path: Path, pin: Pin) -> None:
    expected = folded(RECORDS[:10], tmp_path)
    with pytest.raises(StoreMismatchError, match="was folded from"), opened(tmp_path, pin=pin):
        pass
    with opened(tmp_path) as reopened:  # the refusal has changed nothing and holds no lock
        assert digests(reopened) == expected


@pytest.mark.parametrize("field", ["format", "schema_version", "rules_version"])
def test_a_store_of_a_newer_release_is_refused(tmp_path: Path, field: str) -> None:
    folded(RECORDS[:10], tmp_path)
    change_state(tmp_path, **{field: FORMAT + 1})
    with pytest.raises(StoreError, match="newer release"), opened(tmp_path):
        pass


def test_a_store_in_the_format_of_an_older_release_is_refused(tmp_path: Path) -> None:
    folded(RECORDS[:10], tmp_path)
    change_state(tmp_path, format=FORMAT - 1)
    with pytest.raises(StoreError, match="older release; `yggdrasil rebuild`"), opened(tmp_path):
        pass


def test_a_log_that_is_shorter_than_the_store_is_refused(tmp_path: Path) -> None:
    folded(RECORDS[:50], tmp_path)
    with pytest.raises(LogMismatchError, match="the log ends at 49"), projecting(ListLog(RECORDS[:49]), tmp_path):
        pass
    with projecting(ListLog(RECORDS[:50]), tmp_path) as projector:
        assert projector.catch_up() == 0


def test_a_log_that_begins_after_the_position_is_refused(tmp_path: Path) -> None:
    folded(RECORDS[:50], tmp_path)
    with (
        pytest.raises(LogMismatchError, match="the log begins at 51"),
        projecting(ListLog(RECORDS[51:], start=51), tmp_path),
    ):
        pass


@pytest.mark.parametrize("start", [10, 49, 50])
def test_a_log_that_still_holds_all_that_is_needed_is_taken(tmp_path: Path, start: int) -> None:
    folded(RECORDS[:50], tmp_path / "store")
    with projecting(ListLog(RECORDS[start:], start=start), tmp_path / "store") as projector:
        projector.catch_up()
        assert digests(projector.store) == folded(RECORDS, tmp_path / "clean")


@pytest.mark.parametrize(
    ("key", "value"),
    [(MEMORY.encode(), b"{}"), (MEMORY.encode(), None), (b"tenant/b", LAST.value), (None, LAST.value)],
    ids=["value", "no-value", "key", "no-key"],
)
def test_an_altered_last_record_is_refused(tmp_path: Path, key: bytes | None, value: bytes | None) -> None:
    records = [*RECORDS[:49], LAST]
    folded(records, tmp_path)
    log = ListLog(records)
    log.records[49] = log.records[49]._replace(timestamp_ms=5)  # where and when it was written is not what it says
    with projecting(log, tmp_path):
        pass
    log.records[49] = LogRecord(0, 49, key, value, 0)
    with pytest.raises(LogMismatchError, match="the record at offset 49"), projecting(log, tmp_path):
        pass


def test_the_chain_names_the_record_that_was_changed(tmp_path: Path) -> None:
    folded(RECORDS[:60], tmp_path / "ours")
    other = [*RECORDS[:20], event("other").record(20), *RECORDS[21:60]]
    folded(other, tmp_path / "theirs")
    with opened(tmp_path / "ours") as ours, opened(tmp_path / "theirs") as theirs:
        assert ours.state.chain != theirs.state.chain
        pairs = zip(ours.record_hashes(), theirs.record_hashes(), strict=True)
        assert [first[0] for first, second in pairs if first != second] == [20]


def test_a_failed_write_stops_everything(tmp_path: Path) -> None:
    log = ListLog(RECORDS)
    with opened(tmp_path) as graphs:
        projector = Projector(log, graphs)
        projector.advance(50)
        before = digests(graphs)
        graphs._db.poison("the disk is full")
        with pytest.raises(StorageError, match="the disk is full"):
            projector.advance(50)
        assert graphs.state.position == 50
        with pytest.raises(ProjectorStoppedError):
            projector.advance(50)
        projector.close()
    with projecting(log, tmp_path) as again:
        assert (again.store.state.position, digests(again.store)) == (50, before)
        again.catch_up()
        assert digests(again.store) == folded(RECORDS, tmp_path / "clean")


def test_an_unknown_version_halts_after_what_came_before(tmp_path: Path) -> None:
    newer = enable_version("newer", rules_version=2).record(memory=system_memory(0))
    known = enable_version("known").record(memory=system_memory(0))
    log = ListLog([*RECORDS[:30], known, newer, *RECORDS[30:40]])
    for _ in range(2):
        with projecting(log, tmp_path / "store") as projector:
            with pytest.raises(UnknownVersionError, match="offset 31") as halted:
                projector.catch_up()
            assert (halted.value.partition, halted.value.offset) == (0, 31)
            with pytest.raises(ProjectorStoppedError):
                projector.advance()
            assert projector.store.state.position == 31
            assert digests(projector.store) == folded([*RECORDS[:30], known], tmp_path / "clean")


@pytest.mark.parametrize("schema_version", [1, 2])
def test_an_unknown_version_halts_only_its_partition(tmp_path: Path, schema_version: int) -> None:
    elsewhere = enable_version("elsewhere", schema_version, partition=1).record(memory=system_memory(1))
    with projecting(ListLog([elsewhere, *RECORDS[:10]]), tmp_path) as projector:
        assert projector.catch_up() == 11
        assert projector.store.state.refused[Refusal.WRONG_PARTITION.code] == 1


def test_an_attested_digest_is_that_of_its_seq(tmp_path: Path) -> None:
    often = policy("often", attest_interval_commands=1)
    said = [often, event("one", "a"), attest("first"), event("two", "a"), outcome("bad", "two", -1.0), attest("second")]
    records = [each.record() for each in [*said, event("three", "b"), attest("second"), event("four")]]
    with projecting(ListLog(records), tmp_path / "store") as projector:
        projector.catch_up()
        projector.settle_attestations()
        kept = projector.store.attestations(MEMORY)
        digest_now = projector.store.digest(MEMORY)
    assert sorted(kept) == [3, 6]
    assert kept[3] == folded(records[:3], tmp_path / "to-first")[MEMORY]
    assert kept[6] == folded(records[:6], tmp_path / "to-second")[MEMORY]
    assert digest_now not in kept.values()
    with opened(tmp_path / "store") as reopened:
        assert reopened.attestations(MEMORY) == kept


def test_every_command_that_was_understood_has_an_identity(tmp_path: Path) -> None:
    world, expected = World(), dict[str, dict[bytes, tuple[int, int, int]]]()
    for record in RECORDS:
        answer = world.fold_record(record)
        reason = answer.refused.reason if answer.refused else 0
        if answer.duplicate or answer.memory is None or answer.command_id is None or 0 < reason <= Refusal.ID_REUSED:
            continue
        if not answer.memory.startswith("_"):
            known = expected.setdefault(answer.memory, {})
            known[id_bytes(answer.command_id)] = (answer.seq, record.offset, reason)
    folded(RECORDS, tmp_path)
    with opened(tmp_path) as graphs:
        for memory in graphs.memories():
            found = {key: (each.seq, each.offset, each.result) for key, each in graphs.identities(memory).items()}
            assert found == expected[memory]
    accepted = [seq for known in expected.values() for seq, _, reason in known.values() if not reason]
    assert len(accepted) > 150
    assert any(reason for known in expected.values() for *_, reason in known.values())


def test_the_outbox_holds_reasons_and_places_and_never_bytes(tmp_path: Path) -> None:
    secret = b"do not repeat me"
    broken = RECORDS[0]._replace(value=b'{"version":1,"type":"' + secret + b'"}')
    late = outcome("late", "nobody", 1.0).record()
    log = ListLog([event("one").record(), broken, late, late, broken._replace(key=secret, value=secret)])
    with projecting(log, tmp_path) as projector:
        projector.catch_up()
        waiting = projector.store.refusals()
        counted = projector.store.state.refused
    nobody = {"memory": None, "command_id": None, "source": None}
    late_one = {"memory": MEMORY, "command_id": command_id("late"), "source": "test"}
    common = {"topic_id": log.topic_id, "partition": 0, "detail": ""} | nobody
    assert waiting == [
        common | {"offset": 1, "reason": "unknown_type", "detail": "type"},
        common | {"offset": 2, "reason": "unknown_event"} | late_one,
        common | {"offset": 4, "reason": "not_json"},
    ]
    assert counted == {"unknown_type": 1, "unknown_event": 1, "not_json": 1}
    assert secret not in orjson.dumps(waiting)


def test_a_memory_that_was_never_heard_of_is_an_error(tmp_path: Path) -> None:
    folded(RECORDS[:10], tmp_path)
    with opened(tmp_path) as graphs:
        assert graphs.peek("tenant/nobody") is None
        for ask in (graphs.digest, graphs.frozen, graphs.identities, graphs.attestations):
            with pytest.raises(StoreError, match="tenant/nobody"):
                ask("tenant/nobody")


def test_a_frozen_memory_stays_as_it_was(tmp_path: Path) -> None:
    with projecting(ListLog(RECORDS), tmp_path) as projector:
        projector.advance(100)
        before = digests(projector.store)["tenant/a"]
        frozen = projector.store.frozen("tenant/a")
        projector.catch_up()
        assert state_digest(*frozen) == before != projector.store.digest("tenant/a")
        frozen.view.close()


def test_two_stores_cannot_share_a_folder(tmp_path: Path) -> None:
    with opened(tmp_path), pytest.raises(StorageError, match="is open"):
        GraphStore(tmp_path, PIN, MemoryBudget.of(1 << 20, 1 << 20))


def test_nothing_is_left_of_what_was_forgotten(tmp_path: Path) -> None:
    """No content without a node, no feature without its node, and every edge is found from both of its ends."""
    log = ListLog(fixed_history(1_500))
    with projecting(log, tmp_path, cached_records_max=50) as projector:
        while projector.advance(40):
            pass
        for memory in projector.store.memories():
            graph = projector.store.peek(memory)
            assert graph is not None
            header, source = graph.header, graph.source
            numbers = [int.from_bytes(key, "big") for key, _ in source.node_rows()]
            edges = [EDGE_KEY.unpack(key) for key, _ in source.edge_rows()]
            assert (len(numbers), len(edges)) == (header.nodes, header.edges)
            scan = projector.store._db.scan
            assert [int.from_bytes(key[4:], "big") for key, _ in scan(families.CONTENTS, source.prefix)] == numbers
            vectored = {number for number, *_ in source.vectors_from(0)}
            assert vectored == {n for n in numbers if graph.expect(n).flags & NodeFlag.VECTORED}
            assert set(header.principles) == {n for n in numbers if graph.expect(n).flags & NodeFlag.PRINCIPLE}
            adjacent = [key[4:] for key, _ in scan(families.ADJACENCY, source.prefix)]
            assert adjacent == sorted(reversed_key(key) for key in edges)
            named = {int.from_bytes(data, "big"): key[4:] for key, data in scan(families.FEATURES, source.prefix)}
            features = [number for number in numbers if (source.node(number) or Node(0, 0, 0, 0, 0)).kind == 3]
            assert {number: source.content(number) for number in features} == named
