"""What every draft is put together of: the envelope, what may be said beside a body, who decides."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, cast, get_args

from yggdrasil_infra.clock import entropy, now_ms
from yggdrasil_schemas.codec import encode
from yggdrasil_schemas.commands import COMMANDS
from yggdrasil_schemas.commands.decisions import Thinker
from yggdrasil_schemas.commands.vectors import Vector
from yggdrasil_schemas.errors import InvalidCommandError
from yggdrasil_schemas.ids import sourced_id, uuid7
from yggdrasil_schemas.limits import MEMORY_FORM, SCHEMA_VERSION
from yggdrasil_schemas.names import all_composed, composed
from yggdrasil_schemas.refusals import Refusal

from .errors import NotAllowedError
from .saying import Decided, Said
from .stamps import NOW, Stamp

OpenedAs = Literal["agent", "operator"]
"""What a program in this process may do: an operator anything, an agent what a key with the role append may."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A command ready to append: its id, its memory, and the record's value."""

    id: str
    memory: str
    value: bytes

    @property
    def key(self) -> bytes:
        """The record's key: the memory id, so that a memory's commands stay in order in one partition."""
        return self.memory.encode()


@dataclass(frozen=True, slots=True)
class Envelopes:
    """Puts commands of one memory into envelopes, in the name of one source; see ``Drafter``."""

    memory: str
    source: str
    process: str
    origin: str = "agent"
    trust: int | None = None
    role: OpenedAs = "operator"

    def check(self) -> None:
        """Raise InvalidCommandError unless memory id and source are well formed, which the cheapest command shows.

        Raises ValueError for a role that there is not.
        """
        if self.role not in get_args(OpenedAs):
            raise ValueError(f"role is {' or '.join(get_args(OpenedAs))}, not {self.role!r}")
        try:
            replace(self, role="operator").draft("attest", {})
        except InvalidCommandError as error:
            if error.detail.startswith("memory:"):
                raise InvalidCommandError(error.reason, f"memory takes {MEMORY_FORM}") from None
            raise
        if self.memory.startswith("_"):
            raise InvalidCommandError(Refusal.RESERVED_MEMORY.code, Refusal.RESERVED_MEMORY.sentence)

    def derived_id(self, *parts: str) -> str:
        """Return the id that stands for ``parts`` as this source has them, so that nobody else can take it first."""
        return sourced_id(composed(self.source), *parts)

    def draft(
        self,
        kind: str,
        body: Mapping[str, Any],
        content: Mapping[str, Any] | None = None,
        session: str | None = None,
        stamp: Stamp = NOW,
    ) -> Draft:
        """Draft a command of any type from its body and content.

        Names are brought to NFC, so that one that is written in two ways is one name; what people say is left as it is.
        A feature that an event names twice is taken once: the log refuses it, and nobody means anything else by it.
        Raises NotAllowedError for what agents may not say, by the roles of the command, where the role is that of one.
        """
        if self.role == "agent" and kind in COMMANDS:
            if "append" not in COMMANDS[kind].roles:
                raise NotAllowedError(kind)
            if body.get("thinker") is not None:  # it moves how far that thinker has read
                raise NotAllowedError(f"{kind} with a thinker")
        said = all_composed(body)
        if kind == "record_event":
            said = _each_once(said)
        time_ms = now_ms()
        fields: dict[str, Any] = {
            "version": SCHEMA_VERSION,
            "id": stamp.command_id or uuid7(time_ms, entropy()),
            "type": kind,
            "memory": self.memory,
            "at": time_ms if stamp.at is None else stamp.at,
            "source": composed(self.source),
            "process": composed(self.process),
            "origin": self.origin,
            "body": said,
        }
        if self.trust is not None:
            fields["trust"] = self.trust
        if session is not None:
            fields["session"] = all_composed(session)
        if content is not None:
            fields["content"] = content
        return Draft(fields["id"], self.memory, encode(fields))

    def said(
        self, kind: str, body: Mapping[str, Any], said: Said | Decided, content: Mapping[str, Any] | None = None
    ) -> Draft:
        """Draft a command with what is said beside its body; ``content`` takes the place of text and vector."""
        content = content or content_of(said.get("text"), None, said.get("vector"))
        return self.draft(kind, body, content, said.get("session"), said.get("stamp", NOW))

    def decided(
        self, kind: str, body: dict[str, Any], said: Decided, content: Mapping[str, Any] | None = None
    ) -> Draft:
        """Draft a decision; with a thinker it is the thinker who stands behind it."""
        thinker = said.get("thinker")
        if thinker is None:
            return self.said(kind, body, said, content)
        decider = thinker.model_dump() if isinstance(thinker, Thinker) else dict(thinker)
        return replace(self, origin="thinker").said(kind, {**body, "thinker": decider}, said, content)


def _each_once(body: Any) -> Any:
    """Return a body with each feature once, in its order; what is none is left to the language of the log to refuse."""
    if not isinstance(body, dict):
        return body
    said = cast(dict[str, Any], body)
    given = said.get("features")
    if not isinstance(given, list):
        return said
    features = cast(Iterable[Any], given)
    if not all(isinstance(name, str) for name in features):
        return said
    return {**said, "features": list(dict.fromkeys(features))}


def listed(name: str, given: Iterable[str], part: Literal["body", "content"] = "body") -> list[str]:
    """Return what is given for the field ``name`` as a list. A string would come apart into its characters."""
    if isinstance(given, str | bytes):
        said = f"{part}.{name}: a list of strings is expected, not one string; put it in brackets: [...]"
        reason = Refusal.INVALID_BODY if part == "body" else Refusal.INVALID_CONTENT
        raise InvalidCommandError(reason.code, said)
    return list(given)


def content_of(
    text: str | None, payload: Mapping[str, Any] | None, vector: Vector | None, **others: str | None
) -> dict[str, Any] | None:
    """Return a content of what is given, None of nothing."""
    content: dict[str, Any] = {}
    if text is not None:
        content["text"] = text
    if payload is not None:
        content["payload"] = payload
    if vector is not None:
        content["vector"] = vector.as_sent()
    content |= {name: value for name, value in others.items() if value is not None}
    return content or None
