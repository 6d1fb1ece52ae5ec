"""When a memory sleeps: what ends a task, a session, and both sides of each threshold."""

from collections.abc import Iterable

import orjson
import pytest

from tests.thinkers.told import HOUR_MS, decided, event, outcome, stored
from yggdrasil_processors.thinkers.sleeper import (
    APART_EVENTS,
    SCHEDULE_EVENTS,
    SESSION_EVENTS_MIN,
    SILENT_EVENTS,
    SILENT_MS,
    Nights,
    Sleeper,
)
from yggdrasil_projections.retrieval.reads.experience.happened import Happening


def slept(told: Iterable[Happening], page: int = 256) -> list[tuple[str, str]]:
    """After what, and by which trigger."""
    found = decided(Sleeper(), told, page)
    assert all(decision.type == "sleep" and decision.body == {} for _, decision in found)
    assert all(decision.payload["why"] in str(decision.text) for _, decision in found)
    return [(after, decision.payload["trigger"]) for after, decision in found]


def plain(first: int, last: int, session: str = "default") -> list[Happening]:
    return [event(n, "x", session=session) for n in range(first, last + 1)]


def test_much_is_a_reason_and_so_it_is_again() -> None:
    assert slept(plain(1, 511)) == []
    assert slept(plain(1, 1_023)) == [("e512", "schedule")]
    assert slept(plain(1, 1_024)) == [("e512", "schedule"), ("e1024", "schedule")]


@pytest.mark.parametrize(
    ("feature", "ends"), [("done", True), ("done:ticket 7", True), ("undone", False), ("donee", False), ("DONE", False)]
)
def test_a_task_ends_with_what_says_so(feature: str, ends: bool) -> None:
    expected = [("e200", "task")] if ends else []
    assert slept([*plain(1, 199), event(200, "x", feature), *plain(201, 300)]) == expected
    told = [*plain(1, 200), outcome(900, "e200", 1.0, kind=feature), *plain(201, 300)]
    assert slept(told) == ([("o900", "task")] if ends else [])


def test_two_sleeps_are_apart_and_what_ended_meanwhile_waits() -> None:
    assert slept([event(n, "done") for n in range(1, 128)]) == []
    assert slept([event(n, "done") for n in range(1, 400)]) == [("e128", "task"), ("e256", "task"), ("e384", "task")]
    assert slept([event(1, "done"), *plain(2, 300)]) == [("e128", "task")]


@pytest.mark.parametrize(("silent", "ends"), [(SILENT_EVENTS - 1, False), (SILENT_EVENTS, True)])
def test_a_session_ends_when_others_go_on_without_it(silent: int, ends: bool) -> None:
    told = [*plain(1, 150, "a"), *plain(151, 150 + silent, "b")]
    assert slept(told) == ([("e182", "session")] if ends else [])


@pytest.mark.parametrize(("events", "ends"), [(SESSION_EVENTS_MIN - 1, False), (SESSION_EVENTS_MIN, True)])
def test_a_short_session_is_no_reason(events: int, ends: bool) -> None:
    told = [*plain(1, events, "a"), *plain(events + 1, 200, "b")]
    assert slept(told) == ([("e128", "session")] if ends else [])


@pytest.mark.parametrize(("later", "ends"), [(SILENT_MS - 1, False), (SILENT_MS, True), (-SILENT_MS, False)])
def test_a_session_has_ended_when_its_next_event_comes_long_after(later: int, ends: bool) -> None:
    day = 100 * HOUR_MS
    told = [event(n, "x", at=day) for n in range(1, 200)]
    found = decided(Sleeper(), [*told, event(200, "x", at=day + later)])
    assert [after for after, _ in found] == (["e200"] if ends else [])
    if ends:
        why = "session default has ended with 199 events: its next event came 6 hours later"
        assert found[0][1].text == f"Slept (session): {why}"
        assert found[0][1].payload == {"trigger": "session", "why": why}


@pytest.mark.parametrize(("events", "rests"), [(APART_EVENTS - 1, False), (APART_EVENTS, True)])
def test_an_idle_memory_sleeps_once(events: int, rests: bool) -> None:
    state = Nights()
    assert decided(Sleeper(), plain(1, events), state=state) == []
    assert [decision.payload["trigger"] for decision in Sleeper().rest(state)] == (["idle"] if rests else [])
    assert Sleeper().rest(state) == ()
    assert stored(Sleeper(), state) == state


@pytest.mark.parametrize("page", [1, 256])
def test_pages_change_nothing(page: int) -> None:
    told = [event(n, "done" if n % 70 == 0 else "x", session=f"s{n // 45}") for n in range(1, 2_000)]
    assert slept(told, page) == slept(told, 10_000) != []


def test_a_hostile_writer_finds_bounds() -> None:
    """A session and an end with every event, at any time: one sleep in 128 events, and a small state."""
    state = Nights()
    told = [event(n, "done", session=f"{n % 99}".ljust(128), at=n * 10**9 % 10**12) for n in range(1, 5_000)]
    assert len(decided(Sleeper(), told, state=state)) == 4_999 // APART_EVENTS
    assert len(state.sessions) <= SILENT_EVENTS < SCHEDULE_EVENTS
    assert len(orjson.dumps(state)) < 10_000
