"""Stage one of ``hybrid/2``: what is relevant, on any shape of memory.

Words and meaning are added in about equal parts: how much of the question a document covers, and by how many deviations
its cosine lies above the mean. Words that cover little are doubted. What holds in dialogues alone (the words of the
neighbours, the answer after a question) counts by how much nearer neighbours are in this memory than others; a name by
how rare it is in it; a date by what is said of other days.

Arithmetic is elementwise on IEEE floats and in the order of the question's terms, and what is counted are the documents
that stand now. So equal memories give equal scores, bit for bit.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from yggdrasil_schemas.graph.records import NodeKind

from ..asks import QueryVector
from ..index.columns.vectors import Alikeness
from ..index.neighbours import Places
from ..index.sample import alikeness, coherence
from ..index.visible import Shown, Values
from ..questions.understood import DAY_MS, FOREVER_MS, Time
from .ending import Earned
from .gap import gap_of_few, gap_of_often, often_named
from .meaning import NONE, Dense, best, compared
from .question import Question, asked_again, only_words_of, understood
from .rankers import Answering, Fused, Reading
from .relevance import Relevance, dated, hits_of, replied
from .repeating import Repeated, distinct
from .surrounding import surrounding

_Mask = npt.NDArray[np.bool_]

_DATED: Final = 2.0  # of a document with no word of the question, a month alone says too little
_MODEST: Final = 0.1  # what a tenth of the documents have is no name that tells of this memory
_SURE_BY_NAME: Final = 0.5
_HALF: Final = 0.5  # of a question's words in one document: it is about this memory, however many say the same
_SURE_BY_HALF: Final = 0.25
_SUREST: Final = 0.99  # words alone leave a doubt
_REPEATED: Final = 4  # times as many candidates are looked at where some say the same
_DAYS_MS: Final = 3 * DAY_MS
_WEEKS_MS: Final = 15 * DAY_MS
_MONTHS_MS: Final = 100 * DAY_MS
_ONCE: Final = np.uint8(1)  # of the type that it is added to: of any other that takes fifty times as long


@dataclass(frozen=True, slots=True, kw_only=True)
class Fusion(Relevance):
    """What is relevant by ``hybrid/2``, with what places in an answer are earned by.

    ``again`` are the rows that only ask the question again, where the ranker leaves those out. ``least`` is the
    relevance of the last candidate where there are more than were looked at, 0 where these are all. ``repeated`` has
    what some of the hits stand for, by their rows. ``asking``, in [0, 1], is how much of what is said asks something.
    """

    earned: Earned
    again: frozenset[int] = frozenset()
    least: float = 0.0
    repeated: Mapping[int, Repeated] = field(default_factory=dict[int, Repeated])
    asking: float = 0.0


@dataclass(frozen=True, slots=True)
class Words:
    """How much of the question each document covers, and its BM25; and the greatest share of its terms, each counted
    once, that one document has. All in [0, 1]. ``weight`` is what the whole question weighs.
    """

    cover: Values
    bm25: Values
    most: float
    weight: float


class _Told(NamedTuple):
    """What a memory shows of itself, each in [0, 1]: how much neighbours belong together, how much of a conversation it
    is, and how much cosines tell.
    """

    shown: float
    talk: float
    reliable: float


def fused(
    index: Shown,
    text: str,
    vector: QueryVector | None,
    recipe: Fused,
    only_asks: Callable[[Places, Question | None], Places] = lambda rows, _: rows,
    *,
    closely: bool = True,
    times: Sequence[Time] = (),
) -> Fusion:
    """Return at most ``recipe.candidates_max`` documents that are relevant to a question, best first.

    ``only_asks`` gives of rows that ask again, or say the ``Question`` again, those that are nothing else. Not asked
    ``closely``, ``hybrid/4`` admits what is no farther by meaning than chance brings. ``times`` are the question's.
    """
    standing = index.standing
    question = understood(index, text, recipe)
    if not standing.documents:
        return Fusion([], 0.0, earned=Earned(question, 0.0, {}))
    again, repeats = _again(index, question, recipe, only_asks)
    dense = compared(index, vector, recipe, again, closely=closely) if vector else None
    often, about = often_named(index, question, recipe)
    words = _words(index, question, recipe, again, vectors=dense is not None)
    known = _alikeness(index, vector) if vector else None
    shown = known.coherence if known else coherence(standing, index.postings)
    talk = shown * (asking := _asking(index, recipe))

    held, dates = _held(index, question, words.cover, talk, recipe), _dates(index, question, times, recipe)
    answers = replied(standing, words.cover)
    admitted = (words.cover > 0.0) | (held > 0.0) | (answers > 0.0)
    rows = _candidates(admitted, dates, dense, again, standing.counted)
    around = surrounding(index, question, recipe, words.weight, about, rows)
    words.cover[again] = 0.0  # they have told what is around them
    cover = words.cover.take(rows)
    reliable = _reliable(dense, known, recipe) if dense else 0.0
    total = _said(words.bm25.take(rows), cover, index, rows, recipe)
    if dense is not None:
        _doubt(total, recipe.doubt * reliable)
    total += held.take(rows)
    if dates is not None:
        total += recipe.day * dates.take(rows)
    _add_neighbours(total, shown, talk, around.window - cover, answers.take(rows), recipe)
    _add_sessions(total, talk, index, question, rows, recipe)
    total -= np.multiply(standing.asks.take(rows), shown * recipe.asking)
    if dense is not None:
        _add_meaning(total, _Told(shown, talk, reliable), index, dense, rows, recipe)

    places = _first(index, total, rows, recipe)
    first = rows[places]
    half = 1.0 if dense is None else recipe.half
    relevance = _relevance(_gained(total[places], recipe, closely=closely), reliable, half, recipe)
    bare = _relevance(_gained(total[places] - held.take(first), recipe, closely=closely), reliable, half, recipe)
    _behind(relevance, first, question.called, repeats, recipe)
    hits = hits_of(first, relevance, np.clip(cover[places], 0.0, 1.0), around.window[places], dense)
    sure = _confidence(index, question, words, dense, known, recipe)
    if dates is not None and dates.max() >= _DATED:
        sure = max(sure, _SURE_BY_NAME)
    gap = gap_of_often(index, question, around.stated, dense, often, recipe) if often and about else None
    return Fusion(
        hits,
        sure,
        gap_of_few(index, question, words.weight, recipe) if gap is None else gap,
        words.cover > 0.0,
        frozenset(feature for named in question.named for feature in named.features),
        reliable=reliable,
        earned=Earned(question, words.weight, dict(zip(first.tolist(), bare.tolist(), strict=True))),
        again=frozenset(again.tolist()),
        asking=asking,
        least=hits[-1].relevance if len(rows) > len(hits) else 0.0,
    )


def _again(
    index: Shown, question: Question, recipe: Fused, only: Callable[[Places, Question | None], Places]
) -> tuple[Places, Places]:
    """Return what says the question again and nothing else: what is left out, and what stands behind all else.

    Since ``hybrid/3`` what asks it is left out, and since ``hybrid/6`` whatever says it.
    """
    if recipe.asked_again:
        return NONE, NONE
    again = only(asked_again(index, question), None)
    rows = only_words_of(index, question) if isinstance(recipe, Answering) else NONE
    if not len(rows):
        return again, NONE
    repeats = only(rows, question)
    columns = index.documents.columns
    noted = (columns.note.take(repeats) != 0) | (columns.kind.take(repeats) != NodeKind.EVENT)
    again = np.union1d(again, only(repeats[~noted], None))
    return again, np.setdiff1d(repeats, again)


def _behind(relevance: Values, first: Places, called: Places, repeats: Places, recipe: Fused) -> None:
    """Put what is ``called`` like the question, and what ``repeats`` it, behind the best of the rest, in place.

    That is so where the rest is near enough to them (``Answering``). ``first`` are the rows of ``relevance``.
    """
    if not isinstance(recipe, Answering):
        return
    for rows, near in ((called, recipe.called_near), (repeats, recipe.again_near)):
        put = np.isin(first, rows)
        rest = relevance[~put]
        best = float(rest.max()) if len(rest) else 0.0
        if put.any() and best >= near * float(relevance[put].max()):
            relevance[put] = np.minimum(relevance[put], recipe.called_under * best)


def _candidates(admitted: _Mask, dates: Values | None, dense: Dense | None, again: Places, counted: _Mask) -> Places:
    """Return the rows that are ranked: ``admitted`` for their words, and what dates or vectors admit beside them."""
    if dates is not None:
        admitted |= dates >= _DATED
    if dense is not None:
        admitted[dense.alike] = True
    admitted[again] = False
    rows: Places = np.flatnonzero(admitted & counted)
    return rows


def _first(index: Shown, total: Values, rows: Places, recipe: Fused) -> Places:
    """Return the places of the candidates, best first; with ``once`` what says the same takes one place of all."""
    if not recipe.once:
        return best(total, recipe.candidates_max)
    count = _REPEATED * recipe.candidates_max
    while True:
        places = best(total, count)
        enough = distinct(index, rows[places], recipe.candidates_max)
        if enough < len(places) or len(places) == len(rows):
            return places[:enough]
        count *= _REPEATED


def _gained(total: Values, recipe: Fused, *, closely: bool) -> Values:
    """Return what is gained in all, never less than nothing; in order however little it is, where many are wanted."""
    if closely or not isinstance(recipe, Reading):
        return np.maximum(0.0, total)
    fades = recipe.fades
    faded = fades * fades / np.maximum(fades, 2.0 * fades - total)
    return np.where(total < fades, faded, total)


def _asking(index: Shown, recipe: Fused) -> float:
    """Return how much of a conversation a memory is by how much of it asks something, in [0, 1]."""
    if not isinstance(recipe, Reading):
        return 0.0
    standing = index.standing
    asking = int(np.count_nonzero(standing.asks[standing.counted]))
    return min(1.0, asking / standing.documents / recipe.talk_asks)


def _said(bm25: Values, cover: Values, index: Shown, rows: Places, recipe: Fused) -> Values:
    """Return what the words of ``rows`` say of the question; ``bm25`` is used up, since fresh pages take longer.

    Of a long text it counts for less, by the root of how much longer it is: some words of any question are in it.
    """
    bm25 += cover
    bm25 /= 2.0
    if isinstance(recipe, Reading):
        words = index.standing.said.take(rows)
        longer = np.flatnonzero(words > recipe.long_words)
        bm25[longer] *= np.sqrt(recipe.long_words / words[longer])
    return bm25


def _add_sessions(total: Values, talk: float, index: Shown, question: Question, rows: Places, recipe: Fused) -> None:
    """Add how much of the question the whole session of each of ``rows`` covers, in a conversation."""
    if not isinstance(recipe, Reading) or not talk:
        return
    segment = index.standing.segment
    covered = np.zeros(len(index.standing.words))
    for term in question.terms:
        having = np.zeros(len(covered), np.bool_)
        having[segment.take(term.rows)] = True
        covered[having] += term.weight
    covered *= talk * recipe.talk_session / max(question.weight, 1e-9)
    total += covered.take(segment.take(rows))


def _relevance(gained: Values, reliable: float, half: float, recipe: Fused) -> Values:
    """Return how relevant what has ``gained`` so much is, in [0, 1]."""
    found: Values = reliable * np.minimum(1.0, gained / recipe.most) + (1.0 - reliable) * (gained / (gained + half))
    return found


def _words(index: Shown, question: Question, recipe: Fused, again: Places, *, vectors: bool) -> Words:
    """Return what the words of a question say of each document; ``most`` is of those that do not ask it ``again``."""
    standing = index.standing
    count = len(standing.for_row)
    cover, bm25, terms = np.zeros(count), np.zeros(count), np.zeros(count, np.uint8)
    mean = standing.said_in_all / standing.documents
    shape = recipe.length / max(mean, 1.0)
    for term in question.terms:  # added "at" its rows, each of which is there once: in a third of the time of "+="
        np.add.at(cover, term.rows, term.weight)
        np.add.at(terms, term.rows, _ONCE)
        norm = recipe.saturation * ((1.0 - recipe.length) + shape * standing.said.take(term.rows))
        np.add.at(bm25, term.rows, term.weight * (term.times / (term.times + norm)))
    weight = max(question.weight, 1e-9)
    if not vectors:  # of a long question nobody says all: of so many terms as much as of a few
        weight *= min(1.0, recipe.terms_enough / max(1, question.asked))
    # BM25 saturates at 1 for each term; a document of mean length that says each once has 1 / (1 + k1) of it.
    terms[again] = 0
    most = float(terms.max()) / max(1, question.asked)
    bm25 *= (1.0 + recipe.saturation) / weight
    cover /= weight
    return Words(cover, bm25, most, weight)


def _held(index: Shown, question: Question, cover: Values, talk: float, recipe: Fused) -> Values:
    """Return what each document gains by having what the question names: more in a conversation."""
    gained = np.zeros(len(index.standing.for_row))
    for named in question.named:
        gain = recipe.name + recipe.name_rare * named.rarity + recipe.name_cover * cover.take(named.rows)
        np.add.at(gained, named.rows, gain)
    gained /= float(max(1, len(question.named)))
    if isinstance(recipe, Reading) and talk:
        gained *= 1.0 + recipe.talk_name * talk
    return gained


def _dates(index: Shown, question: Question, times: Sequence[Time], recipe: Fused) -> Values | None:
    """Return how many of month, year and day of that month the question names, more than others have of them.

    None if it names nothing. By ``recipe.shown_alone`` what does not stand for itself has none.
    """
    standing = index.standing
    said = dated(index.documents, question.months, question.numbers)
    if isinstance(recipe, Reading) and times:
        said = _within(index, times, said, recipe)
    if said is None:
        return None
    usual = float(said[standing.counted].sum()) / standing.documents  # a sum of whole numbers
    if recipe.shown_alone:
        said *= standing.counted
    return np.maximum(0.0, said - usual)


def _within(index: Shown, times: Sequence[Time], said: Values | None, recipe: Reading) -> Values:
    """Return as many of year, month and day as each document has of one of the times, or as were ``said`` of it.

    Of a day is often told on the next one, or later; and what will be, before.
    """
    at = index.documents.columns.at
    found = np.zeros(len(at)) if said is None else said
    for time in times:
        if time.since is None and time.until is None:
            continue
        since, until = (time.since or 0), (FOREVER_MS if time.until is None else time.until)
        inside = ((at >= since) & (at <= until)).astype(np.float64)
        length = until - since
        if length < _WEEKS_MS:
            later = (at > until) & (at <= until + DAY_MS)
            inside += recipe.next_day * later + recipe.later * ((at > until + DAY_MS) & (at <= until + _DAYS_MS))
            inside += recipe.earlier * ((at < since) & (at >= since - _DAYS_MS))
        open_ended = time.since is None or time.until is None
        inside *= 1.0 if open_ended or length >= _MONTHS_MS else 2.0 if length >= _WEEKS_MS else 3.0
        np.maximum(found, inside, out=found)
    found *= index.documents.columns.alive
    return found


def _doubt(said: Values, doubt: float) -> None:
    """Take words that cover little for less, in place."""
    doubted = said + doubt
    np.divide(1.0 + doubt, doubted, out=doubted)
    said *= said
    said *= doubted


def _add_neighbours(total: Values, shown: float, talk: float, beside: Values, answers: Values, recipe: Fused) -> None:
    """Add what neighbours cover ``beside`` each document, and what a question before it covers; both are used up."""
    around, replied = shown * recipe.around, shown * recipe.replied
    if isinstance(recipe, Reading):
        around += talk * recipe.talk_around
        replied += talk * recipe.talk_replied
        beside *= around
        answers *= replied
        beside += answers
    else:  # in the order of operations in which its recalls were answered
        beside *= recipe.around
        answers *= recipe.replied
        beside += answers
        beside *= shown
    total += beside


def _add_meaning(total: Values, told: _Told, index: Shown, dense: Dense, rows: Places, recipe: Fused) -> None:
    """Add how near each of ``rows`` is by meaning, and how much nearer than it a neighbour in time is."""
    reliable = told.reliable
    by_itself = reliable * (1.0 - recipe.talk_meaning * told.talk) if isinstance(recipe, Reading) else reliable
    nearer, z = index.standing.line.nearest(dense.z, recipe.decay, rows), dense.z.take(rows)
    nearer -= z
    np.maximum(0.0, nearer, out=nearer)
    z *= recipe.meaning * by_itself
    total += z
    nearer *= told.shown * recipe.around_meaning * reliable
    total += nearer


def _alikeness(index: Shown, vector: QueryVector) -> Alikeness | None:
    matrix = index.vectors.matrix(vector.model, len(vector.data))
    return alikeness(index.standing, matrix, index.postings) if matrix else None


def _reliable(dense: Dense, known: Alikeness | None, recipe: Fused) -> float:
    """Return how much the cosines of a model tell in this memory, in (0, 1]: little in a language that it has not met.

    They tell much where what has words in common is alike by them as well. Of a few documents that shows little; there
    it counts for more whether the closest stands out.
    """
    if known is None:
        return 1.0
    # Of texts of a language that a model has not met all are alike by it: then more has to speak for it.
    alike = min(1.0, max(0.0, (known.mean - recipe.reliable_alike) / recipe.reliable_alike_within))
    nearer = (known.agreement - recipe.reliable_from - recipe.reliable_alike_more * alike) / recipe.reliable_within
    by_memory = min(1.0, max(recipe.reliable_least, nearer))
    count = float(len(dense.rows))  # of few none can stand out by much
    wanted = recipe.reliable_beyond * (count / (count + recipe.dense_few))
    by_question = min(1.0, max(recipe.reliable_least, dense.beyond / wanted))
    few = recipe.reliable_few
    return (known.agreeing * by_memory + few * by_question) / (known.agreeing + few)


def _confidence(
    index: Shown, question: Question, words: Words, dense: Dense | None, known: Alikeness | None, recipe: Fused
) -> float:
    """Return how sure it is that the memory has an answer, in [0, 1]; a fifth is where doubt begins.

    The closest document is compared with what is usual in this memory by this model: with how close any two documents
    are, and how close the nearest of each is. How much of the question is said in one place is added to that. Without
    vectors it is that alone. A feature that is named, and that few have, is enough by itself, and so are half of the
    question's words in one document: of a memory that speaks of one thing alone cosines and weights say little.
    """
    covered = min(1.0, float(words.cover.max()))
    named = any(len(named.rows) <= max(1.0, _MODEST * index.standing.documents) for named in question.named)
    least = _SURE_BY_NAME if named else _SURE_BY_HALF if words.most >= _HALF else 0.0
    if dense is None:
        if not question.asked:  # of what asks for nothing, nothing is known
            return least
        few = recipe.sure_documents / (recipe.sure_documents + index.standing.documents)
        return max(least, min(_SUREST, recipe.sure_covered * (covered + (1.0 - covered) * few * few)))
    if known is None:
        return max(least, _SURE_BY_HALF)
    top = dense.greatest
    of_all, of_pairs = (top - dense.mean) / known.deviation, (top - known.mean) / known.deviation
    otherwise = known.model.startswith(recipe.asked_otherwise)
    of_pairs = max(of_pairs, of_all - (recipe.asked_apart if otherwise else recipe.written_apart))
    close = recipe.sure_apart * of_all + (1.0 - recipe.sure_apart) * of_pairs
    beyond = close + covered + recipe.sure_few / max(1, question.asked)
    above = recipe.sure_slope * (beyond - min(known.nearest, recipe.nearest_most))
    above += recipe.sure_shift - recipe.asked_doubt * otherwise
    small = recipe.small / (recipe.small + index.standing.documents)
    above -= recipe.small_doubt * small * small
    return max(least, 0.5 + 0.5 * above / (1.0 + abs(above)))
