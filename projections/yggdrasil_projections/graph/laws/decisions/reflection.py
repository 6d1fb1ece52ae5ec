"""The law of reflection: small, bounded changes along a trajectory, each with its evidence (000, section 8)."""

from itertools import pairwise
from typing import Final, NamedTuple

from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.commands import Adjust
from yggdrasil_schemas.commands.decisions import AdjustBody
from yggdrasil_schemas.graph.records import PROTECTED, Adjusted, EdgeKind, Node
from yggdrasil_schemas.refusals import Refusal, Refused

from ..half_life import HALF_LIFE_MIN_TICKS, stabilize, steady
from ..reference import accepted, made, resolve_all
from .thinker import advance, refuse

_PROTECTED: Final = int(PROTECTED)
_KINDS: Final = tuple(map(int, EdgeKind))


class _Allowed(NamedTuple):
    """What of a change a node is allowed."""

    salience: float
    permanence: float
    half_life: float


def adjust(graph: Graph, command: Adjust, _seq: int, _record: bytes) -> Refused | None:
    """Raise or lower what lies on a trajectory a little, nodes and the edges between neighbours.

    Each change is cut to what is left of the node's bound in this window, so that many small changes are no large one.
    What is catastrophic or pinned is never lowered. Nothing is made or removed.
    """
    body = command.body
    witnesses: list[int] = []
    for command_id in body.evidence:
        identity = accepted(graph, command_id)
        if identity is None:
            return Refused(Refusal.UNKNOWN_REFERENCE)
        witness = made(graph, identity)
        if witness is not None:
            witnesses.append(witness.number)
    trajectory = resolve_all(graph, body.trajectory)
    if isinstance(trajectory, Refused):
        return trajectory
    if not trajectory:
        return Refused(Refusal.NODE_FORGOTTEN)
    if not _touched(graph, trajectory, witnesses):
        return Refused(Refusal.EVIDENCE_ELSEWHERE)
    stale = refuse(graph, body)
    if stale is not None:
        return stale

    allowed = [_adjust_node(graph, graph.settle(number), body) for number in trajectory]
    for (first, of_first), (second, of_second) in pairwise(zip(trajectory, allowed, strict=True)):
        weight = _nearer(of_first.salience, of_second.salience, 0.0)
        _adjust_edges(graph, first, second, weight, _nearer(of_first.half_life, of_second.half_life, 1.0))
    advance(graph, body)
    return None


def _touched(graph: Graph, trajectory: list[int], witnesses: list[int]) -> bool:
    """Whether what a witness made is on the trajectory, or joined to what is: at most ``degree_max`` edges of each."""
    along = frozenset(trajectory)
    for number in witnesses:
        if number in along:
            return True
        for key in graph.links(number):  # any order: only whether there is one
            if key[0] in along or key[2] in along:
                return True
    return False


def _adjust_node(graph: Graph, node: Node, body: AdjustBody) -> _Allowed:
    """Change a settled node by what is left of its bounds, count that, and return it."""
    policy = graph.header.policy
    used = graph.adjusted(node)
    if used is None or graph.header.tick - used.tick >= policy.adjust_window_ticks:
        used = Adjusted(graph.header.tick)
    salience = _cut(body.salience, policy.adjust_salience_max - used.salience)
    permanence = _cut(body.permanence, policy.adjust_permanence_max - used.permanence)
    most = max(1.0, policy.adjust_half_life_max / used.half_life)
    factor = max(1.0 / most, min(body.half_life, most))
    if node.flags & _PROTECTED:
        salience, permanence, factor = max(0.0, salience), max(0.0, permanence), max(1.0, factor)
    if salience or permanence or factor != 1.0:
        more = max(factor, 1.0 / factor)
        sums = used.salience + abs(salience), used.permanence + abs(permanence)
        graph.note_adjusted(node, Adjusted(used.tick, *sums, used.half_life * more))
    node.salience = max(0.0, min(node.salience + salience, policy.salience_max))
    node.permanence = max(0.0, min(node.permanence + permanence, policy.permanence_max))
    stabilize(policy, node, factor)
    steady(policy, node)
    return _Allowed(salience, permanence, factor)


def _cut(change: float, left: float) -> float:
    most = max(0.0, left)  # a bound that was lowered may be used up more than wholly
    return max(-most, min(change, most))


def _nearer(one: float, other: float, still: float) -> float:
    """Return which of two changes in the same direction is nearer to none, which is ``still``."""
    return min(one, other) if min(one, other) >= still else max(one, other)


def _adjust_edges(graph: Graph, first: int, second: int, weight: float, factor: float) -> None:
    policy = graph.header.policy
    for source, target in ((first, second), (second, first)):
        for kind in _KINDS:
            edge = graph.settled_edge((source, kind, target))
            if edge is not None:
                edge.weight = max(0.0, min(edge.weight + weight, policy.weight_max))
                half_life = edge.half_life * factor
                edge.half_life = max(HALF_LIFE_MIN_TICKS, min(half_life, policy.half_life_max_ticks))
