"""Situations like the one that is asked about, and how they ended (000, section 5, get_similar_cases)."""

from typing import Final

from yggdrasil_projections.graph.laws.reference import containers
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.graph.records import NodeFlag, NodeKind, node_number
from yggdrasil_schemas.ids import id_bytes
from yggdrasil_schemas.limits import RETURNED_MAX

from ..answers import Case, Found, SimilarCases
from ..asks import Ask
from ..index.columns.documents import NOBODY
from ..index.index import MemoryIndex
from ..memories import MemoryObject, describe, outcomes_of
from ..ranking.rankers import RANKER
from ..ranking.selection import Candidate, near_duplicate
from .context import found_in, limits_of, ranked, recipe_of, refused, searched_for, versions_of

FOLLOWED_BY_MAX: Final = 3


def similar_cases(graph: Graph, index: MemoryIndex, ask: Ask, partition: int, ranker: str = RANKER) -> SimilarCases:
    """Return at most ``k`` cases that ended well and as many that ended badly, most alike first.

    A case is an event, an episode or a concept that has outcomes, of its own or of an episode that contains it; it
    ended as the outcome that weighs most says. Raises UnknownRankerError.
    """
    recipe = recipe_of(ranker)
    searched = searched_for(graph, index, ask.query, ask.vector, recipe)
    cases = SimilarCases(ask.query, [], [], graph.header.seq, versions=versions_of(ask, ranker))
    nothing = refused(graph, index, searched)
    if nothing is not None:
        return SimilarCases(ask.query, [], [], graph.header.seq, nothing, cases.versions)
    limits = limits_of(recipe, min(ask.k, RETURNED_MAX // 2), ask.tokens_max)
    taken: dict[bool, list[Candidate]] = {True: [], False: []}
    left = limits.tokens
    for each in ranked(graph, index, recipe, searched.hits):
        value = _ended(graph, each.number)
        side = taken[value > 0.0]
        if not value or len(side) == limits.places or (left is not None and each.tokens > left):
            continue
        if any(near_duplicate(index, each, other, limits) for other in side):
            continue
        side.append(each)
        left = None if left is None else left - each.tokens
        found = found_in(graph, index, each, searched, partition)
        (cases.good if value > 0.0 else cases.bad).append(Case(found, value, _followed_by(graph, index, found, each)))
    return cases


def _ended(graph: Graph, number: int) -> float:
    """Return the value of the outcome that weighs most, 0 when there is none; of two alike the older."""
    node = graph.expect(number)
    outcomes = outcomes_of(graph, node)
    if not outcomes:
        for episode in containers(graph, number, NodeKind.EPISODE):
            if not episode.flags & NodeFlag.ARCHIVED:
                outcomes += outcomes_of(graph, episode)
    return max((outcome.value for outcome in outcomes), key=abs, default=0.0)


def _followed_by(graph: Graph, index: MemoryIndex, found: Found, each: Candidate) -> list[MemoryObject]:
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
