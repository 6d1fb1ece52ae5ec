"""Paths to be looked at again: which, on whose desk, and how many at most."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.thinkers.cartographer.worlds import place, think
from yggdrasil import Event, Leg, Memory, Store
from yggdrasil_processors.thinkers.cartographer.paths import LONG_EVENTS, NOTES_MAX, heard
from yggdrasil_processors.thinkers.cartographer.state import PATHS_MAX, Atlas
from yggdrasil_projections.retrieval.reads.experience.happened import Asserted, Happening


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "memories", embedder="off") as opened:
        yield opened


@pytest.fixture
def memory(store: Store) -> Memory[Any]:
    return store.memory("me/agent")


def goals(memory: Memory[Any], session: str) -> list[str]:
    return [str(each.text) for each in memory.desk(session=session).notes if each.predicate == "goal"]


def pass_by(memory: Memory[Any], events: int) -> None:
    list(memory.record_many(Event(f"Dug at depth {number}", features=["kind:build"]) for number in range(events)))


def tell(memory: Memory[Any], number: int) -> None:
    """A place is told, so that all are looked at."""
    place(memory, f"rock {number}", (9_000 * number, 7_000 * number * number))


def test_a_path_that_nobody_was_on_for_long_is_a_goal_once(store: Store, memory: Memory[Any]) -> None:
    memory.walk("home", [Leg("well", ticks=20), Leg("chest", ticks=30)])
    tell(memory, 1)
    with memory.session(goal="Dig") as session:
        pass_by(memory, LONG_EVENTS - 10)
        tell(memory, 2)
        think(store)
        assert goals(memory, session.name) == []
        pass_by(memory, 10)
        memory.walk("well", [Leg("chest", ticks=31)])
        tell(memory, 3)
        assert think(store) == 1
        (goal,) = goals(memory, session.name)
        assert goal.startswith("Look again at the path from home to well: no event has been there for 51")
        tell(memory, 4)
        assert think(store) == 0, "it is on the desk already"
        session.end("Done")
    assert goals(memory, session.name) == []
    with memory.session(goal="Dig on") as other:
        tell(memory, 5)
        assert think(store) == 1 and len(goals(memory, other.name)) == 1


def test_a_path_that_not_all_say_the_same_of_is_a_goal(store: Store, memory: Memory[Any]) -> None:
    user = store.memory("me/agent", source="ines", origin="user")
    user.assert_claim("place:home", "path", "place:mine", qualifiers={"ticks": "20"})
    tell(memory, 1)
    with memory.session(goal="Dig") as session:
        think(store)
        assert goals(memory, session.name) == []
        memory.assert_claim("place:home", "path", "place:mine", qualifiers={"ticks": "20", "blocked": "yes"})
        tell(memory, 2)
        think(store)
        (goal,) = goals(memory, session.name)
        assert "not all say the same" in goal


def test_there_are_three_at_most(store: Store, memory: Memory[Any]) -> None:
    for number in range(8):
        memory.walk("home", [Leg(f"end {number}", ticks=20)])
    with memory.session(goal="Dig") as session:
        pass_by(memory, LONG_EVENTS + 10)
        for number in range(1, 5):
            tell(memory, number)
            think(store)
        assert len(goals(memory, session.name)) == NOTES_MAX


def test_without_a_session_nothing_is_noted(store: Store, memory: Memory[Any]) -> None:
    memory.walk("home", [Leg("well", ticks=20)])
    pass_by(memory, LONG_EVENTS + 10)
    tell(memory, 1)
    assert think(store) == 0


def test_what_strangers_do_takes_away_and_ages_no_path(store: Store) -> None:
    """They walk it, make events pass, tell of more paths than there is room for, and begin a session of their own."""
    memory = store.memory("me/agent", source="ines", origin="user")
    stranger = store.memory("me/agent").speaking(trust=0)
    memory.walk("home", [Leg("well", ticks=20)])
    tell(memory, 1)
    with memory.session(goal="Dig") as session:
        list(stranger.record_many(Event(f"Spam {n}", session="mail") for n in range(LONG_EVENTS)))
        tell(memory, 2)
        assert think(store) == 0 and goals(memory, session.name) == []
        session.record_event("Dug on")
        pass_by(memory, LONG_EVENTS)
        stranger.record_event("Been there", features=["place:home", "place:well"], session="mail")
        with stranger.session(goal="Spy") as other:
            tell(memory, 3)
            assert think(store) == 1
            assert goals(memory, other.name) == [] and len(goals(memory, session.name)) == 1


def test_paths_of_who_is_trusted_least_make_room_first() -> None:
    state = Atlas()
    for number in range(PATHS_MAX + 9):
        said = Asserted(f"place:{number}", "path", "place:end")
        trust = 2 if number == 0 else number % 2
        heard(state, said, Happening(number, f"id{number}", "claim", "s", 0, "x", "agent", asserted=said, trust=trust))
    assert len(state.paths) == PATHS_MAX and "place:0\0place:end" in state.paths
    assert sum(each.trust == 0 for each in state.paths.values()) == PATHS_MAX // 2 - 4 - 1
    said = Asserted("place:0", "path", "place:end")
    heard(state, said, Happening(1, "spam", "claim", "s", 0, "x", "agent", asserted=said, trust=0))
    assert state.paths["place:0\0place:end"].claim == "id0"


def test_a_path_that_a_stranger_told_first_is_that_of_those_who_confirm_it(store: Store, memory: Memory[Any]) -> None:
    memory.speaking(trust=0).assert_claim("place:home", "path", "place:mine", session="mail")
    for other in (memory, store.memory("me/agent", source="ines", origin="user")):
        other.assert_claim("place:home", "path", "place:mine")
    with memory.session(goal="Dig") as session:
        tell(memory, 1)
        think(store)
        pass_by(memory, LONG_EVENTS)
        tell(memory, 2)
        think(store)
        assert len(goals(memory, session.name)) == 1
