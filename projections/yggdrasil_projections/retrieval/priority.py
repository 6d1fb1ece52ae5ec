"""Stage two: what comes first of what is relevant (003, section 3.5).

A linear sum in which similarity leads: strength decides between memories that are about equally relevant, and makes
nothing relevant that is not.
"""

from dataclasses import dataclass

from yggdrasil_schemas.graph import Node, seq_of
from yggdrasil_schemas.policy import Policy

from ..graph.laws.use import FORETELL_OUTCOMES
from ..graph.working_set import Graph
from .memories import salience_now


@dataclass(frozen=True, slots=True)
class Weights:
    """What each part counts beside a relevance of at most 1; ``recency_half`` is in commands."""

    salience: float = 0.05
    permanence: float = 0.05
    impact: float = 0.025
    usage: float = 0.025
    recency: float = 0.01
    recency_half: float = 1_000.0

    @classmethod
    def of(cls, policy: Policy) -> "Weights":
        """Return the weights of a memory's policy."""
        del policy
        return cls()


def priority(graph: Graph, node: Node, relevance: float, weights: Weights) -> float:
    """Return what orders a memory among those that are relevant."""
    salience = salience_now(graph, node)
    total = relevance + weights.salience * (salience / (salience + 1.0))
    total += weights.permanence * (node.permanence / (node.permanence + 1.0))
    worth = _worth(node)
    total += weights.impact * (worth / (abs(worth) + 1.0))
    total += weights.usage * (node.usage / node.candidates if node.usage < node.candidates else float(node.usage > 0))
    age = float(graph.header.seq - seq_of(node.number))
    return total + weights.recency * (weights.recency_half / (weights.recency_half + age))


def _worth(node: Node) -> float:
    """Return what using a memory has been worth, negative if it misled; unless it has been used, how much it matters.

    A failure matters as much as a success. A feature's valence is about outcomes, not about the use of recalling it.
    """
    used = node.valence if node.kind not in FORETELL_OUTCOMES else 0.0
    return used or abs(node.impact)
