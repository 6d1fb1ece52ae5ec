"""Edges are cut, of the whole memory and of one busy node; the chain of a session never is."""

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from yggdrasil_schemas.graph.records import EdgeKind, NodeFlag

from ...working_set import Graph
from .rank import edge_rank, lowest_of

_TEMPORAL: Final = int(EdgeKind.TEMPORAL)
_PINNED: Final = int(NodeFlag.PINNED)


def prune_edges(graph: Graph) -> None:
    """Cut the lowest edges down to ``edges_kept_share``, at most ``removals_per_command_max``.

    Those of pinned nodes go last: or features, busy elsewhere, would let go of what is to stay. Those of what strangers
    said go first.
    """
    policy = graph.header.policy
    table = graph.edge_table()
    rank = edge_rank(policy, table.rows, graph.header.tick)
    target = int(policy.edges_max * policy.edges_kept_share)
    excess = min(graph.header.edges - target, policy.removals_per_command_max)
    candidates = np.flatnonzero(table.keys["kind"] != _TEMPORAL)
    nodes = graph.node_table()
    pinned = nodes.keys[nodes.rows["flags"] & _PINNED != 0]
    foreign = nodes.keys[nodes.rows["trust"] == 0]
    groups = [candidates]
    if len(pinned) or len(foreign):
        last = _joined_to(table.keys, pinned)[candidates]
        first = _joined_to(table.keys, foreign)[candidates] & ~last
        groups = [candidates[first], candidates[~first & ~last], candidates[last]]
    going = lowest_of(rank, groups, excess)
    # In key order: what goes is the same, but neighbours are then near each other in the processor's cache and in the
    # memtable, and a command of a full memory takes a tenth less.
    for key in table.keys[np.sort(going)].tolist():
        graph.unlink(key)


def prune_degree(graph: Graph, number: int) -> None:
    """Cut a node's lowest edges down to ``degree_kept_share``, when it has more than ``degree_max``.

    Those that lead to pinned nodes go last, and those that lead to what strangers said first.
    """
    policy = graph.header.policy
    node = graph.node(number)
    if node is None or node.degree <= policy.degree_max:
        return
    excess = node.degree - int(policy.degree_max * policy.degree_kept_share)
    keys = sorted([key for key in graph.links(number) if key[1] != _TEMPORAL])
    rank = edge_rank(policy, graph.edge_rows(keys), graph.header.tick)
    others = [graph.expect(key[0] if key[2] == number else key[2]) for key in keys]
    turn = np.array([2 if other.flags & _PINNED else 1 if other.trust else 0 for other in others])
    order: list[int] = np.lexsort((rank, turn)).tolist()  # keys are in order, so ties break by key
    for at in order[:excess]:
        graph.unlink(keys[at])


def _joined_to(keys: npt.NDArray[Any], numbers: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Return which edges have an end among some nodes."""
    return np.isin(keys["source"], numbers) | np.isin(keys["target"], numbers)
