"""By words: how much of what a memory says returns in an output (003, section 3.6, methods 1 and 2).

A word counts by its stem, and the less the more of the returned memories have it: 1 / their number. A word of the
question counts a quarter of that. What is compared are sentences: one of a memory with one of the output, or with two
that follow each other. The score is the share of the memory's sentence that returns; where the output's sentence says
less than that, it is the share of what that says.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..text.tokenizers import TOKENIZER
from ..text.unicode import denies, has_digit
from .denying import sentences_of, told
from .labels import without

UNITS_MAX: Final = 16
"""So many sentences of a memory are compared."""
MEMORY_CHARS_MAX: Final = 4_000
"""In so many characters of it, the first."""
_WORDS_MIN: Final = 4
_ASKED: Final = 0.25  # of a word of the question
_NAMED: Final = 2.0  # of a name or a number: these tell memories apart
_SAYS: Final = 2.0  # what a sentence of the output counts as at least: one word alone is little evidence
_UNIT: Final = 1.0  # and one of a memory
_EXPLAINS: Final = 0.3  # from this score on, a match explains its words (the seed's threshold)
_OTHER_NUMBER: Final = 0.6  # from this share of the words on, another number says something else
_OPPOSITE: Final = 0.75  # and so does a *not*
_LEAST: Final = 1e-9  # less than any word weighs
_NAME: Final = re.compile(r"(?<=[\w,;:'\"(] )[A-Z]\w+|(?<=[\"'(])[A-Z]\w+")  # not where a sentence begins
_ADVICE: Final = re.compile(
    r"\A\W*no,|(?:\A|[:;,] )\W{0,9}(?:so |and |please |then |but )?(?:do not|don['\u2019]t|never|not)\b", re.IGNORECASE
)  # what is not to be done may be what a memory teaches

_NEVER: Final = re.compile(r"\b(?:never|neither|nobody|none|cannot)\b|n['\u2019]t\b", re.IGNORECASE)

FloatArray = NDArray[np.float64]


class Telling(NamedTuple):
    """What a sentence says: its words, the numbers among them, what is named, and whether it says *not*."""

    words: frozenset[str]
    numbers: frozenset[str]
    named: frozenset[str]
    denies: bool


class _Units:
    """The sentences of all memories, by the words that they hold, and what the words weigh."""

    def __init__(self, texts: Sequence[Sequence[str]], question: str) -> None:
        units = [(owner, unit) for owner, said in enumerate(texts) for unit in _units(said)]
        self.owners = [owner for owner, _ in units]
        self.said = [unit.words for _, unit in units]
        had: defaultdict[str, set[int]] = defaultdict(set)
        places: defaultdict[str, list[int]] = defaultdict(list)
        for place, (owner, unit) in enumerate(units):
            for word in unit.words:
                had[word].add(owner)
                places[word].append(place)
        self.within = {word: np.array(found, np.intp) for word, found in places.items()}
        asked = frozenset(TOKENIZER.terms(question))
        named = frozenset[str]().union(*(unit.named for _, unit in units))
        self.weights = {word: _worth(word, asked, named) / len(owners) for word, owners in had.items()}
        self.weights |= {word: _ASKED for word in asked if word not in self.weights}
        self.totals = np.array([self.weight(unit.words) for _, unit in units])
        self.plain = np.array([self.weight(unit.words - unit.numbers) for _, unit in units])
        self.numbered = np.array([bool(unit.numbers) for _, unit in units], np.bool_)
        self.denies = np.array([unit.denies for _, unit in units], np.bool_)

    def weight(self, words: Iterable[str]) -> float:
        """Return what words weigh together."""
        return sum([self.weights.get(word, 1.0) for word in sorted(words)])

    def shares(self, said: Telling) -> FloatArray:
        """Return for each unit the share of it that a sentence says; 0 of what that contradicts."""
        plain, shared = np.zeros(len(self.owners)), np.zeros(len(self.owners))
        alike = np.zeros(len(self.owners), np.bool_)  # which have a number of the sentence
        for word in sorted(said.words & self.within.keys()):
            where = self.within[word]
            shared[where] += self.weights[word]
            if word in said.numbers:
                alike[where] = True
            else:
                plain[where] += self.weights[word]
        part = plain / np.maximum(self.plain, _LEAST)
        other = self.numbered & ~alike & (part >= _OTHER_NUMBER) if said.numbers else np.zeros_like(alike)
        against = other | ((self.denies != said.denies) & (part >= _OPPOSITE))
        most = np.maximum(np.minimum(self.totals, max(self.weight(said.words), _SAYS)), _UNIT)
        return np.where(against, 0.0, shared / most)


def scores(output: str, texts: Sequence[Sequence[str]], question: str = "") -> list[float]:
    """Return how much of each memory, of which ``texts`` are what it says, returns in an output, from 0 to 1.

    The best match of a sentence explains its words, which then count for no other memory, but for one that matches as
    well. What says the same with another number, or with a *not*, counts nothing, nor do sentences that deny.
    """
    units = _Units(texts, question)
    found = [0.0] * len(texts)
    if units.owners:
        for sentence in dict.fromkeys(told(sentences_of(output))):
            _count(found, _telling(without(sentence)), units)
    return found


def _count(found: list[float], said: Telling, units: _Units) -> None:
    """Let the memories take the words of a sentence, the best match first."""
    shares = units.shares(said)
    best, explained, unexplained = float(shares.max()), set[str](), said.words & units.within.keys()
    for place in map(int, np.argsort(-shares, kind="stable")):
        share, owner = float(shares[place]), units.owners[place]
        if share <= 0 or (share < best and explained >= unexplained):
            return  # the rest says nothing that is left
        if share < _EXPLAINS and share <= found[owner]:
            continue
        words = units.said[place] & said.words
        left = words if share >= best else words - explained
        score = share if len(left) == len(words) else share * units.weight(left) / units.weight(words)
        found[owner] = max(found[owner], min(score, 1.0))
        if score >= _EXPLAINS:
            explained |= words


def _units(texts: Iterable[str]) -> list[Telling]:
    """Return what the sentences of a memory say, each once; one of hardly any words belongs to the next."""
    found, room = dict[Telling, None](), MEMORY_CHARS_MAX
    for text in texts:
        begun = ""
        sentences = sentences_of(text[:room])[:UNITS_MAX]
        room -= min(room, len(text))
        for place, sentence in enumerate(sentences):
            begun = f"{begun} {sentence}".strip()
            said = _telling(begun)
            if said.words and (len(said.words) >= _WORDS_MIN or place == len(sentences) - 1):
                found[said] = None
                begun = ""
    return list(found)[:UNITS_MAX]


def _telling(sentence: str) -> Telling:
    words = frozenset(TOKENIZER.terms(sentence))
    numbers = frozenset(filter(has_digit, words))
    named = frozenset(TOKENIZER.terms(" ".join(_NAME.findall(sentence))))
    return Telling(words, numbers, named | numbers, _opposes(_ADVICE.sub("", sentence)))


def _opposes(sentence: str) -> bool:
    return denies(sentence) or _NEVER.search(sentence) is not None


def _worth(word: str, asked: frozenset[str], named: frozenset[str]) -> float:
    return (_ASKED if word in asked else 1.0) * (_NAMED if word in named else 1.0)
