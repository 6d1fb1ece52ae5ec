"""By words: how much of what a memory says returns in an output (003, section 3.6, methods 1 and 2).

A word counts by its stem, and the less the more of the returned memories have it: 1 / their number. A word of the
question counts a quarter of that. What is compared are sentences: one of a memory with one of the output, or with two
that follow each other. The score is the share of the memory's sentence that returns; where the output's sentence says
less than that, it is the share of what that says.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from ..text.passages import sentences
from ..text.tokenizers import TOKENIZER
from ..text.unicode import denies, has_digit
from .denying import SENTENCE_CHARS, sentences_of, told
from .labels import without

UNITS_MAX: Final = 16
"""So many sentences of a memory are compared."""
_ASKED: Final = 0.25  # of a word of the question
_SAYS: Final = 2.0  # what a sentence of the output counts as at least: one word alone is little evidence
_OTHER_NUMBER: Final = 0.6  # from this share of the words on, another number says something else
_OPPOSITE: Final = 0.75  # and so does a *not*


class Telling(NamedTuple):
    """What a sentence says: its words, the numbers among them, and whether it says *not*."""

    words: frozenset[str]
    numbers: frozenset[str]
    denies: bool


def scores(output: str, texts: Sequence[Sequence[str]], question: str = "") -> list[float]:
    """Return how much of each memory, of which ``texts`` are what it says, returns in an output, from 0 to 1.

    What says the same with another number, or with a *not*, counts nothing, nor do sentences that deny.
    """
    units = [(owner, unit) for owner, said in enumerate(texts) for unit in _units(said)]
    had: defaultdict[str, set[int]] = defaultdict(set)
    within: defaultdict[str, list[int]] = defaultdict(list)
    for place, (owner, unit) in enumerate(units):
        for word in unit.words:
            had[word].add(owner)
            within[word].append(place)
    asked = frozenset(TOKENIZER.terms(question))
    weights = {word: (_ASKED if word in asked else 1.0) / len(owners) for word, owners in had.items()}
    weights |= {word: _ASKED for word in asked if word not in weights}
    totals = [_weight(unit.words, weights) for _, unit in units]
    found = [0.0] * len(texts)
    for window in _windows(output):
        says = max(_weight(window.words, weights), _SAYS)
        matched = Counter[int]()
        for word in sorted(window.words & within.keys()):
            for place in within[word]:
                matched[place] += weights[word]  # type: ignore[assignment]
        for place, weight in matched.items():
            owner, unit = units[place]
            if not _contradicts(window, unit, weights):
                found[owner] = max(found[owner], weight / min(totals[place], says))
    return [min(each, 1.0) for each in found]


def _units(texts: Iterable[str]) -> list[Telling]:
    found = (_telling(text[begin:end]) for text in texts for begin, end in sentences(text, SENTENCE_CHARS)[:UNITS_MAX])
    return [each for each in found if each.words][:UNITS_MAX]


def _windows(output: str) -> list[Telling]:
    """Return what the sentences of an output say, and what two of them say together."""
    alone = [each for sentence in told(sentences_of(output)) if (each := _telling(without(sentence))).words]
    both = [
        Telling(one.words | other.words, one.numbers | other.numbers, one.denies or other.denies)
        for one, other in pairwise(alone)
    ]
    return alone + both


def _telling(sentence: str) -> Telling:
    words = frozenset(TOKENIZER.terms(sentence))
    return Telling(words, frozenset(filter(has_digit, words)), denies(sentence))


def _weight(words: Iterable[str], weights: Mapping[str, float]) -> float:
    return sum([weights.get(word, 1.0) for word in sorted(words)])


def _contradicts(window: Telling, unit: Telling, weights: Mapping[str, float]) -> bool:
    """Return whether a sentence says what a memory says with another number, or turned into its opposite."""
    said = unit.words - unit.numbers
    if not said:
        return False
    share = _weight(said & window.words, weights) / _weight(said, weights)
    if unit.numbers and window.numbers and not unit.numbers & window.numbers and share >= _OTHER_NUMBER:
        return True
    return window.denies != unit.denies and share >= _OPPOSITE
