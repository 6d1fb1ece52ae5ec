"""From what a caller sends to a draft: stamped, checked, and given a vector where it says something."""

import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, cast

import orjson

from yggdrasil_infra.embedders import EmbeddingError, EmbeddingUnavailableError, WrongVectorError, admit
from yggdrasil_infra.http.callers import Caller
from yggdrasil_infra.http.problems import ProblemError
from yggdrasil_schemas.commands import COMMANDS, Origin
from yggdrasil_schemas.commands.envelope import TIERS, is_tier
from yggdrasil_schemas.commands.vectors import Vector, narrowing
from yggdrasil_schemas.errors import InvalidCommandError
from yggdrasil_schemas.limits import TRUST_MAX
from yggdrasil_schemas.names import is_unicode, text_digest
from yggdrasil_schemas.problems import INVALID, NOT_READY
from yggdrasil_schemas.refusals import Refusal

from ..claims import words_of
from ..draft import Draft, Drafter
from ..stamps import Stamp
from .appends import FIELDS
from .authority import check_may_mean, check_may_name, check_may_say, origin_of
from .moments import in_ms

_EMBEDDED: Final = ("record_event", "log_outcome", "assert_claim")
_LOGGER: Final = logging.getLogger("yggdrasil.gateway")

Embed = Callable[[Sequence[Mapping[str, Any]]], Sequence[Vector | None]]
"""Makes the vectors of what commands say, in one go; None for one that says nothing. Raises EmbeddingError."""
Recorded = Callable[[Sequence[Draft]], Mapping[str, bytes]]
"""Returns the records of those commands whose ids their memory knows, by id. Raises LogError."""


class Drafting:
    """Drafts what a caller sends to a memory."""

    def __init__(self, caller: Caller, memory: str, ceilings: Mapping[str, int]) -> None:
        """``ceilings`` are the greatest values that a policy may have on this host, by the names of its constants."""
        self.caller = caller
        self.memory = memory
        self._ceilings = ceilings

    def draft(self, sent: Mapping[str, Any], where: str = "") -> Draft:
        """Return a draft. Raises ProblemError: 403 for what the caller may not say, 422 for what is malformed."""
        if unknown := sorted(sent.keys() - set(FIELDS)):
            raise ProblemError(
                INVALID,
                f"{where}a command has the fields {', '.join(FIELDS)}, and not {unknown[0][:80]}",
                reason=Refusal.INVALID_ENVELOPE.code,
            )
        kind = sent.get("type")
        if not isinstance(kind, str) or kind not in COMMANDS:
            raise ProblemError(INVALID, f"{where}{Refusal.UNKNOWN_TYPE.sentence}", reason=Refusal.UNKNOWN_TYPE.code)
        check_may_say(self.caller, kind)
        try:
            sent = in_ms(sent)
        except InvalidCommandError as error:
            raise ProblemError(INVALID, f"{where}{error.detail}", reason=error.reason) from error
        body: Any = sent.get("body")
        origin = origin_of(self.caller, kind, body)
        command_id = sent.get("id")
        if command_id is not None and (not isinstance(command_id, str) or not command_id):
            raise ProblemError(INVALID, f"{where}id: takes a UUIDv7 or UUIDv8", reason=Refusal.INVALID_ENVELOPE.code)
        drafter = Drafter(
            self.memory, self.caller.name, self.caller.process, origin, self._trust_of(sent, origin, where)
        )
        content: Any = sent.get("content")
        try:
            draft = drafter.draft(kind, body, content, sent.get("session"), Stamp(command_id, sent.get("at")))
            if content is not None and (vector := content.get("vector")) is not None:
                supplied = Vector.model_validate(vector)
                for each in supplied.each():  # a longer one would be near to everything
                    admit(each, supplied.model, supplied.dimension)
            check_may_name(self.caller, draft.id)
            check_may_mean(self.caller, kind, body, self._ceilings)
            _check_value(kind, body, content)
        except InvalidCommandError as error:
            raise ProblemError(INVALID, f"{where}{error.detail}", reason=error.reason) from error
        except WrongVectorError as error:
            said = f"{where}content.vector: {error}"
            raise ProblemError(INVALID, said, reason=Refusal.INVALID_CONTENT.code) from error
        return draft

    def _trust_of(self, sent: Mapping[str, Any], origin: Origin, where: str) -> int | None:
        """Return how far a command is trusted at most: as it says itself, which is no more than its key is, or as that.

        Raises ProblemError for more: nobody says how far they are trusted.
        """
        given: Any = sent.get("trust")
        if given is None:
            return self.caller.trust
        if not is_tier(given):
            said = f"{where}trust: takes a whole number from 0 to {TRUST_MAX}"
            raise ProblemError(INVALID, said, reason=Refusal.INVALID_ENVELOPE.code)
        most = TIERS[origin] if self.caller.trust is None else min(TIERS[origin], self.caller.trust)
        if given > most:
            said = (
                f"{where}trust: what is said here is trusted {most} at most, and {given} would raise it; leave it out"
            )
            raise ProblemError(INVALID, said, reason=Refusal.INVALID_ENVELOPE.code)
        return given

    def with_vectors(
        self, sent: Sequence[Mapping[str, Any]], drafts: Sequence[Draft], recorded: Recorded, embed: Embed | None
    ) -> list[Draft]:
        """Return the drafts again, those that say something with a vector.

        What is sent again under an id of its own has the vector, or has none, as it was recorded: another embedder
        would make another one, or the same one not quite the same, and then it would be another command. What is sent
        under such an id for the first time is refused (503) while the embedder does not answer, for it will be sent
        again. Everything else is then recorded without a vector, which can be attached later.
        """
        own = [
            draft for one, draft in zip(sent, drafts, strict=True) if one.get("id") is not None and lacks_vector(one)
        ]
        known: Mapping[str, bytes] = recorded(own) if own else {}
        new = [
            place
            for place, one in enumerate(sent)
            if embed is not None and lacks_vector(one) and drafts[place].id not in known
        ]
        made = self._embedded([sent[place] for place in new], embed) if embed is not None and new else []
        vectors = dict(zip(new, made, strict=True))
        vectors |= {place: _vector_in(known[each.id]) for place, each in enumerate(drafts) if each.id in known}
        return [
            self._having(one, draft, vectors.get(place)) if lacks_vector(one) else draft
            for place, (one, draft) in enumerate(zip(sent, drafts, strict=True))
        ]

    def _embedded(self, new: Sequence[Mapping[str, Any]], embed: Embed) -> list[Any]:
        """Return the vectors of what is sent for the first time. Raises ProblemError."""
        try:
            return [None if vector is None else vector.as_sent() for vector in embed(new)]
        except EmbeddingError as error:
            _LOGGER.warning("no vectors: %s", error)
            if not isinstance(error, EmbeddingUnavailableError) or all(one.get("id") is None for one in new):
                return [None] * len(new)
            raise ProblemError(
                NOT_READY, "the embedder gives no answer; nothing was appended", retry_after_s=1
            ) from error

    def _having(self, sent: Mapping[str, Any], draft: Draft, vector: Any) -> Draft:
        if vector is None:
            return draft
        content: Mapping[str, Any] = sent.get("content") or {}
        for each in narrowing(vector):
            with suppress(ProblemError):  # there is no room for it in the record
                return self.draft({**sent, "id": draft.id, "content": {**content, "vector": each}})
        return draft


def worded(sent: dict[str, Any]) -> dict[str, Any]:
    """Return what was sent, a claim without a text with its own words as one: by these it is found and shown.

    A value ``{"text": "..."}`` becomes the digest of that text, which then stands in the content: no client has to make
    the one, and to repeat the other.
    """
    body: Any = sent.get("body")
    content: Any = sent.get("content") or {}
    if sent.get("type") != "assert_claim" or not isinstance(body, dict) or not isinstance(content, dict):
        return sent
    given = cast(dict[str, Any], content)
    text = _text_in(cast(dict[str, Any], body).get("object"))
    if text is not None and "alg" not in given and given.get("object") is None:
        body = {**cast(dict[str, Any], body), "object": {"digest": text_digest(text)}}
        given = {**given, "object": text}
        sent = {**sent, "body": body, "content": given}
    if "alg" in given or given.get("text") is not None:
        return sent
    words = words_of(cast(dict[str, Any], body), given.get("object"))
    return sent if words is None else {**sent, "content": {**given, "text": words}}


def _text_in(value: object) -> str | None:
    """Return the text of a value that is nothing but one; None of any other, and of one that says nothing."""
    if not isinstance(value, dict) or set(cast(dict[str, Any], value)) != {"text"}:
        return None
    text: object = cast(dict[str, Any], value)["text"]
    return text if isinstance(text, str) and text.strip() and is_unicode(text) else None


def _check_value(kind: str, body: Mapping[str, Any], content: Mapping[str, Any] | None) -> None:
    """Raise InvalidCommandError for a claim whose value is a text, but not the one that its content shows.

    Claims of one digest are one claim: whoever confirms the text would lend their word to what is shown instead.
    """
    digest = body["object"].get("digest") if kind == "assert_claim" else None
    if digest is None or "alg" in (content or {}):
        return
    shown = (content or {}).get("object")
    if shown is None or text_digest(shown) != digest:
        said = "content.object: the text of which body.object.digest is the digest is expected, so that it can be shown"
        raise InvalidCommandError(Refusal.INVALID_CONTENT.code, said)


def lacks_vector(sent: Mapping[str, Any]) -> bool:
    """Return whether a command may get a vector here: it may say something, in clear, and brings none."""
    content: Mapping[str, Any] = sent.get("content") or {}
    return sent["type"] in _EMBEDDED and "alg" not in content and content.get("vector") is None


def _vector_in(record: bytes) -> Any:
    fields: Mapping[str, Any] = orjson.loads(record)  # the fold could read it
    content: Mapping[str, Any] = fields.get("content") or {}
    return content.get("vector")
