"""Nodes are forgotten: the lowest first, and never one that is protected, or held by an open session."""

from typing import Final

import numpy as np
import numpy.typing as npt

from yggdrasil_schemas.graph.records import NodeFlag

from ...working_set import Graph
from .heirs import name_heirs
from .joining import join, joint_over
from .rank import Floats, beyond_share, lowest_of, node_rank, permanence_array

_PINNED: Final = int(NodeFlag.PINNED)
_CATASTROPHIC: Final = int(NodeFlag.CATASTROPHIC)
_WITNESS: Final = 2

Numbers = npt.NDArray[np.uint64]


def prune_nodes(graph: Graph) -> None:
    """Forget the lowest nodes down to ``nodes_kept_share``, at most ``removals_per_command_max``.

    It is one scan over scalar arrays, a rank, and the removal of the lowest. It leaves room below the cap, so its cost
    is shared by the thousands of commands until the next scan. What is beyond the share of those who are trusted little
    goes first.
    """
    policy = graph.header.policy
    table = graph.node_table()
    numbers: Numbers = table.keys.astype(np.uint64)
    rows = table.rows
    rank = node_rank(policy, rows, graph.header.tick)
    exempt = _protected(graph, rows, rank) | np.isin(numbers, held(graph))
    target = int(policy.nodes_max * policy.nodes_kept_share)
    excess = min(graph.header.nodes - target, policy.removals_per_command_max)
    beyond = beyond_share(policy, rows["trust"], rank, policy.nodes_max)
    groups = (np.flatnonzero(~exempt & beyond), np.flatnonzero(~exempt & ~beyond))
    forgotten = lowest_of(rank, groups, excess)  # rows come in key order, so ties break by number
    forget(graph, np.sort(numbers[forgotten]).tolist())  # by age: neighbours in time are neighbours in memory


def _protected(graph: Graph, rows: npt.NDArray[np.void], rank: Floats) -> npt.NDArray[np.bool_]:
    """Return which nodes are protected: at most ``protected_share`` of the cap; the weakest lose protection first.

    What is pinned comes before what is catastrophic, and that before what is merely lasting: whoever may log outcomes
    can make things lasting, and shall not push out what was pinned. Nor shall an agent push out by it what users said;
    what a stranger said is not protected by it at all.
    """
    policy = graph.header.policy
    flags = rows["flags"]
    lasting = permanence_array(policy, rows, graph.header.tick) >= policy.protect_permanence
    by_trust = np.where(lasting, np.minimum(rows["trust"], _WITNESS), 0)
    tier = np.where(flags & _PINNED != 0, 4, np.where(flags & _CATASTROPHIC != 0, 3, by_trust))
    some = np.flatnonzero(tier)
    order = some[np.lexsort((rank[some], tier[some]))[::-1]]  # it is stable: of equals the younger comes first
    strongest = order[: int(policy.nodes_max * policy.protected_share)]
    protected = np.zeros(len(rows), np.bool_)
    protected[strongest] = True
    return protected


def held(graph: Graph) -> Numbers:
    """Return what open sessions hold: events in their buffers, the last one and the first, and the notes on their desk.

    They are never forgotten.
    """
    sessions = graph.sessions.values()
    numbers = {number for each in sessions for number in (*each.buffer, each.last, each.opened, *each.desk)}
    return np.array(sorted(numbers), np.uint64)


def forget(graph: Graph, numbers: list[int]) -> None:
    """Name the heirs of nodes that go together, then remove them one after the other."""
    name_heirs(graph, numbers)
    for number in numbers:
        take_out(graph, number)


def take_out(graph: Graph, number: int) -> None:
    """Remove a node whose heir is named, and join what stood on both sides of it in time."""
    joint = joint_over(graph, number)
    graph.remove_node(number)
    if joint is not None:
        join(graph, joint)
