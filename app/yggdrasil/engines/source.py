"""What a read is answered from: one memory of a host that keeps stores and indexes in this process."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Sequence, Set
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Final, NamedTuple, Protocol, TypeVar

from yggdrasil_infra.clock import now_ms
from yggdrasil_infra.log import LogReader
from yggdrasil_processors.hosted import Hosted
from yggdrasil_projections.graph.lensed import hidden_of, lensed
from yggdrasil_projections.graph.store.families import OF_GRAPHS
from yggdrasil_projections.graph.store.store import Frozen
from yggdrasil_projections.graph.unsound import UNSOUND_MAX, UnsoundRecordError
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_projections.retrieval.errors import UnknownMemoryError
from yggdrasil_projections.retrieval.index.columns.vectors import ModelKey
from yggdrasil_projections.retrieval.index.index import MemoryIndex
from yggdrasil_projections.retrieval.index.view import RetrievalView
from yggdrasil_projections.retrieval.past.moment import AsOf, NoSuchMomentError
from yggdrasil_projections.retrieval.query import Query
from yggdrasil_projections.retrieval.ranking.own.ranker import OwnRanker
from yggdrasil_schemas.partitions import partition_for
from yggdrasil_schemas.policy import Policy

_PARTS_MAX: Final = 1_000  # where indexes are too large for the view's bytes, one may be dropped before it is whole
T = TypeVar("T")


class Seen(NamedTuple):
    """Of which state an answer is: the seq of the memory, its policy, and from which trust on it was seen.

    ``unsound`` are the nodes that were left out, since the store held other records of them than were folded.
    """

    seq: int
    policy: Policy
    trust_min: int = 0
    unsound: Sequence[int] = ()


class Keeper(ABC):
    """A host of stores and indexes, as what is read there sees it. For any thread."""

    view: RetrievalView
    ranker: OwnRanker | None = None
    """The ranker of somebody else's that orders answers, where the operator has named one."""
    model: ModelKey | None = None
    """The model and the dimension of the vectors that what is recorded here gets, where something makes them."""

    @abstractmethod
    def hosted(self, memory: str) -> Hosted:
        """Return the partition of ``memory``, as far as it is folded. Raises NotHereError and NotReadyError."""

    @property
    @abstractmethod
    def records(self) -> LogReader:
        """The log, for reading what the stores do not keep."""

    @property
    def where(self) -> str:
        """Where the memories are kept, in words; empty when that says nothing to whoever asks."""
        return ""

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


class PastsOf(Protocol):
    """The pasts of a memory, as whoever asks for one sees them."""

    def standing(self, as_of: AsOf) -> "AbstractContextManager[Held]":
        """Hold the memory as it stood at a moment."""
        ...

    def in_quarantine(self) -> Set[int]:
        """Return the nodes that are in quarantine today and are not shown."""
        ...


class Held:
    """One memory of a host, as reads see it: the ``Source`` of a query.

    Where nothing is seen below a trust, the graph is read outside of any turn: to tell what is takes longer. ``ms`` is
    the moment from which it is looked at, the present unless given, and the nodes ``withheld`` are never seen.
    ``pasts`` leads to other moments.
    """

    def __init__(
        self,
        host: Keeper,
        memory: str,
        trust_min: int = 0,
        ms: int | None = None,
        withheld: Set[int] = frozenset(),
        pasts: "PastsOf | None" = None,
    ) -> None:
        self._host = host
        self.memory = memory
        self.trust_min = trust_min
        self._ms = ms
        self.withheld = withheld
        self._pasts = pasts
        self.seen: Seen | None = None
        """The state that was read; None while nothing was."""
        self.asked: Query[Any] | None = None
        """What was asked in full, where that is more than the query."""

    @property
    def partition(self) -> int:
        """The partition that it is in."""
        return partition_for(self.memory.encode(), self._host.records.partitions)  # asked in turns, so no host's

    @property
    def log(self) -> LogReader:
        """The log."""
        return self._host.records

    @property
    def folded(self) -> int:
        """The offset below which its partition is folded here."""
        return self._host.hosted(self.memory).position

    @property
    def ranker(self) -> OwnRanker | None:
        """The ranker of somebody else's, if the host was given one."""
        return self._host.ranker

    @property
    def model(self) -> ModelKey | None:
        """The model of the host's vectors, if it makes any."""
        return self._host.model

    def now_ms(self) -> int:
        """Return the moment from which it is looked at."""
        return now_ms() if self._ms is None else self._ms

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
            index, unsound = self._host.view.sound(graph, partition)
            if self.withheld:
                index.hide(graph, unsound | self.withheld)
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
        hosted = self._host.hosted(self.memory)  # before the turn: it may have to fold, which takes one
        with self.indexed() as (graph, index):
            found = find(graph, index)
            frozen = hosted.store.frozen(self.memory, OF_GRAPHS)
        with hosted.at_leisure(frozen.view):
            yield lensed(frozen.graph(), self.trust_min, hidden_of(graph)), found

    @contextmanager
    def standing(self, as_of: AsOf) -> "Generator[Held]":
        """Open the memory as it stood at another moment. Raises NoSuchMomentError where no past is at hand."""
        if self._pasts is None:
            raise NoSuchMomentError(self.memory, "its past is not kept here")
        with self._pasts.standing(as_of) as held:
            yield held

    def in_quarantine(self) -> Set[int]:
        """Return the nodes that are in quarantine today, unless an auditor asks for them."""
        return frozenset() if self._pasts is None else self._pasts.in_quarantine()

    @contextmanager
    def whole(self) -> Generator[Frozen]:
        """Open every family of the memory's digest as it stands."""
        hosted = self._host.hosted(self.memory)  # before the turn, as above
        with self._host.reading_of(self.memory):
            frozen = hosted.store.frozen(self.memory)
        with hosted.at_leisure(frozen.view):
            yield frozen

    def _saw(self, graph: Graph) -> Graph:
        hidden = self._host.view.unsound.among(graph)
        self.seen = Seen(graph.header.seq, graph.header.policy, self.trust_min, sorted(hidden))
        return lensed(graph, self.trust_min, hidden, self.withheld)


def answered(query: Query[T], view: RetrievalView, source: Callable[[], Held]) -> tuple[T, Held]:
    """Answer a query from a ``source``, and return that with it.

    A record that is not the one that was folded is left out, and it is answered from the rest. Raises
    UnsoundRecordError where too many are, and what the query's row names.
    """
    for _ in range(UNSOUND_MAX):  # each time one more is left out
        held = source()
        try:
            return query.read(held), held
        except UnsoundRecordError as error:
            view.unsound.note(error, held.partition)
    held = source()
    return query.read(held), held
