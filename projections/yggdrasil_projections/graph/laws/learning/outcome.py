"""The law of outcomes: where learning happens."""

from typing import Final, NamedTuple

from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.commands import CommitEpisode, LogOutcome, RecordEvent
from yggdrasil_schemas.commands.experience import GUARDRAIL_VIOLATION, KIND_PREFIX, LogOutcomeBody
from yggdrasil_schemas.graph.records import EdgeKind, Node, NodeFlag, NodeKind, node_number
from yggdrasil_schemas.policy import Policy
from yggdrasil_schemas.refusals import Refusal, Refused

from ..authority import may_declare, trust_of, who
from ..derivation import FOREIGN, take_in, trust_here
from ..edges import new_edge, strengthen
from ..experience.feature import occurs
from ..half_life import stabilize, steady
from ..reference import live_or_heir, made_by
from ..standing.ruling import first_status
from .account import Giving, note
from .appraisal import appraise, lasting, revive
from .attribution import Carrier, carriers_of, learn
from .credit import credit_back, credit_episodes, credit_members, credit_steps
from .informed import credit_informed

_CAUSAL: Final = int(EdgeKind.CAUSAL)
_CONTAINS: Final = int(EdgeKind.CONTAINS)
_CATASTROPHIC: Final = int(NodeFlag.CATASTROPHIC)
_EVENTS: Final = (RecordEvent.number,)
_TURN_OUT: Final = (RecordEvent.number, CommitEpisode.number)


class Turn(NamedTuple):
    """How something turned out: the outcome, the feature of its kind, m, and the value."""

    target: Node
    outcome: Node
    kind: Node
    magnitude: float
    value: float


def log_outcome(graph: Graph, command: LogOutcome, seq: int, record: bytes) -> Refused | None:
    """Fold how an event or an episode turned out (000, section 4, outcome integration; section 7, outcome dynamics).

    With m = abs(value), times ``first_outcome`` when the memory knows no outcome of this kind: the target and the new
    outcome node are appraised with m; what carried the signal shares it; what led to the target gets a discounted
    credit, what informed it a lesson, what contains it a share. A bad outcome slows the decay of the target's edges, a
    catastrophic one protects, if whoever says so may. An outcome of something forgotten lands on what contained it.
    What is trusted less than ``teach_trust_min`` is kept, and judges what is trusted no more than it: it teaches none.
    """
    body = command.body
    judged = made_by(graph, body.event, _TURN_OUT)
    if isinstance(judged, Refused):
        return judged
    target = live_or_heir(graph, judged)
    if target is None:
        return Refused(Refusal.EVENT_FORGOTTEN)
    steps = _trajectory(graph, body, judged, target)
    if isinstance(steps, Refused):
        return steps

    policy, trust = graph.header.policy, trust_here(graph, command)
    teaches = trust >= policy.teach_trust_min
    if teaches:
        graph.header.good += body.value > 0
        graph.header.bad += body.value < 0
    graph.settled(target.number)
    revive(graph, target)
    outcome, kind = _add_outcome(graph, target, seq, record, body.kind, trust)
    magnitude = abs(body.value) * (policy.first_outcome if kind.usage == 1 else 1.0)
    carriers = carriers_of(graph, target)
    if trust_of(command) == FOREIGN:
        take_in(graph, command, who(command))
    giving = Giving()
    giving.to(target)
    for node in (target, outcome) if teaches or target.trust <= trust else (outcome,):
        appraise(policy, node, magnitude, body.value)
        if may_declare(command):
            _protect(policy, node, body.kind, catastrophic=body.catastrophic)
        steady(policy, node)
    if teaches:
        _teach(
            graph,
            Turn(target, outcome, kind, magnitude, body.value),
            carriers,
            steps if body.trajectory else None,
            giving,
        )
    note(graph, seq, giving, (body.value > 0) - (body.value < 0), kind.number if teaches else 0)
    return None


def _teach(graph: Graph, turn: Turn, carriers: list[Carrier], steps: list[Node] | None, giving: Giving) -> None:
    """Let an outcome reach what carried the signal, what led to it, what informed it, and what contains it.

    ``steps`` are those that were named, None where none were.
    """
    target, outcome, kind, magnitude, value = turn
    learn(graph, carriers, kind, magnitude, value, giving)
    if value:
        taught = {target.number, *[carrier.node.number for carrier in carriers]}
        if steps is not None:
            credit_steps(graph, steps, outcome, magnitude, value, giving)
            taught.update([step.number for step in steps])
        else:
            taught.update(credit_back(graph, target, magnitude, value, giving))
        credit_informed(graph, target, taught, magnitude, value, giving)
        credit_episodes(graph, target, outcome, magnitude, value, giving)
        if target.kind == NodeKind.EPISODE:
            credit_members(graph, target, magnitude, value, giving)
    _shape_edges(graph, target, outcome, magnitude, value)


def _trajectory(graph: Graph, body: LogOutcomeBody, judged: int, target: Node) -> list[Node] | Refused:
    """Return the steps that the command names, those that are left, each once and without the target.

    No event may be later than what is ``judged``: what came after it did not lead to it. An episode may: it is
    committed when its events are over.
    """
    steps: dict[int, Node] = {}
    for command_id in body.trajectory:
        number = made_by(graph, command_id, _TURN_OUT)
        if isinstance(number, Refused):
            return number
        if number > judged and isinstance(made_by(graph, command_id, _EVENTS), int):
            return Refused(Refusal.LATER_EVENT)
        step = live_or_heir(graph, number)
        if step is not None and step is not target:
            steps[step.number] = step
    return list(steps.values())


def _add_outcome(graph: Graph, target: Node, seq: int, record: bytes, name: str, trust: int) -> tuple[Node, Node]:
    """Return the new outcome node, linked to the target, and the feature of its kind.

    It is trusted as its writer is, and no more than what it is told of.
    """
    policy = graph.header.policy
    salience = min(policy.salience_initial, policy.salience_max)
    outcome = Node(node_number(seq), NodeKind.OUTCOME, graph.header.tick, salience, 0.0, marks=target.marks)
    outcome.trust = min(trust, target.trust)
    outcome.status = first_status(policy, trust)
    graph.add_node(outcome, record)
    new_edge(graph, target, _CAUSAL, outcome)
    kind = occurs(graph, KIND_PREFIX + name, node_number(seq, 1), outcome)
    new_edge(graph, outcome, _CONTAINS, kind)
    return outcome, kind


def _protect(policy: Policy, node: Node, kind: str, *, catastrophic: bool) -> None:
    """Keep what must not be forgotten: a catastrophe by its flag, a violated guardrail by its permanence."""
    if catastrophic:
        node.flags |= _CATASTROPHIC
        stabilize(policy, node, policy.catastrophic_half_life)
    if kind == GUARDRAIL_VIOLATION:
        node.permanence = min(max(node.permanence, policy.guardrail_permanence), policy.permanence_max)


def _shape_edges(graph: Graph, target: Node, outcome: Node, magnitude: float, value: float) -> None:
    """Strengthen the causal edge; after a bad outcome let all edges of the target decay more slowly."""
    policy = graph.header.policy
    causal = graph.settled_edge((target.number, _CAUSAL, outcome.number))
    if causal is not None:
        strengthen(policy, causal, magnitude)
        causal.permanence = min(lasting(policy, magnitude, value), policy.permanence_max)
    if value >= 0:
        return
    slower = 1.0 - (1.0 - policy.bad_edge_decay) * min(magnitude, 1.0)
    for key in sorted(graph.links(target.number)):
        edge = graph.settled_edge(key)
        if edge is not None:
            edge.half_life = min(edge.half_life / slower, policy.half_life_max_ticks)
