"""The query service's ports over a log and stores in one directory."""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final, TypeVar

from yggdrasil_infra.log import LogError, Receipt
from yggdrasil_producers.draft import Draft, Drafter
from yggdrasil_producers.gateway.appends import Appended, Said
from yggdrasil_projections.graph.fold import Answer
from yggdrasil_projections.graph.working_set import BrokenInvariantError, Graph
from yggdrasil_projections.retrieval.answers import Case, Context, SimilarCases
from yggdrasil_projections.retrieval.asks import Ask, InvalidAskError, Purpose
from yggdrasil_projections.retrieval.became import became
from yggdrasil_projections.retrieval.context import VERSIONS
from yggdrasil_projections.retrieval.described import described
from yggdrasil_projections.retrieval.errors import NotYetError, UnknownMemoryError
from yggdrasil_projections.retrieval.explain import Explanation, explain
from yggdrasil_projections.retrieval.neighbourhood import neighbourhood
from yggdrasil_projections.retrieval.overview import Overview, overview
from yggdrasil_projections.retrieval.timeline import timeline
from yggdrasil_projections.service.reads import Became, Described, Lag, Neighbourhood, Speaker, Timeline

from .embedded import Embedded

_POLL_S: Final = 0.02
T = TypeVar("T")


class EmbeddedHost:
    """Reads and appends through an ``Embedded``, which folds before every answer: it is never behind its own log."""

    def __init__(self, engine: Embedded) -> None:
        self._engine = engine

    def submit(self, draft: Draft, deadline_s: float | None) -> Appended:
        """Append one command and fold it."""
        answer = self._engine.submit(draft)
        graph = self._engine.graph(draft.memory)
        kept = became(graph, draft.id, self._engine.partition(draft.memory))
        if kept is None:
            raise BrokenInvariantError(f"{draft.memory}: {draft.id} was answered and is not known")
        return Appended(Receipt(kept.place.partition, kept.place.offset), _said(answer, graph.header.seq))

    def submit_many(self, drafts: Sequence[Draft], deadline_s: float | None) -> list[Appended]:
        """Append commands in order and fold them."""
        return [self.submit(draft, deadline_s) for draft in drafts]

    def wait(self, memory: str, after: Receipt, deadline_s: float) -> None:
        """Return once the log holds the record at ``after``: every read folds what it holds."""
        partition = self._engine.partition(memory)
        if after.partition != partition:
            raise InvalidAskError(
                f"after: the receipt is of partition {after.partition}, and {memory} is in partition {partition}"
            )
        until = time.monotonic() + deadline_s
        while (end := self._engine.log.end_offset(partition)) <= after.offset:
            if time.monotonic() >= until:
                raise NotYetError(after, end)
            time.sleep(_POLL_S)

    def context(self, ask: Ask, by: Speaker | None) -> Context:
        """Answer, and record the recall on behalf of ``by``. An unknown memory has an empty answer, and no record."""
        found = self._engine.context(ask.memory, ask.query, ask.k)
        recall_id = self._recorded("context", ask, by, found.as_of, found.refs)
        return replace(found, recall_id=recall_id, recorded=recall_id is not None)

    def similar_cases(self, ask: Ask, by: Speaker | None) -> SimilarCases:
        """Answer with cases, and record the recall on behalf of ``by``."""
        good: list[Case] = []
        bad: list[Case] = []
        found = self._engine.context(ask.memory, ask.query, ask.k)
        for one in found.found:
            value = max((outcome.value for outcome in one.memory.outcomes), key=abs, default=0.0)
            if value:
                (good if value > 0 else bad).append(Case(one, value, []))
        cases = SimilarCases(ask.query, good, bad, found.as_of, versions=VERSIONS)
        recall_id = self._recorded("similar_cases", ask, by, cases.as_of, cases.refs)
        return replace(cases, recall_id=recall_id, recorded=recall_id is not None)

    def explain(self, memory: str, action: str) -> Explanation:
        """Return the lineage of an action."""
        partition = self._engine.partition(memory)
        return self._read(memory, lambda graph: explain(graph, self._engine.log, partition, action))

    def describe(self, memory: str, ref: str) -> Described:
        """Return one memory by its reference."""
        return self._read(memory, lambda graph: described(graph, ref, self._engine.partition(memory)))

    def neighbourhood(self, memory: str, ref: str, count: int) -> Neighbourhood:
        """Return the strongest edges of one memory."""
        return self._read(memory, lambda graph: neighbourhood(graph, ref, count))

    def timeline(self, memory: str, *, session: str | None, before: int | None, count: int) -> Timeline:
        """Return events and episodes, the latest first."""
        return self._read(memory, lambda graph: timeline(graph, session=session, before=before, count=count))

    def overview(self, memory: str) -> Overview:
        """Return the counts of a memory."""
        return self._read(memory, overview)

    def became(self, memory: str, command_id: str) -> Became | None:
        """Return what became of a command."""
        return self._read(memory, lambda graph: became(graph, command_id, self._engine.partition(memory)))

    def digest(self, memory: str) -> tuple[str, int]:
        """Return the state digest of a memory, and the seq that it is of."""
        return self._read(memory, lambda graph: (self._engine.digest(memory), graph.header.seq))

    def memories(self, tenant: str | None) -> list[str]:
        """Return the ids of all memories, or of one tenant's, sorted."""
        found = self._engine.memories()
        return found if tenant is None else [name for name in found if name.startswith(f"{tenant}/")]

    def lags(self) -> list[Lag]:
        """Return how far every partition is: a directory is folded whenever it is asked."""
        return []

    def _read(self, memory: str, read: Callable[[Graph], T]) -> T:
        graph = self._engine.store(self._engine.partition(memory)).peek(memory)
        if graph is None:
            raise UnknownMemoryError(memory)
        return read(graph)

    def _recorded(self, purpose: Purpose, ask: Ask, by: Speaker | None, as_of: int, returned: list[str]) -> str | None:
        """Record a recall and return its id; None when nobody wants that, or when it could not be appended."""
        if by is None or not as_of:
            return None
        parameters = {"k": ask.k} if ask.tokens_max is None else {"k": ask.k, "tokens_max": ask.tokens_max}
        body: dict[str, Any] = {"purpose": purpose, "as_of": as_of, "returned": returned, "parameters": parameters}
        drafter = Drafter(ask.memory, by.source, by.process, by.origin)
        draft = drafter.draft("record_recall", body | VERSIONS, {"text": ask.query}, by.session)
        try:
            answer = self._engine.submit(draft)
        except LogError:
            return None
        return None if answer.refused else draft.id


def _said(answer: Answer, as_of: int) -> Said:
    refused = answer.refused
    if refused is None:
        return Said(True, answer.seq, None, None, max(as_of, answer.seq))
    detail = ". ".join(filter(None, (refused.detail, refused.reason.sentence)))
    return Said(False, 0, refused.reason.code, detail, as_of)
