"""The law of pins: what is declared to be the core of a memory stays (000, section 4, seeded with permanence)."""

from typing import Final

from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.commands import Pin
from yggdrasil_schemas.graph.records import Node, NodeFlag, NodeKind
from yggdrasil_schemas.refusals import Refusal, Refused

from ..half_life import steady
from ..learning.appraisal import revive
from ..reference import resolve
from ..regard import settle_regards

_PINNED: Final = int(NodeFlag.PINNED)
_PRINCIPLE: Final = int(NodeFlag.PRINCIPLE)
_PRINCIPLES: Final = (NodeKind.EVENT, NodeKind.EPISODE, NodeKind.CONCEPT)


def pin(graph: Graph, command: Pin, _seq: int, _record: bytes) -> Refused | None:
    """Protect a node, and let it count for a least permanence, or protect it no longer. What is pinned stays.

    What a pin gives is kept beside what the node has earned, so that unpinning takes back just that. Its edges are not
    changed: the law of bounds spares them as long as it is pinned.

    A principle belongs into every context as well (003, section 3.5). There are few, and they keep their order.
    """
    body = command.body
    number = resolve(graph, body.node)
    if isinstance(number, Refused):
        return number
    node = graph.node(number) if number is not None else None
    if node is None:
        return Refused(Refusal.NODE_FORGOTTEN)
    unfit = _unfit(graph, node) if body.principle else None
    if unfit is not None:
        return unfit

    graph.settle(node.number)
    policy = graph.header.policy
    revive(graph, node)
    if body.pinned:
        node.flags |= _PINNED
        node.pin_permanence = min(body.permanence, policy.permanence_max)
    else:
        node.flags &= ~_PINNED
        node.pin_permanence = 0.0
    steady(policy, node)
    settle_regards(graph, node)
    if body.principle:
        graph.name_principle(node)
    else:
        graph.detach(node, _PRINCIPLE)
    return None


def _unfit(graph: Graph, node: Node) -> Refused | None:
    """Return why a node cannot be a principle. One that is stays one, also after the bound was lowered."""
    if node.kind not in _PRINCIPLES:
        return Refused(Refusal.NOT_A_PRINCIPLE)
    header = graph.header
    full = len(header.principles) >= header.policy.principles_max
    return Refused(Refusal.PRINCIPLES_FULL) if full and not node.flags & _PRINCIPLE else None
