"""What a session says to a memory: how it begins, what it notes on its desk, and what it leaves behind (004).

A session is made of ordinary commands. Their ids are derived from the session's name and from what they say, so that
whatever was sent and not answered may be sent again: the memory takes each once.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final

import orjson
from pydantic import Field, StringConstraints, model_validator

from yggdrasil_schemas import limits
from yggdrasil_schemas.canonical import canonical_json
from yggdrasil_schemas.commands.experience import UTTERANCE, EventFeature
from yggdrasil_schemas.commands.knowledge import Relation
from yggdrasil_schemas.commands.wire import CommandId, Name, NodeRef, Strict
from yggdrasil_schemas.ids import sourced_id
from yggdrasil_schemas.names import claim_in_words, composed, name_in_words, text_digest

TOUCHES_MAX: Final = 29  # features of an event beside workflow, task and agent
ITEMS_MAX: Final = 16
"""Of each kind, in one reflection: with all kinds that is as much as a batch takes."""
_PART_CHARS_MAX: Final = limits.FEATURE_CHARS_MAX - len("workflow:")
_Part = Annotated[str, StringConstraints(pattern=rf"^[^\x00-\x1f\x7f-\x9f]{{1,{_PART_CHARS_MAX}}}$")]
_Said = Annotated[str, StringConstraints(min_length=1, max_length=limits.OBJECT_CHARS_MAX)]
_Text = Annotated[str, StringConstraints(min_length=1, max_length=4_096)]
_Evidence = Annotated[list[CommandId], Field(max_length=limits.EVIDENCE_MAX)]


class Work(Strict):
    """What a session is about: on what, by whom, and what it is going to touch."""

    workflow: _Part | None = None
    """The kind of work, such as ``release``: lessons are shared within it."""
    task: _Part | None = None
    """The task, such as ``T-12``: its desk is found under it."""
    agent: _Part | None = None
    """Who works on it."""
    goal: _Text | None = None
    """What it is to achieve, in a sentence."""
    touches: Annotated[list[EventFeature], Field(default_factory=list[str], max_length=TOUCHES_MAX)]
    """What it will touch, by features such as ``file:pay.py``: another open session that does is a collision."""
    holds: Annotated[list[EventFeature], Field(default_factory=list[str], max_length=ITEMS_MAX)]
    """What it takes for itself alone, such as ``resource:staging``, until it ends."""


class Opening(Work):
    """How a session begins."""

    session: Name
    """Its name, used once: by it everything that belongs to the session finds it."""

    @property
    def features(self) -> list[str]:
        """The features of the events that bound it."""
        named = (("workflow", self.workflow), ("task", self.task), ("agent", self.agent))
        own = [f"{kind}:{name}" for kind, name in named if name is not None]
        return list(dict.fromkeys([*own, *self.touches]))

    @property
    def subject(self) -> str:
        """What its desk is about: its task, or else itself."""
        return f"task:{self.task}" if self.task is not None else desk_of(self.session)

    @property
    def lasting(self) -> str:
        """What its lessons are about: the workflow, in which they are shared, or else the task, or the session."""
        return self.subject if self.workflow is None else f"workflow:{self.workflow}"


class Note(Strict):
    """A note on the desk."""

    predicate: Annotated[str, StringConstraints(pattern=rf"^[^\x00-\x1f\x7f-\x9f]{{1,{limits.PREDICATE_CHARS_MAX}}}$")]
    """What sort of note: ``goal``, ``subgoal``, ``threat`` and ``promise``, of which there may be several, or any other
    word, such as ``progress``, of which there is one."""
    value: _Said | bool
    """What it says."""
    due: int | None = Field(None, ge=-limits.TIME_MS_MAX, le=limits.TIME_MS_MAX)
    """Until when, in Unix ms: of a promise."""


class Decided(Strict):
    """What was decided, why, and what else was thought of."""

    what: _Text
    """What was decided."""
    why: _Text | None = None
    """Why."""
    alternatives: Annotated[list[_Text], Field(default_factory=list[str], max_length=ITEMS_MAX)]
    """What else was thought of."""
    about: Annotated[list[EventFeature], Field(default_factory=list[str], max_length=ITEMS_MAX)]
    """Features of what it is about."""
    informed_by: Annotated[list[CommandId], Field(default_factory=list[str], max_length=limits.INFORMED_BY_MAX)]
    """The recalls that led to it."""


class Learnt(Strict):
    """What is worth telling others: a lesson, a warning, or what helps against a failure."""

    text: _Said
    """What, in a sentence."""
    about: EventFeature | None = None
    """What it is about, by a feature; the workflow unless it is given, or else the task."""
    evidence: _Evidence | None = None
    """The ids of what it was learnt from; the session itself unless they are given."""
    confidence: Annotated[int, Field(ge=0, le=100)] = 70
    """How sure, in percent."""


class Remedy(Learnt):
    """What helped, or did not, when something failed."""

    failure: _Part
    """The kind of failure, such as ``loop``, ``tool``, ``context_exhaustion`` or ``verification_divergence``."""


class Rule(Learnt):
    """What must be done, or must not: it waits until a person has approved it."""

    forbids: bool = False
    """Whether it says what must not be done."""


class Connection(Strict):
    """How one thing has to do with another."""

    source: NodeRef
    """What has."""
    target: NodeRef
    """What it has to do with."""
    relation: Relation = "related"
    """In which way."""
    reason: _Text
    """Why, in a sentence."""


class Result(Strict):
    """How the session turned out."""

    value: Annotated[float, Field(ge=-limits.VALUE_MAX, le=limits.VALUE_MAX)]
    """How well, in [-10, 10]."""
    kind: _Part = "session"
    """What sort of outcome, such as ``failure:loop``."""
    text: _Text | None = None
    """What happened."""


class Reflection(Strict):
    """What a session leaves for others; everything may be left out."""

    summary: _Text | None = None
    """What was done, in a few sentences."""
    decisions: Annotated[list[Decided], Field(default_factory=list[Decided], max_length=ITEMS_MAX)]
    """What was decided."""
    lessons: Annotated[list[Learnt], Field(default_factory=list[Learnt], max_length=ITEMS_MAX)]
    """What was learnt."""
    warnings: Annotated[list[Learnt], Field(default_factory=list[Learnt], max_length=ITEMS_MAX)]
    """What to look out for."""
    recoveries: Annotated[list[Remedy], Field(default_factory=list[Remedy], max_length=ITEMS_MAX)]
    """What helped when something failed."""
    rules: Annotated[list[Rule], Field(default_factory=list[Rule], max_length=ITEMS_MAX)]
    """What must hold from now on, once a person approves."""
    connections: Annotated[list[Connection], Field(default_factory=list[Connection], max_length=ITEMS_MAX)]
    """How things have to do with each other."""
    outcome: Result | None = None
    """How it turned out."""
    decided: _Evidence | None = None
    """The ids of decisions that were recorded since it began, the last first: the outcome is credited to them too."""
    release: _Evidence | None = None
    """The ids of leases that were taken since it began."""

    @model_validator(mode="after")
    def _fits(self) -> "Reflection":
        learnt = len(self.lessons) + len(self.warnings) + len(self.recoveries) + len(self.rules)
        if len(self.decisions) + learnt + len(self.connections) > _SAID_MAX:
            raise ValueError(f"a reflection says at most {_SAID_MAX} things: keep the most important ones")
        return self


_SAID_MAX: Final = 90  # a batch has a hundred commands


@dataclass(frozen=True, slots=True)
class Step:
    """One command of a session, as it is sent: what it does there (``part``), and the rest as a command has it."""

    part: str
    type: str
    id: str
    session: str
    body: dict[str, Any]
    content: dict[str, Any] | None = None

    def sent(self) -> dict[str, Any]:
        """Return it as it comes to the gateway."""
        sent: dict[str, Any] = {"type": self.type, "id": self.id, "session": self.session, "body": self.body}
        return sent if self.content is None else sent | {"content": self.content}


def opened_by(source: str, session: str) -> str:
    """Return the id of the event that opens a session in the name of ``source``."""
    return sourced_id(composed(source), "session", composed(session), "open")


def opening(source: str, given: Opening) -> list[Step]:
    """Return what begins a session: an event that says so, and a claim for each thing that it holds."""
    payload = {name: value for name, value in given.model_dump(exclude={"session"}).items() if value}
    content = {"payload": payload} | ({} if given.goal is None else {"text": given.goal})
    body = {"features": given.features, "boundary": "open", "note": UTTERANCE}  # a goal answers no question
    event = opened_by(source, given.session)
    return [
        Step("opening", "record_event", event, given.session, body, content),
        *(holding(source, given.session, each, event) for each in dict.fromkeys(given.holds)),
    ]


def opening_in(session: str, record: bytes) -> Opening:
    """Return how a session began, by the record of the event that opened it; what is sealed of it is not known."""
    fields: dict[str, Any] = orjson.loads(record)
    content: dict[str, Any] = fields.get("content") or {}
    payload: dict[str, Any] = content.get("payload") or {}
    known = {name: value for name, value in payload.items() if name in Opening.model_fields}
    return Opening.model_validate({"session": session, **known})


def holding(source: str, session: str, thing: str, event: str) -> Step:
    """Return the claim that a session holds a thing alone: of two that do, a person says which."""
    body: dict[str, Any] = {
        "subject": thing,
        "predicate": "held_by",
        "object": {"entity": desk_of(session)},
        "evidence": [event],
    }
    content = {"text": f"{name_in_words(thing)} is held by the session {session}"}
    return Step("lease", "assert_claim", _id(source, session, "lease", thing), session, body, content)


def leases(source: str, given: Opening) -> list[str]:
    """Return the ids of the claims to what a session has held since it began."""
    return [_id(source, given.session, "lease", each) for each in dict.fromkeys(given.holds)]


def letting_go(source: str, session: str, ids: list[str]) -> Step:
    """Return the verdict that a session holds some things no longer: who waits for one has it then."""
    items = [{"node": each, "verdict": "reject"} for each in ids]
    body = {"items": items, "reason": "the session holds it no longer", "evidence": []}
    return Step("leases", "judge", _said_id(source, session, "leases", body), session, body)


def noting(source: str, given: Opening, notes: list[Note], turn: str) -> list[Step]:
    """Return the notes that are put on the desk; those of one ``turn`` are taken once however often they are sent."""
    return [_note(source, given, each, turn) for each in notes]


def deciding(source: str, given: Opening, decided: Decided) -> Step:
    """Return the event that says what was decided."""
    features = list(dict.fromkeys(["decision", *given.features[:3], *decided.about]))[: limits.FEATURES_MAX]
    body: dict[str, Any] = {"features": features, "note": "decision"}
    body |= {"informed_by": decided.informed_by} if decided.informed_by else {}
    payload = decided.model_dump(include={"what", "why", "alternatives"}, exclude_none=True)
    content: dict[str, Any] = {"text": decided.what, "payload": payload}
    content |= {} if decided.why is None else {"rationale": decided.why}
    command_id = _said_id(source, given.session, "decision", {"body": body, "content": content})
    return Step("decision", "record_event", command_id, given.session, body, content)


def reflecting(source: str, given: Opening, said: Reflection) -> list[Step]:
    """Return what a session tells others, but for its end."""
    steps = [deciding(source, given, each) for each in said.decisions]
    steps += [_learnt(source, given, each, "lesson", given.lasting) for each in said.lessons]
    steps += [_learnt(source, given, each, "warning", given.lasting) for each in said.warnings]
    steps += [_learnt(source, given, each, "recovery", f"failure:{each.failure}") for each in said.recoveries]
    for rule in said.rules:
        steps.append(_learnt(source, given, rule, "must_not" if rule.forbids else "must", given.lasting, "rule"))
    return [*steps, *(_connection(source, given.session, each) for each in said.connections)]


def ending(source: str, given: Opening, said: Reflection) -> list[Step]:
    """Return all that ends a session, in one batch: what it tells others, how it turned out, what it lets go, its end.

    The same again has the same ids. Another end of a session that has ended is refused (``id_reused``).
    """
    steps = reflecting(source, given, said)
    held = [*leases(source, given), *(said.release or ())]
    if held:
        steps.append(letting_go(source, given.session, list(dict.fromkeys(held))))
    own = given.features[: limits.FEATURES_MAX]
    body: dict[str, Any] = {"features": own, "boundary": "close"}
    body |= {"note": UTTERANCE} if said.summary is None else {}
    content = None if said.summary is None else {"text": said.summary}
    end = Step("end", "record_event", _id(source, given.session, "close"), given.session, body, content)
    if said.outcome is None:
        return [*steps, end]
    decided = [*(said.decided or ()), *(each.id for each in unique(steps) if each.part == "decision")]
    return [*steps, end, _outcome(source, given.session, said.outcome, end.id, decided)]


def desk_of(session: str) -> str:
    """Return the thing that stands for a session: its desk's subject where it has no task, and the holder of leases."""
    return f"session:{session}"[: limits.FEATURE_CHARS_MAX]


def _note(source: str, given: Opening, note: Note, turn: str) -> Step:
    value: Any = note.value
    body: dict[str, Any] = {"claim_class": "desk", "subject": given.subject, "predicate": note.predicate}
    shown = str(value)
    content: dict[str, Any] = {}
    if isinstance(value, bool):
        body["object"], shown = {"flag": value}, "yes" if value else "no"
    else:
        body["object"], content["object"] = {"digest": text_digest(value)}, value
    body |= {} if note.due is None else {"valid_to": note.due}
    content["text"] = claim_in_words(given.subject, note.predicate, shown)
    command_id = _said_id(source, given.session, "note", {"turn": turn, "body": body})
    return Step("note", "assert_claim", command_id, given.session, body, content)


def _learnt(source: str, given: Opening, learnt: Learnt, predicate: str, about: str, sort: str = "lesson") -> Step:
    evidence = [opened_by(source, given.session)] if learnt.evidence is None else list(dict.fromkeys(learnt.evidence))
    body: dict[str, Any] = {
        "claim_class": sort,
        "subject": learnt.about if learnt.about is not None else about,
        "predicate": predicate,
        "object": {"digest": text_digest(learnt.text)},
        "confidence": learnt.confidence,
        "evidence": evidence,
    }
    content = {"text": learnt.text, "object": learnt.text}
    command_id = _said_id(source, given.session, predicate, body)
    return Step(predicate, "assert_claim", command_id, given.session, body, content)


def _connection(source: str, session: str, said: Connection) -> Step:
    body: dict[str, Any] = {"source": said.source, "target": said.target, "relation": said.relation}
    content = {"text": said.reason}
    command_id = _said_id(source, session, "connection", {"body": body, "content": content})
    return Step("connection", "relate", command_id, session, body, content)


def _outcome(source: str, session: str, said: Result, end: str, decided: list[str]) -> Step:
    """Return how a session turned out: an outcome of its end, to which its decisions led, or else what came before."""
    body: dict[str, Any] = {"event": end, "value": float(said.value), "kind": said.kind}
    body |= (
        {"trajectory": [*dict.fromkeys(decided), opened_by(source, session)][-limits.TRAJECTORY_MAX :]}
        if decided
        else {}
    )
    content = None if said.text is None else {"text": said.text}
    return Step("outcome", "log_outcome", _id(source, session, "outcome"), session, body, content)


def _id(source: str, session: str, *parts: str) -> str:
    return sourced_id(composed(source), "session", composed(session), *map(composed, parts))


def _said_id(source: str, session: str, part: str, said: Mapping[str, Any]) -> str:
    return _id(source, session, part, canonical_json(said).decode())


def unique(steps: list[Step]) -> Iterator[Step]:
    """Yield steps of which each has an id of its own: what is said twice in one reflection is said once."""
    seen = set[str]()
    for each in steps:
        if each.id not in seen:
            seen.add(each.id)
            yield each
