"""A question as the search takes it: its words, what it names, and the time that it speaks of."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ..index.neighbours import Places
from ..index.visible import Shown
from ..index.vocabulary import FEATURE_TERM

WORDS_MAX: Final = 64
"""A question has fewer; a pasted document would make the search slow."""
_MONTHS: Final = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
_NUMBER_DIGITS_MAX: Final = 4  # of a year


@dataclass(frozen=True, slots=True)
class Query:
    """``terms`` are what is searched for, in order, each once. ``named`` holds for each feature that the question names
    the documents that have it, and ``names`` those of them that so many have that they are not searched for.
    ``months`` and ``numbers`` are those that it mentions. ``features`` are the features that it names.
    """

    terms: list[str]
    named: list[Places]
    names: list[Places]
    months: list[int]
    numbers: list[int]
    features: frozenset[str] = frozenset()


def parsed(index: Shown, text: str, name_share: float, name_documents_min: int) -> Query:
    """Read the first 64 words of a question.

    A feature that ``name_share`` of the documents have, and at least ``name_documents_min`` of them, is the name of
    somebody or something that is spoken of all the time: its words are not searched for.
    """
    standing, postings = index.standing, index.postings
    said = index.tokenizer.words(text)[:WORDS_MAX]
    named: list[Places] = []
    names: list[Places] = []
    unsearched: set[str] = set()
    known: list[str] = []
    for value, features in index.names.named_by(said).items():
        rows = standing.rows(postings.rows_of(features))
        if not len(rows):
            continue
        named.append(rows)
        known += [postings.lexicon[number].removeprefix(FEATURE_TERM) for number in features]
        if len(rows) >= max(name_documents_min, name_share * standing.documents):
            names.append(rows)
            unsearched.update(value.split())
    terms = dict.fromkeys(index.tokenizer.counted_as(word) for word in said if word not in unsearched)
    terms.pop("", None)
    return Query(list(terms), named, names, *mentioned(said), features=frozenset(known))


def mentioned(said: Sequence[str]) -> tuple[list[int], list[int]]:
    """Return the months, 1 to 12, and the numbers of at most four digits that are among some words."""
    present = frozenset(said)
    months = [at for at, name in enumerate(_MONTHS, 1) if name in present]
    numbers = {int(word) for word in said if len(word) <= _NUMBER_DIGITS_MAX and word.isascii() and word.isdecimal()}
    return months, sorted(numbers)
