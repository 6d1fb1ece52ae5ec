"""A boundary: another goal, a gap in time, a greeting, another topic, a session that has ended; and what is none."""

from itertools import cycle, islice

import pytest

from tests.thinkers.chunker.told import GARDEN, HOUR, MINUTE, SERVER, Told, members
from yggdrasil_processors.thinkers.chunker.likeness import AROUND
from yggdrasil_processors.thinkers.chunker.thresholds import DEFAULT


def test_another_goal_ends_an_episode_and_the_same_goal_does_not() -> None:
    told = Told()
    told.event("Begin", features=["goal:migrate"])
    told.event("A step")
    told.event("Another", features=["goal:migrate"])
    assert told.taken() == []
    told.event("Something else", features=["tool:ask", "task:audit"])
    (made,) = told.taken()
    assert (made.type, members(made), made.session) == ("commit_episode", ["e1", "e2", "e3"], "s")
    assert made.body["clear"] == "all"
    assert (made.payload["trigger"], made.payload["span"]) == ("boundary", [1, 3])
    assert made.payload["why"] == "The goal switched from goal:migrate to task:audit."
    assert told.held() == ["e4"]


def test_the_first_goal_that_is_named_ends_nothing() -> None:
    told = Told()
    told.events(["One", "Two", "Three"])
    told.event("Begin", features=["goal:migrate"])
    assert told.taken() == []


def test_one_event_alone_is_no_episode_and_does_not_belong_to_the_next() -> None:
    told = Told()
    told.event("Begin", features=["goal:one"])
    told.event("Begin", features=["goal:two"])
    assert told.taken() == [] and told.held() == ["e2"]
    told.event("A step")
    told.event("Begin", features=["goal:three"])
    assert members(told.taken()[0]) == ["e2", "e3"]


def test_a_goal_that_changes_with_every_event_says_nothing() -> None:
    told = Told()
    for number in range(40):
        told.event("A step", features=[f"goal:{number % 2}"])
    assert told.taken() == []
    assert len(told.held()) > 25, "it was heeded for a few events, and then no more"


@pytest.mark.parametrize(("gap", "ends"), [(5 * MINUTE, False), (8 * MINUTE, True), (HOUR, True), (0, False)])
def test_a_gap_ends_an_episode_when_it_is_about_eight_times_what_is_usual_here(gap: int, ends: bool) -> None:
    told = Told()
    for _ in range(12):
        told.event("Note")
    told.event("Note", after=gap)
    made = told.taken()
    assert len(made) == ends
    if ends:
        assert made[0].payload["trigger"] == "boundary"
        assert made[0].payload["why"].endswith("passed; three of four gaps here are at most 66 seconds.")


def test_the_clock_says_nothing_before_it_is_known() -> None:
    told = Told()
    told.event("Note")
    told.event("Note")
    told.event("Note", after=100 * HOUR)
    assert told.taken() == []


def test_where_gaps_are_of_all_sizes_the_largest_says_little() -> None:
    told = Told()
    for after in islice(cycle([1_000, 60_000, 3_600_000, 5_000, 86_400_000, 600_000]), 60):
        told.event("Note", after=after)
    told.event("Note", after=20 * 86_400_000)
    assert all("passed" not in made.payload["why"] for made in told.taken())


def test_a_time_that_runs_backwards_is_no_gap() -> None:
    told = Told()
    for _ in range(12):
        told.event("Note")
    told.event("Note", after=-100 * HOUR)
    assert told.taken() == []


@pytest.mark.parametrize(
    "greeting",
    ["Hey Tom!", "Oh, hello there", "Guten Morgen, Anna", "¡Buenos días!", "こんにちは、田中さん", "Привет!"],
)
def test_a_greeting_begins_something_new(greeting: str) -> None:
    told = Told()
    told.events(["How was it?", "Fine, thank you", "Good to know", "So long", "Same to you"])
    told.event(greeting)
    (made,) = told.taken()
    assert made.payload["why"].startswith("It begins with a greeting")
    told.event("Hi, nice to see you")
    assert told.taken() == [], "who greets back begins nothing"


@pytest.mark.parametrize("text", ["They said hello to us", "Higher, please", "The high tide is over", None, ""])
def test_what_only_looks_like_a_greeting_is_none(text: str | None) -> None:
    told = Told()
    told.events(["How was it?", "Fine, thank you", "Good to know", "So long", "Same to you"])
    told.event(text)
    assert told.taken() == []


def test_where_every_line_greets_none_counts() -> None:
    told = Told()
    for number in range(60):
        told.event("Hello" if number % 4 == 0 else "Well")
    few = [made for made in told.taken() if "greeting" in made.payload["why"]]
    assert few, "one of four is still telling"
    told = Told()
    for _ in range(200):
        told.event("Hello, how can I help you?")
    assert not [made for made in told.taken() if "greeting" in made.payload["why"]]


def test_another_topic_ends_an_episode_where_it_begins() -> None:
    told = Told()
    told.events(GARDEN, after=0)
    told.events(SERVER, after=0)
    (made,) = told.taken()
    assert made.payload["trigger"] == "boundary"
    assert made.payload["why"].startswith("The topic shifted: what was said before and after is alike by 0.0")
    assert members(made) == [f"e{number}" for number in range(1, len(GARDEN) + 1)]


def test_a_shift_is_seen_once_enough_has_come_after_it() -> None:
    told = Told()
    told.events(GARDEN, after=0)
    told.events(SERVER[: DEFAULT.scales[-1] + AROUND - 1], after=0)
    assert told.taken() == []
    told.event(SERVER[DEFAULT.scales[-1] + AROUND - 1], after=0)
    assert len(told.taken()) == 1


def test_one_topic_is_one_episode() -> None:
    told = Told()
    told.events([*GARDEN, *GARDEN], after=0)
    assert told.taken() == []


def test_topics_are_not_heeded_where_a_clock_tells() -> None:
    told = Told()
    for _ in range(4):
        told.events(GARDEN[:9])
        told.event("See you", after=HOUR)
    told.taken()
    told.events([*GARDEN, *SERVER])
    assert told.taken() == []


def test_a_session_ends_when_others_go_on_without_it() -> None:
    told = Told()
    told.events(["One", "Two", "Three"], session="a", after=0)
    told.events(["Note"] * (DEFAULT.silent_ticks - 1), session="b", after=0)
    assert not [made for made in told.taken() if made.session == "a"]
    told.events(["Note"] * 8, session="b", after=0)
    (made,) = [made for made in told.taken() if made.session == "a"]
    assert made.payload["trigger"] == "boundary" and "silent" in made.payload["why"]
    assert members(made) == ["e1", "e2", "e3"]
    assert "a" not in told.state.sessions


def test_a_session_ends_sooner_where_the_clock_tells() -> None:
    told = Told()
    told.events(["Note"] * 12, session="a")
    told.event("Note", session="b", after=10 * HOUR)
    told.events(["Note"] * 20, session="b")
    (made,) = [made for made in told.taken() if made.session == "a"]
    assert "hours" in made.payload["why"]


def test_a_rest_ends_all_that_is_open() -> None:
    told = Told()
    told.events(["One", "Two"], session="b")
    told.events(["Three", "Four", "Five"], session="a")
    told.event("Alone", session="c")
    assert [(made.session, len(members(made))) for made in told.rest()] == [("a", 3), ("b", 2)]
    assert told.rest() == []
    assert told.held("c") == ["e6"], "it may go on"
