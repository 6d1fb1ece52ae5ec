"""Edges are cut, of the whole memory and of one busy node; the chain of a session never is."""

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from yggdrasil_schemas.graph.records import EdgeKind, NodeFlag
from yggdrasil_schemas.policy import Policy

from ...working_set import Graph
from .rank import Floats, beyond_share, edge_rank, lowest_of

_TEMPORAL: Final = int(EdgeKind.TEMPORAL)
_PINNED: Final = int(NodeFlag.PINNED)
_TURNS: Final = 4


def prune_edges(graph: Graph) -> None:
    """Cut the lowest edges down to ``edges_kept_share``, at most ``removals_per_command_max``.

    Those of pinned nodes go last: or features, busy elsewhere, would let go of what is to stay. Those of what strangers
    said go first, and then those of what agents said that are beyond their share of what stays.
    """
    policy = graph.header.policy
    table = graph.edge_table()
    rank = edge_rank(policy, table.rows, graph.header.tick)
    target = int(policy.edges_max * policy.edges_kept_share)
    excess = min(graph.header.edges - target, policy.removals_per_command_max)
    candidates = np.flatnonzero(table.keys["kind"] != _TEMPORAL)
    nodes = graph.node_table()
    keys = table.keys[candidates]
    ends = [np.searchsorted(nodes.keys.astype(np.uint64), keys[end].astype(np.uint64)) for end in ("source", "target")]
    trust, flags = nodes.rows["trust"], nodes.rows["flags"]
    least = np.minimum(table.rows["trust"][candidates], np.minimum(*[trust[end] for end in ends]))
    pinned = (flags[ends[0]] | flags[ends[1]]) & _PINNED != 0
    turn = _turns(policy, least, pinned, rank[candidates], target)
    going = lowest_of(rank, [candidates[turn == each] for each in range(_TURNS)], excess)
    # In key order: what goes is the same, but neighbours are then near each other in the processor's cache and in the
    # memtable, and a command of a full memory takes a tenth less.
    for key in table.keys[np.sort(going)].tolist():
        graph.unlink(key)


def prune_degree(graph: Graph, number: int) -> None:
    """Cut a node's lowest edges down to ``degree_kept_share``, when it has more than ``degree_max``.

    Those that lead to pinned nodes go last, and those that lead to what strangers said, or that they made, first; then
    those of agents that are beyond their share of what stays.
    """
    policy = graph.header.policy
    node = graph.node(number)
    if node is None or node.degree <= policy.degree_max:
        return
    target = int(policy.degree_max * policy.degree_kept_share)
    excess = node.degree - target
    keys = sorted([key for key in graph.links(number) if key[1] != _TEMPORAL])
    rows = graph.edge_rows(keys)
    rank = edge_rank(policy, rows, graph.header.tick)
    others = [graph.expect(key[0] if key[2] == number else key[2]) for key in keys]
    least = np.minimum(rows["trust"], np.array([other.trust for other in others], np.uint8))
    turn = _turns(policy, least, np.array([other.flags & _PINNED != 0 for other in others], np.bool_), rank, target)
    order: list[int] = np.lexsort((rank, turn)).tolist()  # keys are in order, so ties break by key
    for at in order[:excess]:
        graph.unlink(keys[at])


def _turns(
    policy: Policy, trust: npt.NDArray[Any], pinned: npt.NDArray[np.bool_], rank: Floats, target: int
) -> npt.NDArray[np.int64]:
    """Return when the turn of each edge is, from 0 to 3, by its trust: the least of its own and of its ends.

    What is trusted 0 goes first, then what agents have beyond their share of the ``target`` that stays, as of nodes:
    nobody pushes out by much use what is trusted more. What leads to a pinned node goes last.
    """
    turn = np.where(beyond_share(policy, trust, rank, target), 1, 2)
    turn[trust == 0] = 0
    turn[pinned] = 3
    return turn
