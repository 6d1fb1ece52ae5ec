"""Absorption: an event that a concept says already strengthens the concept (000, section 4, event integration)."""

from typing import Final

from yggdrasil_schemas.graph import EdgeKind, Node, is_feature

from ..working_set import Graph
from .edges import new_edge
from .half_life import stabilize, steady

_CONTAINS: Final = int(EdgeKind.CONTAINS)
_NOTHING: Final[frozenset[int]] = frozenset()


def absorb(graph: Graph, event: Node, features: list[Node]) -> frozenset[int]:
    """Let the concept that fits best take the event in; return the features that it contains, none if none takes it.

    The fit is the Jaccard index of the event's features and the concept's, at least ``absorb_jaccard``; of equal ones
    the concept that is met first counts. An absorbed event stays addressable; it only is nothing new.
    """
    best, fit, known = None, 0.0, _NOTHING
    met: set[int] = set()
    for feature in features:
        number = feature.concept
        if not number or number in met:
            continue
        met.add(number)
        concept = graph.node(number)
        if concept is None:
            continue
        contained = contained_features(graph, number)
        common = 0
        for each in features:
            common += each.number in contained
        index = common / (len(features) + len(contained) - common)
        if index > fit:
            best, fit, known = concept, index, contained
    policy = graph.header.policy
    if best is None or fit < policy.absorb_jaccard:
        return _NOTHING
    event.salience = min(policy.salience_initial, policy.salience_max)
    stabilize(policy, event, policy.absorbed_half_life)
    steady(policy, event)
    new_edge(graph, best, _CONTAINS, event, fit)
    concept = graph.settled(best.number) or best
    concept.salience = min(concept.salience + policy.feature_salience, policy.salience_max)
    concept.usage += 1
    concept.marks |= event.marks
    stabilize(policy, concept, policy.use_half_life)
    steady(policy, concept)
    return known


def contained_features(graph: Graph, number: int) -> frozenset[int]:
    """Return the numbers of the features that a concept contains."""
    links = graph.links(number)
    return frozenset(
        target for source, kind, target in links if kind == _CONTAINS and source == number and is_feature(target)
    )
