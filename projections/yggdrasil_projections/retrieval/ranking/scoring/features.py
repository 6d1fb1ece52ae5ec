"""Nine things that are known of each candidate of stage two, as whole numbers (003, section 3.5, feature design).

Elementwise on IEEE floats, and then cut to whole numbers in [0, 4,096]: a memory has the same features in any company
and on any machine. Other features get another name, so that answers can be proved.
"""

from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from yggdrasil_projections.graph.arithmetic import decayed_array
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.graph.records import Node, NodeFlag, seq_of

from ..priority import worth
from .scorers import ONE, Features

FEATURES: Final = "nine/1"
"""What these features are called in an adopted scorer."""
NAMES: Final = (
    "similarity",
    "strength",
    "perspective_strength",
    "use_ratio",
    "recency",
    "impact",
    "overlap",
    "principle",
    "perspective_match",
)
"""The features, in the order of their columns."""
SCORED_MAX: Final = 50
"""Of so many candidates the features are kept with a recall (003, section 3.5, stage one: limit 50)."""
_RECENT_COMMANDS: Final = 1_000.0  # what is so many commands old is half as recent
_OVERLAP_MAX: Final = 8  # features that a question names and a memory has; more count the same


def features_of(
    graph: Graph,
    nodes: Sequence[Node],
    relevance: Sequence[float],
    overlap: Sequence[int],
    perspective: str | None = None,
) -> Features:
    """Return a row of nine numbers in [0, 4,096] for each of ``nodes``, shape (nodes, 9), in the order of ``NAMES``.

    ``relevance`` is what stage one says of each, in [0, 1]; ``overlap`` how many of the features that the question
    names each has.
    """
    found = np.zeros((len(nodes), len(NAMES)), np.int64)
    if not nodes:
        return found
    strength = strengths(graph, nodes)
    settled = strength.tolist()
    own = [perspective_strength(graph, node, perspective, each) for node, each in zip(nodes, settled, strict=True)]
    used = [node.usage / node.candidates if node.usage < node.candidates else float(node.usage > 0) for node in nodes]
    age = np.array([graph.header.seq - seq_of(node.number) for node in nodes], np.float64)
    value = np.array([worth(node) for node in nodes])
    columns = (
        np.array(relevance, np.float64),
        _bounded(strength),
        _bounded(np.array(own, np.float64)),
        np.array(used),
        _RECENT_COMMANDS / (_RECENT_COMMANDS + age),
        0.5 + 0.5 * (value / (np.abs(value) + 1.0)),
        np.minimum(np.array(overlap, np.float64), _OVERLAP_MAX) / _OVERLAP_MAX,
        np.array([float(node.flags & NodeFlag.PRINCIPLE > 0) for node in nodes]),
        np.array([float(perspective_match(graph, node, perspective)) for node in nodes]),
    )
    for place, column in enumerate(columns):
        found[:, place] = np.clip(column * float(ONE), 0.0, float(ONE)).astype(np.int64)
    return found


def overlaps(named: Iterable[npt.NDArray[np.int64]], rows: npt.NDArray[np.int64]) -> list[int]:
    """Return how many of the things that a question names each of ``rows`` has; ``named`` are the rows of each."""
    found = np.zeros(len(rows), np.int64)
    for each in named:
        found += np.isin(rows, each)
    having: list[int] = found.tolist()
    return having


def strengths(graph: Graph, nodes: Sequence[Node]) -> npt.NDArray[np.float64]:
    """Return the settled salience of each node: what is left of it at the memory's tick."""
    elapsed = np.array([graph.header.tick - node.tick for node in nodes], np.float64)
    salience = np.array([node.salience for node in nodes], np.float64)
    return decayed_array(salience, elapsed, np.array([node.half_life for node in nodes], np.float64))


def perspective_strength(graph: Graph, node: Node, perspective: str | None, strength: float) -> float:
    """Return how strong a memory is in a perspective; its overall ``strength`` where it has none there."""
    return strength


def perspective_match(graph: Graph, node: Node, perspective: str | None) -> bool:
    """Return whether a memory says anything of its own in a perspective."""
    return False


def _bounded(strength: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return strength / (strength + 1.0)
