"""What happens to a feature when it occurs, in an event or as the kind of an outcome."""

from yggdrasil_schemas.graph import Node, NodeKind

from ..working_set import Graph
from .density import promote
from .half_life import steady


def occurs(graph: Graph, name: str, number: int, marks: int) -> Node:
    """Return the feature called ``name`` after one more occurrence, settled; ``number`` is its own if it is new.

    A known feature gains ``feature_salience``. It meets what ``marks`` stands for, and may become a concept. The first
    occurrence that is remembered leaves its usage at 1.
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
    promote(policy, node)
    steady(policy, node)
    return node
