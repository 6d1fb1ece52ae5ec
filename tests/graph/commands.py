"""Commands by short names: the id of a command is derived from its name, so that tests can refer to it by that name."""

from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import orjson

from yggdrasil_infra.log import LogRecord
from yggdrasil_schemas.commands.vectors import Piece, Vector
from yggdrasil_schemas.ids import derived_id
from yggdrasil_schemas.limits import SCORER_WEIGHTS

MEMORY = "tenant/agent"


def command_id(name: str) -> str:
    return derived_id("test", name)


def reference(name: str) -> str:
    """A node as a command refers to it: ``feature:x`` is taken as it is, everything else is a command's name."""
    return name if name.startswith("feature:") else command_id(name)


@dataclass(frozen=True)
class Said:
    """A command, or what a broken producer would send in its place: ``changed`` replaces fields of the envelope.

    A ``session`` without a name is left out of the envelope.
    """

    name: str
    type: str
    body: dict[str, Any]
    session: str = "default"
    content: dict[str, Any] | None = None
    changed: dict[str, Any] = field(default_factory=dict)

    def fields(self, memory: str = MEMORY) -> dict[str, Any]:
        said: dict[str, Any] = {
            "version": 1,
            "id": command_id(self.name),
            "type": self.type,
            "memory": memory,
            "at": 1_700_000_000_000,
            "source": "test",
            "process": "test",
            "origin": "agent",
            "body": self.body,
        }
        if self.session:
            said["session"] = self.session
        if self.content is not None:
            said["content"] = self.content
        return said | self.changed

    def record(self, offset: int = 0, memory: str = MEMORY, partition: int = 0) -> LogRecord:
        value = orjson.dumps(self.fields(memory))
        return LogRecord(partition, offset, memory.encode(), value, timestamp_ms=0)


def stamped(origin: str | None = None, trust: int | None = None) -> dict[str, Any]:
    """What is stamped on a command, where that is not the usual."""
    return ({"origin": origin} if origin else {}) | ({} if trust is None else {"trust": trust})


def event(
    name: str,
    *features: str,
    session: str = "default",
    informed_by: tuple[str, ...] = (),
    caused_by: tuple[str, ...] = (),
    key: str | None = None,
    supersedes: str | None = None,
    boundary: str | None = None,
    condenses: tuple[str, ...] = (),
    perspectives: tuple[str, ...] = (),
    prominence: int | None = None,
    source: str | None = None,
    origin: str | None = None,
    trust: int | None = None,
) -> Said:
    recalls = [command_id(recall) for recall in informed_by]
    body: dict[str, Any] = {"features": list(features), "informed_by": recalls}
    if caused_by:
        body["caused_by"] = [command_id(cause) for cause in caused_by]
    body |= {} if key is None else {"key": key}
    body |= {} if supersedes is None else {"supersedes": command_id(supersedes)}
    body |= {} if boundary is None else {"boundary": boundary}
    body |= {"condenses": [command_id(each) for each in condenses]} if condenses else {}
    body |= {} if prominence is None else {"prominence": prominence}
    body |= _under(perspectives)
    who = {"source": source} if source else {}
    return Said(name, "record_event", body, session, changed=stamped(origin, trust) | who)


def outcome(
    name: str,
    of: str,
    value: float,
    *,
    kind: str = "outcome",
    catastrophic: bool = False,
    trajectory: tuple[str, ...] = (),
    origin: str | None = None,
    trust: int | None = None,
) -> Said:
    """A catastrophe comes of a tool unless somebody else is given: what an agent says itself is none."""
    body = {"event": command_id(of), "value": value, "kind": kind, "catastrophic": catastrophic}
    if trajectory:
        body["trajectory"] = [command_id(step) for step in trajectory]
    speaker = origin or ("tool" if catastrophic else "agent")
    return Said(name, "log_outcome", body, changed=stamped(None if speaker == "agent" else speaker, trust))


def _under(perspectives: Sequence[str]) -> dict[str, Any]:
    return {"perspectives": list(perspectives)} if perspectives else {}


def recall(name: str, *returned: str, as_of: int = 0, perspectives: tuple[str, ...] = ()) -> Said:
    body: dict[str, Any] = {
        "purpose": "context",
        "as_of": as_of,
        "returned": [reference(entry) for entry in returned],
        "ranker": "linear-1",
        "tokenizer": "words-1",
        "index": "none-1",
    }
    return Said(name, "record_recall", body | _under(perspectives))


def read(name: str, as_of: int = 0, trust_least: int | None = None) -> Said:
    body = {"read": "history", "as_of": as_of, "digest": "0" * 64, "trust_least": trust_least}
    return Said(name, "record_read", {key: value for key, value in body.items() if value is not None})


def use(
    name: str,
    of: str,
    *used: str,
    result: str = "unknown",
    helpful: bool = False,
    prevented_error: bool = False,
    perspectives: tuple[str, ...] = (),
    origin: str | None = None,
    trust: int | None = None,
) -> Said:
    body: dict[str, Any] = {
        "recall": command_id(of),
        "used": [reference(entry) for entry in used],
        "result": result,
        "helpful": helpful,
        "prevented_error": prevented_error,
    }
    return Said(name, "report_use", body | _under(perspectives), changed=stamped(origin, trust))


def thinker(
    name: str = "chunker", cursor_from: int = 0, cursor_to: int = 0, version: str = "1", part: int = 0, parts: int = 1
) -> dict[str, Any]:
    """Who decides, and from where to where it has read, and which part of the decision this is: for ``by``."""
    said = {"name": name, "version": version, "cursor_from": cursor_from, "cursor_to": cursor_to}
    return said | ({"part": part, "parts": parts} if (part, parts) != (0, 1) else {})


def _decision(name: str, type_: str, body: dict[str, Any], by: dict[str, Any] | None, session: str = "default") -> Said:
    return Said(name, type_, body | ({"thinker": by} if by else {}), session)


def episode(
    name: str,
    *events: str,
    session: str = "default",
    clear: str = "all",
    keep: int = 0,
    episodes: tuple[str, ...] = (),
    by: dict[str, Any] | None = None,
) -> Said:
    body: dict[str, Any] = {"events": [command_id(each) for each in events], "clear": clear, "keep": keep}
    body |= {"episodes": [command_id(each) for each in episodes]} if episodes else {}
    return _decision(name, "commit_episode", body, by, session)


def concept(name: str, *members: str, by: dict[str, Any] | None = None) -> Said:
    return _decision(name, "form_concept", {"members": [reference(each) for each in members]}, by)


def dissolve(name: str, of: str, by: dict[str, Any] | None = None) -> Said:
    return _decision(name, "dissolve_concept", {"concept": reference(of)}, by)


def adjust(
    name: str,
    *trajectory: str,
    evidence: tuple[str, ...],
    salience: float = 0.0,
    permanence: float = 0.0,
    half_life: float = 1.0,
    by: dict[str, Any] | None = None,
) -> Said:
    body = {
        "trajectory": [reference(each) for each in trajectory],
        "salience": salience,
        "permanence": permanence,
        "half_life": half_life,
        "evidence": [command_id(each) for each in evidence],
    }
    return _decision(name, "adjust", body, by)


def judge(
    name: str,
    *items: tuple[str, str] | tuple[str, str, bool],
    reason: str = "it was found out",
    evidence: tuple[str, ...] = (),
    origin: str | None = None,
    trust: int | None = None,
    by: dict[str, Any] | None = None,
) -> Said:
    """``items`` are what commands did, by their names, each with its verdict, and whether only a word is meant."""
    judged = [
        {"node": command_id(node), "verdict": verdict} | ({"word": True} if any(word) else {})
        for node, verdict, *word in items
    ]
    body: dict[str, Any] = {"items": judged, "reason": reason}
    if evidence:
        body["evidence"] = [command_id(each) for each in evidence]
    return replace(_decision(name, "judge", body, by), changed=stamped(origin, trust))


def claim(
    name: str,
    subject: str,
    predicate: str,
    value: str | int | bool | dict[str, Any],
    *,
    evidence: tuple[str, ...] = (),
    supersedes: str | None = None,
    condenses: tuple[str, ...] = (),
    perspectives: tuple[str, ...] = (),
    session: str = "default",
    origin: str | None = None,
    trust: int | None = None,
    source: str | None = None,
    key: str | None = None,
    by: dict[str, Any] | None = None,
    **more: Any,
) -> Said:
    """A value is the name of a thing, a number, a yes or no, or a whole object; ``more`` goes into the body."""
    said: dict[str, Any] = {"subject": subject, "predicate": predicate, "object": _object(value)} | more
    said |= {"evidence": [command_id(each) for each in evidence]} if evidence else {}
    said |= {} if supersedes is None else {"supersedes": command_id(supersedes)}
    said |= {"condenses": [command_id(each) for each in condenses]} if condenses else {}
    said |= _under(perspectives)
    who = ({"source": source} if source else {}) | ({"process": f"yggdrasil-serve/{key}"} if key else {})
    return replace(_decision(name, "assert_claim", said, by, session), changed=stamped(origin, trust) | who)


def _object(value: str | int | bool | dict[str, Any]) -> dict[str, Any]:
    if isinstance(value, dict):
        return value
    if isinstance(value, bool):
        return {"flag": value}
    return {"decimal": str(value)} if isinstance(value, int) else {"entity": value}


def define(name: str, predicate: str, origin: str = "operator", **meaning: Any) -> Said:
    return Said(name, "define", {"predicate": predicate} | meaning, changed={"origin": origin})


def role(name: str, of: str, *perspectives: str | dict[str, Any], origin: str = "operator") -> Said:
    """What a role is; a perspective is its name, or whole."""
    said = [{"name": each} if isinstance(each, str) else each for each in perspectives]
    body = {"role": {"name": of} | ({"perspectives": said} if said else {})}
    return Said(name, "define", body, changed={"origin": origin})


def alias(
    name: str,
    of: str,
    canonical: str | None = None,
    *,
    evidence: tuple[str, ...] = (),
    origin: str | None = None,
    trust: int | None = None,
    by: dict[str, Any] | None = None,
) -> Said:
    body: dict[str, Any] = {"name": of} | ({} if canonical is None else {"canonical": canonical})
    body |= {"evidence": [command_id(each) for each in evidence]} if evidence else {}
    return replace(_decision(name, "alias_entity", body, by), changed=stamped(origin, trust))


def relate(name: str, source: str, target: str, relation: str = "supports", by: dict[str, Any] | None = None) -> Said:
    body = {"source": reference(source), "target": reference(target), "relation": relation}
    return _decision(name, "relate", body, by)


def propose(
    name: str,
    *,
    active: bool = False,
    samples: int = 150,
    origin: str = "operator",
    trust: int | None = None,
    by: dict[str, Any] | None = None,
) -> Said:
    """A scorer of weights that its name stands for."""
    weights = b64encode(name.encode().ljust(2 * SCORER_WEIGHTS, b"w")[: 2 * SCORER_WEIGHTS]).decode()
    body = {"active": active, "features": "nine/1", "weights": weights, "samples": samples}
    body |= {"metric": 400, "baseline": 500}
    return replace(_decision(name, "adopt_scorer", body, by), changed=stamped(origin, trust))


def adopt(name: str, of: str, active: bool = True, origin: str = "operator", trust: int | None = None) -> Said:
    """A scorer that was proposed counts, or no longer."""
    return Said(name, "adopt_scorer", {"active": active, "scorer": command_id(of)}, changed=stamped(origin, trust))


def sleep(name: str, by: dict[str, Any] | None = None, scope: str | None = None) -> Said:
    return _decision(name, "sleep", {} if scope is None else {"scope": scope}, by)


def pin(name: str, node: str, pinned: bool = True, permanence: float = 0.0, principle: bool = False) -> Said:
    body = {"node": reference(node), "pinned": pinned, "permanence": permanence}
    return Said(name, "pin", body | ({"principle": True} if principle else {}))


def lift(name: str, node: str, reason: str = "it was a drill", origin: str = "operator") -> Said:
    return Said(name, "lift_catastrophe", {"node": reference(node), "reason": reason}, changed={"origin": origin})


def retire(name: str, of: str, origin: str = "operator") -> Said:
    return Said(name, "retire_thinker", {"name": of}, changed={"origin": origin})


def vector(
    name: str,
    node: str,
    model: str = "small",
    values: bytes = b"\x01\x02\xff",
    origin: str = "operator",
    trust: int | None = None,
    pieces: Sequence[bytes] = (),
) -> Said:
    """It comes of an operator, as the embedder's do, unless somebody else is given, who may be refused."""
    parts = [Piece.of(4 * at, 4 * at + 4, each) for at, each in enumerate(pieces)]
    content = {"vector": Vector.of(model, values).model_copy(update={"pieces": parts}).as_sent()}
    body = {"node": reference(node), "model": model}
    return Said(name, "attach_vector", body, content=content, changed=stamped(origin, trust))


def policy(name: str, **changes: float) -> Said:
    return Said(name, "set_policy", {"changes": changes})


def attest(name: str) -> Said:
    return Said(name, "attest", {})


def snapshot(name: str, of: str, *, drop: bool = False, origin: str = "operator", trust: int | None = None) -> Said:
    """The moment gets the name ``of``, or that name is taken back."""
    return Said(name, "snapshot", {"name": of} | ({"drop": True} if drop else {}), changed=stamped(origin, trust))


def enable_version(name: str, schema_version: int = 1, rules_version: int = 1, partition: int = 0) -> Said:
    """An operator's record; its memory is ``_yggdrasil/partition-N``."""
    body = {"partition": partition, "schema_version": schema_version, "rules_version": rules_version}
    return Said(name, "enable_version", body, changed={"origin": "operator"})
