"""What bears on a session: what is said of its workflow, its task and what it touches, and what its words find."""

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, Final, NamedTuple

import numpy as np

from yggdrasil_projections.graph.lensed import trust_min_of
from yggdrasil_projections.graph.working_set import Graph

from ...asks import TOKENS_MAX, Ask
from ...index.columns.moments import at_present
from ...index.index import MemoryIndex
from ...index.visible import Shown
from ...index.vocabulary import FEATURE_TERM
from ...lens import LESSON, NOTES, RULE, TASK, narrowed
from ...memories import content_of
from ...ranking.fusion import Fusion
from ...ranking.rankers import RANKER, RANKERS, Recipe
from ...ranking.relevance import Hit, Relevance
from ...ranking.repeating import Repeated
from ...records import fields_in
from ...text.said import names_in, value_of
from ..experience.related import RELATIONS_FROM, by_trust
from ..learning.searched import read
from ..learning.searching import Asked, answering, as_asked, as_one, near_enough, searches, too_low
from ..ranked.ordered import NOTHING_REPEATED
from .registered import AGENT, WORKFLOW, SessionSeen

OF_THE_TASK: Final = 1.0
"""How relevant it is what is said of the task itself, of what the session touches, and of its workflow."""
OF_A_TOUCHED: Final = 0.8
OF_THE_WORKFLOW: Final = 0.6
_NEAR_MAX: Final = 64  # of each sort of what is said of the session's features: the latest
_SEEDS: Final = 3  # of what words found first: their names and rare words are asked again
_AGAIN_SHARE: Final = 0.5
_AGAIN_WORDS: Final = 4
_AGAIN_EACH: Final = 4  # memories that one of them finds
_FEW: Final = 4  # documents that have a rare word, or one of so many of all
_FEW_OF: Final = 50
_READ_CHARS: Final = 2_048  # of a text, for its rare words
_DECISION: Final = NOTES["decision"]


class Gathered(NamedTuple):
    """What bears on a session: hits by row, those of the desk apart, and how the words of the question were read.

    ``ask`` is the question as it was asked, None of a session without words. ``repeated`` says what stands for others.
    """

    shown: Shown
    hits: list[Hit]
    recipe: Recipe
    ask: Ask | None
    searched: Relevance | None
    repeated: Mapping[int, Repeated]


def gathered(
    graph: Graph, index: MemoryIndex, session: SessionSeen, question: str, partition: int, now: int, *, full: bool
) -> Gathered:
    """Return what bears on a session, each once: by its features, by the words of the question, and by what these find.

    What is found by words is as sure as an answer has to be; where nothing is, only features count. With ``full`` long
    texts count as a whole.
    """
    where = narrowed(None, trust_min_of(graph))
    ask = Ask(graph.header.memory, question, tokens_max=TOKENS_MAX, where=where, full=full)
    ask = at_present(index.moments, read(ask, now), now)
    recipe = as_asked(RANKERS[RANKER], ask, RANKER)
    shown = index.shown(where=ask.where)
    hits = {hit.row: hit for hit in _of_features(graph, shown, session)}
    searched: Relevance | None = None
    if question.strip():
        searched, found = _searched(graph, shown, ask, recipe, partition)
        _take(hits, found)
        first = sorted(found, key=lambda hit: (-hit.relevance, hit.row))[:_SEEDS]
        _take(hits, _again(graph, shown, ask, recipe, first, partition))
        _take(hits, _related(graph, shown, first))
    repeated = searched.repeated if isinstance(searched, Fusion) else NOTHING_REPEATED
    ordered = sorted(hits.values(), key=lambda hit: (-hit.relevance, hit.row))
    return Gathered(shown, ordered, recipe, ask if searched is not None else None, searched, repeated)


def _of_features(graph: Graph, shown: Shown, session: SessionSeen) -> list[Hit]:
    """Return lessons, rules and decisions with a feature of a session: the latest of each sort, as features weigh.

    Those of who is trusted more come first, where there are many.
    """
    relevance = np.zeros(len(shown.standing.for_row))
    for name in session.features:
        if name.startswith(AGENT):
            continue
        weight = OF_THE_TASK if name == f"{TASK}{session.task}" else OF_A_TOUCHED
        weight = OF_THE_WORKFLOW if name == f"{WORKFLOW}{session.workflow}" else weight
        known = (shown.postings.number.get(FEATURE_TERM + each) for each in graph.called(name))
        having = shown.postings.rows_of([term for term in known if term is not None])
        relevance[having] = np.maximum(relevance[having], weight)
    columns = shown.documents.columns
    own = shown.standing.for_row == np.arange(len(relevance))
    found: list[Hit] = []
    for note in (LESSON, RULE, _DECISION):
        rows = np.flatnonzero(own & (relevance > 0.0) & (columns.note == note))
        latest = rows[np.lexsort((rows, columns.trust[rows]))[-_NEAR_MAX:]]  # of who is trusted most
        found += [Hit(row, 0.0, 0.0, 0.0, float(relevance[row])) for row in latest.tolist()]
    return found


def _searched(graph: Graph, shown: Shown, ask: Ask, recipe: Recipe, partition: int) -> tuple[Relevance, list[Hit]]:
    """Return how a question was searched for, and what is near enough to be an answer: nothing, where none is sure."""
    asked = Asked(None, None, partition)
    each = searches(graph, shown, ask, recipe, asked)
    able = answering(graph, shown, recipe, each, asked)
    searched = as_one(able)
    if too_low(graph, shown, searched, asked) is not None:
        return searched, []
    return searched, near_enough(graph, shown, ask, recipe, able, searched)


def _again(graph: Graph, shown: Shown, ask: Ask, recipe: Recipe, seeds: Sequence[Hit], partition: int) -> list[Hit]:
    """Return what the names and the rare words of what was found first find (Bates 1989, berrypicking).

    Each is asked by itself, once, and answers as surely as any question has to. What it finds counts half of that by
    which it was found, and says so.
    """
    known = set(shown.tokenizer.terms(ask.query))
    found: list[Hit] = []
    for seed in seeds:
        words = _rare_words(graph, shown, seed.row, known)
        if not words:
            continue
        _, near = _searched(
            graph, shown, replace(ask, query=" ".join(words), clauses=(), understood=None), recipe, partition
        )
        share = _AGAIN_SHARE * seed.relevance
        others = (hit for hit in near if hit.row != seed.row)
        found += [hit._replace(relevance=hit.relevance * share, via=(seed.row,)) for hit in islice(others, _AGAIN_EACH)]
    return found


def _related(graph: Graph, shown: Shown, seeds: Sequence[Hit]) -> list[Hit]:
    """Return what somebody has related to what was found first: what the most trusted said, then the latest.

    It counts as what ``_again`` finds.
    """
    found: list[Hit] = []
    for seed in seeds:
        number = int(shown.documents.columns.number[seed.row])
        keys = (key for key in graph.links(number) if key[1] >= RELATIONS_FROM)
        ends = (key[2] if key[0] == number else key[0] for key in by_trust(graph, keys))
        rows = dict.fromkeys(map(shown.documents.row, ends))
        shown_rows = (row for row in rows if row is not None and shown.standing.for_row[row] == row)
        relevance = _AGAIN_SHARE * seed.relevance
        found += [Hit(row, 0.0, 0.0, relevance, relevance, (seed.row,)) for row in islice(shown_rows, _AGAIN_EACH)]
    return found


def _rare_words(graph: Graph, shown: Shown, row: int, known: Container[str]) -> list[str]:
    """Return the names and words of a document that few others have, and a question does not, the rarest first."""
    record = fields_in(content_of(graph, int(shown.documents.columns.number[row])))
    content: dict[str, Any] = record.get("content") or {}
    text: str = content.get("text") or ""
    words = shown.tokenizer.split(" ".join([*map(value_of, names_in(record)), text[:_READ_CHARS]]))
    most = max(_FEW, shown.standing.documents // _FEW_OF)
    rare: dict[str, tuple[int, str]] = {}
    for word in words:
        term = shown.tokenizer.counted_as(word)
        number = shown.postings.number.get(term) if term and term not in known and term not in rare else None
        if term and number is not None:
            having = len(shown.standing.rows(shown.postings.posting(number).rows))
            if 1 < having <= most:
                rare[term] = having, word
    return [word for _, word in sorted(rare.values(), key=lambda each: each[0])[:_AGAIN_WORDS]]


def _take(hits: dict[int, Hit], more: Iterable[Hit]) -> None:
    """Take in hits, each row once, with its greatest relevance."""
    for hit in more:
        known = hits.get(hit.row)
        if known is None or hit.relevance > known.relevance:
            hits[hit.row] = hit
