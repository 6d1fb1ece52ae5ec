"""What an agent in a world has in mind (002, sections 5 and 7), as whoever uses a memory sees it."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from yggdrasil import Memory

BUFFERED = 8


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory[Any]]:
    with Memory.open(tmp_path, "me/scout", embedder="off", partitions=1) as opened:
        yield opened


def desk(memory: Memory[Any]) -> list[tuple[str, str | bool | None]]:
    return [(each.predicate, each.value) for each in memory.desk().notes]


def days(count: int) -> datetime:
    return datetime.now(UTC) + timedelta(days=count)


def test_the_latest_observations_are_a_ring(memory: Memory[Any]) -> None:
    memory.set_policy(buffer_events_max=BUFFERED)
    with memory.session(name="day 1") as session:
        seen = [
            memory.observe(f"Saw a chest, {number}", place=f"cave {number}", kind="discovery", session=session.name)
            for number in range(2 * BUFFERED)
        ]
        (mind,) = memory.working_memory(session="day 1", count=50).sessions
        assert [each.ref for each in mind.observations] == [each.event for each in seen[-BUFFERED:]]
        assert mind.buffered == mind.buffer_max == BUFFERED
        assert memory.describe(seen[0].event).memory.text == "Saw a chest, 0", "it left the mind, and is remembered"


def test_there_is_one_intent_and_there_are_several_subgoals_and_threats(memory: Memory[Any]) -> None:
    with memory.session(name="day 1", goal="Get emeralds") as session:
        session.note(intent="Look for sticks", subgoal="Find trees")
        (ghost,) = session.note(threat="a creeper at the gate")
        session.note(intent="Go and trade", subgoal="Find the smith", threat="it gets dark")
        assert desk(memory) == [
            ("intent", "Go and trade"),
            ("subgoal", "Find trees"), ("subgoal", "Find the smith"),
            ("threat", "a creeper at the gate"), ("threat", "it gets dark"),
        ]  # fmt: skip
        session.settle(ghost, "it went away")
        assert ("threat", "a creeper at the gate") not in desk(memory)
        (mind,) = memory.working_memory().sessions
        assert [(each.predicate, each.value) for each in mind.desk] == desk(memory)
        assert "Go and trade" in session.context().text()
    assert desk(memory) == []


def test_promises_of_30_and_100_days_outlive_the_session_and_become_overdue(memory: Memory[Any]) -> None:
    with memory.session(name="day 1") as session:
        far = session.promise("Build the wall", due=days(100))
        session.promise("Bring the smith iron", due=days(30))
        session.promise("Feed the cow", due=days(-1))
        session.note(intent="Sleep")
    memory.sleep()
    notes = memory.desk().notes
    assert [(each.value, each.overdue) for each in notes] == [
        ("Feed the cow", True), ("Bring the smith iron", False), ("Build the wall", False),
    ]  # fmt: skip
    ahead = [round((each.due or 0) / 86_400_000 - days(0).timestamp() / 86_400) for each in notes]
    assert ahead == [-1, 30, 100]
    with memory.session(name="day 2") as session:
        session.settle(far, "it stands")
    assert [each.value for each in memory.desk().notes] == ["Feed the cow", "Bring the smith iron"]


@pytest.mark.parametrize("how", ["sleeps", "goes on elsewhere"])
def test_a_session_that_is_idle_is_out_of_mind_and_its_promises_stay(memory: Memory[Any], how: str) -> None:
    memory.set_policy(session_idle_ticks=5)
    session = memory.session(name="day 1")
    session.note(intent="Go and trade", threat="it gets dark")
    session.promise("Bring the smith iron", due=days(30))
    for number in range(7):
        memory.record_event(f"Elsewhere, {number}", session="other")
    assert len(desk(memory)) == 3
    if how == "sleeps":
        memory.sleep()
    else:
        memory.session(name="day 2")
    assert desk(memory) == [("promise", "Bring the smith iron")]
    assert "day 1" not in [each.session for each in memory.working_memory().sessions]


def test_the_last_events_become_one_episode_and_leave_the_mind(memory: Memory[Any]) -> None:
    with memory.session(name="day 1") as session:
        for number in range(6):
            memory.observe(f"Walked on, {number}", place=f"hill {number}", kind="discovery", session=session.name)
        (mind,) = memory.working_memory(count=50).sessions
        last = [each.ref for each in mind.observations[-4:]]
        told = memory.commit_episode(last, text="A walk over four hills", session=session.name)
        (mind,) = memory.working_memory(count=50).sessions
        assert not {*last} & {each.ref for each in mind.observations}
        assert [(each.ref, each.text) for each in mind.episodes] == [(told, "A walk over four hills")]
    day = memory.commit_episode([], episodes=[told], text="The first day")
    assert memory.describe(day).memory.text == "The first day"
    assert memory.get_context("a walk over hills", record=False).found[0].memory.text == "A walk over four hills"


def test_core_places_that_are_pinned_are_known_when_others_are_forgotten(memory: Memory[Any]) -> None:
    memory.set_policy(nodes_max=60, sessions_open_max=4)
    bed = memory.observe("My bed", place="spawn bed", place_type="bed", anchor="o/1/64/1", kind="sleep", actor="me")
    for each in (bed.event, *bed.facts):
        memory.pin(each)
    plain = memory.observe("A bed", place="tent", place_type="bed", anchor="o/3/64/1", kind="build")
    for number in range(150):
        memory.observe("Saw ore", place=f"vein {number}", place_type="ore", anchor=f"o/{number}/20/9", kind="discovery")
    assert [each.place.name for each in memory.nearest("bed", "o/2/64/1", k=5).found] == ["place:spawn bed"]
    last = memory.last_seen("actor:me").last
    assert last is not None and (last.place, last.anchor) == ("place:spawn bed", "o/1/64/1")
    assert memory.describe(bed.event).memory.text == "My bed"
    assert not memory.claims("place:tent").claims, plain
