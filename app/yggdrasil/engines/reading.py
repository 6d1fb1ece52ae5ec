"""Everything that a host with stores can be asked, whatever it folds from."""

from abc import abstractmethod
from collections.abc import Callable, Generator
from contextlib import contextmanager
from threading import Event
from time import monotonic
from typing import Any, Final, TypeVar, cast

from yggdrasil_infra.clock import now_ms
from yggdrasil_infra.log import LogReader, Receipt
from yggdrasil_infra.turns import Turns
from yggdrasil_processors.hosted import Hosted
from yggdrasil_projections.graph.lensed import hidden_of, lensed
from yggdrasil_projections.graph.store.families import OF_GRAPHS
from yggdrasil_projections.graph.store.store import Frozen
from yggdrasil_projections.graph.unsound import UNSOUND_MAX, UnsoundRecordError
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_projections.retrieval.asks import Speaker
from yggdrasil_projections.retrieval.errors import InvalidAskError, UnknownMemoryError
from yggdrasil_projections.retrieval.index.index import MemoryIndex
from yggdrasil_projections.retrieval.index.view import RetrievalView
from yggdrasil_projections.retrieval.query import NOW, At, Query
from yggdrasil_projections.retrieval.ranking.own.ranker import OwnRanker
from yggdrasil_projections.service.reads import Lag
from yggdrasil_schemas.errors import YggdrasilError

from .appending import Appending
from .recalls import Seen, recorded

_ATTESTED_S: Final = 120.0  # the digest of the largest memory takes a few seconds
_LOOK_S: Final = 0.01
_PARTS_MAX: Final = 1_000  # where indexes are too large for the view's bytes, one may be dropped before it is whole
_WAIT: Final = Event()  # never set
T = TypeVar("T")


class Reading(Appending):
    """A host of partitions that are folded and asked in this process. Everything here may be called by any thread.

    What it needs of a host is below, and in ``Appending``; what it offers are the ports ``Reads`` and ``Appends``, and
    ``attested``. What names a memory raises UnknownMemoryError.
    """

    view: RetrievalView
    turns: Turns
    ranker: OwnRanker | None = None
    """The ranker of somebody else's that orders answers, where the operator has named one."""

    # What a host provides

    @abstractmethod
    def all_hosted(self) -> list[Hosted]:
        """Return all partitions of this host."""

    @abstractmethod
    def lags(self) -> list[Lag]:
        """Return how far every partition of this host is."""

    @property
    def where(self) -> str:
        """Where the memories are kept, in words; empty when that says nothing to whoever asks."""
        return ""

    # What can be asked

    @contextmanager
    def reading_of(self, memory: str) -> Generator[tuple[Graph, int]]:
        """Hold a reader's turn with a memory's graph, and its partition. Raises UnknownMemoryError."""
        hosted = self.hosted(memory)
        with hosted.reading(memory) as graph:
            if graph is None:
                raise UnknownMemoryError(memory, self.where)
            yield graph, hosted.number

    @contextmanager
    def asking(self, memory: str) -> Generator[tuple[Graph | None, int]]:
        """Hold a reader's turn with a graph whose index was warmed in many, and its partition; None if unknown."""
        hosted = self.hosted(memory)
        for _ in range(_PARTS_MAX):
            with hosted.reading(memory) as graph:
                if graph is None or self.view.warm(graph):
                    yield graph, hosted.number
                    return
        with hosted.reading(memory) as graph:
            yield graph, hosted.number

    def wait(self, memory: str, after: Receipt, deadline_s: float) -> None:
        """Return once ``memory`` has folded the record at ``after``.

        Raises NotYetError at the deadline, and InvalidAskError for a record in another partition than the memory's.
        """
        hosted = self.hosted(memory)
        if hosted.number != after.partition:
            raise InvalidAskError(f"{memory} is in partition {hosted.number}, and the receipt is of {after.partition}")
        hosted.wait(after, deadline_s)

    def ask(self, memory: str, query: Query[T], by: Speaker | None = None, at: At = NOW) -> T:
        """Answer a query, once the memory stands where it is to; record it on behalf of ``by`` where it says so.

        Raises NotYetError, UnknownMemoryError, and what the query's row names; then nothing is recorded.
        """
        if at.after is not None:
            self.wait(memory, at.after, at.deadline_s)
        answer, source = self._answer_of(memory, query, at.trust_min)
        if by is None or source.seen is None:
            return answer
        asked = cast("Query[T]", source.asked or query)
        return recorded(self.submit_recall, memory, asked, answer, by, source.seen)

    def _answer_of(self, memory: str, query: Query[T], trust_min: int) -> tuple[T, "Held"]:
        """Answer a query; a record that is not the one that was folded is left out, and it is answered from the rest.

        Raises UnsoundRecordError where too many are, and what the query's row names.
        """
        for _ in range(UNSOUND_MAX):  # each time one more is left out
            source = Held(self, memory, trust_min)
            try:
                return query.read(source), source
            except UnsoundRecordError as error:
                self.view.unsound.note(error, source.partition)
        source = Held(self, memory, trust_min)
        return query.read(source), source

    def memories(self, tenant: str | None = None) -> list[str]:
        """Return the ids of all memories, or of one tenant's, sorted."""
        found: list[str] = []
        for hosted in self.all_hosted():
            with hosted.turns.reading():
                hosted.check()
                found += hosted.store.memories("" if tenant is None else f"{tenant}/")
        return sorted(found)

    def knows(self, memory: str) -> bool:
        """Return whether anything of ``memory`` has been folded."""
        with self.hosted(memory).reading(memory) as graph:
            return graph is not None

    def memories_asked(self) -> list[str]:
        """Return the memories whose indexes are held: those that were asked lately."""
        with self.turns.reading():
            return self.view.memories

    def attested(self, memory: str, seq: int) -> str:
        """Return the digest that the ``attest`` at ``seq`` asked for, waiting until it is there."""
        hosted = self.hosted(memory)
        until = monotonic() + _ATTESTED_S
        while True:
            settled = hosted.projector.attestations_settled
            with self.reading_of(memory):
                kept = hosted.store.attestations(memory)
            if seq in kept:
                return kept[seq]
            if settled or monotonic() > until:
                raise YggdrasilError(
                    f"{memory}: the digest at seq {seq} was lost when the process ended; `yggdrasil replay` finds it"
                )
            _WAIT.wait(_LOOK_S)


class Held:
    """One memory of a host, as reads see it: the ``Source`` of a query.

    Where nothing is seen below a trust, the graph is read outside of any turn: to tell what is takes longer.
    """

    def __init__(self, host: Reading, memory: str, trust_min: int = 0) -> None:
        self._host = host
        self.memory = memory
        self.trust_min = trust_min
        self.seen: Seen | None = None
        """The state that was read; None while nothing was."""
        self.asked: Query[Any] | None = None
        """What was asked in full, where that is more than the query."""

    @property
    def partition(self) -> int:
        """The partition that it is in."""
        return self._host.hosted(self.memory).number

    @property
    def log(self) -> LogReader:
        """The log."""
        return self._host.records

    @property
    def ranker(self) -> OwnRanker | None:
        """The ranker of somebody else's, if the host was given one."""
        return self._host.ranker

    def now_ms(self) -> int:
        """Return the present."""
        return now_ms()

    def resolved(self, query: Query[Any]) -> None:
        """Take what is asked in full."""
        self.asked = query

    @contextmanager
    def graph(self) -> Generator[Graph]:
        """Hold a reader's turn with the graph."""
        if self.trust_min:
            with self.frozen() as graph:
                yield graph
            return
        with self._host.reading_of(self.memory) as (graph, _):
            yield self._saw(graph)

    @contextmanager
    def indexed(self) -> Generator[tuple[Graph, MemoryIndex]]:
        """Hold a reader's turn with the graph and its index."""
        with self._host.asking(self.memory) as (graph, partition):
            if graph is None:
                raise UnknownMemoryError(self.memory, self._host.where)
            index, _ = self._host.view.sound(graph, partition)
            yield self._saw(graph), index

    @contextmanager
    def frozen(self) -> Generator[Graph]:
        """Open the graph as it stands, outside of any turn."""
        with self._host.hosted(self.memory).frozen(self.memory) as graph:
            if graph is None:
                raise UnknownMemoryError(self.memory, self._host.where)
            yield self._saw(graph)

    @contextmanager
    def found(self, find: Callable[[Graph, MemoryIndex], T]) -> Generator[tuple[Graph, T]]:
        """Ask the index in a turn, and open the graph as it stood then with what was found."""
        with self.indexed() as (graph, index):
            found = find(graph, index)
            frozen = self._host.hosted(self.memory).store.frozen(self.memory, OF_GRAPHS)
        try:
            yield lensed(frozen.graph(), self.trust_min, hidden_of(graph)), found
        finally:
            frozen.view.close()

    @contextmanager
    def whole(self) -> Generator[Frozen]:
        """Open every family of the memory's digest as it stands."""
        with self._host.reading_of(self.memory):
            frozen = self._host.hosted(self.memory).store.frozen(self.memory)
        try:
            yield frozen
        finally:
            frozen.view.close()

    def _saw(self, graph: Graph) -> Graph:
        hidden = self._host.view.unsound.among(graph)
        self.seen = Seen(graph.header.seq, graph.header.policy, self.trust_min, sorted(hidden))
        return lensed(graph, self.trust_min, hidden)
