"""Stage two: what comes first of what is relevant (003, section 3.5).

A linear sum in which similarity leads: strength decides between memories that are about equally relevant, and makes
nothing relevant that is not.
"""

from yggdrasil_projections.graph.laws.learning.use import FORETELL_OUTCOMES
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.graph.records import Node, seq_of

from ..memories import permanence_now, salience_now
from .rankers import Recipe


def priority(graph: Graph, node: Node, relevance: float, weights: Recipe) -> float:
    """Return what orders a memory among those that are relevant, by the weights of a ranker."""
    salience = salience_now(graph, node)
    total = relevance + weights.salience * (salience / (salience + 1.0))
    permanence = permanence_now(graph, node)
    total += weights.permanence * (permanence / (permanence + 1.0))
    worth = _worth(node)
    total += weights.impact * (worth / (abs(worth) + 1.0))
    total += weights.usage * (node.usage / node.candidates if node.usage < node.candidates else float(node.usage > 0))
    recent, age = weights.recent_commands, float(graph.header.seq - seq_of(node.number))
    return total + weights.recency * (recent / (recent + age))


def _worth(node: Node) -> float:
    """Return what using a memory has been worth: negative if it misled, else no less than how much it matters.

    A failure matters as much as a success. A feature's valence is about outcomes, not about the use of recalling it.
    """
    used = node.valence if node.kind not in FORETELL_OUTCOMES else 0.0
    return used if used < 0 else max(used, abs(node.impact))
