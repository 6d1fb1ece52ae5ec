"""Outcomes and cycles: what turns out well or badly enough, a catastrophe, a verdict on all, action to response."""

import pytest

from tests.thinkers.chunker.told import Told, members
from yggdrasil_processors.thinkers.chunker.thresholds import DEFAULT


@pytest.mark.parametrize(
    ("value", "ends"),
    [(DEFAULT.meaningful, True), (-DEFAULT.meaningful, True), (2.9, False), (-2.9, False), (0.0, False)],
)
def test_an_outcome_ends_an_episode_when_it_is_meaningful(value: float, ends: bool) -> None:
    told = Told()
    events = told.events(["Try", "Try again", "Deploy"])
    told.outcome(events[-1], value, kind="outage")
    made = told.taken()
    assert len(made) == ends
    if ends:
        assert members(made[0]) == events
        assert (made[0].payload["trigger"], made[0].body["clear"]) == ("outcome", "key")
        assert made[0].payload["why"] == f"It turned out {value:g} (outage): 3 or more is meaningful."
        assert told.held() == []


def test_one_event_is_no_episode_unless_it_was_a_catastrophe() -> None:
    told = Told()
    event = told.event("Deleted the table")
    told.outcome(event, -10)
    assert told.taken() == []
    told.outcome(event, -10, catastrophic=True, origin="agent")
    assert told.taken() == [], "of what an agent says itself this is no catastrophe"
    told.outcome(event, -10, kind="loss", catastrophic=True, origin="user")
    (made,) = told.taken()
    assert members(made) == [event]
    assert made.payload["why"] == "A catastrophe of -10 (loss)."


def test_a_late_outcome_ends_nothing() -> None:
    told = Told()
    events = told.events(["One", "Two", "Three", "Four"])
    told.outcome(events[0], -9)
    assert told.taken() == []
    told.outcome(events[1], -9)
    assert members(told.taken()[0]) == events
    told.outcome(events[2], -9)
    assert told.taken() == [], "it is in an episode already"


def test_where_every_step_has_a_large_outcome_none_says_that_something_ended() -> None:
    told = Told()
    for number in range(60):
        event = told.event(f"Step {number}")
        told.outcome(event, 8)
    assert len(told.taken()) <= 8


def test_an_outcome_of_another_session_finds_its_event() -> None:
    told = Told()
    events = told.events(["One", "Two"], session="a")
    told.event("Elsewhere", session="b")
    told.outcome(events[1], 5, session="b")
    (made,) = told.taken()
    assert (made.session, members(made)) == ("a", events)


@pytest.mark.parametrize("judged", [3, 2])
def test_a_verdict_on_most_of_a_stretch_ends_it(judged: int) -> None:
    told = Told()
    events = told.events(["One", "Two", "Three", "Four", "Five"])
    for event in events[-judged:]:
        told.outcome(event, 0.5, kind="released")
    made = told.taken()
    assert len(made) == (judged == 3)
    if made:
        assert members(made[0]) == events
        assert made[0].payload["why"] == "3 of 5 events were judged at once, to the last (released)."


def test_action_outcome_and_response_are_a_cycle() -> None:
    told = Told()
    events = told.events(["Asked for a refund", "Sent the offer"])
    told.outcome(events[1], -1)
    response = told.event("Apologised", causes=[events[1]])
    (made,) = told.taken()
    assert (made.payload["trigger"], made.body["clear"]) == ("cycle", "all")
    assert members(made) == [*events, response]
    assert made.payload["why"] == (
        "An action had an outcome of -1, and this is the response to it: its cycle is complete."
    )


def test_where_every_step_is_judged_and_answers_the_one_before_there_are_no_cycles() -> None:
    told = Told()
    before = told.event("Step")
    for _ in range(80):
        told.outcome(before, 0.5)
        before = told.event("Step", causes=[before])
    assert len(told.taken()) <= 12


@pytest.mark.parametrize("late", [False, True])
def test_what_answers_something_else_or_later_closes_no_cycle(late: bool) -> None:
    told = Told()
    events = told.events(["Asked for a refund", "Sent the offer"])
    told.outcome(events[1], -1)
    if late:
        told.event("Wrote a note")
    told.event("Apologised", causes=[events[1] if late else events[0]])
    assert told.taken() == []


def test_what_others_have_made_an_episode_of_is_let_go() -> None:
    told = Told()
    events = told.events(["One", "Two", "Three", "Four"])
    told.episode(events[1:3])
    assert told.held() == [events[0], events[3]]
    told.episode([events[0]], thinker="chunker")
    assert told.held() == [events[3]]
    assert told.taken() == []
