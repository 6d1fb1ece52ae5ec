"""Likeness is not sameness: two texts of the same words say different things where one thing matters that differs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yggdrasil_processors.thinkers.digestion.words import Likeness, figures_in, likeness, words_of

SAME, MORE, LESS, OPPOSED, APART = Likeness


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("exponential backoff", "exponential backoffs", SAME),
        ("retries the upload", "Retry uploads.", SAME),
        ("deploys on Friday", "deploys on Friday after lunch", LESS),
        ("a blue car with a dent", "a blue car", MORE),
        ("3 times per minute", "4 times per minute", OPPOSED),
        ("three retries per minute", "3 retries per minute", SAME),
        ("1,200 rows at once", "1200.0 rows at once", SAME),
        ("Always run the slow tests", "Never run the slow tests", OPPOSED),
        ("run the slow tests first", "do not run the slow tests first", OPPOSED),
        ("it doesn't retry uploads", "it retries uploads", OPPOSED),
        ("works with Ben Hill", "works with Carl Hill", APART),
        ("the cache before the queue", "the queue before the cache", APART),
        ("tea in the morning", "coffee in the morning", APART),
        ("not 3 retries per minute", "4 retries per minute", APART),  # two things differ
        ("", "something", APART),
        ("the", "a", APART),
        ("!", "!", SAME),
    ],
)
def test_what_two_texts_have_to_do_with_each_other(one: str, other: str, expected: Likeness) -> None:
    assert likeness(one, other) is expected
    turned = {MORE: LESS, LESS: MORE}.get(expected, expected)
    assert likeness(other, one) is turned


def test_figures_are_compared_as_numbers() -> None:
    assert figures_in("1,200 of 3.50, 007, v2.1 and twelve") == {"1200", "3.5", "7", "2.1", "12"}
    assert figures_in("one of them") == frozenset()


@given(st.text(max_size=300), st.text(max_size=300))
def test_any_two_texts_can_be_compared_and_a_text_is_like_itself(one: str, other: str) -> None:
    assert likeness(one, other) in Likeness
    assert likeness(one, one) is SAME or not words_of(one).stems
