"""The door to the Google Agent Development Kit: a memory service for its Runner, to which finished sessions are added.

The kit needs an older OpenTelemetry than the door to the Agent Framework has, so the two are tested in two
environments. Where types are checked it is not installed, and what is imported from it has none.
"""
# pyright: basic, reportMissingImports=false

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from hashlib import blake2b
from typing import Any, Final
from urllib.parse import quote

import orjson

from yggdrasil_producers.utterance import tells_nothing
from yggdrasil_projections.retrieval.answers import Found
from yggdrasil_projections.retrieval.asks import Where
from yggdrasil_projections.retrieval.errors import UnknownMemoryError, UnknownNodeError
from yggdrasil_projections.retrieval.memories import MemoryObject
from yggdrasil_projections.retrieval.prompt import entry
from yggdrasil_schemas.commands.experience import UTTERANCE
from yggdrasil_schemas.errors import YggdrasilError
from yggdrasil_schemas.ids import sourced_id
from yggdrasil_schemas.limits import NAME_CHARS_MAX, RETURNED_MAX

from ..asynchronous import AsyncMemory
from ..memory import Memory
from ..recording import Event, RecordManyError
from . import needing
from .loop import QUERY_CHARS_MAX, RECORDED_CHARS_MAX, awaited

with needing("google-adk"):
    from google.adk.memory.base_memory_service import BaseMemoryService, SearchMemoryResponse
    from google.adk.memory.memory_entry import MemoryEntry
    from google.genai import types

AnyMemory = Memory[Any] | AsyncMemory
_FIELD: Final = "google_adk"
_SOURCE: Final = "google-adk"
_RESULTS: Final = 5
_ENTRY_CHARS_MAX: Final = 2_000
_REASON: Final = "deleted from the memory service"


class YggdrasilMemoryService(BaseMemoryService):  # type: ignore[misc] # it has no types here
    """A ``BaseMemoryService`` over a memory: ``Runner(..., memory_service=YggdrasilMemoryService(memory))``.

    In one ``memory`` each user of each app is kept apart: a search sees what was added for that user, and nothing else.
    Where ``memory`` is a function of the app's name and the user's id it returns the memory of that user, and a search
    sees all of that one: facts, outcomes and what other programs told it too.

    Each event with a text is an event of the memory. A session may be added as often as it grows: what is there already
    is not added again. What is deleted is in no answer from then on, and stays in the history. What an agent says that
    tells nothing new, such as its own question, is kept and not searched (``utterance``); what the user says always is.
    """

    def __init__(
        self, memory: AnyMemory | Callable[[str, str], AnyMemory], *, source: str = _SOURCE, results: int = _RESULTS
    ) -> None:
        """Use ``memory``, which stays the caller's to close; a search returns at most ``results`` memories.

        ``source`` is the name of the key, where a service asks for one: ids are derived for it, by which the service
        knows what it has been given already, and it refuses those of another name.
        """
        if not 1 <= results <= RETURNED_MAX:
            raise ValueError(f"results is a number from 1 to {RETURNED_MAX}, and not {results}")
        self._memory = memory
        self._source = source
        self._results = results

    async def add_session_to_memory(self, session: Any) -> None:
        """Add what was said in a session, so far as it is not there yet. Raises what the memory raises."""
        await self.add_events_to_memory(
            app_name=session.app_name, user_id=session.user_id, events=session.events, session_id=session.id
        )

    async def add_events_to_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        events: Sequence[Any],
        session_id: str | None = None,
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """Add events, so far as they are not there yet; ``custom_metadata`` are kept with each of them."""
        whose = (app_name, user_id)
        said = ((each, _text(each.content)) for each in events if not each.partial)
        made = [
            Event(
                text,
                features=[f"author:{each.author}"[:NAME_CHARS_MAX], _feature(*whose)],
                payload=_payload(each.author, custom_metadata),
                session=_session(*whose, session_id),
                at=_ms(each.timestamp),
                # An earlier release knew no utterance: what it recorded has the other id, and is left as it is.
                id=sourced_id(self._source, *whose, session_id or "", each.id, *([UTTERANCE] if talk else [])),
                note=UTTERANCE if talk else None,
            )
            for each, text in said
            if text
            for talk in [_is_utterance(each, text)]
        ]
        await self._record(whose, made)

    async def add_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        memories: Sequence[Any],
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """Add memories as they stand; one with an ``id`` is added once."""
        whose = (app_name, user_id)
        made: list[Event] = []
        for each in memories:
            text = _text(each.content)
            if not text:
                raise ValueError("a memory has at least one part with a text: this one has none")
            kept = {**(custom_metadata or {}), **each.custom_metadata}
            made.append(
                Event(
                    text,
                    features=[*([f"author:{each.author}"[:NAME_CHARS_MAX]] if each.author else []), _feature(*whose)],
                    payload=_payload(each.author, kept),
                    at=_moment(each.timestamp),
                    id=sourced_id(self._source, "memory", *whose, each.id) if each.id else None,
                )
            )
        await self._record(whose, made)

    async def search_memory(self, *, app_name: str, user_id: str, query: str) -> Any:
        """Return what is remembered of a question, what matters most first; nothing rather than a guess."""
        where = None
        if not callable(self._memory):
            where = Where(features_all=[_feature(app_name, user_id)], kinds=["event"], statuses=["active"])
        asked = query.strip()[:QUERY_CHARS_MAX]
        if not asked:
            return SearchMemoryResponse()
        try:
            answer = await self._of(app_name, user_id).get_context(asked, k=self._results, where=where, full=True)
        except UnknownMemoryError:  # nothing was ever recorded
            return SearchMemoryResponse()
        found = (*answer.principles, *answer.found)
        return SearchMemoryResponse(memories=[_entry(each, answer.recall_id) for each in found])

    async def delete_memory(self, *, app_name: str, user_id: str, memory_id: str | None = None) -> None:
        """Withdraw a memory; ``memory_id`` is the ``id`` of what a search returned.

        Raises UnknownNodeError where this user has no such memory.
        """
        if not memory_id:
            return
        memory = self._of(app_name, user_id)
        found = (await memory.describe(memory_id)).memory
        if not callable(self._memory) and _feature(app_name, user_id) not in found.features:
            raise UnknownNodeError(memory.id, memory_id)
        await memory.withdraw(memory_id, _REASON)

    async def _record(self, whose: tuple[str, str], events: Sequence[Event]) -> None:
        try:
            if events:
                await self._of(*whose).record_many(events)
        except RecordManyError as error:  # to add all of it again is safe, so it is the reason that matters
            raise (error.__cause__ if isinstance(error.__cause__, YggdrasilError) else error) from error

    def _of(self, app_name: str, user_id: str) -> AsyncMemory:
        return awaited(self._memory(app_name, user_id) if callable(self._memory) else self._memory)


def _feature(app_name: str, user_id: str) -> str:
    """Return what all that is of one user has in common: digits, of which no embedder makes anything."""
    return f"of:{int.from_bytes(_digest(app_name, user_id), 'big'):039d}"


def _session(app_name: str, user_id: str, session_id: str | None) -> str | None:
    """Return the session of an event. No two users share one, whatever they are called."""
    if session_id is None:
        return None
    readable = "/".join(quote(part, safe="@:", errors="surrogatepass") for part in (app_name, user_id, session_id))
    return readable if len(readable) <= NAME_CHARS_MAX else f"{_FIELD}:{_digest(app_name, user_id, session_id).hex()}"


def _digest(*parts: str) -> bytes:
    listed = orjson.dumps([part.encode("utf-8", "surrogatepass").hex() for part in parts])
    return blake2b(listed, digest_size=16, person=b"yggdrasil-adk").digest()


def _text(content: Any) -> str:
    """Return what a content says in words, without what was only thought."""
    parts = (content.parts or ()) if content else ()
    said = "\n".join(part.text for part in parts if part.text and not part.thought).strip()
    said = said.encode("utf-8", "replace").decode()
    return said if len(said) <= RECORDED_CHARS_MAX else f"{said[: RECORDED_CHARS_MAX - 1]}…"


def _is_utterance(event: Any, text: str) -> bool:
    """Whether an agent says an event, and it tells nothing new by itself. What a user says never is.

    What was recalled meanwhile is not looked at: to whoever adds the event again it is to be the same.
    """
    if event.author == "user" or event.content.role == "user":
        return False
    return tells_nothing(text)


def _payload(author: str | None, metadata: Mapping[str, object] | None) -> dict[str, Any]:
    return {_FIELD: {"author": author, **({"metadata": dict(metadata)} if metadata else {})}}


def _ms(seconds: float) -> int:
    return max(0, int(seconds * 1_000))


def _moment(timestamp: str | None) -> int | None:
    """Return a moment as ISO 8601 has it, in Unix ms. Raises ValueError for another text."""
    if timestamp is None:
        return None
    try:
        moment = datetime.fromisoformat(timestamp)
    except ValueError as error:
        raise ValueError(f"the timestamp of a memory is ISO 8601, and not {timestamp[:80]!r}") from error
    return _ms((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp())


def _entry(found: Found, recall_id: str | None) -> Any:
    one = found.memory
    said = entry(one, _ENTRY_CHARS_MAX)
    kept: dict[str, Any] = (one.payload or {}).get(_FIELD) or {}
    author = kept.get("author")
    return MemoryEntry(
        content=types.Content(role="user" if author == "user" else "model", parts=[types.Part(text=said)]),
        id=one.ref,
        author=author,
        timestamp=_when(one),
        custom_metadata={**(kept.get("metadata") or {}), "recall_id": recall_id, "status": one.status},
    )


def _when(one: MemoryObject) -> str | None:
    try:
        return None if one.at is None else datetime.fromtimestamp(one.at / 1_000, UTC).isoformat()
    except (OverflowError, ValueError):  # a moment that no calendar has
        return None
