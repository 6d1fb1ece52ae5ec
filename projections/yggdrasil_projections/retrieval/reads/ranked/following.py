"""What a question asks in two steps, followed over claims: who offers emeralds, and then where that one is.

A claim that was found joins what the question names to something that it does not name. What else is claimed of that
thing is followed where it says much of what the question asks and the first claim does not, by all words of its
predicate or by their weight, or where the thing is, if the question begins with "where". Each step brings the claim
over which it leads along.
"""

import re
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.graph.records import NodeKind
from yggdrasil_schemas.limits import TRUST_MAX
from yggdrasil_schemas.names import name_in_words

from ...asks import Ask
from ...claimed import confidence, faded
from ...index.columns.links import LOCATED, UNKNOWN, Links
from ...index.neighbours import Places
from ...index.visible import Shown
from ...index.vocabulary import FEATURE_TERM, NAME_TERM
from ...questions.words import TELLING, WHERE, WHERE_RUN
from ...ranking.ending import Earned
from ...ranking.question import begins_with
from ...ranking.rankers import Fused
from ...ranking.relevance import Hit
from ...text.said import value_of
from ..knowledge.rejected import rejected_again

FOLLOWING: Final = "steps/1"
"""What followed claims; another rule, or another word for "where", is another version."""
FOLLOWED_MAX: Final = 3
_SEEDS: Final = 5  # claims of the answer from which others are followed, of each tier and above
_PER_THING: Final = 32  # claims about one thing that may be followed, the most trusted and youngest first
_PREDICATES: Final = 256  # of one thing that are looked at, those of the most trusted and youngest claims first
_WEIGHTS: Final = (1, 3, 4, 5, 6)  # of each trust, as in a claim's confidence
_PLACE: Final = -1  # what a question for a place asks for, beside its terms
_CLAIM: Final = int(NodeKind.CLAIM)
_PARTS: Final = re.compile(r"[.!?\u00a1\u00bf;:,\u3002\uff0c\uff1f]")
_TELLING: Final = re.compile(rf"^(?:{'|'.join(map(re.escape, TELLING))})\b", re.IGNORECASE)
_WHERE_RUN: Final = re.compile(WHERE_RUN)


class Seed(NamedTuple):
    """A claim that was found: the row of its document, and how relevant it is."""

    row: int
    relevance: float


class _Way(NamedTuple):
    """From a claim that was found, with the terms of the question that it says, to a thing that the question does not
    name: the terms of all names of that, each with the trust of what joins it; ``where``: whether it is asked where.
    """

    seed: Seed
    trust: int
    said: frozenset[int]
    names: tuple[tuple[int, int], ...]
    where: bool

    def leads(self, terms: npt.NDArray[np.int32]) -> npt.NDArray[np.bool_]:
        """Return which of some terms are names of the thing that it leads to."""
        return np.isin(terms, [term for term, _ in self.names])


class _Step(NamedTuple):
    """A claim that may be told: by the trust of the less trusted one of the two, how well it says where, and its score.

    ``more`` is what it says of the question that the one does not which led to it.
    """

    trust: int
    rank: int
    score: float
    number: int
    row: int
    way: int
    predicate: int
    more: frozenset[int]

    @property
    def order(self) -> tuple[int, int, float, int]:
        """Where it stands among others: what is trusted more comes before all that is trusted less."""
        return -self.trust, self.rank, -self.score, -self.number


def asks_where(text: str) -> bool:
    """Whether a question, or a part of it, begins with a word that asks for a place."""
    if _WHERE_RUN.search(text):
        return True
    parts = (_TELLING.sub("", part.strip()) for part in _PARTS.split(text.lower().replace("\u2019", "'")))
    return any(begins_with(part.split()) in WHERE for part in parts)


def followed(
    graph: Graph, shown: Shown, links: Links, ask: Ask, earned: Earned, recipe: Fused, found: Sequence[Seed]
) -> list[Hit]:
    """Return at most three claims that the first claims of an answer lead to, the most trusted and surest first.

    What is trusted less takes the place of none that is trusted more, and of two claims the less trusted one counts.
    ``found`` are the claims of the answer in its order: of these none is returned.
    """
    columns, follow = shown.documents.columns, _Follow(shown, links, ask, earned, recipe)
    trusts: list[int] = columns.trust[np.array([each.row for each in found], np.int64)].tolist()
    seeds: dict[int, Seed] = {}
    for tier in sorted(set(trusts), reverse=True):
        of_tier = [each for each, trust in zip(found, trusts, strict=True) if trust >= tier]
        seeds |= {each.row: each for each in of_tier[:_SEEDS]}
    ways = [way for each in seeds.values() for way in follow.ways(graph, each)]
    steps = [step for at, way in enumerate(ways) for step in follow.steps(graph, at, way)]
    gone = set[int]() if follow.whatever else rejected_again(graph, shown, sorted({each.row for each in steps}))
    there = {each.row for each in found}
    return [
        Hit(each.row, 0.0, 0.0, 0.0, each.score, (ways[each.way].seed.row,))
        for each in _chosen([each for each in steps if each.row not in gone], there)
    ]


def _chosen(steps: Iterable[_Step], there: set[int]) -> list[_Step]:
    """Return the first steps that say something that none says before them, over the same way; or another value of it.

    What is ``there`` already says it too, and is not returned again.
    """
    chosen: dict[int, _Step] = {}
    said: dict[int, tuple[set[int], set[int]]] = {}
    for each in sorted(steps, key=lambda one: one.order):
        predicates, terms = said.setdefault(each.way, (set(), set()))
        if each.predicate not in predicates and each.more <= terms:
            continue
        if each.row not in there:
            if len(chosen) == FOLLOWED_MAX:
                break
            chosen.setdefault(each.row, each)
        if _PLACE not in each.more:  # a thing is at one place
            predicates.add(each.predicate)
        terms |= each.more
    return list(chosen.values())


class _Follow:
    """Follows claims for one question."""

    def __init__(self, shown: Shown, links: Links, ask: Ask, earned: Earned, recipe: Fused) -> None:
        self._shown, self._links, self._earned, self._recipe = shown, links, earned, recipe
        self._where = asks_where(ask.query)
        self.whatever = ask.where is not None and bool(ask.where.history or ask.where.statuses)
        self._asked = frozenset(shown.tokenizer.terms(ask.query))
        named = (each for each in earned.question.named if not all(one.startswith(NAME_TERM) for one in each.features))
        self._named = frozenset(each.name for each in named)  # without what notes alone are called
        self._words: list[str] = []
        words = links.words
        self._located = {words[each]: rank for rank, each in enumerate(LOCATED) if each in words}
        self._weights = {term.number: term.weight for term in earned.question.terms}

    def ways(self, graph: Graph, seed: Seed) -> list[_Way]:
        """Return the ways on from a claim: to the one of its things that the question does not name, if it names the
        other.
        """
        at = self._link(seed.row)
        if at is None:
            return []
        ends = (int(self._links.columns.subject[at]), int(self._links.columns.object[at]))
        if UNKNOWN in ends or ends[0] == ends[1]:
            return []
        subject, other = (self._shown.postings.lexicon[end].removeprefix(FEATURE_TERM) for end in ends)
        trust = int(self._shown.documents.columns.trust[seed.row])
        named = self._names(graph, subject, trust), self._names(graph, other, trust)
        if named[0] == named[1]:
            return []
        said = frozenset(term for term, has in self._having(np.array([seed.row])).items() if has[0])
        where = self._where and int(self._links.columns.predicate[at]) not in self._located
        return [_Way(seed, trust, said, self._called(graph, other if named[0] else subject), where)]

    def steps(self, graph: Graph, at: int, way: _Way) -> list[_Step]:
        """Return the claims that lead on over a way, as far as they say something that is asked."""
        rows, links = self._about(way)
        columns, predicates = self._shown.documents.columns, self._links.columns.predicate
        more = {term: has for term, has in self._having(rows).items() if term not in way.said}
        gained = np.zeros(len(rows))
        for term, has in more.items():
            gained += self._weights[term] * has
        says_more = (gained > 0.0) & ((gained >= self._least(way)) | self._asked_for(way, rows, links, gained > 0.0))
        says_where = np.zeros(len(rows), np.bool_)
        if way.where:
            says_where = np.isin(predicates[links], [*self._located]) & way.leads(self._links.columns.subject[links])
        likely = np.flatnonzero(says_more | says_where)
        trusts = columns.trust[rows[likely]].astype(np.int64)
        likely = likely[np.lexsort((-columns.number[rows[likely]], -trusts))[:_PER_THING]]
        found: list[_Step] = []
        for place in likely.tolist():
            row, predicate = int(rows[place]), int(predicates[links[place]])
            node = graph.expect(int(columns.number[row]))
            claim = graph.claim(node)
            if claim is None or (not self.whatever and faded(graph, node)):
                continue
            said = frozenset(term for term, has in more.items() if has[place] and says_more[place])
            said |= {_PLACE} if says_where[place] else set[int]()
            rank = self._located[predicate] if says_where[place] else 0
            score = way.seed.relevance * confidence(graph, node, claim) * _WEIGHTS[node.trust] / _WEIGHTS[TRUST_MAX]
            found.append(_Step(min(way.trust, node.trust), rank, score, node.number, row, at, predicate, said))
        return found

    def _link(self, row: int) -> int | None:
        """Return the place of the link of a document, None of one that is no claim."""
        rows = self._links.columns.row
        at = int(np.searchsorted(rows, row))
        return at if at < len(rows) and rows[at] == row else None

    def _asked_for(self, way: _Way, rows: Places, links: Places, says: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        """Return of which claims the question has all words of the predicate, and the claim that leads there has none.

        However often others use these words: how much they weigh is no matter of this. ``says`` are those that may be.
        """
        columns, predicates = self._shown.documents.columns, self._links.columns.predicate[links]
        at = np.flatnonzero(says)
        at = at[np.lexsort((-columns.number[rows[at]], -columns.trust[rows[at]].astype(np.int64)))]
        left, number = self._weights.keys() - way.said, self._shown.postings.number
        wanted: list[int] = []
        for each in islice(dict.fromkeys(predicates[at].tolist()), _PREDICATES):
            words = self._shown.tokenizer.terms(self._word(each).replace("_", " "))
            if words and left.issuperset(map(number.get, words)):
                wanted.append(each)
        return says & np.isin(predicates, wanted)

    def _word(self, number: int) -> str:
        """Return a word of the links."""
        if not self._words:
            self._words = list(self._links.words)
        return self._words[number]

    def _names(self, graph: Graph, name: str, trust: int) -> bool:
        """Whether the question names a thing: by all words of a name of it, in whatever form.

        Names count that nobody who is trusted less than ``trust`` has joined.
        """
        tokenizer, least = self._shown.tokenizer, max(trust, self._shown.joined_by)
        for each in {one for one, link in graph.names(name).linked(name) if link >= least} | {name}:
            words = tokenizer.terms(name_in_words(each))
            if " ".join(tokenizer.words(value_of(each))) in self._named or (words and self._asked.issuperset(words)):
                return True
        return False

    def _called(self, graph: Graph, name: str) -> tuple[tuple[int, int], ...]:
        """Return the terms of all names of a thing, as far as the ask trusts whoever joined them."""
        number, least = self._shown.postings.number, self._shown.joined_by
        names = {each: trust for each, trust in graph.names(name).linked(name) if trust >= least} | {name: TRUST_MAX}
        likely = ((number.get(FEATURE_TERM + each), trust) for each, trust in names.items())
        return tuple((term, trust) for term, trust in likely if term is not None)

    def _about(self, way: _Way) -> tuple[Places, Places]:
        """Return the rows of the claims about the thing that a way leads to, ascending, and the places of their links.

        What is claimed of another name of it is trusted no more than whoever joined the two.
        """
        columns, of = self._shown.documents.columns, self._shown.standing.for_row
        links = self._links.columns
        found = [np.empty(0, np.int64)]
        for term, trust in way.names:
            rows = self._shown.postings.posting(term).rows.astype(np.int64)
            rows = rows[(of[rows] == rows) & (columns.kind[rows] == _CLAIM) & (columns.trust[rows] <= trust)]
            found.append(rows[rows != way.seed.row])
        rows = np.unique(np.concatenate(found))
        at = np.minimum(np.searchsorted(links.row, rows), max(0, len(links.row) - 1))
        known = (links.row[at] == rows) & (way.leads(links.subject[at]) | way.leads(links.object[at]))
        return rows[known], at[known]

    def _having(self, rows: Places) -> dict[int, npt.NDArray[np.bool_]]:
        """Return which rows have each term of the question."""
        return {term.number: np.isin(rows, term.rows) for term in self._earned.question.terms}

    def _least(self, way: _Way) -> float:
        """Return how much of a question has to be said beyond what a way begins with, but for words that none knows."""
        left = sum(weight for term, weight in self._weights.items() if term not in way.said)
        return max(self._recipe.close_more * sum(self._weights.values()), self._recipe.close_left * left)
