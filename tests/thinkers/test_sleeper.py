"""When a memory sleeps, and on what: what ends a task, a session, and both sides of each threshold."""

from collections.abc import Iterable
from dataclasses import replace

import orjson
import pytest

from tests.thinkers.told import HOUR_MS, decided, event, outcome, stored
from yggdrasil_processors.thinkers.sleeper import (
    APART_EVENTS,
    SCHEDULE_EVENTS,
    SESSION_EVENTS_MIN,
    SILENT_EVENTS,
    SILENT_MS,
    TASK_EVENTS,
    Nights,
    Sleeper,
)
from yggdrasil_projections.retrieval.reads.experience.happened import Happening

WHOLE = ("schedule", "idle")


def slept(told: Iterable[Happening], page: int = 256) -> list[tuple[str, str]]:
    """After what, and by which trigger."""
    found = decided(Sleeper(), told, page)
    for _, decision in found:
        assert decision.type == "sleep" and decision.payload["why"] in str(decision.text)
        assert decision.body == ({} if decision.payload["trigger"] in WHOLE else {"scope": "task"})
    return [(after, decision.payload["trigger"]) for after, decision in found]


def ended(told: Iterable[Happening], page: int = 256) -> list[tuple[str, str]]:
    """Only those sleeps that say what has ended."""
    return [each for each in slept(told, page) if each[1] not in (*WHOLE, "events")]


def plain(first: int, last: int, session: str = "default") -> list[Happening]:
    return [event(n, "x", session=session) for n in range(first, last + 1)]


def test_it_sleeps_on_every_ten_events_and_on_the_whole_after_512() -> None:
    assert slept(plain(1, 9)) == []
    assert slept(plain(1, 29)) == [("e10", "events"), ("e20", "events")]
    found = slept(plain(1, 1_050))
    assert [after for after, _ in found] == [f"e{n}" for n in range(10, 1_051, 10)]
    assert [each for each in found if each[1] != "events"] == [("e520", "schedule"), ("e1040", "schedule")]


@pytest.mark.parametrize(
    ("feature", "ends"), [("done", True), ("done:ticket 7", True), ("undone", False), ("donee", False), ("DONE", False)]
)
def test_a_task_ends_with_what_says_so(feature: str, ends: bool) -> None:
    expected = [("e210", "task")] if ends else []
    assert ended([*plain(1, 200), event(201, "x", feature), *plain(202, 300)]) == expected
    told = [*plain(1, 200), outcome(900, "e200", 1.0, kind=feature), *plain(201, 300)]
    assert ended(told) == [("e210", "task" if ends else "outcome")]


def test_every_outcome_ends_a_task() -> None:
    told = [*plain(1, 12), outcome(900, "e11", -1.0), *plain(13, 40)]
    assert slept(told) == [("e10", "events"), ("e20", "outcome"), ("e30", "events"), ("e40", "events")]


def test_whatever_ends_at_once_there_is_one_sleep_in_ten_events() -> None:
    all_of_it = [
        each
        for n in range(1, 101)
        for each in (
            replace(event(n, "done", session=f"s{n // 4}"), boundary="close" if n % 4 == 3 else None),
            outcome(1_000 + n, f"e{n}", 1.0),
            outcome(2_000 + n, f"e{n}", 1.0, kind="done"),
        )
    ]
    assert slept(all_of_it) == [(f"e{n}", "task") for n in range(10, 101, 10)]


@pytest.mark.parametrize(("silent", "ends"), [(SILENT_EVENTS - 1, False), (SILENT_EVENTS, True)])
def test_a_session_ends_when_others_go_on_without_it(silent: int, ends: bool) -> None:
    told = [*plain(1, 148, "a"), *plain(149, 148 + silent, "b")]
    assert ended(told) == ([("e180", "session")] if ends else [])


@pytest.mark.parametrize(("events", "ends"), [(SESSION_EVENTS_MIN - 1, False), (SESSION_EVENTS_MIN, True)])
def test_a_short_session_is_no_reason(events: int, ends: bool) -> None:
    assert ended([*plain(1, events, "a"), *plain(events + 1, 200, "b")]) == ([("e40", "session")] if ends else [])


@pytest.mark.parametrize(("events", "ends"), [(SESSION_EVENTS_MIN - 1, False), (SESSION_EVENTS_MIN, True)])
def test_a_session_ends_with_the_event_that_closes_it(events: int, ends: bool) -> None:
    closing = replace(event(events, "x", session="a"), boundary="close")
    told = [*plain(1, events - 1, "a"), closing, *plain(events + 1, 30, "b")]
    assert ended(told) == ([("e10", "session")] if ends else [])
    state = Nights()
    decided(Sleeper(), told, state=state)
    assert list(state.sessions) == ["b"]


@pytest.mark.parametrize(("later", "ends"), [(SILENT_MS - 1, False), (SILENT_MS, True), (-SILENT_MS, False)])
def test_a_session_has_ended_when_its_next_event_comes_long_after(later: int, ends: bool) -> None:
    day = 100 * HOUR_MS
    told = [event(n, "x", at=day) for n in range(1, 200)]
    found = decided(Sleeper(), [*told, event(200, "x", at=day + later)])
    after, decision = found[-1]
    assert (after, decision.payload["trigger"]) == ("e200", "session" if ends else "events")
    if ends:
        why = "session default has ended with 199 events: its next event came 6 hours later"
        assert decision.text == f"Slept (session): {why}"
        assert decision.payload == {"trigger": "session", "why": why}


@pytest.mark.parametrize(("events", "rests"), [(APART_EVENTS - 1, False), (APART_EVENTS, True)])
def test_an_idle_memory_looks_at_its_whole_once(events: int, rests: bool) -> None:
    state = Nights()
    decided(Sleeper(), plain(1, events), state=state)
    found = Sleeper().rest(state)
    assert [(each.payload["trigger"], each.body) for each in found] == ([("idle", {})] if rests else [])
    assert Sleeper().rest(state) == ()
    assert stored(Sleeper(), state) == state


@pytest.mark.parametrize(("events", "rests"), [(SESSION_EVENTS_MIN - 1, False), (SESSION_EVENTS_MIN, True)])
def test_at_rest_it_sleeps_on_what_has_ended_and_not_on_what_goes_on(events: int, rests: bool) -> None:
    state = Nights()
    decided(Sleeper(), plain(1, events), state=state)
    assert Sleeper().rest(state) == ()
    decided(Sleeper(), [outcome(99, "e1", 1.0)], state=state)
    found = Sleeper().rest(state)
    assert [(each.payload["trigger"], each.body) for each in found] == (
        [("outcome", {"scope": "task"})] if rests else []
    )
    assert Sleeper().rest(state) == ()


@pytest.mark.parametrize("page", [1, 256])
def test_pages_change_nothing(page: int) -> None:
    told = [event(n, "done" if n % 70 == 0 else "x", session=f"s{n // 45}") for n in range(1, 2_000)]
    assert slept(told, page) == slept(told, 10_000) != []


def test_a_hostile_writer_finds_bounds() -> None:
    """A session and an end with every event, at any time: one sleep in ten events, and a small state."""
    state = Nights()
    told = [event(n, "done", session=f"{n % 99}".ljust(128), at=n * 10**9 % 10**12) for n in range(1, 5_000)]
    found = [decision for _, decision in decided(Sleeper(), told, state=state)]
    assert len(found) == 4_999 // TASK_EVENTS
    assert sum(not decision.body for decision in found) == 4_999 // (SCHEDULE_EVENTS + 8)
    assert len(state.sessions) <= SILENT_EVENTS < SCHEDULE_EVENTS
    assert len(orjson.dumps(state)) < 10_000
