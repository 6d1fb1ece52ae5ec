"""The law of use: only what was really used grows strong."""

from typing import Final

from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.commands import ReportUse
from yggdrasil_schemas.commands.experience import ReportUseBody
from yggdrasil_schemas.graph.records import Act, Node, NodeKind, seq_of
from yggdrasil_schemas.policy import Policy
from yggdrasil_schemas.refusals import Refusal, Refused

from ..authority import who
from ..derivation import trust_here
from ..edges import edges_among
from ..half_life import stabilize, steady
from ..reference import recall_seq, resolve_all
from ..regard import keys_of, regard
from .account import Giving, note
from .appraisal import contradict, sway, teach

FORETELL_OUTCOMES: Final = (NodeKind.FEATURE, NodeKind.CONCEPT)
"""What is part of experience foretells how it turns out; anything else foretells what using it is worth."""


def report_use(graph: Graph, command: ReportUse, seq: int, _record: bytes) -> Refused | None:
    """Fold which returned memories were used (003, section 3.6: stage 2 and impact-based reinforcement).

    Each gains one use, now its last, and the impact of the task's result, and comes to foretell it; what went well is
    counted apart; permanence grows by
    ``use_permanence`` and ``impact_permanence`` times the impact, and stability by ``use_half_life``. What has misled
    gains nothing, and loses what being returned has given it. What was only returned gains nothing: that is the whole
    defence against credit for company. The recall remembers what was used, for what comes of it later. Of another's
    recall nobody may report who is trusted less than whoever asked; what is said with less than ``teach_trust_min``
    teaches nothing. Under the perspectives that it was asked, or used, under each grows stronger by ``regard_use``, and
    what has misled weaker. The edges among what was used, and has not misled, gain ``association_weight`` and fade more
    slowly. Their usage stays: how often things occurred together is counted by what happened.
    """
    found = resolve_all(graph, command.body.used)
    if isinstance(found, Refused):
        return found
    asked = recall_seq(graph, command.body.recall)
    if isinstance(asked, Refused):
        return asked
    recall = graph.recalls.get(asked)
    if recall is None:
        return Refused(Refusal.RECALL_FORGOTTEN)
    trust = trust_here(graph, command)
    if trust < recall.trust and who(command) != recall.who:
        return Refused(Refusal.NOT_TRUSTED)
    if recall.reported:
        return Refused(Refusal.RECALL_REPORTED)
    returned = {entry.number for entry in recall.returned}
    used = [number for number in found if not _reborn(graph, number, asked)]
    if not returned.issuperset(used):
        return Refused(Refusal.NOT_RECALLED)
    policy = graph.header.policy
    impact = _impact(policy, command.body)
    if trust < policy.teach_trust_min:
        used = []
    giving = Giving()
    named = command.body.perspectives
    under = keys_of(graph, named) if named else recall.perspectives
    gain = policy.regard_use if impact >= 0 else -policy.regard_use
    giving.perspectives = under
    served: list[Node] = []
    for number in used:
        node = giving.to(graph.settle(number))
        if impact < 0:
            _misled(policy, node, impact)
        else:
            _served(policy, node, impact)
            node.used_tick = graph.header.tick
            node.served += _went_well(command.body)
            served.append(node)
        if under:
            giving.regards[number] = regard(graph, node, under, gain, trust, int(impact >= 0))
    for key in edges_among(graph, served):
        edge = graph.settled_edge(key)
        if edge is not None:
            giving.strengthen(policy, key, edge)
    recall.reported = seq
    for entry in recall.returned:
        entry.used = entry.number in used
    graph.changed_recalls[asked] = recall
    note(graph, seq, giving, 0, 0)
    graph.changed_acts[seq] = Act(trust, (asked,))
    return None


def expect(policy: Policy, node: Node, rate: float, value: float) -> None:
    """Move what using a node is expected to bring towards ``value``, by the share ``rate`` of the difference.

    A failure never raises it. Nothing happens to a feature or a concept: these foretell outcomes.
    """
    if node.kind not in FORETELL_OUTCOMES:
        lesson = policy.surprise_rate * rate * (value - node.valence)
        teach(node, min(lesson, 0.0) if value < 0 else lesson)


def _served(policy: Policy, node: Node, impact: float) -> None:
    """Let a settled node take one use, and the good that came of it, if any."""
    node.usage += 1
    gain = policy.use_permanence + policy.impact_permanence * impact
    node.permanence = min(node.permanence + gain, policy.permanence_max)
    stabilize(policy, node, policy.use_half_life)
    if impact:
        expect(policy, node, 1.0, impact)
    sway(policy, node, impact)
    steady(policy, node)


def _misled(policy: Policy, node: Node, impact: float) -> None:
    """Let a settled node answer for a use that went wrong.

    Nothing in it rises, so that neither a read nor pruning puts it before its equal: these take the size of the impact,
    so it falls to 0 and no further; that it has misled is what its valence says.
    """
    contradict(policy, node, -impact, impact)
    node.salience = max(0.0, node.salience - policy.recall_salience)
    expect(policy, node, 1.0, impact)
    if node.impact > 0:
        sway(policy, node, impact)
        node.impact = max(0.0, node.impact)
    half_life = node.half_life
    steady(policy, node)
    node.half_life = min(node.half_life, half_life)


def _reborn(graph: Graph, number: int, seq: int) -> bool:
    """Whether a feature was forgotten after the recall at ``seq`` and occurred again: what was returned is gone."""
    return seq_of(number) > seq and graph.expect(number).kind == NodeKind.FEATURE


def _went_well(body: ReportUseBody) -> bool:
    return body.result == "success" or body.helpful or body.prevented_error


def _impact(policy: Policy, body: ReportUseBody) -> float:
    impact = {"success": policy.impact_success, "failure": policy.impact_failure, "unknown": 0.0}[body.result]
    if body.helpful:
        impact += policy.impact_helpful
    if body.prevented_error:
        impact += policy.impact_prevented
    return impact
