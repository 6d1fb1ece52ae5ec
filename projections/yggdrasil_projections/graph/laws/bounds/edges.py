"""Edges are cut, of the whole memory and of one busy node; the chain of a session never is."""

from typing import Final

import numpy as np

from yggdrasil_schemas.graph.records import EdgeKind

from ...rows import edge_rows, edge_table
from ...working_set import Graph
from .rank import edge_rank, lowest

_TEMPORAL: Final = int(EdgeKind.TEMPORAL)


def prune_edges(graph: Graph) -> None:
    """Cut the lowest edges down to ``edges_kept_share``, at most ``removals_per_command_max``."""
    policy = graph.header.policy
    table = edge_table(graph)
    rank = edge_rank(policy, table.rows, graph.header.tick)
    target = int(policy.edges_max * policy.edges_kept_share)
    excess = min(graph.header.edges - target, policy.removals_per_command_max)
    candidates = np.flatnonzero(table.keys["kind"] != _TEMPORAL)
    # In key order: what goes is the same, but neighbours are then near each other in the processor's cache and in the
    # memtable, and a command of a full memory takes a tenth less.
    for key in table.keys[np.sort(lowest(rank, candidates, excess))].tolist():
        graph.unlink(key)


def prune_degree(graph: Graph, number: int) -> None:
    """Cut a node's lowest edges down to ``degree_kept_share``, when it has more than ``degree_max``."""
    policy = graph.header.policy
    node = graph.node(number)
    if node is None or node.degree <= policy.degree_max:
        return
    excess = node.degree - int(policy.degree_max * policy.degree_kept_share)
    keys = sorted([key for key in graph.links(number) if key[1] != _TEMPORAL])
    rank = edge_rank(policy, edge_rows(graph, keys), graph.header.tick)
    cut: list[int] = np.argsort(rank, kind="stable")[:excess].tolist()  # keys are in order, so ties break by key
    for at in cut:
        graph.unlink(keys[at])
