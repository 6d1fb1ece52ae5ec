"""What happens to a feature when it occurs, in an event or as the kind of an outcome."""

from typing import Final

from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.graph.records import Node, NodeKind

from ..authority import WITNESS
from ..derivation import FOREIGN
from ..half_life import steady
from .promotion import reconsider

_SELDOM: Final = 8 - 1


def occurs(graph: Graph, name: str, number: int, by: Node) -> Node:
    """Return the feature called ``name`` after one more occurrence, settled; ``number`` is its own if it is new.

    It is trusted as the most trusted that it occurred ``by``. A known feature gains ``feature_salience`` and meets what
    that has met. The first occurrence that is
    remembered leaves its usage at 1; at that and at every eighth it is looked at anew: its half-life, and whether it
    counts as a concept.
    """
    policy = graph.header.policy
    known = graph.feature(name)
    if known is None:
        node = Node(number, NodeKind.FEATURE, graph.header.tick, policy.salience_initial, 0.0, trust=by.trust)
        graph.add_feature(name, node)
    else:
        node = graph.settled(known) or graph.expect(known)
        node.salience = min(node.salience + policy.feature_salience, policy.salience_max)
        node.trust = max(node.trust, by.trust)
        node.mentions += 1
    node.usage += 1
    node.heeded += by.trust > FOREIGN
    node.witnessed += by.trust >= WITNESS
    node.marks |= by.marks
    if node.usage == 1 or not node.usage & _SELDOM:
        reconsider(graph, node)
        steady(policy, node)
    return node
