"""What happens to a feature when it occurs, in an event or as the kind of an outcome."""

from yggdrasil_schemas.graph import Node, NodeKind

from ..working_set import Graph


def occurs(graph: Graph, name: str, number: int) -> Node:
    """Return the feature called ``name`` after one more occurrence, settled; ``number`` is its own if it is new.

    A known feature gains ``feature_salience``. The first occurrence that is remembered leaves its usage at 1.
    """
    policy = graph.header.policy
    known = graph.feature(name)
    if known is None:
        tick = graph.header.tick
        node = Node(number, NodeKind.FEATURE, tick, policy.salience_initial, policy.node_half_life_ticks)
        graph.add_feature(name, node)
    else:
        node = graph.settled(known) or graph.expect(known)
        node.salience = min(node.salience + policy.feature_salience, policy.salience_max)
    node.usage += 1
    return node
