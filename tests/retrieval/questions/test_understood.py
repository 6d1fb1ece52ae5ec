"""What else is read of a question: whether it asks for a list, for how many, for the first; and that it is recorded."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yggdrasil_projections.retrieval.questions.then import Span, spoken_of
from yggdrasil_projections.retrieval.questions.times import SAID, times
from yggdrasil_projections.retrieval.questions.understanding import understand
from yggdrasil_projections.retrieval.questions.understood import Understood

NOW = 1_750_000_000_000  # 15 June 2025


@pytest.mark.parametrize(
    ("asked", "quantity"),
    [
        ("Which books has Tim read?", "list"), ("What kinds of tea are there?", "list"), ("List the cities", "list"),
        ("How many dogs does Ana have?", "count"), ("Wie viele Katzen hat Anna?", "count"),
        ("Nenne alle Städte", "list"), ("¿Cuántos perros hay?", "count"),
        ("Combien de livres a lus Tim ?", "count"), ("Quels livres a lus Tim ?", "list"),
        ("有几个人住在上海？", "count"), ("列出所有的城市", "list"), ("Which bus do I take?", None),
        ("What does Ana eat?", None), ("What was the news?", None), ("What happens on Friday?", None), ("", None),
    ],
)  # fmt: skip
def test_a_question_for_several_is_told_from_one_for_one(asked: str, quantity: str | None) -> None:
    assert understand(asked, NOW).quantity == quantity


@pytest.mark.parametrize(
    ("asked", "order"),
    [
        ("What did Ana say first?", "first"), ("What is the latest price?", "last"), ("What happened last week?", None),
        ("In which order did I visit the towns?", "sequence"), ("Was hat Ben zuletzt gesagt?", "last"),
        ("Who is it?", None),
    ],
)  # fmt: skip
def test_the_first_and_the_last_are_asked_for(asked: str, order: str | None) -> None:
    assert understand(asked, NOW).order == order


def test_what_is_denied_is_noticed() -> None:
    assert understand("Who has not paid?", NOW).negated and understand("谁没有来？", NOW).negated
    assert not understand("Who has paid?", NOW).negated


def test_what_was_read_can_be_written_and_read_again() -> None:
    read = understand("How many cups did Ana not buy in 2024, and where did Ben live yesterday?", NOW)
    assert len(read.times) == len(read.clauses) == 2
    assert Understood.of(read.given()) == read
    assert Understood.of(Understood().given()) == Understood()


@pytest.mark.parametrize(
    "asked",
    [
        "Where did Ana live in 2024?", "In 2024, where did Ana live?", "Ana's city: where was it in 2024?",
        "Wo wohnte Ana im Jahr 2024?", "Où Anna habitait-elle en 2024 ?", "¿Dónde vivía Ana en 2024?",
        "Ana 2024年住在哪里？",
        "Hi there! It rained. Where did Ana live in 2024?",
    ],
)  # fmt: skip
def test_the_past_is_what_one_time_is_certainly_about(asked: str) -> None:
    assert then(asked) == Span(1_704_067_200_000, 1_735_689_599_999)


@pytest.mark.parametrize(
    "asked",
    [
        "Where is Ana?", "Where was Ana in May?", "Where was Ana in 2023 or in 2024?", "Ana in 2024 or 2023?",
        "Where was Ana since 2024?", "Where is Ana in 2026?", "Ana was born in 1990. Where does she live?",
        "Where does Ana live (she moved in 2019)?", "Which city does Ana, born on 1990-05-06, live in now?",
        "Where does Ana currently live, who joined on 2021-03-04?", "Ticket 2024-01-15-003: where does Ana live?",
        "Where does Ana live, the one with 2000 followers in 1200 posts?", "Is the plan of 2024-01-02 approved?",
        "Where does Ana, who came in 2020, live?", "Where has Ana lived who left in 2020?",
    ],
)  # fmt: skip
def test_where_the_present_may_be_meant_it_is(asked: str) -> None:
    assert then(asked) is None


def then(asked: str) -> Span | None:
    return spoken_of(asked, understand(asked, NOW).times, NOW)


PIECES = [*"abc\u0131\u0130\u017fKäßñ .,?!:0123456789年月日", "may ", "last ", "fr\u0131", "in ", "20", "monday"]


@given(st.lists(st.sampled_from(PIECES)).map("".join))
def test_any_text_is_read(text: str) -> None:
    read = understand(text, NOW)
    assert Understood.of(read.given()) == read
    assert spoken_of(text, read.times, NOW) is None or len(read.times) == 1


@pytest.mark.parametrize("phrase", sorted(phrase for _, _, said in SAID for phrase in said.split(", ")))
def test_every_phrase_of_the_lists_is_read_in_any_case(phrase: str) -> None:
    for said in (phrase, phrase.upper(), phrase.title(), phrase.replace("i", "\u0131").replace("s", "\u017f")):
        assert times(f"x {said} y", NOW) or said.upper() != said, said
