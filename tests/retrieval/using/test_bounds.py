"""What it takes to see what an output used is bounded, counted in calls: outputs and memories come from outside."""

import sys
from collections.abc import Callable
from random import Random

import pytest

from yggdrasil_projections.retrieval.using import denying, words
from yggdrasil_projections.retrieval.using.denying import denied
from yggdrasil_projections.retrieval.using.labels import relied_on
from yggdrasil_projections.retrieval.using.words import scores

WORDS = [f"w{chr(97 + at // 26)}{chr(97 + at % 26)}" for at in range(40)]
CALLS_MAX = 400_000  # pair by pair it were 19 million


def calls(work: Callable[[], object]) -> int:
    """Return how many functions are called for it."""
    count = 0

    def counted(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        count += event in {"call", "c_call"}

    before = sys.getprofile()
    sys.setprofile(counted)
    try:
        work()
    finally:
        sys.setprofile(before)
    return count


def said(chance: Random, chars: int) -> str:
    found = ""
    while len(found) < chars:
        found += " ".join(chance.choices(WORDS, k=18)).capitalize() + ". "
    return found[:chars]


@pytest.mark.parametrize("alike", [False, True])
def test_fifty_long_memories_and_a_long_output_take_bounded_work(alike: bool) -> None:
    chance = Random(1)
    one = said(chance, 9_000)
    memories = [[one if alike else said(chance, 9_000)] for _ in range(50)]
    output = said(chance, 32_000)
    assert calls(lambda: scores(output, memories)) < CALLS_MAX


def test_of_a_memory_so_much_is_compared() -> None:
    filler = "x" * words.MEMORY_CHARS_MAX
    assert scores("Ana moved to Kyoto.", [["Ana moved to Kyoto. " + filler], [filler + " Ana moved to Kyoto."]]) == [
        1,
        0,
    ]


@pytest.mark.parametrize("label", ["[m1] put [m1, m1, m1] a b ", "I not [m1] is not ", "[m2] is wrong, [m1] "])
def test_what_is_searched_for_denials_is_a_few_times_the_output(label: str, monkeypatch: pytest.MonkeyPatch) -> None:
    searched: list[int] = []

    def counted(text: str) -> bool:
        searched.append(len(text))
        return denied(text)

    monkeypatch.setattr(denying, "denied", counted)
    output = (label * 15 + "\n") * 80
    relied_on(["a", "b"], output)
    assert sum(searched) <= 6 * len(output)
