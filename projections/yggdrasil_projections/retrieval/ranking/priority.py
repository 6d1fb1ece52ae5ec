"""Stage two: what comes first of what is relevant (003, section 3.5).

A linear sum in which similarity leads: strength decides between memories that are about equally relevant, and makes
nothing relevant that is not; and of such, what is trusted more comes first. Elementwise on IEEE floats, so that a
memory has the same priority in any company.
"""

from collections.abc import Sequence

import numpy as np

from yggdrasil_projections.graph.arithmetic import decayed_array
from yggdrasil_projections.graph.laws.learning.use import FORETELL_OUTCOMES
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.graph.records import Node, seq_of

from .rankers import Recipe


def priorities(graph: Graph, nodes: Sequence[Node], relevance: Sequence[float], weights: Recipe) -> list[float]:
    """Return what orders memories among those that are relevant, by the weights of a ranker."""
    if not nodes:
        return []
    header = graph.header
    elapsed = np.array([header.tick - node.tick for node in nodes], np.float64)
    half_lives = np.full(len(nodes), header.policy.permanence_half_life_ticks, np.float64)
    kept = np.array(
        [(node.salience, node.half_life, node.permanence, node.pin_permanence, worth(node)) for node in nodes]
    )
    salience = decayed_array(kept[:, 0], elapsed, kept[:, 1])
    permanence = np.maximum(decayed_array(kept[:, 2], elapsed, half_lives), kept[:, 3])
    value = kept[:, 4]
    used = [node.usage / node.candidates if node.usage < node.candidates else float(node.usage > 0) for node in nodes]
    age = np.array([header.seq - seq_of(node.number) for node in nodes], np.float64)
    recent = weights.recent_commands

    total = np.array(relevance) + weights.salience * (salience / (salience + 1.0))
    total += weights.permanence * (permanence / (permanence + 1.0))
    total += np.where(value < 0.0, weights.misled, weights.impact) * (value / (np.abs(value) + 1.0))
    total += weights.usage * np.array(used)
    total += weights.trusted * np.array([node.trust - 1 for node in nodes])
    total += weights.recency * (recent / (recent + age))
    found: list[float] = total.tolist()
    return found


def worth(node: Node) -> float:
    """Return what using a memory has been worth: negative if it misled, else no less than how much it matters.

    A failure matters as much as a success. A feature's valence is about outcomes, not about the use of recalling it.
    """
    used = node.valence if node.kind not in FORETELL_OUTCOMES else 0.0
    return used if used < 0 else max(used, abs(node.impact))
