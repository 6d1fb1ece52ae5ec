"""The scan of a partition for verdicts: it has a deadline, goes on from there, and keeps a bounded number."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from yggdrasil import BeingBuiltError, Event, InvalidAskError, Memory
from yggdrasil.engines.embedded import Embedded
from yggdrasil.engines.past import fallen
from yggdrasil.engines.past.fallen import Quarantines
from yggdrasil_producers.draft import Drafter


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Embedded]:
    with Embedded(tmp_path, partitions=1) as made:
        yield made


def memory_of(engine: Embedded, name: str) -> Memory[Embedded]:
    return Memory(engine, Drafter(f"tenant/{name}", "ana", "past", "operator"))


def test_whoever_asks_again_goes_on_from_where_the_deadline_was(
    engine: Embedded, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fallen, "_LOOK_RECORDS", 10)
    memory = memory_of(engine, "a")
    bad = memory.record_many([Event(f"Event {number}") for number in range(30)])[0]
    memory.judge({bad: "quarantine"}, reason="A secret")
    done: list[int] = []
    while True:
        try:
            found = engine.fallen_today(memory.id, None, 0.0)
            break
        except BeingBuiltError as error:
            done.append(error.done)
    assert done == [10, 20, 30] and len(found.nodes) == 1


def test_what_is_kept_is_bounded_and_no_memory_takes_the_past_of_another(engine: Embedded) -> None:
    memories = {name: memory_of(engine, name) for name in ("few", "many", "most")}
    for name, count in (("few", 2), ("many", 4), ("most", 7)):
        for bad in memories[name].record_many([Event(f"Event {number}") for number in range(count)]):
            memories[name].judge({bad: "quarantine"}, reason="A secret")

    def kept(of_one_max: int, of_all_max: int) -> dict[str, int | None]:
        quarantines = Quarantines(of_one_max, of_all_max)
        found: dict[str, int | None] = {}
        for name, memory in memories.items():
            try:
                found[name] = len(quarantines.of(engine.records, engine.hosted(memory.id), memory.id).nodes)
            except InvalidAskError as error:
                assert "an auditor asks with quarantined" in str(error)
                found[name] = None
        return found

    assert kept(7, 13) == {"few": 2, "many": 4, "most": 7}
    assert kept(6, 13) == {"few": 2, "many": 4, "most": None}, "too many of one"
    assert kept(7, 12) == {"few": 2, "many": 4, "most": None}, "of all too many: whose are the most"
    engine.quarantines = Quarantines(6, 13)
    with pytest.raises(InvalidAskError):
        memories["most"].as_of(1)
    assert memories["few"].as_of(1).timeline().memories == []
