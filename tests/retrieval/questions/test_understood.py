"""What else is read of a question: whether it asks for a list, for how many, for the first; and that it is recorded."""

import pytest

from yggdrasil_projections.retrieval.questions.understood import Span, Understood, understand

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


def test_the_past_is_what_one_time_is_certainly_about() -> None:
    assert understand("Where was Ana in 2024?", NOW).past(NOW) == Span(1_704_067_200_000, 1_735_689_599_999)
    assert understand("Where was Ana before 2024?", NOW).past(NOW) == Span(None, 1_704_067_199_999)
    for other in ("Where is Ana?", "Where was Ana in May?", "Ana in 2023 or in 2024?", "since 2024?", "in 2026?"):
        assert understand(other, NOW).past(NOW) is None, other
