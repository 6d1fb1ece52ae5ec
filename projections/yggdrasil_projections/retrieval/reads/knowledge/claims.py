"""What is claimed: of a thing, by a predicate, of a moment; and what a thing is called."""

from collections.abc import Collection, Iterable
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Annotated, Any, Final, Literal, get_args

import numpy as np
from pydantic import Field

from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.commands.knowledge import ClaimClass
from yggdrasil_schemas.graph.knowledge import Claim
from yggdrasil_schemas.graph.records import Node, NodeKind, Status
from yggdrasil_schemas.limits import SEQ_MAX
from yggdrasil_schemas.moments import Moment, MomentSent
from yggdrasil_schemas.names import composed

from ...asks import Standing, Where, asked_moment, check_count, check_seq, check_text
from ...claimed import claim_seen, confidence
from ...errors import InvalidAskError
from ...found import Answered
from ...index.index import MemoryIndex
from ...index.vocabulary import FEATURE_TERM
from ...lens import holds, seen_by
from ...memories import PAGE_BYTES, MemoryObject, content_of, made_by
from ...parameters import Count, Thing
from ...query import OnTheWire, Read, Source, Timed, sent_of
from ...records import fields_in
from .rejected import stays_rejected

CLAIMS_MAX: Final = 200
Sort = Literal["fact", "lesson", "rule", "desk"]
_SORTS: Final = {sort: number for number, sort in enumerate(get_args(ClaimClass), 1)}
_UNCONTESTED: Final = (Status.ACTIVE, Status.PRIOR)


@dataclass(frozen=True, slots=True)
class Claims(Answered):
    """Claims: those that stand unopposed first, then by confidence, the surest first, then the youngest.

    ``left_out`` says how many more there are: ask for these with ``skip``.
    """

    claims: list[MemoryObject]
    left_out: int
    as_of: int


@dataclass(frozen=True, slots=True)
class Entity(Answered):
    """A thing: the name under which it is known, its other names, and what is claimed of it now."""

    name: str
    aliases: list[str] = field(default_factory=list[str])
    claims: list[MemoryObject] = field(default_factory=list[MemoryObject])
    left_out: int = 0
    as_of: int = 0


@dataclass(frozen=True, slots=True)
class AskClaims(Timed[Claims]):
    """Return the claims that hold now, or at ``valid_at``, what stands unopposed first, then the surest.

    ``subject`` is found by any of its names, ``thing`` also where it is the object. With ``statuses``, such as
    "candidate", those that have one of them; with ``history`` all, whenever they held. To go on where some are
    ``left_out``, ``skip`` as many as you have. Raises InvalidAskError.
    """

    subject: str | None = None
    predicate: str | None = None
    object: str | bool | None = None
    _: KW_ONLY
    thing: str | None = None
    sort: str | None = None
    statuses: Iterable[str] | None = None
    trust_min: int | None = None
    valid_at: Moment | None = None
    history: bool = False
    count: int = 50
    skip: int = 0

    def __post_init__(self) -> None:
        """Raise InvalidAskError for what cannot be meant."""
        said = {name: getattr(self, name) for name in ("subject", "predicate", "object", "thing", "sort")}
        for name, value in said.items():
            if value is not None and not (name == "object" and isinstance(value, bool)):
                check_text(name, value)
        if self.sort is not None and self.sort not in _SORTS:
            raise InvalidAskError(f"a claim is a {', a '.join(_SORTS)}, and not a {self.sort[:40]!r}")
        if self.statuses is not None:
            object.__setattr__(self, "statuses", tuple(self.statuses))
            if not self.statuses:
                raise InvalidAskError("statuses is empty, and would admit nothing: leave it out for what stands")
        for status in self.statuses or ():
            if check_text("statuses", status) not in get_args(Standing):
                raise InvalidAskError(f"statuses: {status[:40]!r} is none of {', '.join(get_args(Standing))}")
        check_count("count", self.count, CLAIMS_MAX)
        check_seq("skip", self.skip)
        if not 0 <= self.skip <= SEQ_MAX:
            raise InvalidAskError(f"skip must lie between 0 and {SEQ_MAX}, not {self.skip}")
        object.__setattr__(self, "valid_at", _moment(self.valid_at))

    def read(self, source: Source, /) -> Claims:
        """Answer it: with claims of now, unless it says of when."""
        timeless = self.valid_at is not None or self.history or self.statuses is not None
        ask = self if timeless else replace(self, valid_at=source.now_ms())
        source.resolved(ask)

        def find(graph: Graph, index: MemoryIndex) -> list[int]:
            return claims_about(seen_by(graph, ask.where), index, self.about)

        with source.found(find) as (graph, likely):
            return claims(seen_by(graph, ask.where), likely, ask)

    def sent(self) -> dict[str, Any]:
        """Return what is sent of it over HTTP, where a value is a text, or a flag."""
        said = sent_of(self)
        if isinstance(self.object, bool):
            said |= {"flag": self.object}
            said.pop("object", None)
        return said

    @property
    def about(self) -> str | None:
        """The thing by which an index finds them; None: any."""
        return self.subject if self.subject is not None else self.thing

    @property
    def where(self) -> Where:
        """The lens of it."""
        return Where(
            statuses=self.statuses, trust_min=self.trust_min, history=self.history or None, valid_at=self.valid_at
        )


def claims_about(graph: Graph, index: MemoryIndex, thing: str | None) -> list[int]:
    """Return the numbers of all live claims that a thing, by any of its names, may be in; of None, of all claims."""
    columns, postings = index.documents.columns, index.postings
    likely = columns.alive & (columns.kind == NodeKind.CLAIM)
    if thing is not None:
        known = (postings.number.get(FEATURE_TERM + name) for name in graph.called(composed(thing)))
        terms = [term for term in known if term is not None]
        if not terms:
            return []
        named = np.zeros(len(likely), np.bool_)
        named[postings.rows_of(terms)] = True
        likely &= named
    numbers: list[int] = columns.number[likely].tolist()
    return numbers


def claims(graph: Graph, likely: Iterable[int], ask: AskClaims) -> Claims:
    """Return the claims that are asked for of those that are ``likely``, fewer where they are long."""
    where = ask.where
    found: list[tuple[tuple[bool, float, int], Node]] = []
    rejected = set[bytes]()  # values
    for number in likely:
        node = graph.node(number)
        claim = graph.claim(node) if node is not None else None  # an index has what a lens hides
        if node is None or claim is None or not _is_of(ask, claim):
            continue
        if node.status == Status.REJECTED:
            rejected.add(claim.value)
        if holds(where, node, claim) and _is_asked_for(graph, ask, node):
            opposed = Status(node.status) not in _UNCONTESTED
            found.append(((opposed, -confidence(graph, node, claim), -node.number), node))
    if rejected and where.statuses is None and not where.history:
        found = [each for each in found if not _says_again(graph, each[1], rejected)]
    found.sort(key=lambda each: each[0])
    shown: list[MemoryObject] = []
    read_bytes = 0
    for _, node in found[ask.skip : ask.skip + ask.count]:
        if read_bytes >= PAGE_BYTES:
            break
        content = content_of(graph, node.number)
        read_bytes += len(content)
        shown.append(made_by(graph, node, fields_in(content)))
    return Claims(shown, max(0, len(found) - ask.skip - len(shown)), graph.header.seq)


def entity(graph: Graph, likely: Iterable[int], name: str, *, valid_at: int | None, count: int) -> Entity:
    """Return a thing by any of its names; what nobody spoke of has only that name."""
    known, *aliases = graph.called(composed(name))
    of = claims(graph, likely, AskClaims(thing=known, valid_at=valid_at, count=count))
    return Entity(known, aliases, of.claims, of.left_out, of.as_of)


def _says_again(graph: Graph, node: Node, rejected: Collection[bytes]) -> bool:
    """Whether a claim says under another predicate what was rejected by somebody who is trusted more."""
    claim = graph.claim(node)
    return claim is not None and claim.value in rejected and stays_rejected(graph, node)


def _is_of(ask: AskClaims, claim: Claim) -> bool:
    if ask.predicate is not None and claim.predicate != composed(ask.predicate):
        return False
    return ask.sort is None or claim.sort == _SORTS[ask.sort]


def _is_asked_for(graph: Graph, ask: AskClaims, node: Node) -> bool:
    """Whether a claim says what is asked for, as far as only its record tells, which is read if it has to be."""
    if ask.subject is None and ask.object is None and ask.thing is None:
        return True
    record = fields_in(content_of(graph, node.number))
    body = record["body"]
    about, other = body["subject"], body["object"].get("entity")
    if ask.subject is not None and about not in _called(graph, ask.subject, node):
        return False
    if ask.thing is not None and not {about, other} & {*_called(graph, ask.thing, node)}:
        return False
    if ask.object is None:
        return True
    seen = claim_seen(graph, node, record)
    if seen is None or isinstance(ask.object, bool) or isinstance(seen.object, bool):
        return seen is not None and seen.object is ask.object
    return other in _called(graph, ask.object, node) if other is not None else seen.object == ask.object


def _called(graph: Graph, name: str, node: Node) -> tuple[str, ...]:
    """Return what a name stands for as far as a claim is concerned: what is trusted less joins nothing to it."""
    return graph.called(composed(name), node.trust)


def _moment(given: Moment | None) -> int | None:
    return None if given is None else asked_moment("valid_at", given, before_1970=True)


@dataclass(frozen=True, slots=True)
class AskEntity(Timed[Entity]):
    """Return a thing by any of its names, with its other names and what is claimed of it."""

    name: Thing
    _: KW_ONLY
    count: Count = 50
    valid_at: Annotated[
        Moment | None,
        OnTheWire(MomentSent | None),
        Field(description="Its claims of this moment; without it, of now."),
    ] = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "valid_at", _moment(self.valid_at))

    def read(self, source: Source, /) -> Entity:
        """Answer it."""
        moment = source.now_ms() if self.valid_at is None else _moment(self.valid_at)
        source.resolved(replace(self, valid_at=moment))
        with source.found(lambda graph, index: claims_about(graph, index, self.name)) as (graph, likely):
            return entity(graph, likely, self.name, valid_at=moment, count=self.count)


CLAIMS: Final = Read(
    "claims",
    AskClaims,
    Claims,
    "GET /claims",
    "What is claimed of a thing, of a time",
    """Return the claims that hold, what stands unopposed first, then the surest.

Each comes with its status, its trust, how sure it is, and from when until when it holds. With `history` they
come whatever became of them.""",
    example={"subject": "person:ana", "predicate": "lives_in"},
)
ENTITY: Final = Read(
    "entity",
    AskEntity,
    Entity,
    "GET /entities/{name:path}",
    "A thing, by any of its names",
    """Return a thing by any of its names, with its other names and what is claimed of it.""",
    example={"name": "person:ana", "valid_at": "2026-03-01"},
)
