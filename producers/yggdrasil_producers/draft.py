"""Build commands: the one place that knows how an envelope is put together."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from yggdrasil_infra.clock import entropy, now_ms
from yggdrasil_schemas.codec import encode
from yggdrasil_schemas.commands import system_memory
from yggdrasil_schemas.ids import derived_id, uuid7
from yggdrasil_schemas.limits import RULES_VERSION, SCHEMA_VERSION


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
class Stamp:
    """The id of a command and its time in Unix ms; what is None is made on the spot: a new UUIDv7, the present."""

    command_id: str | None = None
    at: int | None = None


NOW: Final = Stamp()


@dataclass(frozen=True, slots=True)
class Drafter:
    """Makes commands for one memory in the name of one source.

    Every method raises InvalidCommandError when the command breaks the language's form or bounds. Importers
    pass a ``stamp`` with a derived id and the source's own time.
    """

    memory: str
    source: str
    process: str
    origin: str = "agent"

    def record_event(
        self,
        text: str | None = None,
        *,
        features: Sequence[str] = (),
        payload: Mapping[str, Any] | None = None,
        session: str | None = None,
        informed_by: Sequence[str] = (),
        stamp: Stamp = NOW,
    ) -> Draft:
        """Draft a ``record_event``: something that happened."""
        body = {"features": list(features), "informed_by": list(informed_by)}
        return self.draft("record_event", body, _content(text, payload), session, stamp)

    def log_outcome(
        self,
        event: str,
        value: float,
        *,
        kind: str = "outcome",
        catastrophic: bool = False,
        text: str | None = None,
        session: str | None = None,
        stamp: Stamp = NOW,
    ) -> Draft:
        """Draft a ``log_outcome``: how the event with id ``event`` turned out, ``value`` in [-10, 10]."""
        body = {"event": event, "value": value, "kind": kind, "catastrophic": catastrophic}
        return self.draft("log_outcome", body, _content(text, None), session, stamp)

    def draft(
        self,
        kind: str,
        body: Mapping[str, Any],
        content: Mapping[str, Any] | None = None,
        session: str | None = None,
        stamp: Stamp = NOW,
    ) -> Draft:
        """Draft a command of any type from its body and content."""
        time_ms = now_ms()
        fields: dict[str, Any] = {
            "version": SCHEMA_VERSION,
            "id": stamp.command_id or uuid7(time_ms, entropy()),
            "type": kind,
            "memory": self.memory,
            "at": time_ms if stamp.at is None else stamp.at,
            "source": self.source,
            "process": self.process,
            "origin": self.origin,
            "body": body,
        }
        if session is not None:
            fields["session"] = session
        if content is not None:
            fields["content"] = content
        return Draft(fields["id"], self.memory, encode(fields))


def enable_version(partition: int, source: str, schema_version: int, rules_version: int = RULES_VERSION) -> Draft:
    """Draft an operator's ``enable_version`` for ``partition``; the same one again has the same id."""
    drafter = Drafter(system_memory(partition), source, "operator", "operator")
    body = {"partition": partition, "schema_version": schema_version, "rules_version": rules_version}
    command_id = derived_id("enable_version", str(partition), str(schema_version), str(rules_version))
    return drafter.draft("enable_version", body, stamp=Stamp(command_id))


def _content(text: str | None, payload: Mapping[str, Any] | None) -> dict[str, Any] | None:
    content: dict[str, Any] = {}
    if text is not None:
        content["text"] = text
    if payload is not None:
        content["payload"] = payload
    return content or None
