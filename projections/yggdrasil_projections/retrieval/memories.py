"""Memories as agents see them: structured objects, never raw graph state (000, section 5)."""

from dataclasses import dataclass, field
from typing import Any, Final

from yggdrasil_projections.graph.arithmetic import decayed
from yggdrasil_projections.graph.laws.authority import trust_in, trust_of
from yggdrasil_projections.graph.laws.density import density
from yggdrasil_projections.graph.laws.reference import FEATURE_PREFIX, live_or_heir
from yggdrasil_projections.graph.laws.regard import strength
from yggdrasil_projections.graph.unsound import check_folded
from yggdrasil_projections.graph.working_set import BrokenInvariantError, Graph
from yggdrasil_schemas.commands import LogOutcome
from yggdrasil_schemas.commands.envelope import SESSION_DEFAULT
from yggdrasil_schemas.graph.records import (
    NOBODY,
    PROTECTED,
    EdgeKind,
    Node,
    NodeFlag,
    NodeKind,
    Status,
    node_number,
)
from yggdrasil_schemas.ids import id_bytes, id_text, key_in
from yggdrasil_schemas.limits import TRUST_MAX

from .claimed import ClaimSeen, claim_seen, content_shown
from .lens import stands
from .records import command_in, fields_in, text_of
from .text.plain import said_by
from .text.said import names_in

_KINDS: Final = {int(kind): kind.name.lower() for kind in NodeKind}
_STATUSES: Final = {int(status): status.name.lower() for status in Status}
_PROTECTED: Final = int(PROTECTED)  # as numbers, since to combine flags takes a microsecond
_ARCHIVED: Final = int(NodeFlag.ARCHIVED)
_CONCEPTUAL: Final = int(NodeFlag.CONCEPTUAL)
_STALE: Final = int(NodeFlag.STALE)
MEMBERS_MAX: Final = 64  # all that an episode may name; a concept may have absorbed more
PAGE_BYTES: Final = 1 << 20
"""How much a read of many memories reads before it leaves the rest to the next: nobody else has a turn meanwhile."""


@dataclass(frozen=True, slots=True)
class OutcomeSeen:
    """How something turned out: ``value`` in [-10, 10]; ``event`` names the event or episode that was judged.

    ``catastrophic``: it counts as a catastrophe, being called one by who may, and not lifted since. ``key`` is the id
    of the key with which it came over HTTP. ``said_by`` is who said it, as of a memory.
    """

    id: str
    event: str
    value: float
    kind: str
    catastrophic: bool
    text: str | None
    key: str | None = None
    said_by: str = ""


@dataclass(frozen=True, slots=True)
class RulingSeen:
    """What gave a memory its status: the id of the command, its reason if it gave one, and what stands ``instead``.

    ``instead`` is a reference, None where nothing does, or where that was forgotten. ``self_approved``: it took an
    approval, and whoever gave it is the only one who says so, as only an operator may.
    """

    by: str
    reason: str | None
    instead: str | None
    self_approved: bool = False


@dataclass(frozen=True, slots=True)
class MemoryObject:
    """A node as it is now: what it is, what it says, and the evidence for its weight.

    ``ref`` names it in ``report_use``: a command id, or ``feature:NAME``. ``salience`` and ``permanence`` are what is
    left of them at the present tick; ``impact`` is signed; ``usage`` counts real uses (for a feature: occurrences),
    ``served`` those that went well, and ``last_used`` is the tick of the last one, None before there is any.
    ``candidates`` counts the ticks in which a recorded recall returned it, and ``last_recalled`` is the last of them.
    ``mentions`` counts how often it was said: a claim also by who confirmed it, a concept by the events it took in.
    ``valence``, in [-10, 10], is the outcome that its presence predicts, and ``good`` and ``bad`` count those that it
    had a part in; ``density``, in [0, 1], is how much hangs on it; ``level``, 0 to 5, is how far its use has
    consolidated it.

    ``protected``: it is not forgotten however full the memory is, being pinned, catastrophic, or lasting (permanence of
    at least ``protect_permanence``); of too many protected ones the weakest are forgotten all the same.
    ``archived``: it has faded, and only a deep ask finds it. ``conceptual``: a feature so dense that it counts as a
    concept. ``members`` are the references of what an episode or a concept contains, the oldest first, at most 64;
    ``features`` are those of an event, those in a concept, and what an episode's events have in common.

    ``status``: "active"; "contested" by what is trusted a little more, or by one source alone; in "quarantine",
    "superseded", "rejected" or "resolved", which a default answer does not show; ``ruling`` says by what. A claim may
    also be a "candidate", which is not shown either, or "prior": established. ``stale``: an episode or a concept of
    which a part no longer stands, a claim of which all evidence does not, an event of which all claims do not.
    ``trust``, 0 to 4, is that of who said it, and at most that of what it was made of. ``said_by`` tells it for a
    prompt: ``stranger``, ``agent``, ``user``, ``tool`` or ``operator``, by that trust, and the source in quotes, as in
    ``user "ines"``; of a claim, how many others who are trusted as far say so too. ``claim`` is what a claim says.
    ``keyed`` is the key of which it is, or was, the latest word, ``supersedes`` the id that it was said in place of.
    ``name`` and ``aliases`` are what it is called; ``rationale`` is why it is so, which is kept and never searched.
    ``note`` is what sort of note it is, such as "decision". ``regards`` says how strong it is under each perspective
    under which it was said or used, by its name, in units of salience.
    """

    ref: str
    kind: str
    text: str | None
    session: str | None
    at: int | None
    features: list[str]
    salience: float
    permanence: float
    impact: float
    usage: int
    candidates: int
    valence: float
    good: int
    bad: int
    density: float
    level: int
    protected: bool
    archived: bool
    conceptual: bool
    members: list[str] = field(default_factory=list[str])
    outcomes: list[OutcomeSeen] = field(default_factory=list[OutcomeSeen])
    payload: dict[str, Any] | None = None
    status: str = "active"
    stale: bool = False
    trust: int = TRUST_MAX
    keyed: str | None = None
    supersedes: str | None = None
    ruling: RulingSeen | None = None
    claim: ClaimSeen | None = None
    name: str | None = None
    aliases: list[str] = field(default_factory=list[str])
    rationale: str | None = None
    note: str | None = None
    said_by: str = ""
    regards: dict[str, float] = field(default_factory=dict[str, float])
    served: int = 0
    mentions: int = 1
    last_used: int | None = None
    last_recalled: int | None = None


def salience_now(graph: Graph, node: Node) -> float:
    """Return a node's salience at the memory's present tick, without touching the node."""
    return decayed(node.salience, graph.header.tick - node.tick, node.half_life)


def permanence_now(graph: Graph, node: Node) -> float:
    """Return a node's permanence at the memory's present tick, at least what its pin gives, without touching it."""
    elapsed = graph.header.tick - node.tick
    return max(decayed(node.permanence, elapsed, graph.header.policy.permanence_half_life_ticks), node.pin_permanence)


def is_protected(graph: Graph, node: Node) -> bool:
    """Return whether the law of bounds protects a node: by a flag, or since it is lasting at the present tick."""
    return bool(node.flags & _PROTECTED) or permanence_now(graph, node) >= graph.header.policy.protect_permanence


def describe(graph: Graph, node: Node) -> MemoryObject:
    """Return a live node as a memory object."""
    content = content_of(graph, node.number)
    if node.kind == NodeKind.FEATURE:
        name = content.decode()
        return MemoryObject(FEATURE_PREFIX + name, _KINDS[node.kind], name, None, None, [], **_strength(graph, node))
    return made_by(graph, node, fields_in(content))


def made_by(graph: Graph, node: Node, record: dict[str, Any]) -> MemoryObject:
    """Return a live node as a memory object, given the fields of the record of the command that made it."""
    claim = claim_seen(graph, node, record)
    said = content_shown(node, record, claim)  # of what is sealed it has neither text nor payload
    return MemoryObject(
        record["id"],
        _KINDS[node.kind],
        said.get("text"),
        record.get("session", SESSION_DEFAULT),
        record["at"],
        features_of(graph, node, record),
        **_strength(graph, node),
        members=_members(graph, node),
        outcomes=outcomes_of(graph, node),
        payload=said.get("payload"),
        status=_STATUSES[node.status],
        stale=bool(node.flags & _STALE),
        trust=node.trust,
        keyed=record["body"].get("key"),
        supersedes=record["body"].get("supersedes"),
        ruling=_ruling(graph, node),
        claim=claim,
        name=said.get("name"),
        aliases=said.get("aliases", []),
        rationale=said.get("rationale"),
        note=record["body"].get("note"),
        said_by=teller_of(graph, node, record),
        regards=_regards(graph, node),
    )


def _regards(graph: Graph, node: Node) -> dict[str, float]:
    """Return how strong a node is under each perspective that roles have, by their names."""
    kept = graph.regards(node)
    if not kept:
        return {}
    views = (each for name in sorted(graph.roles) for each in graph.roles[name].perspectives)
    names = {each.key: each.name for each in views}
    return {names[each.key]: strength(graph, node, (each.key,)) for each in kept if each.key in names}


def teller_of(graph: Graph, node: Node, record: dict[str, Any]) -> str:
    """Return who says what a node says. Where somebody who is trusted more has confirmed it, nobody knows their name.

    Others are counted among who is trusted as far: of who is trusted less any number may say what they like.
    """
    claim = graph.claim(node)
    lines = () if claim is None else claim.lines
    others = sum(line.trust >= node.trust for line in lines) - 1
    first = node.trust <= trust_in(record["origin"], record.get("trust"))
    return said_by(node.trust, record["source"] if first else None, max(0, others))


def _ruling(graph: Graph, node: Node) -> RulingSeen | None:
    """Return what gave a node its status, None for one that has had no other."""
    ruling = graph.ruling(node)
    if ruling.by == NOBODY:
        return None
    live = ruling.instead > 0 and graph.node(ruling.instead) is not None
    instead = reference_of(graph, ruling.instead) if live else None
    return RulingSeen(id_text(ruling.by), ruling.reason or None, instead, ruling.self_approved)


def outcomes_of(graph: Graph, node: Node) -> list[OutcomeSeen]:
    """Return the remembered outcomes that a node led to, oldest first: of itself, and of what came after it.

    Those of strangers, which wait, are not among them, nor what was rejected or is in quarantine: whoever trusts their
    text may read it by its own reference.
    """
    found: list[OutcomeSeen] = []
    for number in _targets(graph, node, EdgeKind.CAUSAL, NodeKind.OUTCOME):
        if not stands(graph.expect(number)):
            continue
        outcome = command_in(content_of(graph, number))
        if isinstance(outcome, LogOutcome):
            body = outcome.body
            catastrophic = bool(graph.expect(number).flags & NodeFlag.CATASTROPHIC)
            said = body.kind, catastrophic, text_of(outcome), key_in(outcome.process)
            who = said_by(trust_of(outcome), outcome.source)
            found.append(OutcomeSeen(outcome.id, body.event, body.value, *said, said_by=who))
    return found


def judged_by(graph: Graph, outcome: int) -> Node | None:
    """Return the event or episode that an outcome is about, or what contained it when it was forgotten.

    The record says which it is: causal edges lead to an outcome from all that had a part in it.
    """
    event: str = fields_in(content_of(graph, outcome))["body"]["event"]
    identity = graph.identity(id_bytes(event))
    return live_or_heir(graph, node_number(identity.seq)) if identity else None


def reference_of(graph: Graph, number: int) -> str:
    """Return the reference of a live node: the id of the command that made it, or ``feature:NAME``."""
    if graph.expect(number).kind == NodeKind.FEATURE:
        return FEATURE_PREFIX + graph.feature_name(number)
    command_id: str = fields_in(content_of(graph, number))["id"]
    return command_id


def content_of(graph: Graph, number: int) -> bytes:
    """Return what a live node was made from: a record, or a feature's name.

    Raises BrokenInvariantError, and UnsoundRecordError for a record that is not the one that was folded.
    """
    content = graph.content(number)
    if content is None:
        raise BrokenInvariantError(f"{graph.header.memory}: node {number} has no content")
    check_folded(graph, number, content)
    return content


def _strength(graph: Graph, node: Node) -> dict[str, Any]:
    return {
        "salience": salience_now(graph, node),
        "permanence": permanence_now(graph, node),
        "impact": node.impact,
        "usage": node.usage,
        "candidates": node.candidates,
        "served": node.served,
        "mentions": node.mentions,
        "last_used": None if node.used_tick < 0 else node.used_tick,
        "last_recalled": None if node.recalled_tick < 0 else node.recalled_tick,
        "valence": node.valence,
        "good": node.good,
        "bad": node.bad,
        "density": density(node),
        "level": node.level,
        "protected": is_protected(graph, node),
        "archived": bool(node.flags & _ARCHIVED),
        "conceptual": bool(node.flags & _CONCEPTUAL),
    }


def features_of(graph: Graph, node: Node, record: dict[str, Any]) -> list[str]:
    """Return the features of a live node, given the fields of the record that made it."""
    claim = graph.claim(node)
    if claim is not None and any(claim.named):  # as the most trusted who said so named them
        return [each for each in dict.fromkeys(claim.named) if each]
    if node.kind == NodeKind.EVENT:
        features: list[str] = record["body"].get("features", [])
        return features
    if node.kind == NodeKind.CLAIM:
        return names_in(record)
    kind = {NodeKind.EPISODE: EdgeKind.ASSOCIATIVE, NodeKind.CONCEPT: EdgeKind.CONTAINS}.get(NodeKind(node.kind))
    if kind is None:
        return []
    return [graph.feature_name(number) for number in _targets(graph, node, kind, NodeKind.FEATURE)]


def _members(graph: Graph, node: Node) -> list[str]:
    if node.kind not in (NodeKind.EPISODE, NodeKind.CONCEPT):
        return []
    return [reference_of(graph, number) for number in _targets(graph, node, EdgeKind.CONTAINS)[:MEMBERS_MAX]]


def _targets(graph: Graph, node: Node, kind: EdgeKind, of: NodeKind | None = None) -> list[int]:
    """Return the numbers of the nodes that a node's edges of one kind lead to, the oldest first."""
    targets = sorted(key[2] for key in graph.links(node.number) if key[1] == kind and key[0] == node.number)
    return [number for number in targets if of is None or graph.expect(number).kind == of]
