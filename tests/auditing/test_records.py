"""A log that is not the one that was folded: each record that was altered, removed, doubled or swapped has its name."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest

from tests.graph.golden.fixed_history import fixed_history
from tests.graph.hosts import opened, projecting
from tests.graph.list_log import ListLog
from yggdrasil_infra.log import LogDamagedError, LogRecord, RecordMissingError
from yggdrasil_infra.rocks.database import MemoryBudget, Rocks
from yggdrasil_processors.auditing.against_log.comparing import verify_against_log
from yggdrasil_processors.auditing.against_log.records import LISTED_MAX, LogDiffers, OfLog, compare_records
from yggdrasil_projections.graph.store import families
from yggdrasil_schemas.graph.codec import NUMBER

RECORDS: Final = fixed_history(300)
FOLDED: Final = 200  # of these; the rest came later
AT: Final = 120
OTHER: Final = RECORDS[AT]._replace(value=(RECORDS[AT].value or b"") + b" ")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("standing") / "store"
    with projecting(ListLog(RECORDS[:FOLDED]), path) as projector:
        projector.catch_up()
    return path


def compared(store: Path, log: ListLog) -> OfLog:
    with opened(store) as it:
        return compare_records(log, it)


class Gapped(ListLog):
    """A log that keeps the offsets of what it is given, as a topic does."""

    def extend(self, records: Sequence[LogRecord]) -> None:  # type: ignore[override]
        self.records.extend(records)

    def end_offset(self, partition: int) -> int:
        return self.records[-1].offset + 1

    def read(self, partition: int, offset: int, records_max: int) -> Sequence[LogRecord]:
        return [each for each in self.records if each.offset >= offset][:records_max]


class Damaged(ListLog):
    """A log that cannot vouch for some of its records."""

    def __init__(self, records: Sequence[LogRecord], places: Sequence[int], error: type[LogDamagedError]) -> None:
        super().__init__(records)
        self.places = places
        self.error = error

    def read(self, partition: int, offset: int, records_max: int) -> Sequence[LogRecord]:
        found = super().read(partition, offset, records_max)
        for each in found:
            if each.offset in self.places:
                raise self.error(f"offset {each.offset} is not what was acknowledged")
        return found


def test_a_log_that_goes_on_is_the_same(store: Path) -> None:
    for end in (FOLDED, FOLDED + 1, len(RECORDS)):
        assert compared(store, ListLog(RECORDS[:end])) == OfLog()


@pytest.mark.parametrize("at", [0, 1, AT, FOLDED - 2, FOLDED - 1])
@pytest.mark.parametrize("end", [FOLDED, len(RECORDS)])
def test_one_record_is_altered_missing_doubled_or_swapped(store: Path, at: int, end: int) -> None:
    own = RECORDS[:end]
    one = LogDiffers("altered", 0, at)
    assert compared(store, ListLog([*own[:at], OTHER._replace(key=b"x"), *own[at + 1 :]])).first == [one]
    # Of the last one nobody can say whether what stands there now was put there, or moved up.
    one = LogDiffers("missing" if at < FOLDED - 1 or end == FOLDED else "altered", 0, at)
    assert compared(store, ListLog([*own[:at], *own[at + 1 :]])).first == [one]
    if at < FOLDED - 1:
        one = LogDiffers("doubled", 0, at + 1, at)
        assert compared(store, ListLog([*own[: at + 1], *own[at:]])).first == [one]
        one = LogDiffers("swapped", 0, at, at + 1)
        assert compared(store, ListLog([*own[:at], own[at + 1], own[at], *own[at + 2 :]])).first == [one]


def test_what_was_appended_again_after_all_that_is_folded_is_no_difference(store: Path) -> None:
    assert compared(store, ListLog([*RECORDS[:FOLDED], RECORDS[FOLDED - 1]])) == OfLog()


def test_records_that_changed_places_from_afar_are_named(store: Path) -> None:
    own = list(RECORDS)
    own[AT], own[AT + 40] = own[AT + 40], own[AT]
    assert compared(store, ListLog(own)).first == [LogDiffers("swapped", 0, AT, AT + 40)]


def test_several_differences_are_each_named(store: Path) -> None:
    own = list(RECORDS)
    own[10], own[11] = own[11], own[10]
    own[50] = OTHER
    own[130:130] = [own[129]]
    del own[171]
    found = compared(store, ListLog(own))
    assert [(each.how, each.offset) for each in found.first] == [
        ("swapped", 10), ("altered", 50), ("doubled", 130), ("missing", 170)
    ]  # fmt: skip
    assert found.count == 4


def test_a_run_of_altered_records_is_counted_and_the_first_are_listed(store: Path) -> None:
    altered = [each._replace(key=b"other") for each in RECORDS[100:140]]
    found = compared(store, ListLog([*RECORDS[:100], *altered, *RECORDS[140:]]))
    assert found.count == 40
    assert found.first == [LogDiffers("altered", 0, offset) for offset in range(100, 100 + LISTED_MAX)]


def test_a_record_from_elsewhere_is_added(store: Path) -> None:
    added = OTHER._replace(value=b"{}")
    found = compared(store, ListLog([*RECORDS[:AT], added, *RECORDS[AT:]]))
    assert found.first == [LogDiffers("added", 0, AT)]


def test_a_log_that_ends_too_early_lacks_each_record(store: Path) -> None:
    found = compared(store, ListLog(RECORDS[: FOLDED - 3]))
    assert found.first == [LogDiffers("missing", 0, offset) for offset in range(FOLDED - 3, FOLDED)]


def test_where_offsets_have_gaps_what_is_missing_keeps_its_place(store: Path) -> None:
    own = [*RECORDS[:AT], *RECORDS[AT + 1 : FOLDED]]
    assert compared(store, Gapped(own)).first == [LogDiffers("missing", 0, AT)]
    own = [*RECORDS[:AT], OTHER, *RECORDS[AT + 1 : FOLDED]]
    assert compared(store, Gapped(own)).first == [LogDiffers("altered", 0, AT)]


def test_what_the_log_cannot_vouch_for_is_named(store: Path) -> None:
    found = compared(store, Damaged(RECORDS, [AT], LogDamagedError))
    assert [(each.how, each.offset) for each in found.first] == [("unreadable", AT)]
    assert "not what was acknowledged" in str(found.first[0])
    found = compared(store, Damaged(RECORDS, [AT, AT + 1], RecordMissingError))
    assert [(each.how, each.offset) for each in found.first] == [("missing", AT), ("missing", AT + 1)]


@pytest.mark.parametrize("gone", [False, True])
def test_where_the_log_is_sound_the_list_of_the_store_is_blamed(store: Path, tmp_path: Path, gone: bool) -> None:
    with projecting(ListLog(RECORDS), tmp_path / "own") as projector:
        projector.catch_up()
    with Rocks(tmp_path / "own", families.ALL, MemoryBudget.of()) as rocks:
        batch = rocks.batch()
        key = NUMBER.pack(AT)
        row = rocks.get(families.RECORD_HASHES, key) or b""
        if gone:
            batch.delete(families.RECORD_HASHES, key)
        else:
            batch.put(families.RECORD_HASHES, key, bytes([row[0] ^ 1]) + row[1:])
        rocks.write(batch)
    found = compared(tmp_path / "own", ListLog(RECORDS))
    assert found.first == [LogDiffers("kept", 0, AT)]
    assert "store's hash" in str(found.first[0])


def test_an_altered_record_shows_in_the_memory_as_well(store: Path, tmp_path: Path) -> None:
    with opened(store) as it:
        log = ListLog([*RECORDS[:AT], OTHER, *RECORDS[AT + 1 :]])
        verdict = verify_against_log(log, it, tmp_path, lambda _step, _records: None)
    assert verdict.log.first == [LogDiffers("altered", 0, AT)] and not verdict.same and verdict.stopped is None


def test_a_log_that_cannot_be_folded_says_why(store: Path, tmp_path: Path) -> None:
    with opened(store) as it:
        log = Damaged(RECORDS, [AT], LogDamagedError)
        verdict = verify_against_log(log, it, tmp_path, lambda _step, _records: None)
    assert not verdict.same and verdict.memories == []
    assert verdict.stopped is not None and f"offset {AT}" in verdict.stopped
