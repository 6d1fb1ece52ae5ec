"""Situations like the one that is asked about, and how they ended."""

from ..graph.working_set import Graph
from .answers import Case, SimilarCases
from .asks import Ask
from .context import VERSIONS, search_context
from .index import MemoryIndex


def similar_cases(graph: Graph, index: MemoryIndex, ask: Ask, partition: int) -> SimilarCases:
    """Return at most ``k`` cases that ended well and as many that ended badly, most alike first."""
    good: list[Case] = []
    bad: list[Case] = []
    for found in search_context(graph, index, ask, partition).found:
        value = max((outcome.value for outcome in found.memory.outcomes), key=abs, default=0.0)
        if value:
            (good if value > 0 else bad).append(Case(found, value, []))
    return SimilarCases(ask.query, good, bad, graph.header.seq, versions=VERSIONS)
