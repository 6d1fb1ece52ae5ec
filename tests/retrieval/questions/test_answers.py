"""Answers that read the question: what asks, when it is about, and how much is wanted."""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from yggdrasil import Context, InvalidAskError, Memory, Where
from yggdrasil.engines.embedded import Embedded
from yggdrasil_infra.local_log.log import LocalLog
from yggdrasil_processors.auditing.proof import prove, recalls_in
from yggdrasil_projections.retrieval.asks import Ask, Clause, Speaker
from yggdrasil_projections.retrieval.reads.learning.searched import AskContext, AskSimilarCases

NOTES = (
    "The plumber's phone number is 0170 55512", "The wifi password is on the fridge", "Ben keeps bees in the garden",
    "The spare key hangs behind the mirror", "Ana likes tea with lemon", "The car needs new tyres in spring",
    "Bins are emptied on Thursday morning", "The school bus leaves at seven", "Soup is better on the second day",
    "The lamp in the cellar is broken", "Zoe plays the cello on Sundays", "The rent of the hall is 300 euros",
)  # fmt: skip
CHATTER = "Good morning! It rained the whole night here. The neighbours were loud again. "


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory[Embedded]]:
    with Memory.open(tmp_path / "here", "reading/one", embedder="none") as opened:
        opened.set_policy(search_refusal=0.0)
        yield opened


@pytest.fixture
def noted(memory: Memory[Embedded]) -> Memory[Embedded]:
    for text in NOTES:
        memory.record_event(text)
    return memory


def texts(context: Context) -> list[str | None]:
    return [each.memory.text for each in context.found]


def test_small_talk_does_not_hide_what_is_asked(noted: Memory[Embedded]) -> None:
    found = noted.get_context(CHATTER + "Where is the spare key?")
    assert texts(found)[0] == "The spare key hangs behind the mirror"
    assert found.understood is not None and found.understood.clauses == ("Where is the spare key?",)


def test_two_questions_are_both_answered(noted: Memory[Embedded]) -> None:
    found = noted.get_context("What does Ana like with her tea, and when does the school bus leave?", k=4)
    assert {"Ana likes tea with lemon", "The school bus leaves at seven"} <= set(texts(found))


def test_as_many_are_returned_as_are_asked_for(noted: Memory[Embedded]) -> None:
    found = noted.get_context("Where does the lamp in the cellar of the hall hang on Sundays?", k=3)
    assert len(found.found) == 3
    priorities = [each.scores.priority for each in found.found]
    assert priorities == sorted(priorities, reverse=True)


def test_what_has_no_word_of_the_question_is_no_answer_whatever_is_asked_for(noted: Memory[Embedded]) -> None:
    found = noted.get_context("Where does the cello play?", k=50)
    assert 0 < len(found.found) < len(NOTES)
    assert noted.get_context("quarterly revenue forecast", k=50).found == []


def test_a_question_for_a_list_gets_one(memory: Memory[Embedded]) -> None:
    for number in range(15):
        memory.record_event(f"Tim has read the book number{number}", session=f"day {number}")
    for text in NOTES:
        memory.record_event(text)
    assert len(memory.get_context("Which books has Tim read?").found) == 15
    assert len(memory.get_context("Which books has Tim read?", k=5).found) == 5


@pytest.fixture
def moved(memory: Memory[Embedded]) -> Memory[Embedded]:
    for city, since in (("paris", "2019-03-01"), ("berlin", "2024-06-01"), ("oslo", "2025-05-01")):
        memory.assert_claim(
            "person:ana", "lives_in", f"city:{city}", text=f"Ana lives in {city.title()}", valid_from=since
        )
    return memory


@pytest.mark.parametrize(
    ("asked", "cities"),
    [
        ("Where does Ana live?", ["Oslo"]),
        ("Where did Ana live in 2023?", ["Paris"]),
        ("Where did Ana live in 2024?", ["Berlin", "Paris"]),
        ("Where did Ana live on January 5th, 2025?", ["Berlin"]),
        ("Where did Ana live before 2024?", ["Paris"]),
        ("Wo wohnte Ana im Jahr 2022?", ["Paris"]),
        ("Ana lived where in 2015?", []),
        ("Where does Ana live, for the 2024 budget?", ["Oslo"]),
    ],
)
def test_a_claim_is_answered_as_of_the_time_that_is_asked_about(
    moved: Memory[Embedded], asked: str, cities: list[str]
) -> None:
    found = moved.get_context(asked)
    assert sorted(str(text).removeprefix("Ana lives in ") for text in texts(found)) == cities
    if cities == ["Paris"]:
        assert "held from 2019-03-01 until 2024-06-01" in found.text() and "SUPERSEDED" not in found.text()


def test_whoever_says_of_when_is_not_read_otherwise(moved: Memory[Embedded]) -> None:
    found = moved.get_context("Where did Ana live in 2023?", where=Where(valid_at="2025-01-01"))
    assert texts(found) == ["Ana lives in Berlin"]
    spans = Where(valid_at="2025-12-31", valid_since="2019-03-02")
    assert len(moved.get_context("Where did Ana live?", where=spans).found) == 3
    with pytest.raises(InvalidAskError, match="valid_since"):
        Where(valid_since="2024-01-01")


def test_of_a_day_what_was_said_then_comes_first(memory: Memory[Embedded]) -> None:
    for day in range(1, 29):
        memory.record_event(f"Lunch was dish{day} today", at=f"2024-03-{day:02d}", session=f"day {day}")
    for asked in ("on March 9th, 2024", "am 9. M\u00e4rz 2024", "on 2024-03-09", "el 9 de marzo de 2024"):
        assert texts(memory.get_context(f"What was lunch {asked}?", k=5))[0] == "Lunch was dish9 today", asked


def test_an_update_stands_before_what_it_updates(memory: Memory[Embedded]) -> None:
    for text in NOTES:
        memory.record_event(text)
    memory.record_event("The yoga class meets in room 12 on Mondays", at="2025-01-01")
    memory.record_event("The yoga class now meets in room 14 on Mondays", at="2025-02-01")
    found = texts(memory.get_context("In which room does the yoga class meet?", k=5))
    assert [str(text)[-17:-11] for text in found[:2]] == ["oom 14", "oom 12"]


def test_who_is_trusted_less_updates_nothing(tmp_path: Path) -> None:
    with Memory.open(tmp_path, "reading/two", source="ana", origin="user", embedder="none") as memory:
        memory.set_policy(search_refusal=0.0)
        memory.record_event("The yoga class meets in room 12 on Mondays", at="2025-01-01")
    with Memory.open(tmp_path, "reading/two", source="web", origin="agent", embedder="none") as memory:
        memory.record_event("The yoga class now meets in room 14 on Mondays", at="2025-02-01")
        found = texts(memory.get_context("Where does the yoga class meet on Mondays in room 12?", k=5))
    assert str(found[0]).endswith("room 12 on Mondays")


def test_a_rival_that_is_trusted_less_takes_no_confidence(tmp_path: Path) -> None:
    with Memory.open(tmp_path, "reading/two", source="ana", origin="user", embedder="none") as memory:
        memory.assert_claim("person:ana", "lives_in", "city:oslo")
        (before,) = memory.claims("person:ana").claims
    with Memory.open(tmp_path, "reading/two", source="web", origin="agent", embedder="none") as memory:
        memory.assert_claim("person:ana", "lives_in", "city:rome")
        (after, *_) = memory.claims("person:ana").claims
    assert before.claim is not None and after.claim is not None
    assert (after.claim.object, after.claim.confidence) == ("city:oslo", before.claim.confidence)


def test_a_claim_that_has_faded_is_shown_if_it_is_asked_for(memory: Memory[Embedded]) -> None:
    memory.define("mood", perish_ticks=4, cardinality="one")
    memory.assert_claim("person:ana", "mood", "merry", text="The mood of Ana is merry")
    assert texts(memory.get_context("What is the mood of Ana?")) == ["The mood of Ana is merry"]
    for text in NOTES:
        memory.record_event(text)
    assert "The mood of Ana is merry" not in texts(memory.get_context("What is the mood of Ana?", k=10))
    assert "The mood of Ana is merry" in texts(memory.get_context("What is the mood of Ana?", k=10, history=True))


def test_what_was_read_is_recorded_and_proved(noted: Memory[Embedded], tmp_path: Path) -> None:
    chance = random.Random(36)
    asked = [CHATTER + f"What of {' and '.join(chance.sample(NOTES, 2))}? And who was it last week?" for _ in range(12)]
    for number, text in enumerate(asked):
        found = noted.get_context(text, k=chance.choice([None, 3, 8]), tokens_max=chance.choice([None, 60]))
        assert found.recorded and found.understood is not None and len(found.understood.clauses) > 1, number
    with LocalLog.open_read_only(tmp_path / "here" / "log") as log:
        recalls = list(recalls_in(log, "reading/one"))
        content: Any = recalls[0].command.content
        assert content.payload["understood"]["version"] == "question/1"
        assert len(content.payload["clauses"]) > 1 and "clauses" not in content.payload["understood"]
        assert [proof.reason for proof in prove(log, tmp_path / "again", recalls)] == [None] * len(asked)


def test_pages_of_several_clauses_tell_nothing_twice(noted: Memory[Embedded]) -> None:
    asked = "Where is the key, and what of the lamp? Who plays the cello, and what does the hall cost?"
    told: list[str] = []
    more = None
    for _ in range(8):
        page = noted.get_context(asked, k=2, more=more)
        told += [each.memory.ref for each in page.found]
        more = page.more
        if more is None or more.cursor is None:
            break
    assert len(told) == len(set(told)) >= 4


def test_more_clauses_than_are_asked_are_refused(memory: Memory[Embedded]) -> None:
    with pytest.raises(InvalidAskError, match="at most 3"):
        Ask(memory.id, "x", clauses=(Clause("y"),) * 4)
    given = Ask(memory.id, "Where is the key?", clauses=(Clause("Where is the lamp?"),))
    memory.record_event("The lamp is in the hall")
    assert texts(memory.engine.ask(memory.id, AskContext(given, record=False))) == ["The lamp is in the hall"]


def test_clauses_are_asked_of_no_similar_cases(noted: Memory[Embedded]) -> None:
    given = Ask(noted.id, "The lamp was broken", clauses=(Clause("tea"),))
    assert noted.engine.ask(noted.id, AskSimilarCases(given), Speaker("me", "test", "agent")).recorded
    with pytest.raises(InvalidAskError, match="a clause has 1 to"):
        Ask(noted.id, "x", clauses=(Clause("  "),))


def test_another_thing_is_no_update(memory: Memory[Embedded]) -> None:
    for number, seats in ((12, 40), (14, 25), (16, 9)):
        memory.record_event(f"Room {number} seats {seats} people", at=f"2025-01-{number}")
    assert texts(memory.get_context("How many people does room 12 seat?", k=3))[0] == "Room 12 seats 40 people"


def test_what_is_near_enough_comes_before_what_is_not(noted: Memory[Embedded]) -> None:
    asked = "Where is the key, and what of the lamp in the cellar? Who plays the cello?"
    near = {each.memory.ref for each in noted.get_context(asked, record=False).found}
    told = [each.memory.ref for each in noted.get_context(asked, k=len(near), record=False).found]
    assert set(told) == near


def test_what_several_say_about_as_well_is_no_gap(memory: Memory[Embedded]) -> None:
    """Whoever is named is not refused for what somebody else says no better than others do."""
    for number in range(40):
        memory.record_event(f"Talk of the weather {number}", features=[f"speaker:{('Ana', 'Ben')[number % 2]}"])
    memory.record_event("I sailed the blue yacht across the channel", features=["speaker:Ana"])
    asked = "When did Ben sail the blue yacht across the channel?"
    refused = memory.get_context(asked).nothing
    assert refused is not None and refused.acted == "gap"
    for name in ("Cleo", "Dan"):
        memory.record_event("We sailed the blue yacht across the channel too", features=[f"speaker:{name}"])
    found = memory.get_context(asked)
    assert found.nothing is None and found.gap == 0.0


def test_a_long_text_is_found_by_no_word_alone(memory: Memory[Embedded]) -> None:
    filler = " ".join(f"word{number}" for number in range(400))
    memory.record_event(f"{filler} the yacht crossed the channel in a storm")
    short = memory.record_event("The yacht crossed the channel in fog")
    for text in NOTES:
        memory.record_event(text)
    found = memory.get_context("Did the yacht cross the channel?", k=2)
    assert found.found[0].memory.ref == short
    assert found.found[1].scores.relevance < 0.5 * found.found[0].scores.relevance


def test_in_a_conversation_the_whole_session_counts(memory: Memory[Embedded]) -> None:
    """The same words are nearer where the rest of what is asked was spoken of, if it is a conversation."""
    for number in range(12):
        memory.record_event(f"How was trip number{number}?", features=["speaker:Ana"], session=f"talk {number}")
        memory.record_event(f"Trip number{number} was fine", features=["speaker:Ben"], session=f"talk {number}")
        memory.record_event(f"We ate soup on trip number{number}", features=["speaker:Ana"], session=f"talk {number}")
    for word in ("bread", "cheese", "wine", "rain", "snow", "wind"):  # so far away it is no neighbour
        memory.record_event(f"There was {word} as well", features=["speaker:Ana"], session="talk 7")
    memory.record_event("The harbour of Genoa was lovely", features=["speaker:Ben"], session="talk 7")
    found = memory.get_context("Which soup was there in the harbour of Genoa?", k=6)
    soups = [each.memory.session for each in found.found if "soup" in str(each.memory.text)]
    assert soups[0] == "talk 7"


def test_the_answer_is_as_sure_as_the_surest_of_its_clauses(noted: Memory[Embedded]) -> None:
    alone = noted.get_context("Where is the spare key?").confidence
    assert noted.get_context(CHATTER + "Where is the spare key?").confidence >= alone > 0.5


def test_what_only_stands_after_the_question_is_not_served_for_that(memory: Memory[Embedded]) -> None:
    memory.record_event("What is Ana allergic to?", session="talk")
    memory.record_event("Plan a dinner", session="talk")
    memory.record_event("Ana is allergic to nuts", session="talk")
    assert texts(memory.get_context("What is Ana allergic to?", k=10)) == ["Ana is allergic to nuts"]
