"""The benchmark ``grid``: its book keeps the time of the memory, and its warehouse is a world that can be walked."""

from pathlib import Path

import pytest

from benchmarks.places.agent import SPAN, Agent
from benchmarks.places.asking import Asking
from benchmarks.places.warehouse import warehouse
from yggdrasil import Memory


def test_what_was_told_perishes_when_the_book_says_so(tmp_path: Path) -> None:
    with Memory.open(tmp_path, "bench/grid", embedder="off") as memory:
        event = memory.record_event("Opened it")
        memory.assert_claim("place:chest", "contains", "item:iron", evidence=[event])
        for number in range(SPAN):
            memory.record_event(f"Walked on {number}")
        assert [each.name for each in memory.neighbours_of("item:iron").neighbours] == ["place:chest"]
        memory.record_event("And on")
        assert memory.neighbours_of("item:iron").neighbours == []
        (kept,) = memory.neighbours_of("item:iron", stale=True).neighbours
        assert kept.confidence < 0.5


def test_the_book_has_the_time_of_the_memory_and_what_is_there_now(tmp_path: Path) -> None:
    with Memory.open(tmp_path, "bench/grid", embedder="off", partitions=1) as memory:
        agent = Agent(warehouse(2, 32), memory, 2)
        agent.live(2_500)
        assert agent.book.tick == memory.overview().tick
        assert agent.book.replaced, "some bin held another thing when it was opened again"
        for place, item in agent.book.holds.items():
            found = memory.neighbours_of(f"place:{place}", relation="contains", stale=True).neighbours
            assert [each.name for each in found] == [f"item:{item}"]
        figures = Asking(agent, 2).figures(20)
        assert figures["facts, F1 %"] == figures["facts with what is stale, F1 %"] == 100.0
        assert 0 < figures["of these perished"] < figures["offers and contents"]
        assert figures["answers that use stale edges"] == 0


@pytest.mark.parametrize("seed", range(4))
def test_a_warehouse_is_the_same_for_a_seed_and_all_of_it_can_be_reached(seed: int) -> None:
    one, other = warehouse(seed, 40), warehouse(seed, 40)
    assert one == other != warehouse(seed + 1, 40)
    reached = one.distances(one.traders[0].cell, 1_000_000)  # with all doors shut
    cells = [thing.cell for thing in one.things] + [trader.cell for trader in one.traders]
    assert {*cells} <= reached.keys() and len({*cells}) == len(cells)
    held = sorted(str(thing.holds) for thing in one.things)
    before = [thing.holds for thing in one.things]
    one.drift(1)
    assert sorted(str(thing.holds) for thing in one.things) == held, "stock moves, and none of it is lost"
    assert [thing.holds for thing in one.things] != before
