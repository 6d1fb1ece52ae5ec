"""Stage one: what is relevant at all.

A document is compared with a question by what the two say, alone and together with its neighbours in time, by its whole
session, by the features and the dates that the question names, and by meaning where both have a vector of one model.
The parts are added with fixed weights. They were fitted on conversations, leaving one of them out at a time; where they
hardly mattered, round ones were taken. ``docs/recall.md`` shows what each of them brings.

All arithmetic is elementwise on IEEE floats and in the order of the question's terms, sums over documents are of whole
numbers, and what is counted are the documents that stand now. So equal memories give equal scores, bit for bit.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from ..asks import QueryVector
from ..index.columns.documents import NOBODY, Documents
from ..index.neighbours import Places
from ..index.visible import Rows, Shown, Values, VisibleDocuments
from ..index.vocabulary import AS_SUCH
from ..index.weights import weight_of
from .meaning import Dense, best, compared
from .query import Query, parsed
from .rankers import Recipe

VIA_MAX: Final = 3
VIA_STEPS: Final = 4  # as far as a neighbour counts
_DATED: Final = 2.0  # of a document with no word of the question, a month alone says too little


class Hit(NamedTuple):
    """A document that is relevant: how, by which parts, and by which other documents; all but ``row`` in [0, 1].

    ``linked``: it is a cause or an effect of the document that it was reached by. ``named``: how many of the things
    that the question names it has.
    """

    row: int
    lexical: float
    vector: float
    spread: float
    relevance: float
    via: tuple[int, ...] = ()
    linked: bool = False
    named: int = 0


@dataclass(frozen=True, slots=True)
class Relevance:
    """The hits, best first, and how sure it is that the question is about this memory at all, in [0, 1].

    ``gap``, in [-1, 1], is negative when what is asked about whom the question names is better known of others.
    ``matching`` says of each document whether it has a word of the question itself. ``named`` are the features that the
    question names. ``nearest`` is what comes nearest, however little relevant it is. ``reliable``: by how much cosines
    tell here, in [0, 1].
    """

    hits: list[Hit]
    confidence: float
    gap: float = 0.0
    matching: npt.NDArray[np.bool_] = field(default_factory=lambda: np.empty(0, np.bool_), repr=False)
    named: frozenset[str] = frozenset()
    nearest: list[Hit] = field(default_factory=list[Hit])
    reliable: float = 0.0


def relevant(index: Shown, question: str, vector: QueryVector | None, recipe: Recipe) -> Relevance:
    """Return at most ``recipe.candidates_max`` documents that are relevant to a question."""
    standing = index.standing
    if not standing.documents:
        return Relevance([], 0.0)
    query = parsed(index, question, recipe.name_share, recipe.name_documents_min)
    search = _Search(index, standing, query, recipe)
    return search.run(vector)


def like(index: Shown, rows: Sequence[int], recipe: Recipe) -> list[Hit]:
    """Return what says about the same as the documents ``rows``, by the rarest of their words; it bounds the work."""
    postings, standing = index.postings, index.standing
    weights: dict[str, float] = {}
    for row in rows:
        numbers: list[int] = postings.terms_of(row)[0].tolist()
        for number in numbers:
            term = postings.lexicon[number]
            if not term.startswith(AS_SUCH):
                having = standing.rows(postings.posting(number).rows)
                weights[term] = weight_of(standing.documents, len(having))
    rarest = sorted(weights, key=lambda term: (-weights[term], term))[: recipe.again_terms_max]
    return _Search(index, standing, Query(rarest, [], [], [], []), recipe).run(None).hits


class _Search:
    """One question to one index. Arrays without another shape have an element for each document."""

    def __init__(self, index: Shown, standing: VisibleDocuments, query: Query, recipe: Recipe) -> None:
        self._index = index
        self._standing = standing
        self._query = query
        self._recipe = recipe
        self._count = len(standing.for_row)
        self._depth = float(max(0, min(len(query.terms), recipe.terms_full) - recipe.terms_few))

    def run(self, vector: QueryVector | None) -> Relevance:
        """Score what may be relevant, and return the best of it."""
        standing, recipe = self._standing, self._recipe
        alone, window, sessions = self._covered()
        held, dates = self._held(), dated(self._index.documents, self._query.months, self._query.numbers)
        dense = compared(self._index, vector, recipe) if vector else None
        answers = replied(standing, alone)
        admitted = (alone > 0.0) | (held > 0.0) | (answers > 0.0)
        if dates is not None:
            admitted |= dates >= _DATED
        if dense is not None:
            admitted[dense.alike] = True

        rows = np.flatnonzero(admitted & standing.counted)
        segment, own = standing.segment[rows], alone[rows]
        total = recipe.feature * held[rows] + recipe.feature_cover * (held[rows] * own) + recipe.cover * own
        total += recipe.window * window[rows] + (recipe.session * self._depth) * sessions[segment]
        total += recipe.answer * answers[rows] + recipe.asks * standing.asks[rows]
        if dates is not None:
            total += recipe.date * dates[rows]
        if dense is not None:
            total += recipe.dense * dense.z[rows] + recipe.dense_session * dense.of_segments(standing)[segment]
        first = best(total, recipe.candidates_max)
        relevance = np.clip(total[first] / self._attainable(dense), 0.0, 1.0)
        own = alone if self._query.terms else held  # of a question that has nothing but names
        hits = hits_of(rows[first], relevance, own[rows[first]], window[rows[first]], dense)
        sure = self._sure(window, dates, dense, vector)
        return Relevance(hits, sure, self._gap(alone, window, dense), alone > 0.0, self._query.features)

    def _held(self) -> Values:
        """Return the share of the features that the question names that each document has."""
        held = np.zeros(self._count)
        for rows in self._query.named:
            held[rows] += 1.0
        return held / float(max(1, len(self._query.named)))

    def _attainable(self, dense: Dense | None) -> float:
        """Return what a document could reach at most, or what it hardly surpasses, with a question like this one."""
        recipe, query = self._recipe, self._query
        total = recipe.cover + recipe.window + recipe.session * self._depth
        if query.named:
            total += recipe.feature + recipe.feature_cover
        if query.months or query.numbers:
            total += recipe.date
        return total if dense is None else total + 4.0 * (recipe.dense + recipe.dense_session)

    def _sure(self, window: Values, dates: Values | None, dense: Dense | None, vector: QueryVector | None) -> float:
        """Return the confidence: how much of the question is said in one place, and how close the closest are to it.

        What a question asks of nothing but a name or a day is said wherever that is.
        """
        recipe, query = self._recipe, self._query
        covered = float(window.max()) if query.terms else float(bool(query.named))
        if dates is not None and (most := float(dates[self._standing.counted].max())) >= _DATED:
            covered = max(covered, most / 3.0)
        if covered > 0.0:
            few = recipe.sure_documents / (recipe.sure_documents + self._standing.documents)
            covered += (1.0 - covered) * few * few
        if dense is None or vector is None:
            return covered
        found = recipe.calibrated(vector.model)
        return min(1.0, max(0.0, found.window * covered + found.slope * (dense.closeness(recipe) - found.centre)))

    def _gap(self, alone: Values, window: Values, dense: Dense | None) -> float:
        """Return how much better the best statement of whom the question names is than the best of all others."""
        standing, recipe = self._standing, self._recipe
        if not self._query.names or not self._query.terms:
            return 0.0
        strength = (1.0 - recipe.gap_window) * alone + recipe.gap_window * window
        if dense is not None:
            strength += recipe.gap_dense * dense.z
        return gap_between(standing, strength, self._query.names, len(self._query.terms), recipe)

    def _covered(self) -> tuple[Values, Values, Values]:
        """Return how much of the question each document covers, alone and with its neighbours, and BM25 by segment.

        The first two are shares of the terms' weights, in [0, 1].
        """
        index, standing, recipe = self._index, self._standing, self._recipe
        line, alone = standing.line, np.zeros(self._count)
        window, scratch = line.zeros(), line.zeros()
        segments = len(standing.words)
        score = np.zeros(segments)
        mean = float(standing.words.sum() / segments)  # a sum of whole numbers
        norm = recipe.k1 * (1.0 - recipe.b + recipe.b * (standing.words / max(mean, 1e-9)))
        weights = weights_of_sessions = 0.0
        for term in self._query.terms:
            number = index.postings.number.get(term)
            rows: Places = np.empty(0, np.int64)
            weight = weight_of(standing.documents, 0)
            if number is not None:
                posting = index.postings.posting(number)
                rows = standing.rows(posting.rows)
                weight = weight_of(standing.documents, len(rows))
                weights_of_sessions += self._add_session(score, norm, posting.rows, posting.times[:, 0])
            else:
                weights_of_sessions += weight_of(segments, 0)
            weights += weight
            alone[rows] += weight
            places, near = line.around(rows, recipe.decay, scratch)
            window[places] += weight * near
        weights = max(weights, 1e-9)
        return alone / weights, window[line.place] / weights, score / max(weights_of_sessions, 1e-9)

    def _add_session(self, score: Values, norm: Values, rows: Rows, times: npt.NDArray[np.uint8]) -> float:
        """Add one term's BM25 of every segment, and return the term's weight among segments."""
        standing, k1 = self._standing, self._recipe.k1
        said = (times > 0) & (standing.for_row[rows] != NOBODY)
        where = standing.segment[standing.for_row[rows[said]]]
        often = np.bincount(where, times[said], minlength=len(score))  # of whole numbers
        found = np.flatnonzero(often)
        weight = weight_of(len(score), len(found))
        score[found] += weight * (often[found] * (k1 + 1.0)) / (often[found] + norm[found])
        return weight


def hits_of(rows: Places, relevance: Values, own: Values, window: Values, dense: Dense | None) -> list[Hit]:
    """Return the documents ``rows`` as hits, by how much each covers alone and with its neighbours (``window``)."""
    cosine = np.zeros(len(rows)) if dense is None else np.clip(dense.cosines(rows), 0.0, 1.0)
    spread = np.clip(window - own, 0.0, 1.0)
    return list(map(Hit, rows.tolist(), own.tolist(), cosine.tolist(), spread.tolist(), relevance.tolist()))


def replied(standing: VisibleDocuments, alone: Values) -> Values:
    """Return how much of the question the event before each document covers, if that asks something."""
    found = np.zeros(len(alone))
    found[standing.dialogue.replies] = alone[standing.dialogue.asking]
    return found


def dated(documents: Documents, months: list[int], numbers: list[int]) -> Values | None:
    """Return how many of month, year and day of that month a question names, 0 to 3; None if it names nothing."""
    if not (months or numbers):
        return None
    year, month, day = documents.dates
    of_month = np.isin(month, months).astype(np.float64)
    said = of_month + np.isin(year, numbers).astype(np.float64) + of_month * np.isin(day, numbers)
    said *= documents.columns.alive  # what is gone would be counted until the index is made anew
    return said


def gap_between(
    standing: VisibleDocuments, strength: Values, names: Sequence[Places], terms: int, recipe: Recipe
) -> float:
    """Return how much stronger the best statement of those with ``names`` is than the best of all others.

    Of several names it is theirs whose documents have most. ``strength`` is used up.
    """
    of_them = names[0]
    if len(names) > 1:
        held = np.bincount(np.concatenate(names), minlength=len(strength))
        of_them = np.flatnonzero(held == held.max())
    strength[standing.dialogue.silent] = -np.inf
    best_of_them = float(strength[of_them].max())
    strength[of_them] = -np.inf
    best_of_others = float(strength.max())
    if -np.inf in (best_of_them, best_of_others):  # one of them states nothing
        return 0.0
    gap = best_of_them - best_of_others
    return min(1.0, max(-1.0, gap * (float(terms) / (float(terms) + recipe.gap_few))))


def via(standing: VisibleDocuments, hit: Hit, searched: Relevance) -> tuple[int, ...]:
    """Return over which hits a document was reached: none, if it matches the question itself.

    Otherwise what it was reached by over the graph, or the neighbours that do match, nearest first, at most three.
    """
    if hit.via or hit.lexical > 0.0:
        return hit.via
    found: list[int] = []
    earlier = later = hit.row
    for _ in range(VIA_STEPS):
        earlier = int(standing.before[earlier]) if earlier != NOBODY else NOBODY
        later = int(standing.after[later]) if later != NOBODY else NOBODY
        found += [other for other in (earlier, later) if other != NOBODY and searched.matching[other]]
    return tuple(found[:VIA_MAX])
