"""A node's status, and what follows from it for what was made of that node."""

from collections.abc import Iterable
from typing import Final

from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.graph.records import (
    CommandKind,
    EdgeKind,
    Node,
    NodeFlag,
    NodeKind,
    Ruling,
    Status,
    node_number,
)
from yggdrasil_schemas.refusals import Refusal, Refused

from ..reference import accepted

_CONTAINS: Final = int(EdgeKind.CONTAINS)
_STALE: Final = int(NodeFlag.STALE)
_FALLEN: Final = (Status.QUARANTINED, Status.SUPERSEDED, Status.REJECTED)
_MAKERS: Final = (CommandKind.RECORD_EVENT, CommandKind.COMMIT_EPISODE, CommandKind.FORM_CONCEPT)
_CONCLUSIONS: Final = (NodeKind.EPISODE, NodeKind.CONCEPT)


def corrigible(graph: Graph, command_id: str) -> Node | Refused | None:
    """Return the live event, episode or concept that a command made, None when it was forgotten."""
    identity = accepted(graph, command_id)
    if identity is None:
        return Refused(Refusal.UNKNOWN_REFERENCE)
    if identity.kind not in _MAKERS:
        return Refused(Refusal.NOT_CORRIGIBLE)
    return graph.node(node_number(identity.seq))


def fallen(node: Node) -> bool:
    """Whether what a node says no longer holds, or waits until somebody has looked at it."""
    return node.status in _FALLEN


def rule(graph: Graph, node: Node, status: Status, ruling: Ruling) -> None:
    """Give a node a status.

    The episodes and concepts that contain something fallen are stale: they say what no longer holds. They are so no
    longer once none of what they contain is fallen. That goes one step, and no further.
    """
    before = fallen(node)
    graph.rule(node, status, ruling)
    if before != fallen(node):
        for source, kind, target in sorted(graph.links(node.number)):
            if kind == _CONTAINS and target == node.number:
                _review(graph, graph.expect(source))


def conclude(conclusion: Node, trust: int, members: Iterable[Node]) -> None:
    """Let what is concluded be trusted no more than the least of what it is made of, and be stale if that is fallen."""
    for member in members:
        trust = min(trust, member.trust)
        if fallen(member):
            conclusion.flags |= _STALE
    conclusion.trust = trust


def _review(graph: Graph, conclusion: Node) -> None:
    if conclusion.kind not in _CONCLUSIONS:
        return
    number = conclusion.number
    stale = any(
        fallen(graph.expect(target))
        for source, kind, target in graph.links(number)
        if kind == _CONTAINS and source == number
    )
    conclusion.flags = conclusion.flags | _STALE if stale else conclusion.flags & ~_STALE
    graph.changed_nodes[number] = conclusion
