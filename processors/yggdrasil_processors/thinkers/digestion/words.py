"""What a text says, as far as two texts can be compared without a model: words, figures, names, negation and order.

Likeness is not sameness: where a figure, a name, a negation or the order differs, two texts say different things
however alike they are. English and, for negations, the languages of ``questions.words``.
"""

import re
from enum import Enum
from functools import lru_cache
from typing import Final, NamedTuple

from yggdrasil_projections.retrieval.questions.words import NEGATIONS
from yggdrasil_projections.retrieval.text.tokenizers import TOKENIZER
from yggdrasil_projections.retrieval.text.wording import wording

CHARS_MAX: Final = 2_000
"""Of a longer text so much is compared."""
OPPOSED_MIN: Final = 0.75
"""From this share of common words on, a figure or a negation that differs says the opposite, and not something else."""
_WORDS_MAX: Final = 8_192
_FIGURE: Final = re.compile(r"\d+(?:\.\d+)?")
_THOUSANDS: Final = re.compile(r"(?<=\d)[,_](?=\d{3}(?!\d))")
_NAME: Final = re.compile(r"(?<![.!?:\"'(]\s)(?<!^)\b[A-Z][\w'-]*")
_SENTENCE: Final = re.compile(r"(?<=[.!?])\s+|[\n;]+")
_DENIED: Final = frozenset(NEGATIONS) | {"hardly", "cannot"}
_CONTRACTED: Final = frozenset(("dont", "cant", "wont", "isnt", "doesnt"))
_SMALL: Final = """zero one two three four five six seven eight nine ten eleven twelve"""
_IN_WORDS: Final = {name: str(number) for number, name in enumerate(_SMALL.split())}
_OF_A_YEAR: Final = """jan feb mar apr may jun jul aug sep oct nov dec"""
_MONTHS: Final = {name: number for number, name in enumerate(_OF_A_YEAR.split(), 1)}


class Words(NamedTuple):
    """What a text says: its content words as stems and in order, its figures, its names, and whether it denies."""

    stems: frozenset[str]
    order: tuple[str, ...]
    figures: frozenset[str]
    names: frozenset[str]
    denies: bool


class Likeness(Enum):
    """How what one text says has to do with what another says."""

    SAME = "same"
    """Both say the same, perhaps in other forms of the words."""
    MORE = "more"
    """The first says all of the second, and more."""
    LESS = "less"
    """The second says all of the first, and more."""
    OPPOSED = "opposed"
    """They say the same but for a figure or a negation."""
    APART = "apart"
    """They say different things."""


@lru_cache(_WORDS_MAX)
def words_of(text: str) -> Words:
    """Return what the first 2,000 characters of a text say."""
    text = text[:CHARS_MAX]
    said_as = TOKENIZER.terms(text)
    order = tuple(term for term in said_as if not (term[0].isdigit() or term in _DENIED or term in _IN_WORDS))
    said = wording(text)
    denied = sum([word in _DENIED or word in _CONTRACTED or word.endswith("n't") for word in said])
    names = frozenset(each.lower() for each in _NAME.findall(text))
    return Words(frozenset(order), order, figures_in(text), names, denied % 2 == 1)


def figures_in(text: str) -> frozenset[str]:
    """Return the figures of a text as plain numbers, without thousands' commas or zeros at the ends.

    Small numbers in words, and months, count too.
    """
    plain = _THOUSANDS.sub("", text[:CHARS_MAX])
    found = {_plain(each) for each in _FIGURE.findall(plain)}
    for word in re.findall(r"[a-z]+", plain.lower()):
        if word in _IN_WORDS and word != "one":
            found.add(_IN_WORDS[word])
    return frozenset(found)


def months_in(text: str) -> frozenset[str]:
    """Return the months that a text names, as numbers."""
    found = (_MONTHS.get(word[:3]) for word in re.findall(r"[A-Za-z]{3,9}", text[:CHARS_MAX]))
    return frozenset(str(month) for month in found if month is not None)


def likeness(first: str, second: str) -> Likeness:
    """Return how what one text says has to do with what another says."""
    one, two = words_of(first), words_of(second)
    if not one.stems or not two.stems:
        return Likeness.SAME if one == two and first.casefold() == second.casefold() else Likeness.APART
    common = one.stems & two.stems
    share = len(common) / max(len(one.stems), len(two.stems))
    if one.names - two.names and two.names - one.names:
        return Likeness.APART
    if one.denies != two.denies or (one.figures != two.figures and one.figures and two.figures):
        both = one.denies != two.denies and one.figures != two.figures
        return Likeness.OPPOSED if share >= OPPOSED_MIN and not both else Likeness.APART
    if one.stems == two.stems and one.figures == two.figures:
        return Likeness.SAME if _in_order(one, two, common) else Likeness.APART
    if one.stems >= two.stems and one.figures >= two.figures and one.names >= two.names:
        return Likeness.MORE if _in_order(one, two, common) else Likeness.APART
    if two.stems >= one.stems and two.figures >= one.figures and two.names >= one.names:
        return Likeness.LESS if _in_order(one, two, common) else Likeness.APART
    return Likeness.APART


def sentences(text: str) -> list[str]:
    """Return the sentences of a text, as far as signs tell."""
    return [each for each in _SENTENCE.split(text[: 4 * CHARS_MAX]) if each and not each.isspace()]


def _in_order(one: Words, two: Words, common: frozenset[str]) -> bool:
    """Whether the words that both have stand in the same order in both, each counted where it stands first."""
    first = [each for each in dict.fromkeys(one.order) if each in common]
    return first == [each for each in dict.fromkeys(two.order) if each in common]


def _plain(figure: str) -> str:
    whole, _, part = figure.partition(".")
    part = part.rstrip("0")
    return f"{whole.lstrip('0') or '0'}.{part}" if part else whole.lstrip("0") or "0"
