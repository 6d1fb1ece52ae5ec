"""How fast a node fades: nonlinear, by kind, permanence, connectivity and its own history (000, section 4, decay).

The half-life is stored with the node, and set anew where a law changes what it depends on. Between two touches it is
constant, so that a value can be read at any tick by one multiplication.
"""

from typing import Final

from yggdrasil_schemas.graph.records import Node, NodeFlag, NodeKind
from yggdrasil_schemas.policy import CONSTANTS, Policy

from .density import density

HALF_LIFE_MIN_TICKS: Final = CONSTANTS["node_half_life_ticks"].low  # nothing can be divided by 0

_EVENT, _FEATURE = NodeKind.EVENT, NodeKind.FEATURE
_OUTCOME, _EPISODE, _CLAIM = NodeKind.OUTCOME, NodeKind.EPISODE, NodeKind.CLAIM
_PINNED: Final = int(NodeFlag.PINNED)
_CONCEPTUAL: Final = int(NodeFlag.CONCEPTUAL)


def steady(policy: Policy, node: Node) -> None:
    """Set a node's half-life from what it is now.

    ``base * kind * stability * (1 + half_life_per_permanence * p) * (1 + half_life_per_density * density)``, in ticks.
    """
    if node.flags & _PINNED:
        node.half_life = policy.half_life_max_ticks
        return
    half_life = policy.node_half_life_ticks * _of_kind(policy, node) * node.stability
    if node.permanence:
        half_life *= 1.0 + policy.half_life_per_permanence * node.permanence
    if node.degree:
        half_life *= 1.0 + policy.half_life_per_density * density(node)
    node.half_life = max(HALF_LIFE_MIN_TICKS, min(half_life, policy.half_life_max_ticks))


def stabilize(policy: Policy, node: Node, factor: float) -> None:
    """Multiply a node's own factor of its half-life; ``steady`` has to follow."""
    node.stability = max(policy.stability_min, min(node.stability * factor, policy.stability_max))


def consolidate(policy: Policy, node: Node, level: int) -> None:
    """Bring a node to a level of consolidation, up or down, and its stability with it; ``steady`` has to follow."""
    stabilize(policy, node, _of_level(policy, level) / _of_level(policy, node.level))
    node.level = level


def _of_level(policy: Policy, level: int) -> float:
    """Return by how much a level lengthens the half-life."""
    return policy.consolidation[level - 1][1] if level else 1.0


def _of_kind(policy: Policy, node: Node) -> float:
    kind = node.kind
    if kind == _FEATURE:
        return policy.concept_half_life if node.flags & _CONCEPTUAL else policy.feature_half_life
    if kind == _EVENT:
        return 1.0
    if kind == _OUTCOME:
        return policy.outcome_half_life
    if kind == _EPISODE:
        return policy.episode_half_life
    return policy.claim_half_life if kind == _CLAIM else policy.concept_half_life
