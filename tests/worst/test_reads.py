"""What a read costs while others wait for it does not grow with the memory.

Counted are the calls of functions while a read holds its turn, which the fold and all other readers of a host wait for.
Scans by numpy are one call: they take a millisecond for a hundred thousand rows. The graph's tables and the index are
there when it is counted, since whoever opens a memory makes them once, the index in parts.
"""

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any, Final

import pytest

from yggdrasil import Event, Memory
from yggdrasil_infra.turns import Turns
from yggdrasil_projections.retrieval.reads.knowledge.rulings import rulings
from yggdrasil_projections.retrieval.table import READS as TABLE
from yggdrasil_schemas.ids import id_bytes

SIZES: Final = (400, 800, 1600)
GROWS: Final = 1.3  # a hash table is now and then larger, an answer a little longer
SLACK: Final = 60
_APART: Final = {"digest": "reads all of a memory from a view of its own, outside of any turn"}
"""The reads that are not counted."""


class Life:
    """A memory that has lived through ``size`` of everything, and what is known of it."""

    def __init__(self, memory: Memory[Any], size: int) -> None:
        self.memory = memory
        self.size = size
        self.session = f"s{(size - 1) // 25}"
        self.events = memory.record_many([
            Event(f"Turn {number} about thing{number}", [f"f{number % 20}", "common"], session=f"s{number // 25}")
            for number in range(size)
        ])  # fmt: skip
        for number in range(0, size, 5):
            memory.log_outcome(self.events[number], number % 7 - 3, kind="outage")
        self.claims = [
            memory.assert_claim(f"person:p{number // 2}", "lives_in", f"city:c{number}") for number in range(size)
        ]
        for number in range(8):
            memory.record_event(f"Latest {number}", key="one")
        self.episode = memory.commit_episode(self.events[:3], text="How it began")
        recall = memory.get_context("thing3").recall_id
        assert recall is not None
        self.action = memory.record_event("Did it", informed_by=[recall])


READS: Final[dict[str, Callable[[Life], object]]] = {
    "get_context": lambda life: life.memory.get_context("thing3", record=False),
    "get_similar_cases": lambda life: life.memory.get_similar_cases("thing3", record=False),
    "foretell": lambda life: life.memory.foretell("thing3"),
    "explain_action": lambda life: life.memory.explain_action(life.action),
    "describe": lambda life: life.memory.describe(life.events[3]),
    "neighbourhood": lambda life: life.memory.neighbourhood(life.events[3], count=10),
    "timeline": lambda life: life.memory.timeline(count=10),
    "happened": lambda life: life.memory.happened(since=0, count=10),
    "working_memory": lambda life: life.memory.working_memory(session=life.session),
    "episodes": lambda life: life.memory.episodes(count=10),
    "episode": lambda life: life.memory.episode(life.episode),
    "what_next": lambda life: life.memory.what_next(session=life.session),
    "history": lambda life: (life.memory.history(key="one"), life.memory.history(life.claims[0])),
    "claims": lambda life: (life.memory.claims(subject="person:p3"), life.memory.claims(predicate="lives_in", count=5)),
    "lineage": lambda life: life.memory.lineage(life.claims[0]),
    "dependents": lambda life: life.memory.dependents(life.events[0]),
    "entity": lambda life: life.memory.entity("person:p3"),
    "contradictions": lambda life: life.memory.contradictions(count=5),
    "rulings": lambda life: life.memory.rulings(),
    "drift": lambda life: life.memory.drift(),
    "stats": lambda life: life.memory.overview(),
    "became": lambda life: life.memory.became(life.events[3]),
}


class Held:
    """The calls that were made while a turn was held: all of them, and the most in one."""

    def __init__(self) -> None:
        self.longest = 0

    @contextmanager
    def counting(self, monkeypatch: pytest.MonkeyPatch) -> Generator[None]:
        reading = Turns.reading

        @contextmanager
        def counted(turns: Turns) -> Generator[None]:
            calls = 0

            def count(_frame: object, what: str, _arg: object) -> None:
                nonlocal calls
                calls += what in ("call", "c_call")

            with reading(turns):
                sys.setprofile(count)
                try:
                    yield
                finally:
                    sys.setprofile(None)
            self.longest = max(self.longest, calls)

        with monkeypatch.context() as patch:
            patch.setattr(Turns, "reading", counted)
            yield


@pytest.fixture(scope="module")
def lives(tmp_path_factory: pytest.TempPathFactory) -> Generator[list[Life]]:
    folder = tmp_path_factory.mktemp("lives")
    opened = [Memory.open(folder / str(size), "me/grows") for size in SIZES]
    try:
        yield [Life(memory, size) for memory, size in zip(opened, SIZES, strict=True)]
    finally:
        for memory in opened:
            memory.close()


def test_every_read_of_the_table_is_here() -> None:
    assert {read.name for read in TABLE} - _APART.keys() == READS.keys()


@pytest.mark.parametrize("read", READS)
def test_the_longest_turn_does_not_grow_with_the_memory(
    lives: list[Life], read: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    longest: list[int] = []
    for life in lives:
        READS[read](life)  # the tables are made
        held = Held()
        with held.counting(monkeypatch):
            READS[read](life)
        longest.append(held.longest)
    assert longest[0] > 0, "no turn was held, so nothing was counted"
    assert longest[2] <= GROWS * longest[0] + SLACK, longest


def test_what_is_counted_can_grow(lives: list[Life], monkeypatch: pytest.MonkeyPatch) -> None:
    longest: list[int] = []
    for life in lives:
        held = Held()
        with held.counting(monkeypatch), life.memory.engine.reading_of("me/grows") as (graph, _):
            for number in range(life.size):
                graph.node(number)
        longest.append(held.longest)
    assert longest[2] > 3 * longest[0]


def test_what_is_read_outside_of_a_turn_is_as_it_stood(lives: list[Life]) -> None:
    memory = lives[0].memory
    before = memory.rulings()
    with memory.engine.hosted("me/grows").frozen("me/grows") as graph:
        assert graph is not None
        late = memory.assert_claim("person:p0", "lives_in", "city:elsewhere")
        assert graph.identity(id_bytes(late)) is None
        assert rulings(graph) == before
    assert memory.rulings().claims == before.claims + 1


def test_a_memory_without_anything_has_nothing_to_read(lives: list[Life]) -> None:
    with lives[0].memory.engine.hosted("me/nobody").frozen("me/nobody") as graph:
        assert graph is None
