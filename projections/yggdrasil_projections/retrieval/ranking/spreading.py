"""What the graph knows of a hit: activation spreads from it over the features that it has, those that are associated
with them, and its own edges to causes, effects, episodes and concepts.

Bounded: few hits, few features of each, few edges of each; a feature that most documents have leads nowhere. Which
features are associated was learnt from all documents, so it is not looked at where a filter hides some of them.
"""

from dataclasses import dataclass
from typing import Final, TypeVar

from yggdrasil_projections.graph.arithmetic import decayed
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.graph.records import EdgeKind, NodeKind

from ..index.columns.documents import NOBODY
from ..index.visible import Shown
from ..index.vocabulary import FEATURE_TERM
from .relevance import Hit

SEEDS_MAX: Final = 5
_FEATURES_MAX: Final = 8  # of each hit, as many as an event's are associated with each other
_ASSOCIATED_FROM_MAX: Final = 4
_DEGREE_MAX: Final = 64  # what is linked with more says nothing of any of them
_SPREAD_FEATURES_MAX: Final = 32
_HAVING_MAX: Final = 64  # a feature that more documents have means little for each of them
_PER_STEP: Final = 0.5
_UPWARD: Final = 0.15  # to what contains a hit: it lifts an episode that is relevant anyway, and brings none by itself
_KeyT = TypeVar("_KeyT")
_CAUSAL: Final = int(EdgeKind.CAUSAL)
_CONTAINS: Final = int(EdgeKind.CONTAINS)
_OUTCOME: Final = int(NodeKind.OUTCOME)


@dataclass(slots=True)
class Reached:
    """How active a document is, in [0, 1], from which hit, and whether that is its cause or its effect."""

    activation: float
    seed: int
    linked: bool = False


def spread(graph: Graph, index: Shown, hits: list[Hit]) -> dict[int, Reached]:
    """Return the documents that the first of ``hits`` lead to."""
    reached: dict[int, Reached] = {}
    features: dict[str, Reached] = {}
    for hit in hits[:SEEDS_MAX]:
        _over_edges(graph, index, hit, reached)
        for name in _features(index, hit.row):
            _raise(features, name, hit.relevance, hit.row)
    strongest = sorted(features.items(), key=lambda entry: (-entry[1].activation, entry[0]))
    for name, active in () if index.standing.filtered else strongest[:_ASSOCIATED_FROM_MAX]:
        for other, weight in _associated(graph, name):
            _raise(features, other, active.activation * weight * _PER_STEP, active.seed)
    strongest = sorted(features.items(), key=lambda entry: (-entry[1].activation, entry[0]))
    for name, active in strongest[:_SPREAD_FEATURES_MAX]:
        rows = _having(index, name)
        for row in rows or ():
            if row != active.seed:
                _raise(reached, row, active.activation * _PER_STEP, active.seed)
    columns = index.documents.columns  # what has no text tells an agent nothing, and an outcome stands for another
    return {row: active for row, active in reached.items() if columns.chars[row] and columns.kind[row] != _OUTCOME}


def _raise(into: dict[_KeyT, Reached], key: _KeyT, activation: float, seed: int, *, linked: bool = False) -> None:
    known = into.get(key)
    if known is None or activation > known.activation:
        into[key] = Reached(activation, seed, linked)


def _features(index: Shown, row: int) -> list[str]:
    """Return the features of a document that few others have, in order of their names."""
    lexicon = index.postings.lexicon
    numbers: list[int] = index.postings.terms_of(row)[0].tolist()
    names = sorted(term for number in numbers if (term := lexicon[number]).startswith(FEATURE_TERM))
    return [name for name in names if _having(index, name) is not None][:_FEATURES_MAX]


def _having(index: Shown, name: str) -> list[int] | None:
    """Return the documents that have a feature, None when they are too many to mean anything."""
    number = index.postings.number.get(name)
    if number is None:
        return []
    return index.standing.few(index.postings.posting(number).rows, _HAVING_MAX)


def _associated(graph: Graph, name: str) -> list[tuple[str, float]]:
    """Return what a feature is associated with, and how strongly, in (0, 1)."""
    number = graph.feature(name.removeprefix(FEATURE_TERM))
    node = None if number is None else graph.node(number)
    if node is None or node.degree > _DEGREE_MAX:
        return []
    found: list[tuple[str, float]] = []
    for key in sorted(graph.links(node.number)):
        if key[1] == EdgeKind.ASSOCIATIVE:
            edge = graph.expect_edge(key)
            weight = decayed(edge.weight, graph.header.tick - edge.tick, edge.half_life)
            other = key[2] if key[0] == node.number else key[0]
            found.append((FEATURE_TERM + graph.feature_name(other), weight / (weight + 1.0)))
    return found


def _over_edges(graph: Graph, index: Shown, hit: Hit, reached: dict[int, Reached]) -> None:
    """Let the causes and effects of a hit be reached, and the episodes and concepts that contain it.

    What it contains itself is not: it shows its members anyway.
    """
    columns = index.documents.columns
    node = graph.expect(int(columns.number[hit.row]))
    if node.degree > 4 * _DEGREE_MAX:
        return
    for source, kind, target in sorted(graph.links(node.number)):
        if kind == _CAUSAL or (kind == _CONTAINS and target == node.number):
            row = index.documents.row(target if source == node.number else source)
            standing = NOBODY if row is None else int(index.standing.for_row[row])
            if standing not in (NOBODY, hit.row):
                linked = kind == _CAUSAL
                _raise(reached, standing, hit.relevance * (_PER_STEP if linked else _UPWARD), hit.row, linked=linked)
