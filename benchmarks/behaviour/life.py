"""A memory that lives through a scenario: it is told real commands one by one, and read in between.

What is random is drawn from the scenario's seed, so a life is the same bytes on every machine.
"""

import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol

from yggdrasil_infra.log import LogRecord
from yggdrasil_producers.draft import Drafter
from yggdrasil_producers.stamps import Stamp
from yggdrasil_projections.graph.arithmetic import decayed
from yggdrasil_projections.graph.fold import Fold
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_projections.retrieval.asks import Ask
from yggdrasil_projections.retrieval.index.index import MemoryIndex
from yggdrasil_projections.retrieval.memories import salience_now
from yggdrasil_projections.retrieval.ranking.rankers import RANKER, RANKERS
from yggdrasil_projections.retrieval.ranking.relevance import relevant
from yggdrasil_projections.retrieval.reads.learning.context import VERSIONS, search_context
from yggdrasil_schemas.graph.records import EdgeKind, Node, node_number
from yggdrasil_schemas.ids import uuid7

from ..folding.hosts import FoldingHost, GraphsInMemory

MEMORY: Final = "bench/life"
_START_MS: Final = 1_700_000_000_000
_BATCH: Final = 500


class Said(NamedTuple):
    """A command that was told: its id, and the number of the node that it made, if it makes one."""

    id: str
    number: int


class Host(Protocol):
    """Where a life is folded."""

    def fold(self, record: LogRecord) -> None:
        """Fold one record, at the latest when the graph is read."""
        ...

    def graph(self) -> Graph:
        """Return the memory's graph as of the last record."""
        ...


class InMemory:
    """The pure fold, record by record; quick to read after every one of them."""

    def __init__(self) -> None:
        self._graphs = GraphsInMemory()
        self._apply = Fold(0, 1, self._graphs).apply

    def fold(self, record: LogRecord) -> None:
        """Fold one record. Raises ValueError when it is refused."""
        answer = self._apply(record)
        if answer.refused:
            raise ValueError(f"offset {record.offset}: {answer.refused}")

    def graph(self) -> Graph:
        """Return the graph."""
        return self._graphs.graph(MEMORY)


class Stored:
    """A real store, folded in batches; what is in it can be searched. A context manager."""

    def __init__(self, path: Path) -> None:
        self._host = FoldingHost(path)
        self._waiting: list[LogRecord] = []
        self._index = MemoryIndex(MEMORY)

    def __enter__(self) -> "Stored":
        return self

    def __exit__(self, *_: object) -> None:
        self._host.close()

    def fold(self, record: LogRecord) -> None:
        """Keep a record for the next batch."""
        self._waiting.append(record)
        if len(self._waiting) == _BATCH:
            self._flush()

    def graph(self) -> Graph:
        """Return the graph, when all that was told has been folded. Raises ValueError when some of it was refused."""
        self._flush()
        graph = self._host.store.peek(MEMORY)
        if graph is None or graph.header.seq != self._host.log.end:
            raise ValueError("a command of the scenario was refused")
        return graph

    def search(self, query: str, k: int) -> list[str]:
        """Return the references that the two-stage search of ``get_context`` returns, best first."""
        graph = self._read()
        return search_context(graph, self._index, Ask(MEMORY, query, k), 0).refs

    def similarities(self, query: str) -> dict[int, float]:
        """Return the nodes whose text is like ``query``, with how much: what a search by similarity alone has."""
        self._read()
        numbers = self._index.documents.columns.number
        hits = relevant(self._index.shown(), query, None, RANKERS[RANKER]).hits
        return {int(numbers[hit.row]): hit.lexical for hit in hits}

    def _read(self) -> Graph:
        """Bring the index to the position of the graph, which it is told nothing of in between."""
        graph = self.graph()
        self._index.reconcile(graph)
        self._index.catch_up(graph)
        return graph

    def _flush(self) -> None:
        if self._waiting:
            self._host.fold(self._waiting)
            self._waiting = []


class Life:
    """One memory and all that it is told; ``random`` is the scenario's only source of chance."""

    def __init__(self, seed: int, host: Host, policy: Mapping[str, int | float] | None = None) -> None:
        """Begin with a ``policy`` that differs from the default in so much, if given."""
        self.random = random.Random(seed)
        self.host = host
        self._ids = random.Random(seed + 1_000_000)  # so that what is drawn does not depend on how much is told
        self._drafter = Drafter(MEMORY, "agent", "benchmark", "operator")
        self._told = 0
        if policy:
            self.tell("set_policy", {"changes": dict(policy)})

    def tell(self, kind: str, body: Mapping[str, Any], session: str = "work", text: str | None = None) -> Said:
        """Tell one command, which must be accepted."""
        stamp = Stamp(uuid7(_START_MS + self._told, self._ids.randbytes(10)), _START_MS + self._told)
        content = None if text is None else {"text": text}
        draft = self._drafter.draft(kind, body, content, session, stamp)
        self.host.fold(LogRecord(0, self._told, draft.key, draft.value, _START_MS))
        self._told += 1
        return Said(draft.id, node_number(self._told))

    def event(self, features: Sequence[str], session: str = "work", text: str | None = None) -> Said:
        """Tell of an event."""
        return self.tell("record_event", {"features": list(features)}, session, text)

    def outcome(self, event: Said, value: float, kind: str = "outcome", *, catastrophic: bool = False) -> Said:
        """Tell how an event turned out."""
        body = {"event": event.id, "value": value, "kind": kind, "catastrophic": catastrophic}
        return self.tell("log_outcome", body)

    def recall(self, refs: Sequence[str]) -> Said:
        """Tell that a read for context returned ``refs``."""
        body = {"purpose": "context", "as_of": 0, "returned": list(refs), "parameters": {"k": len(refs)}, **VERSIONS}
        return self.tell("record_recall", body)

    def use(self, recall: Said, used: Sequence[str], *, success: bool) -> Said:
        """Tell which of what was recalled was used, and how the task went."""
        body = {"recall": recall.id, "used": list(used), "result": "success" if success else "failure"}
        return self.tell("report_use", body | {"helpful": success})

    def node(self, number: int) -> Node | None:
        """Return a node, or None when it is gone."""
        return self.host.graph().node(number)

    def salience(self, number: int) -> float:
        """Return a node's salience as it is now; 0 when it is gone."""
        graph = self.host.graph()
        node = graph.node(number)
        return salience_now(graph, node) if node else 0.0

    def feature(self, name: str) -> Node | None:
        """Return the node of a feature, or None when there is none."""
        graph = self.host.graph()
        number = graph.feature(name)
        return None if number is None else graph.node(number)

    def cause(self, feature: str, kind: str) -> float:
        """Return the present weight of the causal edge from a feature to a kind of outcome; 0 when there is none."""
        graph = self.host.graph()
        ends = graph.feature(feature), graph.feature(f"outcome:{kind}")
        if ends[0] is None or ends[1] is None:
            return 0.0
        edge = graph.edge((ends[0], int(EdgeKind.CAUSAL), ends[1]))
        return decayed(edge.weight, graph.header.tick - edge.tick, edge.half_life) if edge else 0.0
