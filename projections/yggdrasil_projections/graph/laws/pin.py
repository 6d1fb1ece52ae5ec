"""The law of pins: what is declared to be the core of a memory stays (000, section 4, seeded with permanence)."""

from typing import Final

from yggdrasil_schemas.commands import Pin
from yggdrasil_schemas.graph import NodeFlag
from yggdrasil_schemas.refusals import Refusal, Refused

from ..working_set import Graph
from .appraisal import revive
from .half_life import steady
from .reference import resolve

_PINNED: Final = int(NodeFlag.PINNED)


def pin(graph: Graph, command: Pin, _seq: int, _record: bytes) -> Refused | None:
    """Protect a node, and give it and its edges a least permanence, or protect it no longer. What is pinned stays."""
    body = command.body
    number = resolve(graph, body.node)
    if isinstance(number, Refused):
        return number
    node = graph.settled(number) if number is not None else None
    if node is None:
        return Refused(Refusal.NODE_FORGOTTEN)
    policy = graph.header.policy
    revive(graph, node)
    if body.pinned:
        node.flags |= _PINNED
        node.permanence = min(max(node.permanence, body.permanence), policy.permanence_max)
        for key in sorted(graph.links(node.number)):  # or its features, busy elsewhere, would let go of it
            edge = graph.settled_edge(key)
            if edge is not None:
                edge.permanence = max(edge.permanence, node.permanence)
    else:
        node.flags &= ~_PINNED
    steady(policy, node)
    return None
