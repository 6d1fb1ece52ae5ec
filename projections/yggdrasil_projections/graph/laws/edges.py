"""Edges that are made or grow stronger (000, section 7, Edge)."""

from collections.abc import Iterable
from typing import Final

from yggdrasil_schemas.graph.records import Edge, EdgeKey, EdgeKind, Node, Status
from yggdrasil_schemas.limits import GIVEN_EDGES_MAX
from yggdrasil_schemas.policy import Policy

from ..working_set import Graph

_CAUSAL: Final = int(EdgeKind.CAUSAL)
_STANDING: Final = (Status.ACTIVE, Status.PRIOR, Status.CONTESTED)


def new_edge(graph: Graph, source: Node, kind: int, target: Node, weight: float = 1.0) -> None:
    """Link two live nodes that have no edge of this kind yet."""
    header = graph.header
    policy = header.policy
    graph.link(source, kind, target, Edge(header.tick, min(weight, policy.weight_max), policy.edge_half_life_ticks))


def strengthen(policy: Policy, edge: Edge, weight: float) -> None:
    """Let a settled edge gain weight, from what is noticed or learnt of it: nobody says it anew."""
    edge.weight = min(edge.weight + weight, policy.weight_max)


def reinforce(graph: Graph, edge: Edge, weight: float) -> None:
    """Let a settled edge gain weight and a use, and fade more slowly from now on: it is made once more."""
    if not _says_again(graph, edge):
        return
    policy = graph.header.policy
    edge.weight = min(edge.weight + weight, policy.weight_max)
    edge.usage += 1
    edge.half_life = min(edge.half_life * policy.edge_reinforce_half_life, policy.half_life_max_ticks)


def connect(graph: Graph, source: Node, kind: int, target: Node, weight: float) -> None:
    """Link two live nodes, or strengthen the edge that they have."""
    edge = graph.settled_edge((source.number, kind, target.number))
    if edge is None:
        new_edge(graph, source, kind, target, weight)
    elif _says_again(graph, edge):
        strengthen(graph.header.policy, edge, weight)


def edges_among(graph: Graph, nodes: Iterable[Node]) -> list[EdgeKey]:
    """Return the edges between those of some live nodes that stand: the first 64 in key order, and no causal ones.

    How strong a causal edge is says what came of something. That is for outcomes to say: not for company.
    """
    numbers = {node.number for node in nodes if node.status in _STANDING}
    if len(numbers) < 2:
        return []
    among = {
        key
        for number in sorted(numbers)
        for key in graph.links(number)
        if key[0] == number and key[1] != _CAUSAL and key[2] in numbers
    }
    return sorted(among)[:GIVEN_EDGES_MAX]


def _says_again(graph: Graph, edge: Edge) -> bool:
    """Whether the present command counts for an edge, which is trusted as the most trusted that made it.

    What is trusted less than ``teach_trust_min`` strengthens none that is trusted more.
    """
    if graph.trust < min(edge.trust, graph.header.policy.teach_trust_min):
        return False
    edge.trust = max(edge.trust, graph.trust)
    return True
