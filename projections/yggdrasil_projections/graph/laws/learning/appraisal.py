"""What an outcome does to one node: failure is encoded strongly, success directionally (000, section 7)."""

from typing import Final

from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.graph.records import PROTECTED, Node, NodeFlag
from yggdrasil_schemas.limits import VALUE_MAX
from yggdrasil_schemas.policy import Policy

from ..half_life import consolidate, stabilize, steady
from ..regard import settle_regards

_ARCHIVED: Final = int(NodeFlag.ARCHIVED)
_PROTECTED: Final = int(PROTECTED)
_LEVELS_LOST: Final = 2  # of consolidation, by what comes back from the archive (003, section 3.8)


def appraise(policy: Policy, node: Node, size: float, value: float) -> float:
    """Let a settled node take an outcome of ``size`` with the sign of ``value``; ``steady`` has to follow.

    Good: salience += 0.5 size, permanence += 0.1 size. Bad: salience += 1.0 size (a spike that fades), permanence +=
    0.5 size (what stays, and lets it fade more slowly). What has stood for the opposite gains no permanence, but gives
    way. Neutral: the half-life of what was never judged shrinks, and nothing else happens. Returns the permanence that
    it has gained.
    """
    if not value:
        if not (node.good or node.bad or node.flags & _PROTECTED):
            stabilize(policy, node, policy.neutral_half_life)
        return 0.0
    gained = 0.0 if contradict(policy, node, size, value) else lasting(policy, size, value)
    if value > 0:
        node.good += 1
        sway(policy, node, size)
        _strengthen(policy, node, policy.good_salience * size)
    else:
        node.bad += 1
        sway(policy, node, -size)
        _strengthen(policy, node, policy.bad_salience * size)
    node.permanence = min(node.permanence + gained, policy.permanence_max)
    return gained


def contradict(policy: Policy, node: Node, size: float, value: float) -> bool:
    """Let permanence give way, slowly, where a node has stood for the opposite: the environment has changed.

    What is catastrophic or pinned does not give way, and a small contradiction takes little. Returns whether it has
    stood for the opposite.
    """
    if (node.valence or node.impact) * value >= 0:
        return False
    if not node.flags & _PROTECTED:
        node.permanence *= 1.0 - policy.contradiction_loss * min(size, 1.0)
    return True


def teach(node: Node, lesson: float) -> None:
    """Move the outcome that a node foretells by a lesson."""
    node.valence = max(-VALUE_MAX, min(node.valence + lesson, VALUE_MAX))


def lasting(policy: Policy, size: float, value: float) -> float:
    """Return the permanence that an outcome of ``size`` with the sign of ``value`` gives."""
    return (policy.bad_permanence if value < 0 else policy.good_permanence) * size


def encourage(policy: Policy, node: Node, credit: float, value: float) -> None:
    """Give a settled node a small credit, or blame: salience, and impact with the sign of ``value``."""
    _strengthen(policy, node, credit)
    sway(policy, node, credit if value > 0 else -credit)


def sway(policy: Policy, node: Node, impact: float) -> None:
    """Let a judgement change what outcomes and use have said of a node: the newest counts most.

    What was there fades first, by 1 - ``impact_kept``, and by less when the judgement is smaller than 1.
    """
    kept = node.impact * (1.0 - (1.0 - policy.impact_kept) * min(abs(impact), 1.0))
    node.impact = max(-policy.impact_max, min(kept + impact, policy.impact_max))


def revive(graph: Graph, node: Node) -> None:
    """Bring a settled node back from the archive, if it is there, at reduced strength (003, section 3.8).

    It has at least ``revived_salience``, but two levels of consolidation less, and it is steadied.
    """
    if node.flags & _ARCHIVED:
        policy = graph.header.policy
        node.flags &= ~_ARCHIVED
        node.salience = min(max(node.salience, policy.revived_salience), policy.salience_max)
        consolidate(policy, node, max(0, node.level - _LEVELS_LOST))
        steady(policy, node)
        settle_regards(graph, node)


def _strengthen(policy: Policy, node: Node, salience: float) -> None:
    node.salience = min(node.salience + salience, policy.salience_max)
