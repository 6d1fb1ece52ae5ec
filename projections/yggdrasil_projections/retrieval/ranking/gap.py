"""What is asked of what a question names, and is said of others: then it is no answer."""

from collections.abc import Sequence
from math import inf
from typing import Final

import numpy as np

from ..index.visible import Shown, Values
from ..index.vocabulary import NAME_TERM
from .meaning import Dense
from .question import Named, Question, Term
from .rankers import Fused, Reading
from .relevance import gap_between

_WORDS_ELSEWHERE: Final = 2
_THIRD: Final = 3
_ONE: Final = np.uint8(1)  # of the type that it is added to: of any other that takes fifty times as long


def often_named(index: Shown, question: Question, recipe: Fused) -> tuple[list[Named], frozenset[int]]:
    """Return whom or what the question names that is spoken of all the time, as those who speak in a dialogue are.

    And the terms that it asks about them: none if it names no such one.
    """
    often = max(recipe.name_documents_min, recipe.name_share * index.standing.documents)
    names = [named for named in question.named if len(named.rows) >= often]
    if not names:
        return [], frozenset()
    return names, frozenset(term.number for term in _asked_about(index, question, names))


def _asked_about(index: Shown, question: Question, names: Sequence[Named]) -> list[Term]:
    """Return the terms of a question that are not of what it names."""
    own = {index.tokenizer.counted_as(word) for named in names for word in named.name.split()}
    lexicon = index.postings.lexicon
    return [term for term in question.terms if lexicon[term.number] not in own]


def gap_of_often(
    index: Shown, question: Question, stated: Values, dense: Dense | None, names: Sequence[Named], recipe: Fused
) -> float:
    """Return how much better the best statement of ``names``, whom the question names, is than that of all others.

    Where several say about as much of it nobody's stands out, and there is no gap to what others say.
    """
    strength = stated
    if dense is not None:
        strength = recipe.gap_dense * dense.z
        strength += stated
    apart = _apart(index, question, strength, recipe) if isinstance(recipe, Reading) else 0.0
    gap = gap_between(index.standing, strength, [named.rows for named in names], question.asked, recipe)
    return 0.0 if isinstance(recipe, Reading) and gap < 0.0 and apart <= recipe.gap_stands_out else gap


def _apart(index: Shown, question: Question, strength: Values, recipe: Reading) -> float:
    """Return how much stronger the best of all statements is than the third."""
    stated = strength.copy()
    stated[index.standing.dialogue.silent] = -np.inf
    if len(stated) < _THIRD:
        return inf
    first, third = float(stated.max()), float(np.partition(stated, -_THIRD)[-_THIRD])
    return (first - third) * (float(question.asked) / (float(question.asked) + recipe.gap_few))


def gap_of_few(index: Shown, question: Question, weight: float, recipe: Fused) -> float:
    """Return how much of what a question asks about what it names is said elsewhere in one place, as a negative share.

    That is if nothing of it is said where that is named, and two words at least are said elsewhere: of one word it
    cannot be told whether it is said in another. What is called by its own name (a note's) is what is meant.
    """
    names = [named for named in question.named if not any(name.startswith(NAME_TERM) for name in named.features)]
    asked = _asked_about(index, question, names)
    if not names or len(names) < len(question.named) or len(asked) < _WORDS_ELSEWHERE:
        return 0.0
    cover, terms = np.zeros(len(index.standing.for_row)), np.zeros(len(index.standing.for_row), np.uint8)
    for term in asked:
        np.add.at(cover, term.rows, term.weight)
        np.add.at(terms, term.rows, _ONE)
    of_them = np.concatenate([named.rows for named in names])
    if cover.take(of_them).max() > 0.0:
        return 0.0
    best_of_others = int(cover.argmax())
    left = weight - sum(term.weight for term in question.terms if term not in asked)
    share = float(cover[best_of_others]) / max(left, 1e-9) if terms[best_of_others] >= _WORDS_ELSEWHERE else 0.0
    return -share if share >= recipe.gap_elsewhere else 0.0
