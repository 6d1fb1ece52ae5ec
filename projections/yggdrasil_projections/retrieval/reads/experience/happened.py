"""What a memory has taken, in the order in which it took it: what thinkers read.

Nothing here depends on when it is asked but what has been forgotten by then, so that a thinker that reads the same
history twice decides the same.
"""

from dataclasses import KW_ONLY, dataclass, field
from typing import Annotated, Any, Final

import numpy as np
from pydantic import Field

from yggdrasil_projections.graph.laws.authority import trust_in
from yggdrasil_projections.graph.lensed import trust_min_of
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.commands.envelope import SESSION_DEFAULT, TIERS
from yggdrasil_schemas.commands.experience import UTTERANCE
from yggdrasil_schemas.graph.records import NodeKind, node_number, seq_of
from yggdrasil_schemas.limits import SEQ_MAX

from ...asks import check_seq
from ...found import Answered
from ...memories import PAGE_BYTES, content_of
from ...parameters import Seq
from ...query import Read, Source, Timed
from ...records import fields_in

_COUNT_MAX: Final = 1_000  # thinkers go through all of a memory


@dataclass(frozen=True, slots=True)
class Asserted:
    """What a claim says: ``object`` is a name, a number, "yes" or "no", or a text, None where that is sealed.

    ``evidence`` are the ids of what it was concluded from, ``condenses`` of what it says in fewer words; ``sort`` is
    its class.
    """

    subject: str
    predicate: str
    object: str | None
    qualifiers: dict[str, str] = field(default_factory=dict[str, str])
    evidence: list[str] = field(default_factory=list[str])
    sort: str = "fact"
    condenses: list[str] = field(default_factory=list[str])


@dataclass(frozen=True, slots=True)
class Happening:
    """One thing that a memory has taken and not forgotten, as its command said it.

    ``kind`` is "event", "outcome", "episode", "concept" or "claim", which ``asserted`` something; ``at`` is what its
    producer said, in Unix ms. ``features`` and ``causes`` (ids of events) are those of an event. ``of`` is the event or
    episode that an outcome judges, ``value`` in [-10, 10] its value and ``outcome`` its kind. ``members`` are what an
    episode or a concept was made of, by reference. ``thinker`` is who decided, where it was a thinker. ``text`` and
    ``payload`` are None when there are none, or when they are sealed. ``note`` is what sort of note an event is,
    and ``boundary`` whether its session was opened or closed with it. ``trust``, 0 to 4, is that of who said it.
    """

    seq: int
    id: str
    kind: str
    session: str
    at: int
    source: str
    origin: str
    text: str | None = None
    payload: dict[str, Any] | None = None
    features: list[str] = field(default_factory=list[str])
    causes: list[str] = field(default_factory=list[str])
    of: str | None = None
    value: float = 0.0
    outcome: str | None = None
    catastrophic: bool = False
    members: list[str] = field(default_factory=list[str])
    thinker: str | None = None
    asserted: Asserted | None = None
    note: str | None = None
    boundary: str | None = None
    trust: int = TIERS["agent"]

    @property
    def telling(self) -> str | None:
        """The text, unless a loop said it and it tells nothing new: what may be concluded from."""
        return None if self.note == UTTERANCE else self.text


@dataclass(frozen=True, slots=True)
class OpenDecision:
    """A thinker's decision up to ``cursor_to`` of which some of ``parts`` parts are ``missing``, by number."""

    cursor_to: int
    parts: int
    missing: list[int]


@dataclass(frozen=True, slots=True)
class Happenings(Answered):
    """Some of what a memory has taken, in order of seq.

    ``position`` is the seq up to which everything has now been read: ask for what comes after it to go on. It is
    ``as_of``, the memory's seq, when nothing is left. ``cursors`` says how far each thinker has decided, and ``open``
    which decisions are not whole.
    """

    happened: list[Happening]
    position: int
    as_of: int
    cursors: dict[str, int]
    open: dict[str, OpenDecision] = field(default_factory=dict[str, OpenDecision])


def happened(graph: Graph, *, since: int, count: int) -> Happenings:
    """Return at most ``count`` live happenings with a seq beyond ``since``, in order: all nodes but features.

    Where contents are long there are fewer. What is archived is among them.
    """
    check_seq("since", since)
    as_of = graph.header.seq
    cursors = dict(sorted(graph.header.cursors.items()))
    table = graph.node_table()
    keys, kinds = table.keys.astype(np.uint64), table.rows["kind"]
    begin = int(np.searchsorted(keys, np.uint64(node_number(min(max(since, 0), SEQ_MAX) + 1))))
    wanted = begin + np.flatnonzero(kinds[begin:] != NodeKind.FEATURE)[: count + 1]
    found: list[Happening] = []
    read_bytes, least = 0, trust_min_of(graph)
    for number, kind in zip(keys[wanted[:count]].tolist(), kinds[wanted].tolist(), strict=False):
        if read_bytes >= PAGE_BYTES:
            break
        content = content_of(graph, number)
        read_bytes += len(content)
        fields = fields_in(content)
        if trust_in(fields["origin"], fields.get("trust")) < least:  # a claim that somebody else confirmed
            fields |= {"content": None, "body": fields["body"] | {"evidence": [], "condenses": []}}
        found.append(_happening(seq_of(number), NodeKind(kind).name.lower(), fields))
    position = as_of if len(found) == len(wanted) else found[-1].seq if found else since
    return Happenings(found, position, as_of, cursors, _open(graph))


def _open(graph: Graph) -> dict[str, OpenDecision]:
    windows = sorted(graph.header.windows.items())
    missing = {name: [part for part in range(of.parts) if not of.taken >> part & 1] for name, of in windows}
    return {name: OpenDecision(of.cursor_to, of.parts, missing[name]) for name, of in windows}


def _happening(seq: int, kind: str, record: dict[str, Any]) -> Happening:
    body: dict[str, Any] = record["body"]
    content: dict[str, Any] = record.get("content") or {}
    thinker = body.get("thinker")
    return Happening(
        seq=seq,
        id=record["id"],
        kind=kind,
        session=record.get("session", SESSION_DEFAULT),
        at=record["at"],
        source=record["source"],
        origin=record["origin"],
        text=content.get("text"),
        payload=content.get("payload"),
        features=body.get("features", []),
        causes=body.get("caused_by", []),
        of=body.get("event") if kind == "outcome" else None,
        value=float(body.get("value", 0.0)),
        outcome=body.get("kind") if kind == "outcome" else None,
        catastrophic=bool(body.get("catastrophic", False)),
        members=[*body.get("events", ()), *body.get("episodes", ())] or body.get("members") or [],
        thinker=None if thinker is None else thinker["name"],
        asserted=_asserted(body, content) if kind == "claim" else None,
        note=body.get("note") if kind == "event" else None,
        boundary=body.get("boundary") if kind == "event" else None,
        trust=trust_in(record["origin"], record.get("trust")),
    )


def _asserted(body: dict[str, Any], content: dict[str, Any]) -> Asserted:
    said: dict[str, Any] = body["object"]
    flag = said.get("flag")
    shown: str | None = said.get("entity") or said.get("decimal") or said.get("anchor") or content.get("object")
    if flag is not None:
        shown = "yes" if flag else "no"
    return Asserted(
        body["subject"],
        body["predicate"],
        shown,
        body.get("qualifiers", {}),
        body.get("evidence", []),
        body.get("claim_class", "fact"),
        body.get("condenses", []),
    )


@dataclass(frozen=True, slots=True)
class AskHappened(Timed[Happenings]):
    """Return what thinkers read: events, outcomes, episodes and concepts with a seq beyond ``since``, in order.

    There are at most ``count``, fewer where contents are long. To go on, give the answer's ``position`` as
    ``since``; it is ``as_of`` at the end. It is no recall.
    """

    _: KW_ONLY
    since: Seq = 0
    count: Annotated[int, Field(ge=1, le=_COUNT_MAX)] = 200

    def read(self, source: Source, /) -> Happenings:
        """Answer it."""
        with source.graph() as graph:
            return happened(graph, since=self.since, count=self.count)


HAPPENED: Final = Read(
    "happened",
    AskHappened,
    Happenings,
    "GET /happened",
    "What thinkers read, the oldest first",
    """Return events, outcomes, episodes and concepts beyond `since`, the oldest first; `position` leads on.

It is all that a thinker reads, as it was said, with how far each thinker has decided. It is no recall.""",
    example={"since": 2, "count": 3},
)
