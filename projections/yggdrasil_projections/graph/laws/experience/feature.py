"""What happens to a feature when it occurs, in an event or as the kind of an outcome."""

from typing import Final

from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.graph.records import Node, NodeFlag, NodeKind
from yggdrasil_schemas.policy import Policy

from ..density import density
from ..half_life import steady

_CONCEPTUAL: Final = int(NodeFlag.CONCEPTUAL)
_SELDOM: Final = 8 - 1


def occurs(graph: Graph, name: str, number: int, marks: int) -> Node:
    """Return the feature called ``name`` after one more occurrence, settled; ``number`` is its own if it is new.

    A known feature gains ``feature_salience`` and meets what ``marks`` stands for. The first occurrence that is
    remembered leaves its usage at 1; at that and at every eighth it is looked at anew: its half-life, and whether it
    counts as a concept.
    """
    policy = graph.header.policy
    known = graph.feature(name)
    if known is None:
        node = Node(number, NodeKind.FEATURE, graph.header.tick, policy.salience_initial, 0.0)
        graph.add_feature(name, node)
    else:
        node = graph.settled(known) or graph.expect(known)
        node.salience = min(node.salience + policy.feature_salience, policy.salience_max)
    node.usage += 1
    node.marks |= marks
    if node.usage == 1 or not node.usage & _SELDOM:
        _promote(policy, node)
        steady(policy, node)
    return node


def _promote(policy: Policy, feature: Node) -> None:
    """Let a dense feature that occurs often count as a concept, and a sparse one no longer, with hysteresis between.

    (000, section 4: density accumulates until it effectively changes into a concept, and may dissolve again.)
    """
    if not feature.flags & _CONCEPTUAL:
        if feature.usage >= policy.concept_usage and density(feature) >= policy.concept_density:
            feature.flags |= _CONCEPTUAL
    elif density(feature) < policy.dissolve_density:
        feature.flags &= ~_CONCEPTUAL
