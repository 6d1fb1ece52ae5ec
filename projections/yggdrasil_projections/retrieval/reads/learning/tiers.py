"""Cuts that nobody below moves: what answers within a tier of trust and above stands, whatever those below it say.

A search cuts in many places: at so many candidates, at a threshold, where relevance falls off, at how many are wanted.
There what is trusted less would push out what is trusted more. So each tier that a memory has is searched by itself,
with those above it, as through a filter (``Where(trust_min=...)``). What answers there, and says much of the question
by itself, *leads*: it is in the answer, in the order that it has there, and what is trusted less is put around it.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from yggdrasil_projections.graph.working_set import Graph

from ...asks import Ask
from ...index.columns.documents import NOBODY
from ...index.index import MemoryIndex
from ...index.visible import Shown
from ...lens import narrowed, seen_by
from ...ranking.fusion import Fusion
from ...ranking.rankers import Reading, Recipe, Tiered
from ...ranking.relevance import Hit, Relevance
from ...ranking.selection import Candidate, Limits, selected
from ..ranked.ordered import NOTHING_REPEATED, limits_of, ranked, what_stands_first
from ..ranked.updated import Updates
from .searching import Asked, answering, as_one, near_enough, of_then, searches, too_low

Left = Callable[[Candidate, Relevance], bool]
"""Whether a candidate of a search is no part of the answer, such as what was told before."""
Among = Callable[[Graph, Shown, Hit], bool]
"""Whether a hit is of what is asked for at all, such as of what has ended."""


class Placed(NamedTuple):
    """A candidate with the search that it was found by, and the relevance by which it is compared with others.

    ``tier`` is the highest one in which it leads, 0 for one that does not.
    """

    candidate: Candidate
    graph: Graph
    shown: Shown
    searched: Relevance
    relevance: float
    tier: int = 0

    @property
    def number(self) -> int:
        """The number of its node."""
        return self.candidate.number


def placed(graph: Graph, shown: Shown, searched: Relevance, chosen: Iterable[Candidate]) -> list[Placed]:
    """Return what one search has chosen, in its order."""
    return [Placed(each, graph, shown, searched, each.hit.relevance) for each in chosen]


def leading(
    graph: Graph,
    index: MemoryIndex,
    ask: Ask,
    recipe: Recipe,
    asked: Asked,
    *,
    left: Left = lambda _, __: False,
    among: Among = lambda _, __, ___: True,
) -> list[Placed]:
    """Return what leads of all tiers but the lowest, in its order: of what is ``among``, but for what is ``left`` out.

    How many are wanted is nothing to it. Most memories have one tier alone, and nothing that leads.
    """
    found: list[Placed] = []
    if not isinstance(recipe, Tiered):
        return found
    ask = replace(ask, k=None, tokens_max=None, more=None)
    for seen, of_tier in _tiers(graph, index, ask):
        shown = joined(index.shown(deep=ask.deep, where=of_tier.where), of_tier, recipe)
        tier = shown.joined_by
        more = [each._replace(tier=tier) for each in _leading(seen, shown, of_tier, recipe, asked, left, among)]
        found = around(found, more, recipe)
    return found


def joined(shown: Shown, ask: Ask, recipe: Recipe) -> Shown:
    """Return what is shown, with no names of things but those that somebody has joined whom the ask trusts enough."""
    trust = ask.where.trust_min if ask.where is not None and isinstance(recipe, Tiered) else None
    return shown._replace(joined_by=trust or 0)


def _tiers(graph: Graph, index: MemoryIndex, ask: Ask) -> Iterator[tuple[Graph, Ask]]:
    """Yield the graph and the ask of each tier but the lowest of what an ask sees, the most trusted first."""
    for_row = index.shown(deep=ask.deep, where=ask.where).standing.for_row
    tiers = np.flatnonzero(np.bincount(index.documents.columns.trust[for_row != NOBODY]))
    for tier in tiers[:0:-1].tolist():
        where = narrowed(ask.where, tier)
        yield seen_by(graph, where), replace(ask, where=where)


def _leading(
    graph: Graph, shown: Shown, ask: Ask, recipe: Tiered, asked: Asked, left: Left, among: Among
) -> list[Placed]:
    """Return what answers within one tier and above, and says much by itself."""
    each = searches(graph, shown, ask, recipe, asked)
    able = answering(graph, shown, recipe, each, asked)
    searched = as_one(able)
    if too_low(graph, shown, searched, asked) is not None:
        return []
    able = [replace(one, hits=[hit for hit in one.hits if among(graph, shown, hit)]) for one in able]
    near = [hit for hit in near_enough(graph, shown, ask, recipe, able, searched) if _says_much(hit, recipe)]
    repeated = searched.repeated if isinstance(searched, Fusion) else NOTHING_REPEATED
    order = ranked(graph, shown, recipe, near, graph.header.principles, repeated)
    order = [one for one in order if not left(one, searched)]
    chosen = selected(shown, order, limits_of(recipe, ask.places, None))
    chosen = settled(graph, shown, ask, recipe, each[0], chosen)
    return placed(graph, shown, searched, chosen)


def settled(
    graph: Graph, shown: Shown, ask: Ask, recipe: Recipe, whole: Relevance, chosen: list[Candidate]
) -> list[Candidate]:
    """Return what was chosen with what stands before what is contested for it, and what is new before what it updates.

    ``whole`` is the search of the whole question.
    """
    chosen = what_stands_first(graph, chosen)
    if isinstance(recipe, Reading) and isinstance(whole, Fusion) and not of_then(ask):
        chosen = Updates(graph, shown, ask.query, whole.earned.question).first(chosen, closely=ask.closely)
    return chosen


def _says_much(hit: Hit, recipe: Tiered) -> bool:
    """Return whether something says half of what is asked, or is near to it by meaning, by itself."""
    return hit.lexical >= recipe.leads or (hit.vector > 0.0 and hit.relevance >= recipe.leads_near)


def led(order: Sequence[Placed], leaders: Sequence[Placed], recipe: Recipe, limits: Limits) -> list[Placed]:
    """Return an answer of an order and of what leads: these are in it, as far as there is room, and then the rest."""
    if not leaders or not isinstance(recipe, Tiered):
        return list(order)
    return _fitting(around(leaders, order, recipe), leaders, limits)


def around(leaders: Sequence[Placed], order: Sequence[Placed], recipe: Tiered) -> list[Placed]:
    """Return an order in which those that lead are too, in their own order.

    None of them stands behind what is trusted less, unless that is clearly more relevant.
    """
    found = list(order)
    after = 0
    for leader in leaders:
        place = next((at for at, each in enumerate(found) if each.number == leader.number), len(found))
        own = found.pop(place) if place < len(found) else leader
        behind = (at for at in range(after, len(found)) if _yields(found[at], leader, recipe))
        at = max(after, min(place, next(behind, len(found))))
        found.insert(at, own._replace(relevance=leader.relevance, tier=leader.tier))
        after = at + 1
    return found


def _yields(each: Placed, leader: Placed, recipe: Tiered) -> bool:
    """Return whether something that is trusted less is not so much more relevant that it may stand before."""
    less = each.candidate.trust < leader.candidate.trust
    return less and recipe.outdone * each.relevance <= leader.relevance


def _fitting(order: Sequence[Placed], leaders: Iterable[Placed], limits: Limits) -> list[Placed]:
    """Return what of an order has room."""
    kept: set[int] = set()
    left = limits.tokens
    for each in by_right(order, leaders):
        if len(kept) < limits.places and (left is None or each.candidate.tokens <= left):
            kept.add(each.number)
            left = None if left is None else left - each.candidate.tokens
    return [each for each in order if each.number in kept]


def by_right(order: Iterable[Placed], leaders: Iterable[Placed]) -> list[Placed]:
    """Return an order by who has a place first: what leads, by the highest tier in which it does, then the rest."""
    tier = {each.number: each.tier for each in leaders}
    return sorted(order, key=lambda one: -tier.get(one.number, -1))
