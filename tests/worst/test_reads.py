"""What a read costs while others wait for it does not grow with the memory.

Counted are the calls of functions while a read holds its turn, which the fold and all other readers of a host wait for.
Scans by numpy are one call: they take a millisecond for a hundred thousand rows. The graph's tables and the index are
there when it is counted, since whoever opens a memory makes them once, the index in parts.
"""

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import partial
from typing import Any, Final, NamedTuple

import pytest

from tests.faces.life import Known, lived
from yggdrasil import Memory
from yggdrasil_infra.running.turns import Turns
from yggdrasil_projections.retrieval.query import Read
from yggdrasil_projections.retrieval.reads.knowledge.rulings import rulings
from yggdrasil_projections.retrieval.reads.learning.searched import Searched
from yggdrasil_projections.retrieval.table import READS as TABLE
from yggdrasil_schemas.ids import id_bytes

SIZES: Final = (400, 800, 1600)
GROWS: Final = 1.3  # a hash table is now and then larger, an answer a little longer
SLACK: Final = 60
_APART: Final = {"digest": "reads all of a memory from a view of its own, outside of any turn"}
"""The reads that are not counted."""


class Life(NamedTuple):
    """A memory that has lived through ``size`` of everything, and what is known of it."""

    memory: Memory[Any]
    size: int
    known: Known


def asked(read: Read[Any], life: Life) -> object:
    """Ask the example of a read; a recall is not recorded, since to append is no part of the turn."""
    arguments = life.known.filled(read.example)
    if issubclass(read.query, Searched):
        arguments["record"] = False
    return getattr(life.memory, read.called)(**arguments)


READS: Final[dict[str, Callable[[Life], object]]] = {
    **{read.name: partial(asked, read) for read in TABLE if read.name not in _APART},
    "history of a claim": lambda life: life.memory.history(life.known.claim),
    "claims of a predicate": lambda life: life.memory.claims(predicate="lives_in", count=5),
    "what goes on in a session": lambda life: life.memory.what_next(session="ops"),
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
        yield [Life(memory, size, lived(memory, size)) for memory, size in zip(opened, SIZES, strict=True)]
    finally:
        for memory in opened:
            memory.close()


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
