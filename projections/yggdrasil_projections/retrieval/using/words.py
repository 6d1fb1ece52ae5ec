"""By words: how much of what a memory says returns in an output (003, section 3.6, methods 1 and 2).

A word counts by its stem, and the less the more of the returned memories have it: 1 / their number. A word of the
question counts a quarter of that. What is compared are sentences: one of a memory with one of the output, or with two
that follow each other. The score is the share of the memory's sentence that returns; where the output's sentence says
less than that, it is the share of what that says.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from ..text.tokenizers import TOKENIZER
from ..text.unicode import denies, has_digit
from .denying import sentences_of, told
from .labels import without

UNITS_MAX: Final = 16
"""So many sentences of a memory are compared."""
_WORDS_MIN: Final = 4
_ASKED: Final = 0.25  # of a word of the question
_NAMED: Final = 2.0  # of a name or a number: these tell memories apart
_SAYS: Final = 2.0  # what a sentence of the output counts as at least: one word alone is little evidence
_UNIT: Final = 1.0  # and one of a memory
_EXPLAINS: Final = 0.3  # from this score on, a match explains its words (the seed's threshold)
_OTHER_NUMBER: Final = 0.6  # from this share of the words on, another number says something else
_OPPOSITE: Final = 0.75  # and so does a *not*
_NAME: Final = re.compile(r"(?<=[\w,;:'\"(] )[A-Z]\w+|(?<=[\"'(])[A-Z]\w+")  # not where a sentence begins
_ADVICE: Final = re.compile(
    r"\A\W*no,|(?:\A|[:;,] )\W*(?:so |and |please |then |but )?(?:do not|don['\u2019]t|never|not)\b", re.IGNORECASE
)  # what is not to be done may be what a memory teaches

_NEVER: Final = re.compile(r"\b(?:never|neither|nobody|none|cannot)\b|n['\u2019]t\b", re.IGNORECASE)


class Telling(NamedTuple):
    """What a sentence says: its words, the numbers among them, what is named, and whether it says *not*."""

    words: frozenset[str]
    numbers: frozenset[str]
    named: frozenset[str]
    denies: bool


class _Match(NamedTuple):
    owner: int
    words: set[str]
    most: float


def scores(output: str, texts: Sequence[Sequence[str]], question: str = "") -> list[float]:
    """Return how much of each memory, of which ``texts`` are what it says, returns in an output, from 0 to 1.

    The best match of a sentence explains its words, which then count for no other memory, but for one that matches as
    well. What says the same with another number, or with a *not*, counts nothing, nor do sentences that deny.
    """
    units = [(owner, unit) for owner, said in enumerate(texts) for unit in _units(said)]
    had: defaultdict[str, set[int]] = defaultdict(set)
    within: defaultdict[str, list[int]] = defaultdict(list)
    for place, (owner, unit) in enumerate(units):
        for word in unit.words:
            had[word].add(owner)
            within[word].append(place)
    asked = frozenset(TOKENIZER.terms(question))
    named = frozenset[str]().union(*(unit.named for _, unit in units))
    weights = {word: _worth(word, asked, named) / len(owners) for word, owners in had.items()}
    weights |= {word: _ASKED for word in asked if word not in weights}
    totals = [_weight(unit.words, weights) for _, unit in units]
    found = [0.0] * len(texts)
    for sentence in told(sentences_of(output)):
        said = _telling(without(sentence))
        says = max(_weight(said.words, weights), _SAYS)
        matched: defaultdict[int, set[str]] = defaultdict(set)
        for word in said.words & within.keys():
            for place in within[word]:
                matched[place].add(word)
        matches = [
            _Match(units[place][0], words, max(min(totals[place], says), _UNIT))
            for place, words in sorted(matched.items())
            if not _contradicts(said, units[place][1], weights)
        ]
        _count(found, matches, weights)
    return found


def _count(found: list[float], matches: Iterable[_Match], weights: Mapping[str, float]) -> None:
    """Let the memories take the words of a sentence, the best match first."""
    shares = [(_weight(match.words, weights) / match.most, match) for match in matches]
    best = max([share for share, _ in shares], default=0.0)
    explained = set[str]()
    for share, match in sorted(shares, key=lambda each: -each[0]):
        score = share if share >= best else _weight(match.words - explained, weights) / match.most
        found[match.owner] = max(found[match.owner], min(score, 1.0))
        if score >= _EXPLAINS:
            explained |= match.words


def _units(texts: Iterable[str]) -> list[Telling]:
    """Return what the sentences of a memory say; one of hardly any words belongs to the next."""
    found = list[Telling]()
    for text in texts:
        begun = ""
        sentences = sentences_of(text)[:UNITS_MAX]
        for place, sentence in enumerate(sentences):
            begun = f"{begun} {sentence}".strip()
            said = _telling(begun)
            if said.words and (len(said.words) >= _WORDS_MIN or place == len(sentences) - 1):
                found.append(said)
                begun = ""
    return found[:UNITS_MAX]


def _telling(sentence: str) -> Telling:
    words = frozenset(TOKENIZER.terms(sentence))
    numbers = frozenset(filter(has_digit, words))
    named = frozenset(TOKENIZER.terms(" ".join(_NAME.findall(sentence))))
    return Telling(words, numbers, named | numbers, _opposes(_ADVICE.sub("", sentence)))


def _opposes(sentence: str) -> bool:
    return denies(sentence) or _NEVER.search(sentence) is not None


def _worth(word: str, asked: frozenset[str], named: frozenset[str]) -> float:
    return (_ASKED if word in asked else 1.0) * (_NAMED if word in named else 1.0)


def _weight(words: Iterable[str], weights: Mapping[str, float]) -> float:
    return sum([weights.get(word, 1.0) for word in sorted(words)])


def _contradicts(said: Telling, unit: Telling, weights: Mapping[str, float]) -> bool:
    """Return whether a sentence says what a memory says with another number, or turned into its opposite."""
    words = unit.words - unit.numbers
    if not words:
        return False
    share = _weight(words & said.words, weights) / _weight(words, weights)
    if unit.numbers and said.numbers and not unit.numbers & said.numbers and share >= _OTHER_NUMBER:
        return True
    return said.denies != unit.denies and share >= _OPPOSITE
