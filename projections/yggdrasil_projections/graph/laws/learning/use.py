"""The law of use: only what was really used grows strong."""

from typing import Final

from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.commands import ReportUse
from yggdrasil_schemas.commands.experience import ReportUseBody
from yggdrasil_schemas.graph.records import Node, NodeKind, seq_of
from yggdrasil_schemas.policy import Policy
from yggdrasil_schemas.refusals import Refusal, Refused

from ..half_life import stabilize, steady
from ..reference import recall_seq, resolve
from .appraisal import contradict, sway, teach

FORETELL_OUTCOMES: Final = (NodeKind.FEATURE, NodeKind.CONCEPT)
"""What is part of experience foretells how it turns out; anything else foretells what using it is worth."""


def report_use(graph: Graph, command: ReportUse, _seq: int, _record: bytes) -> Refused | None:
    """Fold which returned memories were used (003, section 3.6: stage 2 and impact-based reinforcement).

    Each gains one use and the impact of the task's result, and comes to foretell it. Unless that is bad, permanence
    grows by ``use_permanence`` and ``impact_permanence`` times the impact, and stability by ``use_half_life``. What was
    only returned gains nothing: that is the whole defence against credit for company.
    """
    found = [resolve(graph, reference) for reference in command.body.used]
    for number in found:
        if isinstance(number, Refused):
            return number
    seq = recall_seq(graph, command.body.recall)
    if isinstance(seq, Refused):
        return seq
    recall = graph.recalls.get(seq)
    if recall is None:
        return Refused(Refusal.RECALL_FORGOTTEN)
    if recall.reported:
        return Refused(Refusal.RECALL_REPORTED)
    returned = {entry.number for entry in recall.returned}
    used = [number for number in found if isinstance(number, int) and not _reborn(graph, number, seq)]
    if not returned.issuperset(used):
        return Refused(Refusal.NOT_RECALLED)
    policy = graph.header.policy
    impact = _impact(policy, command.body)
    for number in used:
        _use(policy, graph.settle(number), impact)
    recall.reported = True
    graph.changed_recalls[seq] = recall
    return None


def _use(policy: Policy, node: Node, impact: float) -> None:
    """Let a settled node take one use, and what came of it. What has misled loses what it had."""
    node.usage += 1
    if impact < 0:
        contradict(policy, node, -impact, impact)
    else:
        gain = policy.use_permanence + policy.impact_permanence * impact
        node.permanence = min(node.permanence + gain, policy.permanence_max)
        stabilize(policy, node, policy.use_half_life)
    if impact and node.kind not in FORETELL_OUTCOMES:
        teach(node, policy.surprise_rate * (impact - node.valence))
    sway(policy, node, impact)
    steady(policy, node)


def _reborn(graph: Graph, number: int, seq: int) -> bool:
    """Whether a feature was forgotten after the recall at ``seq`` and occurred again: what was returned is gone."""
    return seq_of(number) > seq and graph.expect(number).kind == NodeKind.FEATURE


def _impact(policy: Policy, body: ReportUseBody) -> float:
    impact = {"success": policy.impact_success, "failure": policy.impact_failure, "unknown": 0.0}[body.result]
    if body.helpful:
        impact += policy.impact_helpful
    if body.prevented_error:
        impact += policy.impact_prevented
    return impact
