"""Conceptual density: how much would break if a node were torn out (000, section 4, conceptual density)."""

from typing import Final

import numpy as np
import numpy.typing as npt

from yggdrasil_schemas.graph.records import Node

_MANY_EDGES: Final = 16.0  # at so many edges, connectivity is half of what it can be
_MANY_MARKS: Final = 4.0  # and bridging at so many sessions and concepts
_KINDS: Final = 5.0


def density(node: Node) -> float:
    """Return a node's structural importance, in [0, 1]: ``d / (d + 16) * (1 + k / 5 + b / (b + 4)) / 3``.

    d is its degree, k how many kinds of edge it has had, b how many sessions and concepts it joins. All three are kept
    with the node, so density is up to date with every edge and costs no walk through the graph.
    """
    degree = node.degree
    bridging = node.marks.bit_count()
    variety = node.kinds.bit_count() / _KINDS
    return degree / (degree + _MANY_EDGES) * (1.0 + variety + bridging / (bridging + _MANY_MARKS)) / 3.0


def density_array(rows: npt.NDArray[np.void]) -> npt.NDArray[np.float64]:
    """Return ``density`` for all ``rows`` (layout NODE_ROWS), with the same bits."""
    degree = rows["degree"].astype(np.float64)
    bridging = np.bitwise_count(rows["marks"].astype(np.uint64)).astype(np.float64)
    variety = np.bitwise_count(rows["kinds"]).astype(np.float64) / _KINDS
    dense: npt.NDArray[np.float64] = degree / (degree + _MANY_EDGES)
    dense = dense * (1.0 + variety + bridging / (bridging + _MANY_MARKS)) / 3.0
    return dense
