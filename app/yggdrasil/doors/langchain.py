"""LangChain's retriever over a memory: what matters most to a question, as documents with their evidence."""

from __future__ import annotations

from typing import Any

from typing_extensions import override

from yggdrasil_projections.retrieval.answers import Context
from yggdrasil_projections.retrieval.asks import Where
from yggdrasil_projections.retrieval.errors import UnknownMemoryError

from ..asynchronous import AsyncMemory
from ..memory import Memory
from . import needing
from .loop import awaited

with needing("langgraph"):
    from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever


class YggdrasilRetriever(BaseRetriever):
    """Retrieves what ``get_context`` finds: ``YggdrasilRetriever(memory=memory, k=5).invoke("...")``.

    The text of a memory is a document's content, and its metadata say where it comes from: ``ref``, ``kind``,
    ``status``, ``trust``, ``said_by``, ``at`` (Unix ms), ``session``, ``features``, ``outcomes``, ``scores``, and the
    ``recall_id`` that ``report_use`` takes. Where the memory is empty, and where it refuses to guess, there are no
    documents.
    ``invoke("...", k=3)`` asks for another number this once.
    """

    memory: Any
    """A ``Memory``, or an ``AsyncMemory``, which stays the caller's to close."""
    k: int | None = None
    """At most so many, 1 to 50; without it, and without ``tokens_max``, what answers and little else."""
    tokens_max: int | None = None
    """At most so many tokens of text."""
    where: Where | None = None
    """What the question is put to, unless that is all of the memory."""
    min_confidence: float | None = None
    """What confidence an answer takes, instead of what the memory's policy says."""
    record: bool = True
    """Whether the recall is recorded, so that its use can be reported."""

    @override
    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, k: int | None = None
    ) -> list[Document]:
        memory: Memory[Any] = self.memory.memory if isinstance(self.memory, AsyncMemory) else self.memory
        try:
            return _documents(memory.get_context(query, **self._asked(k)))
        except UnknownMemoryError:  # nothing was ever recorded
            return []

    @override
    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun, k: int | None = None
    ) -> list[Document]:
        try:
            return _documents(await awaited(self.memory).get_context(query, **self._asked(k)))
        except UnknownMemoryError:
            return []

    def _asked(self, k: int | None) -> dict[str, Any]:
        return {
            "k": self.k if k is None else k,
            "tokens_max": self.tokens_max,
            "where": self.where,
            "min_confidence": self.min_confidence,
            "record": self.record,
            "full": True,
        }


def _documents(context: Context) -> list[Document]:
    found: list[Document] = []
    for each in (*context.principles, *context.found):
        memory = each.memory
        metadata: dict[str, Any] = {
            "ref": memory.ref,
            "kind": memory.kind,
            "status": memory.status,
            "trust": memory.trust,
            "said_by": memory.said_by,
            "at": memory.at,
            "session": memory.session,
            "features": memory.features,
            "outcomes": [{"kind": it.kind, "value": it.value, "text": it.text} for it in memory.outcomes],
            "scores": {
                "relevance": each.scores.relevance,
                "lexical": each.scores.lexical,
                "vector": each.scores.vector,
                "spread": each.scores.spread,
                "priority": each.scores.priority,
            },
            "recall_id": context.recall_id,
        }
        found.append(Document(page_content=memory.text or memory.name or "", id=memory.ref, metadata=metadata))
    return found
