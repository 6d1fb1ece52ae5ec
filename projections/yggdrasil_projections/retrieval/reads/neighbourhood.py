"""What one memory is linked to, strongest first."""

from yggdrasil_projections.graph.arithmetic import decayed
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.graph.records import EdgeKey, EdgeKind, NodeKind

from ..answers import Neighbour, Neighbourhood
from ..memories import PAGE_BYTES, content_of, reference_of
from ..records import command_in, text_of
from .described import node_called


def neighbourhood(graph: Graph, ref: str, count: int) -> Neighbourhood:
    """Return the ``count`` strongest edges of the memory ``ref``: what is left of their weights at this tick decides.

    Equal ones stand in the order of their keys. There are fewer where what they lead to is long, and ``degree`` says of
    how many. Raises UnknownNodeError.
    """
    node = node_called(graph, ref)
    weighed = sorted((-_weight(graph, key), key) for key in graph.links(node.number))
    found: list[Neighbour] = []
    read_bytes = 0
    for weight, key in weighed[:count]:
        if read_bytes >= PAGE_BYTES:
            break
        found.append(_neighbour(graph, node.number, key, -weight))
        read_bytes += len(found[-1].text or "")
    return Neighbourhood(ref, len(weighed), found, graph.header.seq)


def _weight(graph: Graph, key: EdgeKey) -> float:
    edge = graph.expect_edge(key)
    return decayed(edge.weight, graph.header.tick - edge.tick, edge.half_life)


def _neighbour(graph: Graph, number: int, key: EdgeKey, weight: float) -> Neighbour:
    edge = graph.expect_edge(key)
    permanence = decayed(edge.permanence, graph.header.tick - edge.tick, graph.header.policy.permanence_half_life_ticks)
    outwards = key[0] == number
    other = graph.expect(key[2] if outwards else key[0])
    if other.kind == NodeKind.FEATURE:
        text: str | None = graph.feature_name(other.number)
    else:
        text = text_of(command_in(content_of(graph, other.number)))
    return Neighbour(
        reference_of(graph, other.number),
        NodeKind(other.kind).name.lower(),
        EdgeKind(key[1]).name.lower(),
        "out" if outwards else "in",
        weight,
        permanence,
        edge.usage,
        text,
    )
