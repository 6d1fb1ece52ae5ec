"""The door to Strands Agents: a store for its MemoryManager, which searches it before each request and may add to it.

What Strands asks of a store is a protocol, and this has its shape without importing it: Strands needs an older ``mcp``
than the door to MCP, so the two cannot be installed together. It is tested in an environment of its own.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from yggdrasil_projections.retrieval.answers import Found
from yggdrasil_projections.retrieval.asks import Where
from yggdrasil_projections.retrieval.errors import UnknownMemoryError
from yggdrasil_projections.retrieval.prompt import entry
from yggdrasil_schemas.limits import RETURNED_MAX

from ..asynchronous import AsyncMemory
from ..memory import Memory
from .loop import QUERY_CHARS_MAX, awaited

_ENTRY_CHARS_MAX: Final = 2_000
_RESULTS: Final = 5


@dataclass(slots=True)
class Entry:
    """What Strands calls a MemoryEntry: one memory in words, and where it comes from."""

    content: str
    store_name: str | None = None
    metadata: dict[str, Any] | None = field(default=None)


class YggdrasilStore:
    """A ``MemoryStore`` of Strands over a memory: ``MemoryManager(stores=[YggdrasilStore(memory)])``.

    Each entry says what is remembered and how it turned out; its metadata have the reference (``ref``) and the id of
    the recall (``recall_id``), with which ``memory.report_use`` and ``memory.log_outcome`` go on.
    """

    def __init__(
        self,
        memory: Memory[Any] | AsyncMemory,
        *,
        name: str = "yggdrasil",
        description: str | None = "What happened before, and how it turned out.",
        max_search_results: int = _RESULTS,
        writable: bool = True,
        session: str | None = None,
        where: Where | None = None,
    ) -> None:
        """Use ``memory``, which stays the caller's to close; ``where`` says of which part of it is recalled."""
        self.name = name
        self.description = description
        self.max_search_results = max_search_results
        self.writable = writable
        self.extraction = False  # the memory condenses by itself what was said
        self._memory = awaited(memory)
        self._session = session
        self._where = where

    async def search(self, query: str, options: Mapping[str, Any] | None = None) -> list[Entry]:
        """Return what is remembered of a question, what matters most first; nothing rather than a guess."""
        wanted = (options or {}).get("max_search_results") or self.max_search_results
        ask: dict[str, Any] = {"where": self._where, "session": self._session}
        try:
            count = max(1, min(wanted, RETURNED_MAX))
            answer = await self._memory.get_context(query[:QUERY_CHARS_MAX], k=count, full=True, **ask)
        except UnknownMemoryError:  # nothing was ever recorded
            return []
        return [self._entry(found, answer.recall_id) for found in (*answer.principles, *answer.found)]

    async def add(self, content: str, metadata: Mapping[str, Any] | None = None) -> str:
        """Remember a text and return its reference; ``metadata`` are kept with it."""
        return await self._memory.record_event(content, payload=metadata or None, session=self._session)

    def _entry(self, found: Found, recall_id: str | None) -> Entry:
        one = found.memory
        said = entry(one, _ENTRY_CHARS_MAX)
        return Entry(said, self.name, {"ref": one.ref, "recall_id": recall_id, "status": one.status})
