"""The law of mistakes: what was declared a catastrophe and was none may fade and be forgotten again."""

from typing import Final

from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.commands import LiftCatastrophe
from yggdrasil_schemas.graph.records import EdgeKind, Node, NodeFlag, NodeKind
from yggdrasil_schemas.refusals import Refusal, Refused

from ..authority import refuse_unless_operator
from ..half_life import stabilize, steady
from ..reference import resolve

_CAUSAL: Final = int(EdgeKind.CAUSAL)
_CATASTROPHIC: Final = int(NodeFlag.CATASTROPHIC)


def lift_catastrophe(graph: Graph, command: LiftCatastrophe, _seq: int, _record: bytes) -> Refused | None:
    """Take the flag from a node, and from what was flagged with it alone.

    Of an event or episode these are its outcomes, but for those that another catastrophe led to as well; of an outcome
    whatever it was told of, unless another catastrophic outcome of that remains.
    """
    forbidden = refuse_unless_operator(command)
    if forbidden is not None:
        return forbidden
    number = resolve(graph, command.body.node)
    if isinstance(number, Refused):
        return number
    node = graph.node(number) if number is not None else None
    if node is None:
        return Refused(Refusal.NODE_FORGOTTEN)
    if not node.flags & _CATASTROPHIC:
        return Refused(Refusal.NOT_CATASTROPHIC)

    _lift(graph, node)
    for other in _flagged_beside(graph, node):
        if not _flagged_beside(graph, other):
            _lift(graph, other)
    return None


def _lift(graph: Graph, node: Node) -> None:
    policy = graph.header.policy
    graph.settle(node.number)
    node.flags &= ~_CATASTROPHIC
    stabilize(policy, node, 1.0 / policy.catastrophic_half_life)
    steady(policy, node)


def _flagged_beside(graph: Graph, node: Node) -> list[Node]:
    """Return the catastrophic nodes at the other end of the causal edges between outcomes and what they are of."""
    found: list[Node] = []
    for key in sorted(graph.links(node.number)):
        if key[1] == _CAUSAL:
            source, target = graph.expect(key[0]), graph.expect(key[2])
            if target.kind == NodeKind.OUTCOME:
                other = source if target is node else target
                if other.flags & _CATASTROPHIC:
                    found.append(other)
    return found
