"""A question as ``hybrid/2`` takes it: its words by their weight, what it names, and the time that it speaks of."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Final

import numpy as np
import numpy.typing as npt

from yggdrasil_schemas.graph.records import NodeKind

from ..index.neighbours import Places
from ..index.visible import Shown
from ..index.vocabulary import FEATURE_TERM, NAME_TERM
from ..index.weights import weight_of
from ..questions.words import AUXILIARIES, BEFORE, INTERROGATIVES
from ..text.said import value_of
from ..text.unicode import has_digit
from .query import mentioned
from .rankers import Answering, Fused, Parting

TERMS_MAX: Final = 64
"""So many of a question's words are searched for, the rarest; a pasted page would make the search slow."""
_WORDS_MAX: Final = 4_096
_IDENTIFIER_MIN: Final = 4  # characters; shorter ones with digits are times, days and counts
_IDENTIFIED_SHARE: Final = 0.01  # of the documents; what more have tells little of which is meant
_YEAR_DIGITS: Final = 4
_ALIKE_MAX: Final = 32  # names that sound alike; with more nobody can say which is meant
_NOBODY: Final = np.empty(0, np.int64)
_MISSPELT_MAX: Final = 8  # words that the memory does not know, of which it is asked whether it knows one like them


@dataclass(frozen=True, slots=True)
class Term:
    """What is searched for: the documents that have it, how often each says it, and its weight (``weight_of``)."""

    number: int
    rows: Places
    times: npt.NDArray[np.int32]
    weight: float


@dataclass(frozen=True, slots=True)
class Named:
    """What the question names: the features that say it, the documents that have them, its rarity in [0, 1].

    Beside features there may be names of notes, each as its term (``NAME_TERM``).
    """

    name: str
    features: list[str]
    rows: Places
    rarity: float


@dataclass(frozen=True, slots=True)
class Question:
    """``terms`` are those that the memory knows, rarest first; ``weight`` is that of all ``asked``, unknown ones too.

    But a pair of characters that it does not know weighs nothing: of a run without spaces many a pair is no word.
    ``named`` are the features that it names; ``months`` and ``numbers`` those that it mentions. ``unheard`` are the
    terms that it asks for and no document that is shown has, while others may. ``asking`` is the word with which it
    begins to ask, such as "who" or "are", and ``called`` are the documents that are called as it says, in all of its
    words.
    """

    terms: list[Term]
    weight: float
    asked: int
    named: list[Named]
    months: list[int]
    numbers: list[int]
    unheard: list[int] = field(default_factory=list[int])
    asking: str = ""
    called: Places = field(default_factory=lambda: _NOBODY)


def understood(index: Shown, text: str, recipe: Fused) -> Question:
    """Read a question, however long: what is rare in this memory counts, wherever it stands.

    A word that the memory does not know counts as one that it does when they are one letter apart, and what a note is
    called is named by a word that is one letter apart from its own. With ``recipe.accents`` it counts first as those
    from which an accent alone tells it, and so with names: where the memory has both, each is itself alone.
    """
    standing, tokenizer = index.standing, index.tokenizer
    said = tokenizer.words(text)[:_WORDS_MAX]
    counted: dict[str, str] = {}  # what is asked for, and a word that counts as it
    for word in tokenizer.split(text)[:_WORDS_MAX]:
        counted.setdefault(tokenizer.counted_as(word), word)
    counted.pop("", None)
    stands_for = _stands_for(index, said, accents=recipe.accents)
    terms: dict[int, Term] = {}
    spelt: dict[str, Term] = {}
    strange: list[str] = []
    unheard: list[int] = []
    heard: dict[str, list[str]] = {}
    unknown = guessed = misspelt = 0
    for said_as, word in counted.items():
        found = _known(index, said_as)
        if found is not None and _identifies(word):
            spelt[word] = found
        if found is None and (number := index.postings.number.get(said_as)) is not None and _lives(index, number):
            unheard.append(number)
        pair = found is None and tokenizer.pair(word)
        if (found is None and not pair) or len(said_as) == tokenizer.letters_max:
            strange.append(word)
        if found is None and recipe.accents:
            found = _accented(index, word)
        if found is None and not pair and misspelt < _MISSPELT_MAX:
            likely = (_known(index, other) for other in index.names.spelt_like(word))
            found = next(filter(None, likely), None)
            misspelt += 1
        if found is None and not pair and isinstance(recipe, Parting) and len(heard) < _MISSPELT_MAX:
            heard[word] = _sounding(index, word)
            found = next((_known(index, tokenizer.counted_as(other)) for other in heard[word]), None)
        if found is None and word in stands_for:
            terms.update((term.number, term) for each in stands_for[word] if (term := _known(index, each)) is not None)
        elif found is None:
            unknown += 1
            guessed += pair
        else:
            terms[found.number] = found
    rarest = sorted(terms.values(), key=lambda term: -term.weight)[:TERMS_MAX]
    room = TERMS_MAX - len(rarest)
    weight = min(unknown - guessed, room) * weight_of(standing.documents, 0)
    for term in rarest:
        weight += term.weight
    named = _named(index, said, strange, [other for alike in heard.values() for other in alike], recipe)
    named += _identified(standing.documents, spelt, {word for one in named for word in one.name.split()})
    question = Question(rarest, weight, len(rarest) + min(unknown, room), named, *mentioned(said), unheard[:TERMS_MAX])
    return _without_called(index, question, said, counted.keys()) if isinstance(recipe, Answering) else question


def _without_called(index: Shown, question: Question, said: Sequence[str], asked: Set[str]) -> Question:
    """Return a question that names nothing by all of its words: what is called like that is not what it is about.

    ``asked`` is what its words count as. Where it begins with no word that asks, it may be but a name: that names.
    """
    asking = begins_with(said)
    if asking not in INTERROGATIVES and asking not in AUXILIARIES:
        return question
    named: list[Named] = []
    called: list[Places] = []
    for one in question.named:
        words = one.name.split()
        repeats = begins_with(words) == asking and asked <= set(map(index.tokenizer.counted_as, words))
        if repeats:
            called.append(one.rows)
        else:
            named.append(one)
    rows = np.unique(np.concatenate(called)).astype(np.int64) if called else _NOBODY
    return replace(question, named=named, asking=asking, called=rows)


def _stands_for(index: Shown, said: Sequence[str], *, accents: bool) -> dict[str, list[str]]:
    """Return for the words by which a question names a thing what the words of all its names count as."""
    things, tokenizer = index.names.things, index.tokenizer
    named = things.named_by(said, tokenizer, index.joined_by)
    own = {word for value in named for word in value.split()}
    meant = things.otherwise(word for word in said if word not in own) if accents else {}
    if meant:
        named = things.named_by([*said, *meant], tokenizer, index.joined_by)
    return {
        meant.get(word, word): [
            tokenizer.counted_as(each) for name in names for each in tokenizer.words(value_of(name))
        ]
        for value, names in named.items()
        for word in value.split()
    }


def _accented(index: Shown, word: str) -> Term | None:
    """Return what the memory knows that an accent alone tells from a word, as one term; None of a word without such."""
    found = [term for other in index.names.accented(word) if (term := _known(index, other)) is not None]
    if len(found) < 2:
        return found[0] if found else None
    rows, places = np.unique(np.concatenate([term.rows for term in found]), return_inverse=True)
    times = np.zeros(len(rows), np.int32)
    np.add.at(times, places, np.concatenate([term.times for term in found]))
    return Term(found[0].number, rows, times, weight_of(index.standing.documents, len(rows)))


def asked_again(index: Shown, question: Question) -> Places:
    """Return the events that ask in the words of the question, and say nothing else: whoever asks knows those.

    A note of some sort is none of them, and neither is what was judged. Words that say nothing do not count.
    """
    if not question.terms or len(question.terms) < question.asked:  # it asks in words that this memory does not know
        return _NOBODY
    columns, standing = index.documents.columns, index.standing
    first = index.postings.posting(question.terms[0].number)
    rows = first.rows.astype(np.int64)
    alone = standing.counted.take(rows) & columns.asks.take(rows) & (columns.note.take(rows) == 0)
    alone &= (columns.kind.take(rows) == NodeKind.EVENT) & (standing.said.take(rows) == columns.words.take(rows))
    rows, said = rows[alone], first.times[alone, 0].astype(np.int64)
    for term in question.terms[1:]:
        if not len(rows):
            return _NOBODY
        posting = index.postings.posting(term.number)
        at = np.minimum(np.searchsorted(posting.rows, rows), len(posting.rows) - 1)
        having = (posting.rows.take(at) == rows) & (posting.times[at, 0] > 0)
        rows, said = rows[having], said[having] + posting.times[at[having], 0]
    found: Places = rows[said == columns.words.take(rows)]
    return found


def begins_with(words: Sequence[str]) -> str:
    """Return the word that a text begins with, behind conjunctions and prepositions; of no word an empty one."""
    kept = (word for word in words if word not in BEFORE or word in INTERROGATIVES)
    return next(kept, "")


def only_words_of(index: Shown, question: Question) -> Places:
    """Return what has all words of a question, and no other word in its text: be it one that asks or not.

    Words that say nothing do not count, and neither do those of outcomes: what was judged in words says more.
    """
    if not question.asking or not question.terms or len(question.terms) < question.asked:
        return _NOBODY
    columns, standing = index.documents.columns, index.standing
    having = np.zeros(len(columns.words), np.uint8)
    said = np.zeros(len(columns.words), np.int64)
    for term in question.terms:
        posting = index.postings.posting(term.number)
        having[posting.rows] += 1
        said[posting.rows] += posting.times[:, 0]
    alone = (having == len(question.terms)) & (said == columns.words) & standing.counted
    alone &= (standing.said == columns.words) & (columns.kind != NodeKind.OUTCOME)
    found: Places = np.flatnonzero(alone)
    return found


def _identifies(word: str) -> bool:
    """Whether a word is of the kind that tells one thing from others: a number of a ticket, of a part; but no year."""
    year = len(word) == _YEAR_DIGITS and word.isdecimal() and word.startswith(("19", "20"))
    return len(word) >= _IDENTIFIER_MIN and has_digit(word) and not year


def _identified(documents: int, spelt: Mapping[str, Term], own: set[str]) -> list[Named]:
    """Return what is named by what is ``spelt`` so in few documents alone, and is not named by a word of its ``own``.

    However many other words there are beside it, and however little of them it is: they ask about that.
    """
    few = max(1.0, _IDENTIFIED_SHARE * documents)
    return [
        Named(word, [NAME_TERM + word], term.rows, term.weight / weight_of(documents, 1))
        for word, term in spelt.items()
        if word not in own and len(term.rows) <= few
    ]


def _sounding(index: Shown, word: str) -> list[str]:
    """Return the words of names that sound as one does that nothing shown has, of what is shown; none of very many."""
    living = (
        other
        for other in index.names.sounding_like(word)
        if _known(index, index.tokenizer.counted_as(other)) is not None
    )
    found = list(islice(living, _ALIKE_MAX + 1))
    return found if len(found) <= _ALIKE_MAX else []


def _named(
    index: Shown, said: Sequence[str], strange: Sequence[str], alike: Sequence[str], recipe: Fused
) -> list[Named]:
    """Return what is named by the words of a question, of which those that are ``strange`` may be misspelt for others.

    With ``recipe.accents`` all of them may lack an accent, or have one too many. What sounds ``alike`` is meant too. A
    word that is of a name as it stands is not misspelt: of a name that is shown, for others are not there.
    """
    found = _called(index, said, recipe)
    own = {word for named in found for word in named.name.split()}
    meant = index.names.meant_by([word for word in strange if word not in own])
    meant += alike
    if recipe.accents:
        others = [word for word in said if word not in own]
        meant += [*index.names.otherwise(others), *index.names.things.otherwise(others)]
    return _called(index, [*said, *meant], recipe) if meant else found


def _called(index: Shown, said: Sequence[str], recipe: Fused) -> list[Named]:
    """Return what is named and shown, each with its features: with those that are gone none, so that what has followed
    the fold answers as what is built anew, and by ``recipe.shown_alone`` with none that nothing shown has.
    """
    standing, postings = index.standing, index.postings
    has = _stands if recipe.shown_alone else _lives
    return [
        Named(
            value,
            [postings.lexicon[number].removeprefix(FEATURE_TERM) for number in features if has(index, number)],
            rows,
            weight_of(standing.documents, len(rows)) / weight_of(standing.documents, 1),
        )
        for value, features in named_by(index, said).items()
        if len(rows := standing.rows(postings.rows_of(features)))
    ]


def _lives(index: Shown, number: int) -> bool:
    """Whether a document of a node that lives has a term."""
    return bool(index.documents.columns.alive.take(index.postings.posting(number).rows).any())


def _stands(index: Shown, number: int) -> bool:
    """Whether a document that is shown has a term."""
    return bool(len(index.standing.rows(index.postings.posting(number).rows)))


def named_by(index: Shown, said: Sequence[str]) -> dict[str, list[int]]:
    """Return the values that are named, with the terms that have them: those of a thing's other names as well."""
    found = dict(index.names.named_by(said))
    for value, names in index.names.things.named_by(said, index.tokenizer, index.joined_by).items():
        likely = (index.postings.number.get(FEATURE_TERM + name) for name in names)
        found[value] = list(dict.fromkeys((*found.get(value, ()), *[term for term in likely if term is not None])))
    return found


def _known(index: Shown, word: str) -> Term | None:
    """Return a term of the memory, None when no document that is shown has it."""
    number = index.postings.number.get(word)
    if number is None:
        return None
    posting, standing = index.postings.posting(number), index.standing
    rows, times = standing.tallied(posting.rows, posting.times[:, 0].astype(np.int32) + posting.times[:, 1])
    return Term(number, rows, times, weight_of(standing.documents, len(rows))) if len(rows) else None
