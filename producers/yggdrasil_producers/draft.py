"""Build commands: the one place that knows how an envelope is put together."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Unpack

from yggdrasil_infra.clock import entropy, now_ms
from yggdrasil_schemas.codec import encode
from yggdrasil_schemas.commands import Origin, system_memory
from yggdrasil_schemas.commands.decisions import Thinker
from yggdrasil_schemas.commands.knowledge import Verdict
from yggdrasil_schemas.commands.vectors import Vector
from yggdrasil_schemas.errors import InvalidCommandError
from yggdrasil_schemas.ids import derived_id, sourced_id, uuid7
from yggdrasil_schemas.limits import MEMORY_FORM, RULES_VERSION, SCHEMA_VERSION
from yggdrasil_schemas.names import all_composed, composed
from yggdrasil_schemas.refusals import Refusal

from .saying import Decided, Noted, Said
from .stamps import NOW, Stamp


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
class Drafter:
    """Makes commands for one memory in the name of one source.

    ``trust``, from 0 to 4, is how far that source is trusted at most, where that is less than its origin is. Every
    method raises InvalidCommandError when the command breaks the language's form or bounds. Importers
    pass a ``stamp`` with a ``derived_id`` and the source's own time.
    """

    memory: str
    source: str
    process: str
    origin: str = "agent"
    trust: int | None = None

    def check(self) -> None:
        """Raise InvalidCommandError unless memory id and source are well formed, which the cheapest command shows."""
        try:
            self.draft("attest", {})
        except InvalidCommandError as error:
            if error.detail.startswith("memory:"):
                raise InvalidCommandError(error.reason, f"memory takes {MEMORY_FORM}") from None
            raise
        if self.memory.startswith("_"):
            raise InvalidCommandError(Refusal.RESERVED_MEMORY.code, Refusal.RESERVED_MEMORY.sentence)

    def derived_id(self, *parts: str) -> str:
        """Return the id that stands for ``parts`` as this source has them, so that nobody else can take it first."""
        return sourced_id(composed(self.source), *parts)

    def record_event(
        self,
        text: str | None = None,
        *,
        features: Sequence[str] = (),
        payload: Mapping[str, Any] | None = None,
        informed_by: Sequence[str] = (),
        caused_by: Sequence[str] = (),
        key: str | None = None,
        supersedes: str | None = None,
        **noted: Unpack[Noted],
    ) -> Draft:
        """Draft a ``record_event``: something that happened, perhaps in place of what was said before."""
        body: dict[str, Any] = {
            "features": _listed("features", features),
            "informed_by": _listed("informed_by", informed_by),
        }
        if caused_by:  # left out when empty: what was imported before there was the field keeps its hash
            body["caused_by"] = _listed("caused_by", caused_by)
        named = {"key": key, "supersedes": supersedes, "note": noted.get("note")}
        body |= {name: value for name, value in named.items() if value is not None}
        content = _content(text, payload, noted.get("vector")) or {}
        content |= {name: value for name in ("name", "rationale") if (value := noted.get(name)) is not None}
        if aliases := noted.get("aliases"):
            content["aliases"] = _listed("aliases", aliases, "content")
        return self.draft("record_event", body, content or None, noted.get("session"), noted.get("stamp", NOW))

    def log_outcome(
        self,
        event: str,
        value: float,
        *,
        kind: str = "outcome",
        catastrophic: bool = False,
        trajectory: Sequence[str] = (),
        origin: Origin | None = None,
        **said: Unpack[Said],
    ) -> Draft:
        """Draft a ``log_outcome``: how the event or episode with id ``event`` turned out, ``value`` in [-10, 10].

        ``origin`` says who has seen it, where that is somebody else than who speaks here.
        """
        body: dict[str, Any] = {"event": event, "value": value, "kind": kind, "catastrophic": catastrophic}
        if trajectory:
            body["trajectory"] = _listed("trajectory", trajectory)
        return replace(self, origin=origin or self.origin)._said("log_outcome", body, said)

    def report_use(
        self,
        recall: str,
        used: Sequence[str],
        *,
        result: Literal["success", "failure", "unknown"] = "unknown",
        helpful: bool = False,
        prevented_error: bool = False,
    ) -> Draft:
        """Draft a ``report_use``: what was really used of what the recall with id ``recall`` returned."""
        return self.draft(
            "report_use",
            {
                "recall": recall,
                "used": _listed("used", used),
                "result": result,
                "helpful": helpful,
                "prevented_error": prevented_error,
            },
        )

    def commit_episode(
        self,
        events: Sequence[str],
        *,
        clear: Literal["all", "window", "key"] = "all",
        keep: int = 0,
        **said: Unpack[Decided],
    ) -> Draft:
        """Draft a ``commit_episode``: events that belong together; without a session, of those that hold them."""
        body = {"events": _listed("events", events), "clear": clear, "keep": keep}
        return self._decided("commit_episode", body, said)

    def form_concept(self, members: Sequence[str], **said: Unpack[Decided]) -> Draft:
        """Draft a ``form_concept``: nodes that have something in common."""
        return self._decided("form_concept", {"members": _listed("members", members)}, said)

    def dissolve_concept(self, concept: str, **said: Unpack[Decided]) -> Draft:
        """Draft a ``dissolve_concept``: a concept that no longer holds."""
        return self._decided("dissolve_concept", {"concept": concept}, said)

    def adjust(
        self,
        trajectory: Sequence[str],
        *,
        salience: float = 0.0,
        permanence: float = 0.0,
        half_life: float = 1.0,
        evidence: Sequence[str],
        **said: Unpack[Decided],
    ) -> Draft:
        """Draft an ``adjust``: a small change along a trajectory, for the reasons in ``evidence``."""
        body = {
            "trajectory": _listed("trajectory", trajectory),
            "salience": salience,
            "permanence": permanence,
            "half_life": half_life,
            "evidence": _listed("evidence", evidence),
        }
        return self._decided("adjust", body, said)

    def sleep(self, **said: Unpack[Decided]) -> Draft:
        """Draft a ``sleep``: time to consolidate, dissolve and archive."""
        return self._decided("sleep", {}, said)

    def judge(
        self, verdicts: Mapping[str, Verdict], *, reason: str, evidence: Sequence[str] = (), **said: Unpack[Decided]
    ) -> Draft:
        """Draft a ``judge``: what was said does not hold, is settled, waits in quarantine, or stands again."""
        items = [{"node": node, "verdict": verdict} for node, verdict in verdicts.items()]
        body = {"items": items, "reason": reason, "evidence": _listed("evidence", evidence)}
        return self._decided("judge", body, said)

    def pin(
        self,
        node: str,
        *,
        pinned: bool = True,
        permanence: float = 0.0,
        principle: bool = False,
        **said: Unpack[Said],
    ) -> Draft:
        """Draft a ``pin``: a node is protected, and perhaps a principle, or no longer."""
        body: dict[str, Any] = {"node": node, "pinned": pinned, "permanence": permanence}
        if principle:
            body["principle"] = True
        return self._said("pin", body, said)

    def lift_catastrophe(self, node: str, *, reason: str, **said: Unpack[Said]) -> Draft:
        """Draft a ``lift_catastrophe``: an operator says that a catastrophe was none, and why."""
        return replace(self, origin="operator")._said("lift_catastrophe", {"node": node, "reason": reason}, said)

    def retire_thinker(self, name: str, **said: Unpack[Said]) -> Draft:
        """Draft a ``retire_thinker``: an operator frees the name of a thinker."""
        return replace(self, origin="operator")._said("retire_thinker", {"name": name}, said)

    def attach_vector(self, node: str, vector: Vector, *, stamp: Stamp = NOW) -> Draft:
        """Draft an ``attach_vector``: what ``vector.model`` made of a node that has no vector by it, or another one.

        To seal the vector, ``draft`` the command with sealed content.
        """
        body = {"node": node, "model": vector.model}
        return self.draft("attach_vector", body, _content(None, None, vector), stamp=stamp)

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
        """
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
            "body": all_composed(body),
        }
        if self.trust is not None:
            fields["trust"] = self.trust
        if session is not None:
            fields["session"] = all_composed(session)
        if content is not None:
            fields["content"] = content
        return Draft(fields["id"], self.memory, encode(fields))

    def _said(self, kind: str, body: Mapping[str, Any], said: Said | Decided) -> Draft:
        content = _content(said.get("text"), None, said.get("vector"))
        return self.draft(kind, body, content, said.get("session"), said.get("stamp", NOW))

    def _decided(self, kind: str, body: dict[str, Any], said: Decided) -> Draft:
        """Draft a decision; with a thinker it is the thinker who stands behind it."""
        thinker = said.get("thinker")
        if thinker is None:
            return self._said(kind, body, said)
        decider = thinker.model_dump() if isinstance(thinker, Thinker) else dict(thinker)
        return replace(self, origin="thinker")._said(kind, {**body, "thinker": decider}, said)


def enable_version(partition: int, source: str, schema_version: int, rules_version: int = RULES_VERSION) -> Draft:
    """Draft an operator's ``enable_version`` for ``partition``; the same one again has the same id."""
    drafter = Drafter(system_memory(partition), source, "operator", "operator")
    body = {"partition": partition, "schema_version": schema_version, "rules_version": rules_version}
    command_id = derived_id("enable_version", str(partition), str(schema_version), str(rules_version))
    return drafter.draft("enable_version", body, stamp=Stamp(command_id))


def _listed(name: str, given: Iterable[str], part: Literal["body", "content"] = "body") -> list[str]:
    """Return what is given for the field ``name`` as a list. A string would come apart into its characters."""
    if isinstance(given, str | bytes):
        said = f"{part}.{name}: a list of strings is expected, not one string; put it in brackets: [...]"
        reason = Refusal.INVALID_BODY if part == "body" else Refusal.INVALID_CONTENT
        raise InvalidCommandError(reason.code, said)
    return list(given)


def _content(text: str | None, payload: Mapping[str, Any] | None, vector: Vector | None) -> dict[str, Any] | None:
    content: dict[str, Any] = {}
    if text is not None:
        content["text"] = text
    if payload is not None:
        content["payload"] = payload
    if vector is not None:
        content["vector"] = vector.model_dump()
    return content or None
