"""What was rejected stays so in answers: said again in the same words, or claimed under another predicate.

No law says that two texts mean the same, so the repetition stands in the graph, and is shown to whoever asks for
statuses or the history. Whoever is trusted as much as those who said and rejected it may say it anew.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np

from yggdrasil_projections.graph.laws.standing.ruling import authority
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.graph.records import EdgeKind, Node, NodeKind, Status, is_feature

from ...index.visible import Shown

_CONTAINS: Final = int(EdgeKind.CONTAINS)
_CLAIM: Final = int(NodeKind.CLAIM)
_REJECTED: Final = int(Status.REJECTED)


def rejected_again(graph: Graph, index: Shown, rows: Sequence[int]) -> set[int]:
    """Return which of ``rows`` say what was rejected by somebody who is trusted more than whoever says it there."""
    columns = index.documents.columns
    rejected = np.flatnonzero(columns.alive & (columns.status == _REJECTED))
    if not len(rejected) or not len(rows):
        return set()
    at = np.array(rows, np.int64)
    again = rejected[(columns.saying[rejected] != 0) & np.isin(columns.saying[rejected], columns.saying[at])]
    most: dict[int, int] = {}
    for number, saying in zip(columns.number[again].tolist(), columns.saying[again].tolist(), strict=True):
        node = graph.node(number)
        if node is not None:
            most[saying] = max(most.get(saying, 0), authority(graph, node))
    found = {row for row in rows if columns.trust[row] < most.get(int(columns.saying[row]), 0)}
    if (columns.kind[rejected] == _CLAIM).any():
        claims = [row for row in rows if columns.kind[row] == _CLAIM and row not in found]
        found.update(row for row in claims if stays_rejected(graph, graph.expect(int(columns.number[row]))))
    return found


def stays_rejected(graph: Graph, node: Node) -> bool:
    """Whether the value of a claim was rejected of the same thing under another predicate, by more authority."""
    claim = graph.claim(node)
    if claim is None:
        return False
    links = sorted(key for key in graph.links(node.number) if key[0] == node.number and key[1] == _CONTAINS)
    for feature in (key[2] for key in links if is_feature(key[2])):
        for source, kind, target in graph.links(feature):  # at most ``degree_max``
            other = graph.expect(source) if kind == _CONTAINS and target == feature else None
            if other is None or other is node or other.status != Status.REJECTED:
                continue
            said = graph.claim(other)
            same = said is not None and said.value == claim.value and said.predicate != claim.predicate
            if same and authority(graph, other) > node.trust:
                return True
    return False
