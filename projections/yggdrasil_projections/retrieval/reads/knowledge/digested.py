"""What was made of a session: its claims, what became of each, what they are linked to, and what is put away.

It is what the digestion thinkers decided (docs/thinkers.md), as the memory shows it; nothing is kept for it.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.graph.records import EdgeKind, Node, NodeFlag, NodeKind, Status
from yggdrasil_schemas.names import composed

from ...found import Answered
from ...index.index import MemoryIndex
from ...memories import PAGE_BYTES, MemoryObject, content_of, made_by, reference_of
from ...parameters import SessionNamed
from ...query import Query, Read, Source
from ...records import fields_in
from ..experience.related import RELATIONS_FROM, why_related

GATES: Final = ("form", "evidence", "support", "duplicate", "names", "retrievable")
"""What a claim has to pass, in order; a rejected one names the first that it did not, before a colon, as the reason."""
VERIFIED: Final = "verified"
"""The reason with which a verdict lets a claim pass all gates."""
DIGESTED: Final = "digested"
"""The reason with which an event is archived of which the claims stand."""
EVENTS_MAX: Final = 2_000
CLAIMS_MAX: Final = 200
CONNECTIONS_MAX: Final = 200
_EVIDENCE: Final = int(EdgeKind.EVIDENCE)
_ARCHIVED: Final = int(NodeFlag.ARCHIVED)
_DESK: Final = 4
_UNDECIDED: Final = Status.CANDIDATE
_OUT: Final = (Status.QUARANTINED, Status.SUPERSEDED, Status.REJECTED)


@dataclass(frozen=True, slots=True)
class Digested:
    """A claim that came of a session.

    ``by`` is the thinker that asserted it, None where it was none. ``verified``: a verdict let it pass all gates;
    ``gate`` is the one that it did not pass, if it was rejected by one. ``into`` is what it was condensed into, by
    reference, and ``condenses`` what it says in fewer words.
    """

    claim: MemoryObject
    by: str | None
    verified: bool
    gate: str | None
    into: str | None
    condenses: list[str] = field(default_factory=list[str])


@dataclass(frozen=True, slots=True)
class Connected:
    """A relation that a thinker has found, with its reason: ``source`` and ``target`` by reference, and their texts."""

    source: str
    target: str
    relation: str
    reason: str | None
    by: str
    source_text: str | None
    target_text: str | None


@dataclass(frozen=True, slots=True)
class Digestion(Answered):
    """What was made of a session, of its latest 2,000 events: claims in the order in which they were made.

    ``archived`` are its events that are put away, since what they say stands in claims. ``undecided`` counts claims
    that wait. ``left_out`` says how many claims and connections there are beyond 200 of each, or beyond a page.
    """

    session: str
    events: int
    claims: list[Digested]
    connections: list[Connected]
    archived: list[str]
    undecided: int
    left_out: int
    as_of: int


def in_session(index: MemoryIndex, session: str) -> tuple[list[int], list[int]]:
    """Return the numbers of the events and of the claims that were said in a session, in order; the latest of many."""
    number = index.sessions.get(session)
    if number is None:
        return [], []
    columns = index.documents.columns
    mine = columns.alive & (columns.session == number)
    events = np.sort(columns.number[mine & (columns.kind == NodeKind.EVENT)])[-EVENTS_MAX:]
    return events.tolist(), np.sort(columns.number[mine & (columns.kind == NodeKind.CLAIM)]).tolist()


def digestion(graph: Graph, session: str, events: Iterable[int], claims: Iterable[int]) -> Digestion:
    """Return what was made of a session with these events, and these claims beside those concluded from the events."""
    seen = [node for number in events if (node := graph.node(number)) is not None]
    numbers = set(claims)
    for event in seen:
        numbers.update(key[2] for key in graph.links(event.number) if key[1] == _EVIDENCE and key[0] == event.number)
    found: list[Digested] = []
    connections: list[Connected] = []
    read_bytes, left_out, undecided = 0, 0, 0
    for number in sorted(numbers):
        node = graph.node(number)
        claim = None if node is None else graph.claim(node)
        if node is None or claim is None or claim.sort == _DESK:
            continue
        undecided += node.status == _UNDECIDED
        if len(found) == CLAIMS_MAX or read_bytes >= PAGE_BYTES:
            left_out += 1
            continue
        record = fields_in(content := content_of(graph, number))
        read_bytes += len(content)
        found.append(_digested(graph, node, record))
        left_out += _connect(graph, node, connections)
    archived = [
        reference_of(graph, event.number)
        for event in seen
        if event.flags & _ARCHIVED and graph.ruling(event).reason.startswith(DIGESTED)
    ]
    return Digestion(session, len(seen), found, connections, archived, undecided, left_out, graph.header.seq)


def gate_in(claim: MemoryObject) -> str | None:
    """Return which gate a rejected claim did not pass; None where something else rejected it, or nothing did."""
    reason = (claim.ruling.reason if claim.ruling else None) or ""
    gate = reason.partition(":")[0]
    return gate if claim.status == "rejected" and gate in GATES else None


def is_verified(claim: MemoryObject) -> bool:
    """Whether a verdict let a claim pass all gates, and nothing was said of it since."""
    return claim.ruling is not None and claim.ruling.reason == VERIFIED


def _digested(graph: Graph, node: Node, record: dict[str, Any]) -> Digested:
    body: dict[str, Any] = record["body"]
    claim, thinker = made_by(graph, node, record), body.get("thinker")
    into = claim.ruling.instead if claim.status == "superseded" and claim.ruling else None
    by = None if thinker is None else thinker["name"]
    return Digested(claim, by, is_verified(claim), gate_in(claim), into, body.get("condenses", []))


def _connect(graph: Graph, node: Node, connections: list[Connected]) -> int:
    """Take in how thinkers have related a claim to others, each relation once; return how many find no room."""
    left_out = 0
    told = {(each.source, each.target, each.relation) for each in connections}
    for key in sorted(each for each in graph.links(node.number) if each[1] >= RELATIONS_FROM):
        why = why_related(graph, key)
        ends = [graph.node(key[0]), graph.node(key[2])]
        if why.thinker is None or any(each is None or each.status in _OUT for each in ends):
            continue
        source, target = reference_of(graph, key[0]), reference_of(graph, key[2])
        relation = EdgeKind(key[1]).name.lower()
        if (source, target, relation) in told:
            continue
        if len(connections) == CONNECTIONS_MAX:
            left_out += 1
            continue
        texts = (_text(graph, key[0]), _text(graph, key[2]))
        connections.append(Connected(source, target, relation, why.reason, why.thinker, *texts))
    return left_out


def _text(graph: Graph, number: int) -> str | None:
    node = graph.expect(number)
    if node.kind == NodeKind.FEATURE:
        return graph.feature_name(number)
    content: dict[str, Any] = fields_in(content_of(graph, number)).get("content") or {}
    text: str | None = content.get("text")
    return text


@dataclass(frozen=True, slots=True)
class AskDigestion(Query[Digestion]):
    """Return what was made of a session: its claims with their verdicts, their connections, what is put away.

    A session of which nothing is known has none.
    """

    session: SessionNamed

    def read(self, source: Source, /) -> Digestion:
        """Answer it."""
        session = composed(self.session)
        with source.found(lambda _, index: in_session(index, session)) as (graph, (events, claims)):
            return digestion(graph, session, events, claims)


DIGESTION: Final = Read(
    "digestion",
    AskDigestion,
    Digestion,
    "GET /sessions/{session:path}/digestion",
    "What was made of a session",
    """Return the claims that came of a session, each with its verdict and the gate that it did not pass, how thinkers
have connected them and why, what was condensed into what, and which events are put away.""",
    example={"session": "default"},
)
