"""The law of outcomes: where learning happens."""

from typing import Final

from yggdrasil_schemas.commands import LogOutcome
from yggdrasil_schemas.graph import CommandKind, Edge, EdgeKind, Node, NodeFlag, NodeKind, node_number
from yggdrasil_schemas.policy import CONSTANTS, Policy
from yggdrasil_schemas.refusals import Refusal, Refused

from ..working_set import Graph
from .feature import occurs
from .reference import accepted, step_before

KIND_PREFIX: Final = "outcome:"
"""An outcome's kind is a feature like any other, so that it is bounded, fades and can be recalled."""

_CAUSAL: Final = int(EdgeKind.CAUSAL)
_CONTAINS: Final = int(EdgeKind.CONTAINS)
# Halved often enough, a half-life would become 0, and nothing can be divided by that.
_HALF_LIFE_MIN_TICKS: Final = CONSTANTS["node_half_life_ticks"].low


def log_outcome(graph: Graph, command: LogOutcome, seq: int, record: bytes) -> Refused | None:
    """Fold the outcome of an event (000, section 4, outcome integration; section 7, outcome dynamics).

    With m = abs(value), times ``first_outcome`` when the memory knows no outcome of this kind: the event and the new
    outcome node take m by ``_appraise``; each of the event's n features takes m / n; each of the
    ``credit_events_max`` events that led to it gains ``credit_share`` * m of salience. A bad outcome slows the decay
    of the event's edges, a catastrophic one protects.
    """
    body = command.body
    identity = accepted(graph, body.event)
    if identity is None:
        return Refused(Refusal.UNKNOWN_EVENT)
    if identity.kind != CommandKind.RECORD_EVENT:
        return Refused(Refusal.NOT_AN_EVENT)
    event = graph.settled(node_number(identity.seq))
    if event is None:
        return Refused(Refusal.EVENT_FORGOTTEN)

    policy = graph.header.policy
    magnitude = abs(body.value)
    features = [key for key in sorted(graph.links(event.number)) if key[1] == _CONTAINS and key[0] == event.number]
    outcome = _add_outcome(graph, event, seq, record)
    if _add_kind(graph, outcome, seq, body.kind):
        magnitude *= policy.first_outcome
    for node in (event, outcome):
        _appraise(policy, node, magnitude, body.value)
        if body.catastrophic:
            node.flags |= NodeFlag.CATASTROPHIC
            node.half_life = min(node.half_life * policy.catastrophic_half_life, policy.half_life_max_ticks)
    _credit_features(graph, features, magnitude, body.value)
    _credit_backwards(graph, event, magnitude, body.value)
    _shape_edges(graph, event, outcome, magnitude, body.value)
    return None


def _add_outcome(graph: Graph, event: Node, seq: int, record: bytes) -> Node:
    policy = graph.header.policy
    tick = graph.header.tick
    outcome = Node(node_number(seq), NodeKind.OUTCOME, tick, policy.salience_initial, policy.node_half_life_ticks)
    graph.add_node(outcome, record)
    graph.link(event, _CAUSAL, outcome, Edge(tick, 1.0, policy.edge_half_life_ticks))
    return outcome


def _add_kind(graph: Graph, outcome: Node, seq: int, kind: str) -> bool:
    """Link the outcome to the feature of its kind; return whether it is the first of that kind that is remembered."""
    feature = occurs(graph, KIND_PREFIX + kind, node_number(seq, 1))
    graph.link(outcome, _CONTAINS, feature, Edge(graph.header.tick, 1.0, graph.header.policy.edge_half_life_ticks))
    return feature.usage == 1


def _appraise(policy: Policy, node: Node, magnitude: float, value: float) -> None:
    """Let a settled node take an outcome of size ``magnitude`` and the sign of ``value``.

    Good: salience += 0.5 m, permanence += 0.1 m. Bad: salience += 1.0 m, permanence += 0.5 m (failure is encoded
    strongly). Neutral: the half-life shrinks, so it fades faster.
    """
    if value > 0:
        _strengthen(policy, node, policy.good_salience * magnitude, policy.good_permanence * magnitude)
    elif value < 0:
        _strengthen(policy, node, policy.bad_salience * magnitude, policy.bad_permanence * magnitude)
    else:
        node.half_life = max(node.half_life * policy.neutral_half_life, _HALF_LIFE_MIN_TICKS)
    _sway(policy, node, magnitude if value > 0 else -magnitude)


def _strengthen(policy: Policy, node: Node, salience: float, permanence: float) -> None:
    node.salience = min(node.salience + salience, policy.salience_max)
    node.permanence = min(node.permanence + permanence, policy.permanence_max)


def _sway(policy: Policy, node: Node, impact: float) -> None:
    node.impact = max(-policy.impact_max, min(node.impact + impact, policy.impact_max))


def _credit_features(graph: Graph, links: list[tuple[int, int, int]], magnitude: float, value: float) -> None:
    """Give each feature of the event an equal share, so that what recurs before an outcome comes to mean it."""
    policy = graph.header.policy
    for key in links:
        share = magnitude / len(links)
        feature = graph.settled(key[2]) or graph.expect(key[2])
        if value:
            _appraise(policy, feature, share, value)
        edge = graph.settled_edge(key)
        if edge is not None:
            edge.weight = min(edge.weight + policy.credit_share * magnitude, policy.weight_max)


def _credit_backwards(graph: Graph, event: Node, magnitude: float, value: float) -> None:
    """Walk the session's chain back from the event and give each step a small, equal credit.

    The seed's listing takes the last five of the buffer, which are these when the outcome follows the action at once;
    when it comes later, the events after the action did not lead to it.
    """
    policy = graph.header.policy
    credit = policy.credit_share * magnitude
    if not credit:
        return
    number = event.number
    for _ in range(policy.credit_events_max):
        key = step_before(graph, number)
        if key is None:
            return
        edge = graph.settled_edge(key)
        if edge is not None:
            edge.weight = min(edge.weight + credit, policy.weight_max)
        number = key[0]
        earlier = graph.settled(number) or graph.expect(number)
        earlier.salience = min(earlier.salience + credit, policy.salience_max)
        _sway(policy, earlier, credit if value > 0 else -credit)


def _shape_edges(graph: Graph, event: Node, outcome: Node, magnitude: float, value: float) -> None:
    """Strengthen the causal edge; after a bad outcome let all edges of the event decay more slowly."""
    policy = graph.header.policy
    causal = graph.settled_edge((event.number, _CAUSAL, outcome.number))
    if causal is not None:
        permanence = policy.bad_permanence if value < 0 else policy.good_permanence
        causal.weight = min(causal.weight + magnitude, policy.weight_max)
        causal.permanence = min(permanence * magnitude, policy.permanence_max)
    if value >= 0:
        return
    for key in sorted(graph.links(event.number)):
        edge = graph.settled_edge(key)
        if edge is not None:
            edge.half_life = min(edge.half_life / policy.bad_edge_decay, policy.half_life_max_ticks)
