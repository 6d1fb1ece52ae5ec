"""The law of reflection: small, capped changes along a trajectory, each with its evidence (000, section 8)."""

from itertools import pairwise
from typing import Final

from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.commands import Adjust
from yggdrasil_schemas.graph.records import PROTECTED, EdgeKind, Node
from yggdrasil_schemas.policy import Policy
from yggdrasil_schemas.refusals import Refusal, Refused

from ..half_life import HALF_LIFE_MIN_TICKS, stabilize, steady
from ..reference import accepted, resolve_all
from .thinker import advance, refuse

_PROTECTED: Final = int(PROTECTED)
_KINDS: Final = tuple(map(int, EdgeKind))


def adjust(graph: Graph, command: Adjust, _seq: int, _record: bytes) -> Refused | None:
    """Raise or lower what lies on a trajectory a little, nodes and the edges between neighbours.

    Each change is cut to the policy's cap. What is catastrophic or pinned is never lowered. Nothing is made or removed.
    """
    body = command.body
    for command_id in body.evidence:
        if accepted(graph, command_id) is None:
            return Refused(Refusal.UNKNOWN_REFERENCE)
    trajectory = resolve_all(graph, body.trajectory)
    if isinstance(trajectory, Refused):
        return trajectory
    if not trajectory:
        return Refused(Refusal.NODE_FORGOTTEN)
    stale = refuse(graph, body)
    if stale is not None:
        return stale

    policy = graph.header.policy
    salience = _cut(body.salience, policy.adjust_salience_max)
    permanence = _cut(body.permanence, policy.adjust_permanence_max)
    factor = max(1.0 / policy.adjust_half_life_max, min(body.half_life, policy.adjust_half_life_max))
    for number in trajectory:
        _adjust_node(policy, graph.settle(number), salience, permanence, factor)
    for first, second in pairwise(trajectory):
        _adjust_edges(graph, first, second, salience, factor)
    advance(graph, body)
    return None


def _cut(change: float, most: float) -> float:
    return max(-most, min(change, most))


def _adjust_node(policy: Policy, node: Node, salience: float, permanence: float, factor: float) -> None:
    if node.flags & _PROTECTED:
        salience, permanence, factor = max(0.0, salience), max(0.0, permanence), max(1.0, factor)
    node.salience = max(0.0, min(node.salience + salience, policy.salience_max))
    node.permanence = max(0.0, min(node.permanence + permanence, policy.permanence_max))
    stabilize(policy, node, factor)
    steady(policy, node)


def _adjust_edges(graph: Graph, first: int, second: int, weight: float, factor: float) -> None:
    policy = graph.header.policy
    for source, target in ((first, second), (second, first)):
        for kind in _KINDS:
            edge = graph.settled_edge((source, kind, target))
            if edge is not None:
                edge.weight = max(0.0, min(edge.weight + weight, policy.weight_max))
                half_life = edge.half_life * factor
                edge.half_life = max(HALF_LIFE_MIN_TICKS, min(half_life, policy.half_life_max_ticks))
