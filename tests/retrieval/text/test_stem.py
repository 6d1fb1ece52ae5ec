"""Stems: words worked out by hand from the algorithm's description, a few for each of its steps."""

import pytest

from yggdrasil_projections.retrieval.text.english import counted_as, words
from yggdrasil_projections.retrieval.text.stem import stem
from yggdrasil_projections.retrieval.text.tokenizers import TOKENIZERS

STEMS = """
caresses:caress ties:tie cries:cri gas:gas this:this gaps:gap kiwis:kiwi abyss:abyss
agreed:agre feed:feed succeed:succeed luxuriated:luxuri hopping:hop hoped:hope fizzed:fizz bled:bled sing:sing
adding:add egged:egg outing:outing dying:die vying:vie
cry:cri by:by say:say enjoying:enjoy youth:youth
relational:relat conditional:condit electricity:electr vietnamization:vietnam usefulness:use apologist:apolog
nationally:nation hopefully:hope triplicate:triplic formative:format
adoption:adopt probate:probat rate:rate controlling:control roll:roll
skies:sky news:news early:earli only:onli generously:generous generic:generic communism:communism arsenal:arsenal
deployments:deploy deployment:deploy failing:fail failed:fail meetings:meet past:past pasted:paste is:is
"""


@pytest.mark.parametrize("pair", STEMS.split())
def test_a_word_is_stemmed(pair: str) -> None:
    word, _, expected = pair.partition(":")
    assert stem(word) == expected


@pytest.mark.parametrize(
    "word", ["", "a", "ab", "'", "''", "'s", "y", "yy", "yyy", "größe", "日本語", "x1y2", "s" * 500]
)
def test_anything_has_a_stem_which_is_no_longer(word: str) -> None:
    assert len(stem(word)) <= max(len(word), 3)


def test_words_are_split_and_the_possessive_goes() -> None:
    assert words("Ann's ROUTER_7, don\N{RIGHT SINGLE QUOTATION MARK}t") == ["ann", "router", "7", "don't"]
    assert TOKENIZERS["english/1"].terms("The children went to their deployments") == ["child", "go", "deploy"]
    assert counted_as("the") == ""
