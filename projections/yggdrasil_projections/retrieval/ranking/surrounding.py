"""What the words of a question say of documents together with their neighbours in time."""

from collections.abc import Collection, Sequence
from itertools import takewhile
from typing import Final, NamedTuple

import numpy as np

from ..index.neighbours import Line, Places, nearness
from ..index.visible import Shown, Values
from .question import Question, Term
from .rankers import Fused

_TOGETHER_MIN: Final = 4  # terms; fewer are as quickly spread one by one
_TOGETHER_MAX: Final = 64  # documents of a term that is spread in one go with others: of few most of the time is calls


class Around(NamedTuple):
    """How much of the question each of some documents covers together with its neighbours, in [0, 1].

    ``stated``: how much of what is asked about whom it names each of all documents states, alone and with its
    neighbours, on the mean; empty if it asks nothing about such a one.
    """

    window: Values
    stated: Values


def surrounding(
    index: Shown, question: Question, recipe: Fused, weight: float, about: Collection[int], rows: Places
) -> Around:
    """Return what the words of a question, which weighs ``weight``, say of ``rows`` together with their neighbours.

    The terms ``about`` are asked of whom it names. Terms that few documents have come first, and are added along the
    line; of what many have only what is around ``rows`` is looked at. To each place the terms are added in their order,
    one by one, however many are spread together.
    """
    line, terms = index.standing.line, question.terms
    window = line.zeros()
    stated = line.zeros() if about else np.empty(0)
    together = list(takewhile(lambda term: len(term.rows) <= _TOGETHER_MAX and not line.many(term.rows), terms))
    if len(together) < _TOGETHER_MIN:
        together.clear()
    else:
        _spread(line, together, recipe, about, window, stated)
    at = line.place.take(rows)
    scratch = line.zeros() if len(terms) > len(together) else window
    many: _Many | None = None
    for term in terms[len(together) :]:
        if many is None and line.many(term.rows):
            many = _Many(line, recipe, at, window.take(at))
        if many is not None:
            many.add(term, stated if term.number in about else None)
        else:
            places, near = line.around(term.rows, recipe.decay, scratch)
            window[places] += term.weight * near
            if term.number in about:
                stated[places] += recipe.gap_window * term.weight * near
        if term.number in about:
            np.add.at(stated, line.place.take(term.rows), (1.0 - recipe.gap_window) * term.weight)
    of_rows = window.take(at) if many is None else many.of_rows
    of_rows /= weight
    if not about:
        return Around(of_rows, stated)
    stated = stated.take(line.place)
    stated /= max(question.weight, 1e-9)
    return Around(of_rows, stated)


class _Many:
    """Adds what is around terms that many documents have to ``of_rows``, the values of the places ``at``.

    In place, as fresh pages for what is large take longer than to compute it; and a table is read by numbers as wide as
    places, with narrower ones that takes three times as long.
    """

    def __init__(self, line: Line, recipe: Fused, at: Places, of_rows: Values) -> None:
        self.of_rows = of_rows
        self._line, self._recipe, self._at = line, recipe, at
        self._nearness = nearness(recipe.decay)
        self._near_rows, self._times_rows = np.empty(len(at)), np.empty(len(at), np.int64)
        self._near, self._times = np.empty(line.length), np.empty(line.length, np.int64)

    def add(self, term: Term, stated: Values | None) -> None:
        """Add a term, to what is ``stated`` along the whole line as well if that is given."""
        near, near_rows, reached = self._near, self._near_rows, self._line.reached(term.rows)
        if stated is None:
            self._times_rows[:] = reached.take(self._at)
            self._nearness.take(self._times_rows, out=near_rows, mode="clip")
        else:
            self._times[:] = reached
            self._nearness.take(self._times, out=near, mode="clip")
            near.take(self._at, out=near_rows, mode="clip")
            near *= self._recipe.gap_window * term.weight
            stated += near
        near_rows *= term.weight
        self.of_rows += near_rows


def _spread(
    line: Line, terms: Sequence[Term], recipe: Fused, about: Collection[int], window: Values, stated: Values
) -> None:
    """Add to ``window`` and ``stated``, which are along the line, what is around the documents of some terms."""
    of, places, away = line.around_each([term.rows for term in terms], len(recipe.decay))
    weights = np.array([term.weight for term in terms])
    near = np.array((1.0, *recipe.decay))[away]
    np.add.at(window, places, weights.take(of) * near)
    asked = np.array([term.number in about for term in terms])
    if not asked.any():
        return
    those = np.flatnonzero(asked.take(of))
    of, places, near, itself = of.take(those), places.take(those), near.take(those), away.take(those) == 0
    # What a document states with its neighbours, and right after that, for the same term, what it states alone.
    times = 1 + itself.astype(np.int64)
    gained = np.repeat((recipe.gap_window * weights).take(of) * near, times)
    gained[np.cumsum(times)[itself] - 1] = ((1.0 - recipe.gap_window) * weights).take(of[itself])
    np.add.at(stated, np.repeat(places, times), gained)
