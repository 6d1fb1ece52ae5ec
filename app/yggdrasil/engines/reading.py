"""Everything that a host with stores can be asked, whatever it folds from."""

from abc import abstractmethod
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from threading import Event
from time import monotonic
from typing import Final

from yggdrasil_infra.clock import now_ms
from yggdrasil_infra.log import Receipt
from yggdrasil_infra.turns import Turns
from yggdrasil_processors.hosted import Hosted
from yggdrasil_projections.graph.store.digest import state_digest
from yggdrasil_projections.graph.store.families import OF_GRAPHS
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_projections.retrieval.answers import Became, Context, Described, Foretelling, SimilarCases, Timeline
from yggdrasil_projections.retrieval.asks import Ask, Speaker, Where
from yggdrasil_projections.retrieval.errors import InvalidAskError, UnknownMemoryError
from yggdrasil_projections.retrieval.index.columns.moments import at_present
from yggdrasil_projections.retrieval.index.index import MemoryIndex
from yggdrasil_projections.retrieval.index.view import RetrievalView
from yggdrasil_projections.retrieval.reads.cases import similar_cases
from yggdrasil_projections.retrieval.reads.context import search_context
from yggdrasil_projections.retrieval.reads.described import became, described
from yggdrasil_projections.retrieval.reads.drift import Drift, drift
from yggdrasil_projections.retrieval.reads.episodic.episodes import Episode, Episodes, episode, episodes
from yggdrasil_projections.retrieval.reads.episodic.what_next import AskNext, WhatNext, what_next
from yggdrasil_projections.retrieval.reads.episodic.working_memory import WorkingMemory, working_memory
from yggdrasil_projections.retrieval.reads.explain import Explanation, explain
from yggdrasil_projections.retrieval.reads.foretold import foretell
from yggdrasil_projections.retrieval.reads.happened import Happenings, happened
from yggdrasil_projections.retrieval.reads.knowledge.claims import (
    AskClaims,
    Claims,
    Entity,
    claims,
    claims_about,
    entity,
)
from yggdrasil_projections.retrieval.reads.knowledge.conflicts import Contradictions, contradictions
from yggdrasil_projections.retrieval.reads.knowledge.history import History, history
from yggdrasil_projections.retrieval.reads.knowledge.lineage import ClaimLineage, Dependents, dependents, lineage
from yggdrasil_projections.retrieval.reads.knowledge.rulings import Rulings, rulings
from yggdrasil_projections.retrieval.reads.neighbourhood import Neighbourhood, neighbourhood
from yggdrasil_projections.retrieval.reads.overview import Overview, overview
from yggdrasil_projections.retrieval.reads.timeline import timeline, timeline_of
from yggdrasil_projections.service.reads import Lag
from yggdrasil_schemas.errors import YggdrasilError

from .appending import Appending
from .fetched import Fetched, NotFetchedError
from .recalls import record_recall

_ATTESTED_S: Final = 120.0  # the digest of the largest memory takes a few seconds
_LOOK_S: Final = 0.01
_PARTS_MAX: Final = 1_000  # where indexes are too large for the view's bytes, one may be dropped before it is whole
_WAIT: Final = Event()  # never set


class Reading(Appending):
    """A host of partitions that are folded and asked in this process. Everything here may be called by any thread.

    What it needs of a host is below, and in ``Appending``; what it offers are the ports ``Reads`` and ``Appends``, and
    ``attested``. What names a memory raises UnknownMemoryError.
    """

    view: RetrievalView
    turns: Turns

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

    @contextmanager
    def _indexed(self, memory: str) -> Generator[tuple[Graph, MemoryIndex]]:
        """Hold a reader's turn with a graph and its index, which is warm. Raises UnknownMemoryError."""
        with self.asking(memory) as (graph, _):
            if graph is None:
                raise UnknownMemoryError(memory, self.where)
            yield graph, self.view.index(graph)

    @contextmanager
    def _frozen(self, memory: str) -> Generator[Graph]:
        """Yield a graph as it stands, and hold no turn while it is read. Raises UnknownMemoryError."""
        with self.hosted(memory).frozen(memory) as graph:
            if graph is None:
                raise UnknownMemoryError(memory, self.where)
            yield graph

    @contextmanager
    def _claims_about(self, memory: str, thing: str | None) -> Generator[tuple[Graph, list[int]]]:
        """Yield a graph as it stands, and the claims that may be about a thing, by the index that is as far."""
        with self._indexed(memory) as (graph, index):
            likely = claims_about(graph, index, thing)
            frozen = self.hosted(memory).store.frozen(memory, OF_GRAPHS)
        try:
            yield frozen.graph(), likely
        finally:
            frozen.view.close()

    def wait(self, memory: str, after: Receipt, deadline_s: float) -> None:
        """Return once ``memory`` has folded the record at ``after``.

        Raises NotYetError at the deadline, and InvalidAskError for a record in another partition than the memory's.
        """
        hosted = self.hosted(memory)
        if hosted.number != after.partition:
            raise InvalidAskError(f"{memory} is in partition {hosted.number}, and the receipt is of {after.partition}")
        hosted.wait(after, deadline_s)

    def context(self, ask: Ask, by: Speaker | None = None) -> Context:
        """Answer, and record the recall on behalf of ``by`` if given. Raises UnknownMemoryError, recording nothing."""
        with self.asking(ask.memory) as (graph, partition):
            if graph is None:
                raise UnknownMemoryError(ask.memory, self.where)
            index = self.view.index(graph)
            ask = at_present(index.moments, ask, now_ms())
            found = search_context(graph, index, ask, partition)
        return found if by is None else record_recall(self.submit_recall, ask, "context", found, by)

    def similar_cases(self, ask: Ask, by: Speaker | None = None) -> SimilarCases:
        """Answer with cases, and record the recall on behalf of ``by`` if given; as ``context`` does."""
        with self.asking(ask.memory) as (graph, partition):
            if graph is None:
                raise UnknownMemoryError(ask.memory, self.where)
            index = self.view.index(graph)
            ask = at_present(index.moments, ask, now_ms())
            found = similar_cases(graph, index, ask, partition)
        return found if by is None else record_recall(self.submit_recall, ask, "similar_cases", found, by)

    def foretell(self, memory: str, text: str, features: Sequence[str]) -> Foretelling:
        """Return what the features of a situation foretell, and what follows them. Raises UnknownMemoryError."""
        with self._indexed(memory) as (graph, index):
            return foretell(graph, index.feature_names, text, features)

    def explain(self, memory: str, action: str) -> Explanation:
        """Return the lineage of an action. Raises UnknownMemoryError or UnknownActionError, and LogError."""
        fetched = Fetched(self.records)
        while True:
            try:
                with self.reading_of(memory) as (graph, partition):
                    return explain(graph, fetched, partition, action)
            except NotFetchedError as error:
                missing = error
            fetched.fetch(missing)

    def describe(self, memory: str, ref: str) -> Described:
        """Return one memory by its reference. Raises UnknownMemoryError and UnknownNodeError."""
        with self.reading_of(memory) as (graph, partition):
            return described(graph, ref, partition)

    def neighbourhood(self, memory: str, ref: str, count: int, depth: int = 1) -> Neighbourhood:
        """Return the ``count`` nearest edges around one memory. Raises UnknownNodeError and InvalidAskError."""
        with self.reading_of(memory) as (graph, _):
            return neighbourhood(graph, ref, count, depth)

    def timeline(
        self, memory: str, *, session: str | None, before: int | None, count: int, where: Where | None = None
    ) -> Timeline:
        """Return at most ``count`` events and episodes with a seq below ``before``, of one session or of all."""
        if where is not None:
            with self._indexed(memory) as (graph, index):
                return timeline_of(graph, index, where, session=session, before=before, count=count)
        with self.reading_of(memory) as (graph, _):
            return timeline(graph, session=session, before=before, count=count)

    def happened(self, memory: str, *, since: int, count: int) -> Happenings:
        """Return at most ``count`` live events, outcomes, episodes and concepts beyond ``since``, in order."""
        with self.reading_of(memory) as (graph, _):
            return happened(graph, since=since, count=count)

    def working_memory(self, memory: str, *, session: str | None, count: int) -> WorkingMemory:
        """Return what is in mind in one open session or in all. Raises UnknownMemoryError."""
        with self.reading_of(memory) as (graph, _):
            return working_memory(graph, session=session, count=count)

    def episodes(self, memory: str, *, session: str | None, before: int | None, count: int) -> Episodes:
        """Return at most ``count`` episodes with a seq below ``before``, of one session or of all."""
        with self.reading_of(memory) as (graph, _):
            return episodes(graph, session=session, before=before, count=count)

    def episode(self, memory: str, ref: str) -> Episode:
        """Return one episode. Raises UnknownMemoryError, UnknownNodeError, and InvalidAskError for what is none."""
        with self.reading_of(memory) as (graph, _):
            return episode(graph, ref)

    def what_next(self, memory: str, ask: AskNext) -> WhatNext:
        """Return what usually comes next. Raises UnknownMemoryError, UnknownNodeError and InvalidAskError."""
        with self._indexed(memory) as (graph, index):
            return what_next(graph, index, ask)

    def history(self, memory: str, *, ref: str | None, key: str | None, standing: bool = False) -> History:
        """Return what was said in one slot, the first first. Raises UnknownMemoryError and UnknownNodeError."""
        with self.reading_of(memory) as (graph, _):
            return history(graph, ref, key, standing=standing)

    def claims(self, memory: str, ask: AskClaims) -> Claims:
        """Return the claims that are asked for: of now, unless it says of when. Raises UnknownMemoryError."""
        with self._claims_about(memory, ask.about) as (graph, likely):
            timeless = ask.valid_at is not None or ask.history or ask.statuses is not None
            return claims(graph, likely, ask if timeless else replace(ask, valid_at=now_ms()))

    def lineage(self, memory: str, ref: str) -> ClaimLineage:
        """Return why a claim is believed. Raises UnknownMemoryError, UnknownNodeError and InvalidAskError."""
        with self.reading_of(memory) as (graph, _):
            return lineage(graph, ref)

    def dependents(self, memory: str, ref: str, *, depth: int, count: int) -> Dependents:
        """Return what rests on a memory. Raises UnknownMemoryError, UnknownNodeError and InvalidAskError."""
        with self.reading_of(memory) as (graph, _):
            return dependents(graph, ref, depth=depth, count=count)

    def entity(self, memory: str, name: str, *, valid_at: int | None, count: int) -> Entity:
        """Return a thing with what is claimed of it now, or at a moment. Raises UnknownMemoryError."""
        with self._claims_about(memory, name) as (graph, likely):
            return entity(graph, likely, name, valid_at=now_ms() if valid_at is None else valid_at, count=count)

    def contradictions(self, memory: str, *, count: int) -> Contradictions:
        """Return at most ``count`` conflicts. Raises UnknownMemoryError."""
        with self.reading_of(memory) as (graph, _):
            return contradictions(graph, count)

    def rulings(self, memory: str) -> Rulings:
        """Return what people decided between claims. Raises UnknownMemoryError."""
        with self._frozen(memory) as graph:
            return rulings(graph)

    def drift(self, memory: str) -> Drift:
        """Return what the latest of a memory says of its habits. Raises UnknownMemoryError."""
        with self._frozen(memory) as graph:
            return drift(graph)

    def overview(self, memory: str) -> Overview:
        """Return the counts of a memory. Raises UnknownMemoryError."""
        with self.reading_of(memory) as (graph, _):
            return overview(graph)

    def became(self, memory: str, command_id: str) -> Became | None:
        """Return what became of a command; None when the fold has not met it. Raises UnknownMemoryError."""
        with self.reading_of(memory) as (graph, partition):
            return became(graph, command_id, partition)

    def digest(self, memory: str) -> tuple[str, int]:
        """Return the state digest of a memory as it stands, and the seq that it is of. Raises UnknownMemoryError."""
        hosted = self.hosted(memory)
        with self.reading_of(memory):
            frozen = hosted.store.frozen(memory)
        try:  # it takes seconds for a large memory, in which others have their turns
            return state_digest(*frozen), frozen.header.seq
        finally:
            frozen.view.close()

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
