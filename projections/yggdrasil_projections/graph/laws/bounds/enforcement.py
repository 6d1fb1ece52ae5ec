"""When the bounds act: after every accepted command."""

from ...working_set import Graph
from .edges import prune_degree, prune_edges
from .nodes import prune_nodes


def enforce(graph: Graph) -> None:
    """Bring the memory back within its policy's bounds after a command.

    At most ``removals_per_command_max`` nodes and as many edges are removed, so after a cap was lowered it takes
    several commands until it holds again. A lowered degree cap acts on a node from its next edge.
    """
    header = graph.header
    policy = header.policy
    if header.nodes > policy.nodes_max:
        prune_nodes(graph)
    if header.edges > policy.edges_max:
        prune_edges(graph)
    # Last, and always to the end: what pruning joins may crowd a node whose cap was lowered, and a node left for the
    # next command would be forgotten if the cache were dropped in between.
    if graph.crowded:
        for number in sorted(graph.crowded):
            prune_degree(graph, number)
        graph.crowded.clear()
