"""The index of one memory."""

from ..graph.working_set import Graph
from .lexical import LexicalIndex


class MemoryIndex:
    """What is searched of one memory."""

    def __init__(self) -> None:
        self.lexical = LexicalIndex()

    def catch_up(self, graph: Graph) -> None:
        """Read what was folded since the last time."""
        self.lexical.refresh(graph)
