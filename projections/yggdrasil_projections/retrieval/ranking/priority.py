"""Stage two: what comes first of what is relevant (003, section 3.5).

A linear sum in which similarity leads: strength decides between memories that are about equally relevant, and makes
nothing relevant that is not; and of such, what is trusted more comes first. Elementwise on IEEE floats, so that a
memory has the same priority in any company.
"""

from collections.abc import Sequence

import numpy as np

from yggdrasil_projections.graph.arithmetic import decayed_array
from yggdrasil_projections.graph.laws.learning.use import FORETELL_OUTCOMES
from yggdrasil_projections.graph.laws.regard import strength
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

    strong = weights.salience * (salience / (salience + 1.0))
    lasting = weights.permanence * (permanence / (permanence + 1.0))
    proved = np.where(value < 0.0, weights.misled, weights.impact) * (value / (np.abs(value) + 1.0))
    offered = weights.usage * np.array(used)
    if weights.under:
        regarded = np.array([_regarded(graph, node, weights) for node in nodes])
        under, share, known = regarded[:, 0], regarded[:, 1], regarded[:, 2]
        strong += known * (weights.salience * (under / (under + 1.0)) - strong)
        share *= weights.under_scale
        strong, lasting, offered = share * (strong + weights.fit * known), share * lasting, share * offered
        proved = np.where(value < 0.0, proved, share * proved)
    total = np.array(relevance) + strong
    total += lasting
    total += proved
    total += offered
    total += weights.trusted * np.array([node.trust - 1 for node in nodes])
    total += weights.recency * (recent / (recent + age))
    found: list[float] = total.tolist()
    return found


def _regarded(graph: Graph, node: Node, weights: Recipe) -> tuple[float, float, float]:
    """Return how strong a node is under the perspectives that are asked under, how far its uses were under these, and
    whether anything is kept of it under them.

    The share is as if it had been used once more so: what was never used loses nothing.
    """
    kept = [each.uses for each in graph.regards(node) if each.key in weights.under]
    share = min((max(kept, default=0) + 1) / (node.usage + 1), 1.0)
    return strength(graph, node, weights.under), share, float(bool(kept))


def worth(node: Node) -> float:
    """Return what using a memory has been worth: negative if it misled, else no less than how much it matters.

    A failure matters as much as a success. A feature's valence is about outcomes, not about the use of recalling it.
    """
    used = node.valence if node.kind not in FORETELL_OUTCOMES else 0.0
    return used if used < 0 else max(used, abs(node.impact))
