"""The indexes of a host: of each memory that is asked, at the position of its graph, bounded in bytes."""

from pathlib import Path
from types import TracebackType
from typing import Final, Self

from ..graph.working_set import Graph
from .index import MemoryIndex

BYTES_MAX: Final = 1 << 30


class RetrievalView:
    """The indexes of the memories that were asked lately; a context manager.

    Whoever shares a view asks and commits under one lock.
    """

    def __init__(self, directory: Path | None, bytes_max: int = BYTES_MAX) -> None:
        """Keep at most ``bytes_max`` bytes in memory; what has to go is written to ``directory``, if there is one."""
        self._directory = directory
        self._bytes_max = bytes_max
        self._indexes: dict[str, MemoryIndex] = {}

    def committed(self, graph: Graph) -> None:
        """Take notice of a commit. Nothing is done for a memory that was not asked lately."""

    def index(self, graph: Graph) -> MemoryIndex:
        """Return the index of a memory, brought to the position of ``graph``."""
        memory = graph.header.memory
        index = self._indexes.pop(memory, None) or MemoryIndex()
        self._indexes[memory] = index
        index.catch_up(graph)
        return index

    def close(self) -> None:
        """Let go of all indexes. Closing twice is allowed."""
        self._indexes.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
