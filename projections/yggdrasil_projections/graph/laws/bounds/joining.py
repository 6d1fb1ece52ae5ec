"""What stood on both sides of a forgotten event, or episode, is joined, so that the chain of time does not break."""

from typing import Final, NamedTuple

from yggdrasil_schemas.graph.records import Edge, EdgeKey, EdgeKind, NodeFlag

from ...working_set import BrokenInvariantError, Graph

_TEMPORAL: Final = int(EdgeKind.TEMPORAL)
_OPENING: Final = int(NodeFlag.OPENING)


class Joint(NamedTuple):
    """The edge that is to lead over a gap, with what it joins, and the flag that the later of both inherits."""

    earlier: int
    later: int
    edge: Edge
    opening: int


def joint_over(graph: Graph, number: int) -> Joint | None:
    """Return what is to join the neighbours in time of a node; None when it has none on one side.

    The edge that leads on into another session's opening event is no part of the chain, and goes with the node.
    """
    into: EdgeKey | None = None
    out: EdgeKey | None = None
    for key in graph.links(number):  # any order: at most one comes before, and one after in the same session
        if key[1] == _TEMPORAL:
            if key[2] == number:
                into = key
            elif not graph.expect(key[2]).flags & _OPENING:
                out = key
    if into is None or out is None:
        return None
    return Joint(into[0], out[2], _replacing(graph, into, out), graph.expect(number).flags & _OPENING)


def join(graph: Graph, joint: Joint) -> None:
    """Put the edge over the gap, now that the node between is gone."""
    later = graph.expect(joint.later)
    later.flags |= joint.opening
    graph.link(graph.expect(joint.earlier), _TEMPORAL, later, joint.edge)


def _replacing(graph: Graph, into: EdgeKey, out: EdgeKey) -> Edge:
    """Return the edge that replaces two: as weak as the weaker, as lasting as the more lasting."""
    first, second = graph.settled_edge(into), graph.settled_edge(out)
    if first is None or second is None:
        raise BrokenInvariantError(f"{graph.header.memory}: edge {into} or {out} is referred to and does not exist")
    policy = graph.header.policy
    return Edge(
        graph.header.tick,
        min(first.weight, second.weight, policy.weight_max),
        min(max(first.half_life, second.half_life), policy.half_life_max_ticks),
        min(max(first.permanence, second.permanence), policy.permanence_max),
        max(first.usage, second.usage),
    )
