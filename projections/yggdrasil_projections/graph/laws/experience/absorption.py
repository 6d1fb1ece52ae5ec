"""Absorption: an event that a concept says already strengthens the concept (000, section 4, event integration)."""

from typing import Final

from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.graph.records import EdgeKind, Node, is_feature

from ..edges import new_edge, reinforce
from ..half_life import stabilize, steady

_CONTAINS: Final = int(EdgeKind.CONTAINS)


def absorb(graph: Graph, event: Node, features: list[Node]) -> bool:
    """Let the concept that fits best take the event in; return whether one does.

    The fit is the Jaccard index of the event's features and the concept's, at least ``absorb_jaccard``; of equal ones
    the concept that is met first counts. An absorbed event keeps its features and stays addressable; it only is nothing
    new, and fades sooner. The concept grows, and holds on to those of its features that have occurred again.
    """
    best, fit = None, 0.0
    met: set[int] = set()
    for feature in features:
        number = feature.concept
        if not number or number in met:
            continue
        met.add(number)
        concept = graph.node(number)
        if concept is None:
            continue
        index = _jaccard(features, _contained(graph, number))
        if index > fit:
            best, fit = concept, index
    policy = graph.header.policy
    if best is None or fit < policy.absorb_jaccard:
        return False
    event.salience = min(policy.salience_initial, policy.salience_max)
    stabilize(policy, event, policy.absorbed_half_life)
    steady(policy, event)
    for feature in features:
        edge = graph.settled_edge((best.number, _CONTAINS, feature.number))
        if edge is not None:
            reinforce(graph, edge, policy.association_weight)
    new_edge(graph, best, _CONTAINS, event, fit)
    concept = graph.settle(best.number)
    concept.salience = min(concept.salience + policy.feature_salience, policy.salience_max)
    concept.usage += 1
    concept.mentions += 1
    concept.marks |= event.marks
    stabilize(policy, concept, policy.use_half_life)
    steady(policy, concept)
    return True


def _contained(graph: Graph, number: int) -> frozenset[int]:
    """Return the numbers of the features that a concept contains."""
    links = graph.links(number)
    return frozenset(
        target for source, kind, target in links if kind == _CONTAINS and source == number and is_feature(target)
    )


def _jaccard(features: list[Node], contained: frozenset[int]) -> float:
    common = 0
    for feature in features:
        common += feature.number in contained
    return common / (len(features) + len(contained) - common)
