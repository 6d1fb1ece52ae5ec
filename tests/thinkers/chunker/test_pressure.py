"""Pressure and pattern: cut at the best place before the buffer overflows; and where episodes have ended before."""

import pytest

from tests.thinkers.chunker.told import GARDEN, SERVER, Told, members
from yggdrasil_processors.thinkers.chunker.patterns import ENDED_MIN, PATTERNS_MAX
from yggdrasil_processors.thinkers.chunker.state import EVENTS_MAX

ROOM = 4


@pytest.mark.parametrize("count", [EVENTS_MAX - ROOM - 1, EVENTS_MAX - ROOM])
def test_the_buffer_is_emptied_before_it_overflows(count: int) -> None:
    told = Told()
    for _ in range(count):
        told.event("Note")
    made = told.taken()
    assert len(made) == (count == EVENTS_MAX - ROOM)
    if made:
        assert made[0].payload["trigger"] == "pressure"
        assert (made[0].body["clear"], made[0].body["keep"]) == ("window", 4)
        assert count // 2 <= len(members(made[0])) < count
        assert len(members(made[0])) + len(told.held()) == count


def test_it_is_cut_where_its_sides_are_least_alike() -> None:
    told = Told()
    words = ["apple", "pear", "plum", "cherry", "quince", "medlar", "fig", "date", "grape", "melon"]
    mixed = [
        f"{words[n % 10]} {words[(n + 3) % 10]} {words[(n * 7) % 10]} {words[(n * 3 + 1) % 10]}" for n in range(40)
    ]
    other = [text.replace("apple", "screw").replace("pear", "nail") for text in mixed[:20]]
    told.events([*mixed, *other], after=0)
    (made,) = told.taken()
    assert made.payload["trigger"] == "pressure"
    assert 38 <= len(members(made)) <= 42


def test_where_episodes_have_ended_reliably_they_end_without_another_reason() -> None:
    told = Told()
    for number in range(ENDED_MIN):
        told.event("Begin", features=["act:open", f"goal:{number}"])
        told.event("Work", features=["act:work"])
        last = told.event("Close", features=["act:close"])
        told.outcome(last, 5)
    told.event("Begin", features=["act:open", f"goal:{ENDED_MIN}"])
    assert all(made.payload["trigger"] == "outcome" for made in told.taken())
    told.event("Work", features=["act:work"])
    told.event("Close", features=["act:close"])
    told.event("Begin", features=["act:open", f"goal:{ENDED_MIN}"])  # no outcome, and the same goal
    (made,) = told.taken()
    assert (made.payload["trigger"], made.body["clear"]) == ("pattern", "all")
    assert made.payload["why"] == "At 8 of 8 places like this one (act:close | act:open+goal) an episode ended."


def test_before_it_has_been_so_often_enough_a_pattern_says_nothing() -> None:
    told = Told()
    for number in range(ENDED_MIN - 1):
        told.event("Begin", features=["act:open", f"goal:{number}"])
        told.event("Work", features=["act:work"])
        told.outcome(told.event("Close", features=["act:close"]), 5)
    told.event("Begin", features=["act:open", "goal:same"])
    told.event("Close", features=["act:close"])
    told.taken()
    told.event("Begin", features=["act:open", "goal:same"])
    assert told.taken() == []


def test_what_stands_inside_episodes_as_often_is_no_pattern() -> None:
    told = Told()
    for _ in range(2 * ENDED_MIN):
        told.event("Say", features=["speaker:ann"])
        told.event("Say", features=["speaker:bob"])
        told.outcome(told.event("Say", features=["speaker:ann"]), 5)
    told.taken()
    told.event("Say", features=["speaker:ann"])
    told.event("Say", features=["speaker:bob"])
    assert told.taken() == []


def test_patterns_are_bounded_and_the_newest_stay() -> None:
    told = Told()
    for number in range(2 * PATTERNS_MAX):
        told.event("Say", features=[f"kind{number}:x"])
        if number % 20 == 19:
            told.outcome(f"e{told.seq}", 5)
    assert len(told.state.patterns) <= PATTERNS_MAX
    newest = max(pattern.seen for pattern in told.state.patterns.values())
    assert newest > told.state.tick - 40


def test_texts_of_two_topics_make_two_episodes_in_the_end() -> None:
    told = Told()
    told.events([*GARDEN, *SERVER], after=0)
    told.rest()
    assert [len(members(made)) for made in told.taken()] == [len(GARDEN), len(SERVER)]
