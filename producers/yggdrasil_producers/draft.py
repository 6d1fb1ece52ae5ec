"""Build commands: the one place that knows how an envelope is put together."""

from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, Literal, Unpack

from yggdrasil_schemas.commands import Origin, system_memory
from yggdrasil_schemas.commands.experience import UseMethod
from yggdrasil_schemas.commands.knowledge import Verdict
from yggdrasil_schemas.commands.vectors import Vector
from yggdrasil_schemas.ids import derived_id
from yggdrasil_schemas.limits import RULES_VERSION

from .claims import ClaimDrafts
from .envelopes import Draft, content_of, listed
from .saying import Decided, Noted, Said
from .stamps import NOW, Stamp

__all__ = ["BY_OPERATORS", "Draft", "Drafter", "enable_version"]

BY_OPERATORS: Final = ("define", "lift_catastrophe", "retire_thinker", "adopt_scorer", "snapshot")
"""What is an operator's word, whoever drafts it."""


class Drafter(ClaimDrafts):
    """Makes commands for one memory in the name of one source.

    ``trust``, from 0 to 4, is how far that source is trusted at most, where that is less than its origin is. Every
    method raises InvalidCommandError when the command breaks the language's form or bounds. Importers
    pass a ``stamp`` with a ``derived_id`` and the source's own time.
    """

    __slots__ = ()

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
            "features": listed("features", features),
            "informed_by": listed("informed_by", informed_by),
        }
        if caused_by:  # left out when empty: what was imported before there was the field keeps its hash
            body["caused_by"] = listed("caused_by", caused_by)
        named = {"key": key, "supersedes": supersedes, "note": noted.get("note")}
        body |= {name: value for name, value in named.items() if value is not None}
        if perspectives := noted.get("perspectives"):
            body["perspectives"] = listed("perspectives", perspectives)
        if (prominence := noted.get("prominence")) is not None:
            body["prominence"] = prominence
        content = content_of(
            text, payload, noted.get("vector"), name=noted.get("name"), rationale=noted.get("rationale")
        )
        if aliases := noted.get("aliases"):
            content = {**(content or {}), "aliases": listed("aliases", aliases, "content")}
        return self.draft("record_event", body, content, noted.get("session"), noted.get("stamp", NOW))

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
            body["trajectory"] = listed("trajectory", trajectory)
        return replace(self, origin=origin or self.origin).said("log_outcome", body, said)

    def report_use(
        self,
        recall: str,
        used: Sequence[str],
        *,
        result: Literal["success", "failure", "unknown"] = "unknown",
        helpful: bool = False,
        prevented_error: bool = False,
        method: UseMethod = "declared",
        perspectives: Sequence[str] = (),
    ) -> Draft:
        """Draft a ``report_use``: what was really used of what the recall with id ``recall`` returned."""
        body: dict[str, Any] = {
            "recall": recall,
            "used": listed("used", used),
            "result": result,
            "helpful": helpful,
            "prevented_error": prevented_error,
        }
        if method != "declared":  # left out then: what was said before there was the field keeps its hash
            body["method"] = method
        if perspectives:
            body["perspectives"] = listed("perspectives", perspectives)
        return self.draft("report_use", body)

    def commit_episode(
        self,
        events: Sequence[str],
        *,
        clear: Literal["all", "window", "key"] = "all",
        keep: int = 0,
        episodes: Sequence[str] = (),
        **said: Unpack[Decided],
    ) -> Draft:
        """Draft a ``commit_episode``: events that belong together; without a session, of those that hold them.

        ``episodes`` are earlier ones that belong to it as well.
        """
        body: dict[str, Any] = {"events": listed("events", events), "clear": clear, "keep": keep}
        if episodes:
            body["episodes"] = listed("episodes", episodes)
        return self.decided("commit_episode", body, said)

    def form_concept(self, members: Sequence[str], **said: Unpack[Decided]) -> Draft:
        """Draft a ``form_concept``: nodes that have something in common."""
        return self.decided("form_concept", {"members": listed("members", members)}, said)

    def dissolve_concept(self, concept: str, **said: Unpack[Decided]) -> Draft:
        """Draft a ``dissolve_concept``: a concept that no longer holds."""
        return self.decided("dissolve_concept", {"concept": concept}, said)

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
            "trajectory": listed("trajectory", trajectory),
            "salience": salience,
            "permanence": permanence,
            "half_life": half_life,
            "evidence": listed("evidence", evidence),
        }
        return self.decided("adjust", body, said)

    def propose_scorer(
        self, weights: bytes, *, samples: int, metric: int, baseline: int, active: bool = False, **said: Unpack[Decided]
    ) -> Draft:
        """Draft an ``adopt_scorer`` with 177 weights of 16 bits: a scorer is proposed, and perhaps counts at once.

        An ``active`` one is an operator's, unless a thinker decided.
        """
        body = {
            "active": active,
            "features": "nine/1",
            "weights": b64encode(weights).decode(),
            "samples": samples,
            "metric": metric,
            "baseline": baseline,
        }
        by_thinker = said.get("thinker") is not None
        return (self if by_thinker else replace(self, origin="operator")).decided("adopt_scorer", body, said)

    def adopt_scorer(self, scorer: str, *, active: bool = True, **said: Unpack[Said]) -> Draft:
        """Draft an ``adopt_scorer``: an operator lets a scorer that was proposed count, or no longer."""
        body = {"active": active, "scorer": scorer}
        return replace(self, origin="operator").said("adopt_scorer", body, said)

    def sleep(self, *, scope: Literal["whole", "task"] = "whole", **said: Unpack[Decided]) -> Draft:
        """Draft a ``sleep``: time to consolidate, dissolve and archive, in the whole memory or after a task."""
        return self.decided("sleep", {} if scope == "whole" else {"scope": scope}, said)

    def judge(
        self, verdicts: Mapping[str, Verdict], *, reason: str, evidence: Sequence[str] = (), **said: Unpack[Decided]
    ) -> Draft:
        """Draft a ``judge``: what was said does not hold, is settled, waits in quarantine, or stands again."""
        items = [{"node": node, "verdict": verdict} for node, verdict in verdicts.items()]
        body = {"items": items, "reason": reason, "evidence": listed("evidence", evidence)}
        return self.decided("judge", body, said)

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
        return self.said("pin", body, said)

    def lift_catastrophe(self, node: str, *, reason: str, **said: Unpack[Said]) -> Draft:
        """Draft a ``lift_catastrophe``: an operator says that a catastrophe was none, and why."""
        return replace(self, origin="operator").said("lift_catastrophe", {"node": node, "reason": reason}, said)

    def retire_thinker(self, name: str, **said: Unpack[Said]) -> Draft:
        """Draft a ``retire_thinker``: an operator frees the name of a thinker."""
        return replace(self, origin="operator").said("retire_thinker", {"name": name}, said)

    def snapshot(self, name: str, *, drop: bool = False, **said: Unpack[Said]) -> Draft:
        """Draft a ``snapshot``: an operator gives the moment right after it a name, or takes a name back."""
        body: dict[str, Any] = {"name": name} | ({"drop": True} if drop else {})
        return replace(self, origin="operator").said("snapshot", body, said)

    def attach_vector(self, node: str, vector: Vector, *, stamp: Stamp = NOW) -> Draft:
        """Draft an ``attach_vector``: what ``vector.model`` made of a node that has no vector by it, or another one.

        To seal the vector, ``draft`` the command with sealed content.
        """
        body = {"node": node, "model": vector.model}
        return self.draft("attach_vector", body, content_of(None, None, vector), stamp=stamp)


def enable_version(partition: int, source: str, schema_version: int, rules_version: int = RULES_VERSION) -> Draft:
    """Draft an operator's ``enable_version`` for ``partition``; the same one again has the same id."""
    drafter = Drafter(system_memory(partition), source, "operator", "operator")
    body = {"partition": partition, "schema_version": schema_version, "rules_version": rules_version}
    command_id = derived_id("enable_version", str(partition), str(schema_version), str(rules_version))
    return drafter.draft("enable_version", body, stamp=Stamp(command_id))
