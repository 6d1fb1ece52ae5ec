"""From what a caller sends to a draft: stamped, checked, and given a vector where it says something."""

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from yggdrasil_infra.embedders import EmbeddingError, EmbeddingUnavailableError, WrongVectorError, admit
from yggdrasil_infra.http.callers import Caller
from yggdrasil_infra.http.problems import INVALID, NOT_READY, ProblemError
from yggdrasil_schemas.commands import COMMANDS
from yggdrasil_schemas.errors import InvalidCommandError
from yggdrasil_schemas.refusals import Refusal
from yggdrasil_schemas.vectors import Vector

from ..draft import Draft, Drafter, Stamp
from .authority import check_may_say, origin_of
from .shapes import FIELDS

PROCESS: Final = "yggdrasil-serve"
_EMBEDDED: Final = ("record_event", "log_outcome")
_LOGGER: Final = logging.getLogger("yggdrasil.gateway")

Embed = Callable[[Mapping[str, Any]], Vector | None]
"""Makes the vector of what a command says; None when it says nothing. Raises EmbeddingError."""


class Drafting:
    """Drafts what a caller sends to a memory."""

    def __init__(self, caller: Caller, memory: str) -> None:
        self._caller = caller
        self._memory = memory

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
        check_may_say(self._caller, kind)
        body: Any = sent.get("body")
        origin = origin_of(self._caller, kind, body)
        command_id = sent.get("id")
        if command_id is not None and (not isinstance(command_id, str) or not command_id):
            raise ProblemError(INVALID, f"{where}id: takes a UUIDv7 or UUIDv8", reason=Refusal.INVALID_ENVELOPE.code)
        drafter = Drafter(self._memory, self._caller.name, PROCESS, origin)
        content: Any = sent.get("content")
        try:
            draft = drafter.draft(kind, body, content, sent.get("session"), Stamp(command_id, sent.get("at")))
            if content is not None and (vector := content.get("vector")) is not None:
                supplied = Vector.model_validate(vector)
                admit(supplied, supplied.model, supplied.dimension)  # a longer one would be near to everything
        except InvalidCommandError as error:
            raise ProblemError(INVALID, f"{where}{error.detail}", reason=error.reason) from error
        except WrongVectorError as error:
            said = f"{where}content.vector: {error}"
            raise ProblemError(INVALID, said, reason=Refusal.INVALID_CONTENT.code) from error
        return draft

    def with_vectors(self, sent: Sequence[Mapping[str, Any]], drafts: Sequence[Draft], embed: Embed) -> list[Draft]:
        """Return the drafts again, those that say something with a vector.

        What is sent under an id of its own is refused (503) while the embedder does not answer: sent again it must be
        the same command. Everything else is recorded without a vector, which can be attached later.
        """
        return [self._with_vector(one, draft, embed) for one, draft in zip(sent, drafts, strict=True)]

    def _with_vector(self, sent: Mapping[str, Any], draft: Draft, embed: Embed) -> Draft:
        content: Mapping[str, Any] = sent.get("content") or {}
        if sent["type"] not in _EMBEDDED or "alg" in content or content.get("vector") is not None:
            return draft
        try:
            vector = embed(sent)
        except EmbeddingError as error:
            _LOGGER.warning("no vector: %s", error)
            if sent.get("id") is None or not isinstance(error, EmbeddingUnavailableError):
                return draft
            raise ProblemError(
                NOT_READY, "the embedder gives no answer; nothing was appended", retry_after_s=1
            ) from error
        if vector is None:
            return draft
        try:
            return self.draft({**sent, "id": draft.id, "content": {**content, "vector": vector.model_dump()}})
        except ProblemError:  # there is no room for it in the record
            return draft
