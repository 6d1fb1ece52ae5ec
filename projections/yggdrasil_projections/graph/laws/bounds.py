"""The law of bounds: what is forgotten, so that a memory stays finite (000, section 4, pruning mechanics).

Pruning is one scan over scalar arrays, a rank, and the removal of the lowest. It leaves room below the cap, so its
cost is shared by the thousands of commands until the next scan.
"""

from hashlib import blake2b
from typing import Final

import numpy as np
import numpy.typing as npt

from yggdrasil_schemas.graph.records import Edge, EdgeKey, EdgeKind, NodeFlag, NodeKind
from yggdrasil_schemas.policy import Policy

from ..arithmetic import decayed, decayed_array
from ..rows import edge_table, node_table
from ..working_set import BrokenInvariantError, Graph
from .density import density_array

_TEMPORAL: Final = int(EdgeKind.TEMPORAL)
_CONTAINS: Final = int(EdgeKind.CONTAINS)
_OPENING: Final = int(NodeFlag.OPENING)
_PINNED: Final = int(NodeFlag.PINNED)
_CATASTROPHIC: Final = int(NodeFlag.CATASTROPHIC)
_INHERITED: Final = (NodeKind.EVENT, NodeKind.EPISODE, NodeKind.CONCEPT)
_HALF: Final = 8.0  # usage reaches half of its share at 8: the fifth use says more than the fiftieth

Floats = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.uint64]


def enforce(graph: Graph) -> None:
    """Bring the memory back within its policy's bounds after a command.

    At most ``removals_per_command_max`` nodes and as many edges are removed, so after a cap was lowered it takes
    several commands until it holds again. A lowered degree cap acts on a node from its next edge.
    """
    header = graph.header
    policy = header.policy
    if header.nodes > policy.nodes_max:
        _prune_nodes(graph)
    if header.edges > policy.edges_max:
        _prune_edges(graph)
    # Last, and always to the end: what pruning joins may crowd a node whose cap was lowered, and a node left for the
    # next command would be forgotten if the cache were dropped in between.
    if graph.crowded:
        for number in sorted(graph.crowded):
            _prune_degree(graph, number)
        graph.crowded.clear()


def node_rank(policy: Policy, rows: npt.NDArray[np.void], tick: int) -> Floats:
    """Return the rank of every node in ``rows`` (layout NODE_ROWS) at ``tick``; the lowest is forgotten first.

    ``rank = 4 p + 2 s + u / (u + 8) + density + 0.5 |i|`` with permanence p and salience s as they are now, usage u and
    impact i; the factors are the policy's ``rank_*`` (000, section 4: low salience, low permanence, low usage, weak
    connectivity, minimal contribution to trajectories).
    """
    usage = rows["usage"].astype(np.float64)
    rank: Floats = policy.rank_permanence * permanence_array(policy, rows, tick)
    rank = rank + policy.rank_salience * salience_array(rows, tick)
    rank = rank + policy.rank_usage * (usage / (usage + _HALF))
    rank = rank + policy.rank_connectivity * density_array(rows)
    return rank + policy.rank_impact * np.abs(rows["impact"].astype(np.float64))


def salience_array(rows: npt.NDArray[np.void], tick: int) -> Floats:
    """Return the salience of every node in ``rows`` as it is at ``tick``."""
    elapsed = tick - rows["tick"].astype(np.float64)
    return decayed_array(rows["salience"].astype(np.float64), elapsed, rows["half_life"].astype(np.float64))


def permanence_array(policy: Policy, rows: npt.NDArray[np.void], tick: int) -> Floats:
    """Return the permanence of every node, or edge, in ``rows`` as it is at ``tick``."""
    elapsed = tick - rows["tick"].astype(np.float64)
    half_life = np.array([policy.permanence_half_life_ticks])
    return decayed_array(rows["permanence"].astype(np.float64), elapsed, half_life)


def edge_rank(policy: Policy, rows: npt.NDArray[np.void], tick: int) -> Floats:
    """Return the rank of every edge in ``rows`` (layout EDGE_ROWS): ``2 w + 4 p + u / (u + 8)``, as they are now."""
    usage = rows["usage"].astype(np.float64)
    elapsed = tick - rows["tick"].astype(np.float64)
    weight = decayed_array(rows["weight"].astype(np.float64), elapsed, rows["half_life"].astype(np.float64))
    rank: Floats = policy.rank_salience * weight + policy.rank_permanence * permanence_array(policy, rows, tick)
    return rank + policy.rank_usage * (usage / (usage + _HALF))


def _prune_nodes(graph: Graph) -> None:
    """Forget the lowest nodes down to ``nodes_kept_share``, never one that is protected, or held by a session."""
    policy = graph.header.policy
    table = node_table(graph)
    numbers: Numbers = table.keys.astype(np.uint64)
    rows = table.rows
    rank = node_rank(policy, rows, graph.header.tick)
    order = np.argsort(rank, kind="stable")  # rows come in key order, so ties break by number
    exempt = _protected(graph, rows, rank) | np.isin(numbers, held(graph))
    target = int(policy.nodes_max * policy.nodes_kept_share)
    excess = min(graph.header.nodes - target, policy.removals_per_command_max)
    forgotten = order[~exempt[order]][:excess]
    for number in np.sort(numbers[forgotten]).tolist():  # by age: neighbours in time are neighbours in memory
        forget(graph, number)


def _protected(graph: Graph, rows: npt.NDArray[np.void], rank: Floats) -> npt.NDArray[np.bool_]:
    """Return which nodes are protected: at most ``protected_share`` of the cap; the weakest lose protection first.

    What is pinned comes before what is catastrophic, and that before what is merely lasting: whoever may log outcomes
    can make things lasting, and shall not push out what was pinned.
    """
    policy = graph.header.policy
    flags = rows["flags"]
    lasting = permanence_array(policy, rows, graph.header.tick) >= policy.protect_permanence
    tier = np.where(flags & _PINNED != 0, 3, np.where(flags & _CATASTROPHIC != 0, 2, np.where(lasting, 1, 0)))
    order = np.lexsort((rank, tier))[::-1]  # it is stable: of equals the younger comes first
    strongest = order[tier[order] > 0][: int(policy.nodes_max * policy.protected_share)]
    protected = np.zeros(len(rows), np.bool_)
    protected[strongest] = True
    return protected


def held(graph: Graph) -> Numbers:
    """Return the events that open sessions hold, in their buffers or as the last one; they are never forgotten."""
    numbers = {number for session in graph.sessions.values() for number in (*session.buffer, session.last)}
    return np.array(sorted(numbers), np.uint64)


def forget(graph: Graph, number: int) -> None:
    """Remove a node, and rebalance what was around it.

    When it stood between two events of a session, or two episodes, they are joined. What contained an event, an
    episode or a concept becomes its heir, so that an outcome that comes late still finds something.
    """
    earlier = later = None
    containing: list[int] = []
    node = graph.expect(number)
    for key in graph.links(number):  # any order: at most one comes before, and one after in the same session
        if key[1] == _TEMPORAL:
            if key[2] == number:
                earlier = key
            elif not graph.expect(key[2]).flags & _OPENING:
                later = key
        elif key[1] == _CONTAINS and key[2] == number:
            containing.append(key[0])
    if containing and node.kind in _INHERITED:
        _bequeath(graph, number, sorted(containing))
    joint = _joint(graph, earlier, later) if earlier and later else None
    graph.remove_node(number)
    if earlier and later and joint:
        after = graph.expect(later[2])
        after.flags |= node.flags & _OPENING
        graph.link(graph.expect(earlier[0]), _TEMPORAL, after, joint)


def _bequeath(graph: Graph, number: int, containing: list[int]) -> None:
    """Name the heir of a node: the first episode that contains it, else the first concept.

    Heirs are kept for ever, as identities are, and like them they are in the digest through the memory's history.
    """
    episodes = [container for container in containing if graph.expect(container).kind == NodeKind.EPISODE]
    heir = (episodes or containing)[0]
    graph.changed_heirs[number] = heir
    named = b"heir" + number.to_bytes(8, "big") + heir.to_bytes(8, "big")
    graph.header.history = blake2b(graph.header.history + named, digest_size=16).digest()


def _joint(graph: Graph, earlier: EdgeKey, later: EdgeKey) -> Edge:
    """Return the edge that replaces two: as weak as the weaker, as lasting as the more lasting."""
    first, second = graph.settled_edge(earlier), graph.settled_edge(later)
    if first is None or second is None:
        raise BrokenInvariantError(
            f"{graph.header.memory}: edge {earlier} or {later} is referred to and does not exist"
        )
    policy = graph.header.policy
    return Edge(
        graph.header.tick,
        min(first.weight, second.weight, policy.weight_max),
        min(max(first.half_life, second.half_life), policy.half_life_max_ticks),
        min(max(first.permanence, second.permanence), policy.permanence_max),
        max(first.usage, second.usage),
    )


def _prune_degree(graph: Graph, number: int) -> None:
    """Cut a node's lowest edges down to ``degree_kept_share``; the chain of a session is never cut."""
    policy = graph.header.policy
    node = graph.node(number)
    if node is None or node.degree <= policy.degree_max:
        return
    excess = node.degree - int(policy.degree_max * policy.degree_kept_share)
    for _, key in sorted(_ranked_links(graph, number))[:excess]:
        graph.unlink(key)


def _ranked_links(graph: Graph, number: int) -> list[tuple[float, EdgeKey]]:
    """Return a node's edges but the temporal ones, each with the rank that ``edge_rank`` gives.

    Written out, because it runs over 256 edges for every 64 that a busy feature gains: most have neither permanence
    nor usage, and adding their zeros costs more than asking.
    """
    policy = graph.header.policy
    by_weight, by_permanence, by_usage = policy.rank_salience, policy.rank_permanence, policy.rank_usage
    tick = graph.header.tick
    lasting = policy.permanence_half_life_ticks
    expect = graph.expect_edge
    ranked: list[tuple[float, EdgeKey]] = []
    for key in graph.links(number):  # any order: whoever asks sorts them
        if key[1] == _TEMPORAL:
            continue
        edge = expect(key)
        rank = by_weight * decayed(edge.weight, tick - edge.tick, edge.half_life)
        if edge.permanence:
            rank += by_permanence * decayed(edge.permanence, tick - edge.tick, lasting)
        if edge.usage:
            rank += by_usage * (edge.usage / (edge.usage + _HALF))
        ranked.append((rank, key))
    return ranked


def _prune_edges(graph: Graph) -> None:
    """Cut the lowest edges down to ``edges_kept_share``; the chain of a session is never cut."""
    policy = graph.header.policy
    table = edge_table(graph)
    rank = edge_rank(policy, table.rows, graph.header.tick)
    target = int(policy.edges_max * policy.edges_kept_share)
    excess = min(graph.header.edges - target, policy.removals_per_command_max)
    candidates = np.flatnonzero(table.keys["kind"] != _TEMPORAL)
    # In key order: what goes is the same, but neighbours are then near each other in the processor's cache and in the
    # memtable, and a command of a full memory takes a tenth less.
    for key in table.keys[np.sort(_lowest(rank, candidates, excess))].tolist():
        graph.unlink(key)


def _lowest(rank: Floats, candidates: npt.NDArray[np.int64], count: int) -> npt.NDArray[np.int64]:
    """Return the ``count`` candidates of the lowest rank, lowest first; candidates are in key order, which breaks ties.

    The few are set apart before they are sorted: to sort 250,000 ranks for the lowest 5,000 takes five times as long.
    """
    if count < len(candidates):
        ranks = rank[candidates]
        candidates = candidates[ranks <= np.partition(ranks, count - 1)[count - 1]]
    return candidates[np.argsort(rank[candidates], kind="stable")][:count]
