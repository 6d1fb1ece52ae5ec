"""Edges are cut, of the whole memory and of one busy node; the chain of a session never is."""

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from yggdrasil_schemas.graph.records import EdgeKey, EdgeKind, NodeFlag

from ...working_set import Graph
from .rank import edge_rank, lowest

_TEMPORAL: Final = int(EdgeKind.TEMPORAL)
_PINNED: Final = int(NodeFlag.PINNED)


def prune_edges(graph: Graph) -> None:
    """Cut the lowest edges down to ``edges_kept_share``, at most ``removals_per_command_max``.

    Those of pinned nodes go last: or features, busy elsewhere, would let go of what is to stay.
    """
    policy = graph.header.policy
    table = graph.edge_table()
    rank = edge_rank(policy, table.rows, graph.header.tick)
    target = int(policy.edges_max * policy.edges_kept_share)
    excess = min(graph.header.edges - target, policy.removals_per_command_max)
    candidates = np.flatnonzero(table.keys["kind"] != _TEMPORAL)
    going = lowest(rank, candidates, excess)
    if any(_is_pinned(graph, key[0]) or _is_pinned(graph, key[2]) for key in table.keys[going].tolist()):
        spared = _of_pinned(graph, table.keys)
        free, last = candidates[~spared[candidates]], candidates[spared[candidates]]
        going = np.concatenate([lowest(rank, free, excess), lowest(rank, last, max(0, excess - len(free)))])
    # In key order: what goes is the same, but neighbours are then near each other in the processor's cache and in the
    # memtable, and a command of a full memory takes a tenth less.
    for key in table.keys[np.sort(going)].tolist():
        graph.unlink(key)


def prune_degree(graph: Graph, number: int) -> None:
    """Cut a node's lowest edges down to ``degree_kept_share``, when it has more than ``degree_max``.

    Those that lead to pinned nodes go last.
    """
    policy = graph.header.policy
    node = graph.node(number)
    if node is None or node.degree <= policy.degree_max:
        return
    excess = node.degree - int(policy.degree_max * policy.degree_kept_share)
    keys = sorted([key for key in graph.links(number) if key[1] != _TEMPORAL])
    rank = edge_rank(policy, graph.edge_rows(keys), graph.header.tick)
    going: list[EdgeKey] = []
    last: list[EdgeKey] = []
    order: list[int] = np.argsort(rank, kind="stable").tolist()  # keys are in order, so ties break by key
    for at in order:
        if len(going) == excess:
            break
        key = keys[at]
        other = key[0] if key[2] == number else key[2]
        (last if _is_pinned(graph, other) else going).append(key)
    for key in [*going, *last][:excess]:
        graph.unlink(key)


def _is_pinned(graph: Graph, number: int) -> bool:
    return graph.expect(number).flags & _PINNED != 0


def _of_pinned(graph: Graph, keys: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Return which edges have a pinned end."""
    nodes = graph.node_table()
    pinned = nodes.keys[nodes.rows["flags"] & _PINNED != 0]
    return np.isin(keys["source"], pinned) | np.isin(keys["target"], pinned)
