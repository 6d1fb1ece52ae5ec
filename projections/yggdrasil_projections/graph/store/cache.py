"""The graphs that a store keeps in memory between commits, bounded by the number of their cached records."""

from collections import OrderedDict
from typing import Final

from ..working_set import Graph

_RECORDS_PER_GRAPH: Final = 10  # a graph takes some 3 KB before it holds anything, and a cached record 300 bytes


class GraphCache:
    """Working sets by memory, the one that was used longest ago first. What it drops is in the store."""

    def __init__(self, records_max: int) -> None:
        self._records_max = records_max
        self._records = 0
        self._graphs: OrderedDict[str, Graph] = OrderedDict()
        self._counted: dict[str, int] = {}

    @property
    def records(self) -> int:
        """How many records are held as objects, or as many as would take their place."""
        return self._records

    def get(self, memory: str) -> Graph | None:
        """Return the cached graph of ``memory``."""
        return self._graphs.get(memory)

    def add(self, memory: str, graph: Graph) -> None:
        """Take a graph in; nothing is dropped for it before ``settle``, so a batch under way keeps what it has."""
        self._graphs[memory] = graph

    def settle(self, memory: str) -> None:
        """Count what ``memory`` has cached by now, and shrink to the bound. Only while no graph has changes."""
        graph = self._graphs.get(memory)
        if graph is None:  # dropped for another one meanwhile
            return
        self._graphs.move_to_end(memory)
        self._count(memory, graph)
        while self._records > self._records_max and len(self._graphs) > 1:
            dropped, _ = self._graphs.popitem(last=False)
            self._records -= self._counted.pop(dropped, 0)
        if self._records > self._records_max:
            # An eighth more, so that not every commit has to evict.
            graph.evict(self._records - self._records_max + self._records_max // 8)
            self._count(memory, graph)

    def clear(self) -> None:
        """Drop everything."""
        self._graphs.clear()
        self._counted.clear()
        self._records = 0

    def _count(self, memory: str, graph: Graph) -> None:
        cached = graph.cached() + _RECORDS_PER_GRAPH
        self._records += cached - self._counted.get(memory, 0)
        self._counted[memory] = cached
