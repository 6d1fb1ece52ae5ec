"""The smallest hosts of the fold: a log that is a list, and graphs that exist only in memory."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from yggdrasil_infra.log import LogRecord
from yggdrasil_infra.rocks.database import MemoryBudget
from yggdrasil_projections.graph.fold import Fold
from yggdrasil_projections.graph.nothing_stored import NothingStored
from yggdrasil_projections.graph.store.projector import BATCH_RECORDS_MAX, Projector
from yggdrasil_projections.graph.store.store import CACHED_RECORDS_MAX, GraphStore, Pin
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.graph.records import Header

TOPIC: Final = "benchmark"


class GraphsInMemory:
    """Where the pure fold finds graphs: nothing is stored, everything is kept."""

    def __init__(self) -> None:
        self.graphs: dict[str, Graph] = {}

    def graph(self, memory: str) -> Graph:
        """Return the graph of ``memory``, a new one when it has none."""
        graph = self.graphs.get(memory)
        if graph is None:
            graph = self.graphs[memory] = Graph(Header(memory), NothingStored())
        return graph

    def committed(self) -> None:
        """Forget which records have changed, as every host does after a batch. Contents and identities stay."""
        for graph in self.graphs.values():
            for changes in (graph.changed_nodes, graph.changed_edges, graph.changed_features, graph.new_edges):
                changes.clear()


def pure_fold(records: Sequence[LogRecord]) -> GraphsInMemory:
    """Fold ``records`` into memory, in batches as hosts do; return the graphs."""
    graphs = GraphsInMemory()
    apply = Fold(0, 1, graphs).apply
    for start in range(0, len(records), BATCH_RECORDS_MAX):
        for record in records[start : start + BATCH_RECORDS_MAX]:
            apply(record)
        graphs.committed()
    return graphs


class PassingLog:
    """A log of one partition that holds only what it was given last, so that a long one needs no memory."""

    topic_id = TOPIC
    partitions = 1

    def __init__(self, start: int = 0) -> None:
        """Begin before offset ``start``."""
        self._records: Sequence[LogRecord] = ()
        self.end = start

    def extend(self, records: Sequence[LogRecord]) -> None:
        """Hold ``records``, which follow those before them, and forget those."""
        self._records = records
        self.end += len(records)

    @property
    def last(self) -> LogRecord:
        """The last record."""
        return self._records[-1]

    def start_offset(self, partition: int) -> int:
        """Return 0."""
        return 0

    def end_offset(self, partition: int) -> int:
        """Return the offset after the last record."""
        return self.end

    def read(self, partition: int, offset: int, records_max: int) -> Sequence[LogRecord]:
        """Return records from ``offset`` on."""
        first = offset - self.end + len(self._records)
        return self._records[first : first + records_max]

    def close(self) -> None:
        """Forget everything."""
        self._records = ()


class FoldingHost:
    """A real store that is fed from a PassingLog."""

    def __init__(self, path: Path, cached_records_max: int = CACHED_RECORDS_MAX, log: PassingLog | None = None) -> None:
        """Open or create the store at ``path``; ``log`` holds at least the last record of one that exists."""
        self.path = path
        self.log = log or PassingLog()
        self.store = GraphStore(path, Pin(TOPIC, 1, 0), MemoryBudget.of(), cached_records_max)
        self.projector = Projector(self.log, self.store)

    def fold(self, records: Sequence[LogRecord], batch: int = BATCH_RECORDS_MAX) -> None:
        """Fold ``records`` into the store, ``batch`` at a time."""
        self.log.extend(records)
        while self.projector.advance(batch):
            pass

    def header(self, memory: str) -> Header:
        """Return the header of a memory that has been folded."""
        graph = self.store.peek(memory)
        if graph is None:
            raise ValueError(f"{memory}: nothing was folded")
        return graph.header

    def close(self) -> None:
        """Close the store."""
        self.projector.close()
