"""How much of what is about a question no longer stands: withdrawn, resolved, or superseded by what is not told.

Whoever gets no answer, or a poor one, is to know that there was another. Nothing is said of it but that it was: what it
said is for those who ask for the history. What was erased or forgotten is not there, and nothing is said of it.

It is no second search, which would take as long as the first: what no longer stands is compared with the question by
its own words, as this memory weighs them, and by meaning, and has to be about as near as what is told, or as an answer
has to be.
"""

from collections.abc import Collection
from typing import Final

import numpy as np
import numpy.typing as npt

from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.graph.records import NodeKind, Status

from ...asks import OF_WHEN, Ask, Where
from ...index.admission import Admission
from ...index.index import MemoryIndex
from ...index.visible import Shown
from ...index.weights import weight_of
from ...lens import admitted, answering
from ...ranking.question import Question
from ...ranking.rankers import Recipe

WITHDRAWN_MAX: Final = 100
"""So many are counted at most."""
_STATUSES: Final = ("rejected", "resolved", "superseded")
_GONE: Final = np.isin(np.arange(max(Status) + 1), [Status[name.upper()] for name in _STATUSES])
_HALF: Final = 0.5  # of a question's words in one document are an answer by themselves
_ABOUT: Final = 0.9  # of the best: as much as an answer of one thing takes in a small memory
_COMPARED_MAX: Final = 1_024  # vectors, the latest: some 0.5 ms
_FOLLOWED_MAX: Final = 16  # of what took the place of what took its place
_OUTCOME: Final = int(NodeKind.OUTCOME)

Rows = npt.NDArray[np.int64]


def withdrawn(
    graph: Graph, index: MemoryIndex, shown: Shown, ask: Ask, question: Question, recipe: Recipe, told: Collection[int]
) -> int:
    """Return how many, of what the asker's filter admits but for its status, are about a question and not there.

    ``told`` are the rows of ``shown`` that are near enough. What one of them took the place of is not counted: it is
    answered. Nothing is for whoever asks for the history or for statuses, and sees what there was.
    """
    rows = _gone(index, ask)
    if not len(rows):
        return 0
    rows = rows[_near(shown, ask, question, recipe, rows, told)]
    standing = set(shown.documents.columns.number[list(told)].tolist())
    found = 0
    for number in shown.documents.columns.number[rows][::-1].tolist():
        found += not _replaced(graph, number, standing)
        if found == WITHDRAWN_MAX:
            break
    return found


def _gone(index: MemoryIndex, ask: Ask) -> Rows:
    """Return the rows of what no longer stands, as far as the filter admits them."""
    where, columns = ask.where, index.documents.columns
    if where is not None and (where.history or where.statuses is not None):
        return np.empty(0, np.int64)
    gone = _GONE[columns.status]
    if not gone.any():
        return np.empty(0, np.int64)
    gone &= columns.alive & (columns.kind != _OUTCOME) & answering(where, columns.note)
    if not ask.deep:
        gone &= ~columns.archived
    if where is not None:
        of_these = Where(**{name: value for name, value in where.given().items() if name not in OF_WHEN})
        gone &= admitted(of_these.having(history=True), columns.status, columns.stale, columns.trust)
        gone = Admission(index.held, of_these).standing(gone)
    return np.flatnonzero(gone)


def _near(
    shown: Shown, ask: Ask, question: Question, recipe: Recipe, rows: Rows, told: Collection[int]
) -> npt.NDArray[np.bool_]:
    """Return which of ``rows`` are about as near to a question as what is told; of nothing, as an answer has to be."""
    best = list(told)
    cover = _covered(shown, question, np.append(rows, np.array(best, np.int64)))
    least = max(recipe.case, _ABOUT * float(cover[len(rows) :].max())) if best else _HALF
    near: npt.NDArray[np.bool_] = cover[: len(rows)] >= least
    if ask.vector is not None:
        near |= _alike(shown, ask, recipe, rows, best)
    return near


def _covered(shown: Shown, question: Question, rows: Rows) -> npt.NDArray[np.float64]:
    """Return which share of a question each of ``rows`` says itself, by the weights of what stands."""
    cover, order = np.zeros(len(rows)), np.argsort(rows)
    ascending = rows[order]
    weights = {term.number: term.weight for term in question.terms}
    weights |= dict.fromkeys(question.unheard, weight_of(shown.standing.documents, 0))
    for number, weight in weights.items():
        having = shown.postings.posting(number).rows
        at = np.minimum(np.searchsorted(having, ascending), max(0, len(having) - 1))
        if len(having):
            cover[order[having[at] == ascending]] += weight
    return cover / max(question.weight, 1e-9)


def _alike(shown: Shown, ask: Ask, recipe: Recipe, rows: Rows, best: list[int]) -> npt.NDArray[np.bool_]:
    """Return which of the latest of ``rows`` are as near by meaning as the nearest of the ``best``."""
    alike = np.zeros(len(rows), np.bool_)
    vector = ask.vector
    matrix = None if vector is None else shown.vectors.matrix(vector.model, len(vector.data))
    if vector is None or matrix is None:
        return alike
    asked = np.frombuffer(vector.data, np.int8).astype(np.float64)

    def cosines(of: list[int]) -> npt.NDArray[np.float64]:
        values, lengths = matrix.measured(np.array(of, np.int64))
        found: npt.NDArray[np.float64] = (values.astype(np.float64) @ asked) / (lengths * np.sqrt(asked @ asked))
        return found

    first = max(0, len(rows) - _COMPARED_MAX)
    having = [at for at in range(first, len(rows)) if int(rows[at]) in matrix]
    told = [row for row in best if row in matrix]
    if having and asked.any():
        centre = recipe.calibrated(vector.model).centre
        least = max(centre, float(cosines(told).max())) if told else centre
        alike[having] = cosines(list(map(int, rows[having]))) >= least
    return alike


def _replaced(graph: Graph, number: int, standing: Collection[int]) -> bool:
    """Return whether what took its place, or the place of that, is told."""
    for _ in range(_FOLLOWED_MAX):
        node = graph.node(number)
        if node is None or node.status != Status.SUPERSEDED:
            return False
        number = graph.ruling(node).instead
        if number in standing:
            return True
    return False
