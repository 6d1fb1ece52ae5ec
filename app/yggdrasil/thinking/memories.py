"""The memories of an engine, as thinkers read them and append to them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, TypeVar

from yggdrasil_infra.log import Receipt
from yggdrasil_processors.thinkers.frame.ports import Part
from yggdrasil_producers.claims import object_of
from yggdrasil_producers.draft import Draft, Drafter
from yggdrasil_producers.stamps import Stamp
from yggdrasil_projections.graph.fold import Answer
from yggdrasil_projections.retrieval.errors import UnknownNodeError
from yggdrasil_projections.retrieval.query import Query
from yggdrasil_projections.retrieval.reads.experience.happened import AskHappened, Happenings
from yggdrasil_projections.retrieval.reads.learning.searched import Searched
from yggdrasil_projections.service.moved import MovedAnswer
from yggdrasil_schemas.names import claim_in_words

from ..engines.embedding import Embedding, as_recorded
from ..engines.engine import ReadingEngine
from ..engines.reading import Reading

T = TypeVar("T")
SOURCE: Final = "thinkers"
"""The name under which decisions are appended; a key that thinkers use over HTTP has it too."""
_WAIT_S: Final = 10.0
_MOVED_COUNT: Final = 1_000  # a millisecond or two in which a service answers nobody else
_PROCESS: Final = "yggdrasil-think"


@dataclass(frozen=True, slots=True)
class _Page:
    """A full page, and what was asked for it."""

    memory: str
    since: int
    count: int
    page: Happenings


class EngineMemories:
    """The memories of an engine in this process, or of a service. For any thread."""

    def __init__(self, engine: ReadingEngine, embedding: Embedding | None = None, source: str = SOURCE) -> None:
        """Give what is decided a vector with ``embedding``; a service does that itself."""
        self._engine = engine
        self._embedding = embedding
        self.source = source
        self._last: _Page | None = None

    def wait(self, memory: str, after: Receipt) -> None:
        """Return once what is read of ``memory`` holds the record at ``after``. Raises NotYetError."""
        self._engine.wait(memory, after, _WAIT_S)

    def happened(self, memory: str, *, since: int, count: int) -> Happenings:
        """Return what a memory has taken beyond ``since``. Raises UnknownMemoryError.

        Several thinkers read the same pages one after another: one that is full does not change but by what is
        forgotten, so the next reader is given it again, with the cursors as they are now.
        """
        last = self._last
        if last is not None and (last.memory, last.since, last.count) == (memory, since, count):
            now = self._engine.ask(memory, AskHappened(since=last.page.as_of, count=1))
            if now.as_of >= last.page.as_of:
                return replace(last.page, as_of=now.as_of, cursors=now.cursors, open=now.open)
        page = self._engine.ask(memory, AskHappened(since=since, count=count))
        if len(page.happened) == count:
            self._last = _Page(memory, since, count, page)
        return page

    def ask(self, memory: str, query: Query[T]) -> T | None:
        """Answer a read without a trace; None where what it is about is not there. Raises UnknownMemoryError.

        A question in words has a vector where memories have vectors; a service gives it one itself.
        """
        embedding, engine = self._embedding, self._engine
        if embedding is not None and isinstance(engine, Reading) and isinstance(query, Searched):
            query = query.embedded(partial(embedding.of_query, engine, memory))
        try:
            return engine.ask(memory, query)
        except UnknownNodeError:
            return None

    def memories(self) -> list[str]:
        """Return the ids of all memories that the engine opens."""
        return self._engine.memories(None)

    def moved(self, since: str | None) -> MovedAnswer:
        """Return memories that have moved since the ``place`` of an earlier answer, all without one, and their seqs."""
        return self._engine.moved(since, "", _MOVED_COUNT)

    def decide(self, memory: str, parts: Sequence[Part]) -> list[Answer]:
        """Append parts as commands, and return what the fold said of each. Raises InvalidCommandError and LogError."""
        drafter = Drafter(memory, self.source, _PROCESS, "thinker")
        drafts = [self._with_vector(_draft(drafter, part)) for part in parts]
        return [answer for _, answer in self._engine.submit_many(drafts)]

    def _with_vector(self, draft: Draft) -> Draft:
        """Return a draft with the vector that it was recorded with, when it is sent again, or with a new one."""
        if self._embedding is None or not isinstance(self._engine, Reading):
            return draft
        recorded = self._engine.recorded([draft])
        if draft.id in recorded:
            return as_recorded(draft, recorded[draft.id])
        return self._embedding.completed(draft)


def _draft(drafter: Drafter, part: Part) -> Draft:
    content = {"text": part.text, "payload": part.payload or None}
    body = part.body
    if part.object is not None:
        value, in_words, kept = object_of(part.object)
        content |= {"text": part.text or claim_in_words(body["subject"], body["predicate"], in_words), "object": kept}
        body = {**body, "object": value}
    said = {name: value for name, value in content.items() if value is not None}
    return drafter.draft(part.type, body, said or None, part.session, Stamp(part.id))
