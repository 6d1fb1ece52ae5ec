"""Situations like the one that is asked about, and how they ended (000, section 5, get_similar_cases)."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Final, NamedTuple

from yggdrasil_projections.graph.laws.reference import containers
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.graph.records import Node, NodeFlag, NodeKind, node_number
from yggdrasil_schemas.ids import id_bytes
from yggdrasil_schemas.limits import RETURNED_MAX, VALUE_MAX

from ...answers import Case, Floor, Found, SimilarCases
from ...asks import Ask
from ...errors import InvalidAskError
from ...index.columns.documents import NOBODY
from ...index.index import MemoryIndex
from ...index.visible import Shown
from ...lens import seen_by
from ...memories import MemoryObject, describe, outcomes_of
from ...ranking.own.ranker import OwnRanker
from ...ranking.rankers import RANKER
from ...ranking.relevance import Hit
from ...ranking.selection import Candidate, Distinct
from ..ranked.ordered import limits_of, ranked
from ..ranked.seeing import seen_under
from .context import refused, versions_of
from .excerpts import in_part
from .foretold import foretold
from .searching import Asked, as_asked, recipe_of, searched_for
from .shown import found_in, scores_of
from .tiers import Placed, by_right, leading, led, placed

FOLLOWED_BY_MAX: Final = 3
_SITUATIONS: Final = (NodeKind.EVENT, NodeKind.EPISODE, NodeKind.CONCEPT)


class Ends(NamedTuple):
    """How a situation ended: whether well and whether badly, and the values of the outcomes that are remembered."""

    good: bool
    bad: bool
    values: list[float]
    mean: float

    def case(self, found: Found, followed_by: list[MemoryObject], *, well: bool) -> Case:
        """Return the case on one of the two sides."""
        side = [value for value in self.values if (value > 0.0) == well and value]
        mixed, mean = self.good and self.bad, max(-VALUE_MAX, min(self.mean, VALUE_MAX))
        value = max(side, key=abs) if side else max(mean, 0.0) if well else min(mean, 0.0)
        return Case(found, value, followed_by, mixed, bool(side))


def similar_cases(
    graph: Graph,
    index: MemoryIndex,
    ask: Ask,
    partition: int,
    ranker: str = RANKER,
    *,
    lens: bool = True,
    own: OwnRanker | None = None,
) -> SimilarCases:
    """Return at most ``k`` cases that ended well and as many that ended badly, in order of priority.

    A case is an event, an episode or a concept that has ended, itself or as a part of an episode: what it was judged
    stays with it when the outcomes are forgotten. One that ended both ways is in both lists, and takes its tokens once.
    What is not alike by itself is no case (``Floor``). ``lens`` and ``own`` are as in ``search_context``. Raises
    UnknownRankerError, RankerFailedError, and InvalidAskError for a cursor.
    """
    graph = seen_by(graph, ask.where) if lens else graph
    ask, recipe = seen_under(graph, ask, as_asked(recipe_of(ranker, index, graph, own), ask, ranker))
    _check(ask)
    shown = index.shown(deep=ask.deep, where=ask.where)
    searched = searched_for(graph, shown, ask.query, ask.vector, recipe)
    floor = Floor(recipe.case, recipe.calibrated(ask.vector.model).centre if ask.vector else None)
    cases = SimilarCases(
        ask.query,
        [],
        [],
        graph.header.seq,
        floor=floor,
        foretold=foretold(graph, index.feature_names, ask.query, ask.features),
        versions=versions_of(ask, ranker),
        tokens_max=ask.tokens_max,
        perspectives=ask.perspectives,
    )
    asked = Asked(ask.min_confidence, ask.tokens_max, partition)
    leaders = leading(graph, index, ask, recipe, asked, among=partial(_has_ended, deep=ask.deep))
    nothing = refused(graph, shown, searched, recipe, asked)
    showing = in_part(graph, shown, ask, recipe, searched)
    if nothing is not None and not leaders:
        return replace(cases, nothing=replace(nothing, nearest=list(map(showing, nothing.nearest))))
    limits = limits_of(recipe, min(ask.places, RETURNED_MAX // 2), ask.tokens_max)
    hits = searched.hits if nothing is None else []
    order = placed(graph, shown, searched, ranked(graph, shown, recipe, hits))
    order = led(order, leaders, recipe, limits._replace(places=len(hits) + len(leaders), tokens=None))
    taken = {True: Distinct(shown, limits), False: Distinct(shown, limits)}
    left, below = limits.tokens, 0
    for one in by_right(order, leaders):
        each, ends = one.candidate, _ended(graph, graph.expect(one.number), deep=ask.deep)
        if ends is None or (left is not None and each.tokens > left):
            continue
        if floor.under(scores_of(each)):
            below += 1
            continue
        sides = [
            well
            for well in (True, False)
            if (ends.good if well else ends.bad)
            and len(taken[well].chosen) < limits.places
            and not taken[well].repeated(each)
        ]
        if not sides:
            continue
        left = None if left is None else left - each.tokens
        found = showing(found_in(one.graph, one.shown, each, one.searched, partition))
        followed_by = _followed_by(graph, shown, found, each)
        for well in sides:
            taken[well].add(each)
            (cases.good if well else cases.bad).append(ends.case(found, followed_by, well=well))
    good, bad = (_as_ordered(order, taken[well].chosen, cases.good if well else cases.bad) for well in (True, False))
    return replace(cases, good=good, bad=bad, below=below)


def _check(ask: Ask) -> None:
    if ask.more is not None:
        raise InvalidAskError("more: similar cases have no cursor; ask for up to 25 on each side with k")


def _as_ordered(order: Sequence[Placed], chosen: Sequence[Candidate], side: Sequence[Case]) -> list[Case]:
    """Return the cases of one side, which are those of ``chosen``, as they stand in ``order``."""
    place = {one.number: at for at, one in enumerate(order)}
    return [case for _, case in sorted(zip(chosen, side, strict=True), key=lambda pair: place[pair[0].number])]


def _has_ended(graph: Graph, shown: Shown, hit: Hit, *, deep: bool) -> bool:
    return _ended(graph, graph.expect(int(shown.documents.columns.number[hit.row])), deep=deep) is not None


def _ended(graph: Graph, node: Node, *, deep: bool) -> Ends | None:
    """Return how a situation ended: by itself, or else with the episodes that contain it; None when it has not."""
    if node.kind not in _SITUATIONS:
        return None
    ends = _judged(graph, [node])
    if ends is None:
        around = containers(graph, node.number, NodeKind.EPISODE)
        ends = _judged(graph, [episode for episode in around if deep or not episode.flags & NodeFlag.ARCHIVED])
    return ends


def _judged(graph: Graph, nodes: list[Node]) -> Ends | None:
    """Return how nodes were judged: by what they count, and by the outcomes that they led to."""
    values = [outcome.value for node in nodes for outcome in outcomes_of(graph, node)]
    good, bad = sum(node.good for node in nodes), sum(node.bad for node in nodes)
    well, badly = good > 0 or any(value > 0 for value in values), bad > 0 or any(value < 0 for value in values)
    if not (well or badly):
        return None
    impact = sum(node.impact for node in nodes)  # in order of number
    weight = sum(_weight(graph, node.good + node.bad) for node in nodes)
    return Ends(well, badly, values, impact / weight if weight else 0.0)


def _weight(graph: Graph, judgements: int) -> float:
    """Return how much a number of judgements weigh in an impact, the newest 1 and each before it less."""
    kept = graph.header.policy.impact_kept
    return float(judgements) if kept == 1.0 else (1.0 - kept**judgements) / (1.0 - kept)


def _followed_by(graph: Graph, index: Shown, found: Found, each: Candidate) -> list[MemoryObject]:
    """Return what came next in the session; after the last of its events, for an episode."""
    row = each.hit.row
    if found.memory.kind == "episode" and found.memory.members:
        last = graph.identity(id_bytes(found.memory.members[-1]))
        at = index.documents.row(node_number(last.seq)) if last else None
        row = NOBODY if at is None else at
    following: list[MemoryObject] = []
    while row != NOBODY and len(following) < FOLLOWED_BY_MAX:
        row = int(index.standing.after[row])
        if row != NOBODY:
            following.append(describe(graph, graph.expect(int(index.documents.columns.number[row]))))
    return following
