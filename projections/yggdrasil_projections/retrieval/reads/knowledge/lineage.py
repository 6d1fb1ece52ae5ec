"""Why a claim is believed: who said so, what it was concluded from, what says otherwise, what held before, and what
rests on it.
"""

from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Annotated, Final

from pydantic import Field

from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.graph.knowledge import OPEN_FROM
from yggdrasil_schemas.graph.records import EdgeKind, Node, NodeKind
from yggdrasil_schemas.problems import UNKNOWN_NODE

from ...asks import check_count
from ...errors import InvalidAskError
from ...found import Answered
from ...memories import PAGE_BYTES, MemoryObject, content_of, describe
from ...parameters import Count, Reference
from ...query import Read, Source, Timed
from ..experience.described import node_called
from ..experience.provenance import Provenance, found_by_seq, provenances
from ..experience.related import RELATIONS_FROM, why_related
from .conflicts import conflict_in

_EVIDENCE: Final = int(EdgeKind.EVIDENCE)
_DEPENDS_ON: Final = int(EdgeKind.DEPENDS_ON)
_CAUSAL: Final = int(EdgeKind.CAUSAL)
_CONTAINS: Final = int(EdgeKind.CONTAINS)
_MADE_OF_OTHERS: Final = (NodeKind.EPISODE, NodeKind.CONCEPT)
_PERCENT: Final = 400.0  # of a user's word, which weighs four quarters
_CHAIN_MAX: Final = 50
DEPTH_MAX: Final = 3
DEPENDENTS_MAX: Final = 200


@dataclass(frozen=True, slots=True)
class LineSeen:
    """One source of a claim: ``who`` stands for it (16 hexadecimal digits; equal for equal keys or sources).

    ``weight`` is what its word weighs, in words of a user who is quite sure; ``seq`` is that of the command with which
    it last said so, and ``valid_from`` since when it said that this holds. ``told`` names it, with its key and its
    place in the log; None where that command is not found there any more.
    """

    who: str
    trust: int
    weight: float
    valid_from: int | None
    seq: int
    told: Provenance | None = None


@dataclass(frozen=True, slots=True)
class Related:
    """Something that somebody said has to do with a memory: how, in which direction, and the seq of who said why.

    ``reason`` is why, in their words; None where they gave none, or it is sealed.
    """

    memory: MemoryObject
    relation: str
    direction: str
    seq: int
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class ClaimLineage(Answered):
    """A claim with its ``lines``, its ``evidence``, its ``rivals``, and what held ``before`` it, the latest first.

    ``related`` is what somebody said of how other things have to do with it. ``provenance`` tells of each memory here,
    by its reference, who said it first, under which key, and where that stands in the log; features have none.
    """

    claim: MemoryObject
    lines: list[LineSeen]
    evidence: list[MemoryObject]
    rivals: list[MemoryObject]
    before: list[MemoryObject]
    related: list[Related]
    as_of: int
    provenance: dict[str, Provenance] = field(default_factory=dict[str, Provenance])


@dataclass(frozen=True, slots=True)
class Dependent:
    """Something that rests on a memory, ``depth`` steps from it; ``reason`` is why, where somebody said so."""

    memory: MemoryObject
    depth: int
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Dependents(Answered):
    """What rests on a memory: what was concluded from it, caused by it, made of it, or depends on it; the nearest
    first, then the oldest.

    ``cut``: there are more than were asked for.
    """

    ref: str
    dependents: list[Dependent]
    cut: bool
    as_of: int


def lineage(graph: Graph, ref: str) -> ClaimLineage:
    """Return why a claim is believed. Raises UnknownNodeError, and InvalidAskError for what is no claim."""
    node = node_called(graph, ref)
    claim = graph.claim(node)
    if claim is None:
        raise InvalidAskError(f"{ref} is no claim; `explain` says where an event comes from")
    lines = [
        LineSeen(
            line.who.hex(),
            line.trust,
            line.weight / _PERCENT,
            None if line.begins == OPEN_FROM else line.begins,
            line.seq,
        )
        for line in sorted(claim.lines, key=lambda each: each.seq)
    ]
    sources = sorted(key[0] for key in graph.links(node.number) if key[1] == _EVIDENCE and key[2] == node.number)
    slot = graph.ruling(node).slot
    conflict = conflict_in(graph, slot) if slot else None
    contending = [] if conflict is None else [*([conflict.stands] if conflict.stands else []), *conflict.rivals]
    own = describe(graph, node)
    return ClaimLineage(
        own,
        lines,
        _described(graph, map(graph.expect, sources)),
        [each for each in contending if each.ref != own.ref],
        _described(graph, _before(graph, node)),
        _related(graph, node),
        graph.header.seq,
    )


def dependents(graph: Graph, ref: str, *, depth: int, count: int) -> Dependents:
    """Return what rests on a memory, up to ``depth`` (1 to 3) steps from it.

    Raises UnknownNodeError and InvalidAskError.
    """
    check_count("depth", depth, DEPTH_MAX)
    check_count("count", count, DEPENDENTS_MAX)
    node = node_called(graph, ref)
    seen, near = {node.number}, [node.number]
    found: list[Dependent] = []
    for step in range(1, depth + 1):
        rests = {each: on for on in reversed(near) for each in _resting_on(graph, on)}  # on the first of several
        beyond = sorted(rests.keys() - seen)
        for number in beyond:
            if len(found) == count:
                return Dependents(ref, found, cut=True, as_of=graph.header.seq)
            reason = why_related(graph, (number, _DEPENDS_ON, rests[number])).reason
            found.append(Dependent(describe(graph, graph.expect(number)), step, reason))
        seen.update(beyond)
        near = beyond
    return Dependents(ref, found, cut=False, as_of=graph.header.seq)


def _resting_on(graph: Graph, number: int) -> Iterable[int]:
    for source, kind, target in graph.links(number):
        if kind == _EVIDENCE and source == number:
            yield target
        elif kind == _DEPENDS_ON and target == number:
            yield source
        elif kind == _CAUSAL and source == number and graph.expect(target).kind == NodeKind.EVENT:
            yield target
        elif kind == _CONTAINS and target == number and graph.expect(source).kind in _MADE_OF_OTHERS:
            yield source


def _before(graph: Graph, node: Node) -> Iterable[Node]:
    """Yield what held before a claim, the latest first, each once: what held twice may be before itself."""
    seen = {node.number}
    while len(seen) <= _CHAIN_MAX:
        claim = graph.claim(node)
        earlier = graph.node(claim.before) if claim is not None and claim.before else None
        if earlier is None or earlier.number in seen:
            return
        seen.add(earlier.number)
        node = earlier
        yield node


def _related(graph: Graph, node: Node) -> list[Related]:
    number = node.number
    found: list[Related] = []
    for key in sorted(key for key in graph.links(number) if key[1] >= RELATIONS_FROM):
        outwards = key[0] == number
        other = describe(graph, graph.expect(key[2] if outwards else key[0]))
        relation = EdgeKind(key[1]).name.lower()
        why = why_related(graph, key)
        found.append(Related(other, relation, "out" if outwards else "in", why.seq, why.reason))
    return found


def _described(graph: Graph, nodes: Iterable[Node]) -> list[MemoryObject]:
    """Return nodes as memory objects, fewer where they are long."""
    found: list[MemoryObject] = []
    read_bytes = 0
    for node in nodes:
        if read_bytes >= PAGE_BYTES:
            break
        read_bytes += len(content_of(graph, node.number))
        found.append(describe(graph, node))
    return found


@dataclass(frozen=True, slots=True)
class AskLineage(Timed[ClaimLineage]):
    """Return why a claim is believed: who said so, its evidence and rivals, what held before, what relates to it.

    Raises UnknownNodeError, and InvalidAskError for what is no claim.
    """

    claim: Annotated[Reference, Field(alias="ref")]

    def read(self, source: Source, /) -> ClaimLineage:
        """Answer it."""
        with source.graph() as graph:
            found = lineage(graph, self.claim)
            named = (found.claim, *found.evidence, *found.rivals, *found.before, *(one.memory for one in found.related))
            told = provenances(graph, source.partition, (each.ref for each in named))
        senders = found_by_seq(source, (line.seq for line in found.lines), told.get(found.claim.ref))
        return replace(
            found,
            lines=[replace(line, told=senders.get(line.seq)) for line in found.lines],
            provenance=told,
        )


@dataclass(frozen=True, slots=True)
class AskDependents(Timed[Dependents]):
    """Return what was concluded from a memory, caused by it, made of it, or depends on it.

    That is up to ``depth`` (1 to 3) steps from it.
    """

    ref: Reference
    _: KW_ONLY
    count: Count = 50
    depth: Annotated[int, Field(ge=1, le=DEPTH_MAX)] = DEPTH_MAX

    def read(self, source: Source, /) -> Dependents:
        """Answer it."""
        with source.graph() as graph:
            return dependents(graph, self.ref, depth=self.depth, count=self.count)


LINEAGE: Final = Read(
    "lineage",
    AskLineage,
    ClaimLineage,
    "GET /claims/{ref:path}/lineage",
    "Why it is believed",
    """Return why a claim is believed: who said so, what it was concluded from, its rivals, what held before it, and
how other things have to do with it.""",
    (UNKNOWN_NODE,),
    example={"claim": "<claim>"},
)
DEPENDENTS: Final = Read(
    "dependents",
    AskDependents,
    Dependents,
    "GET /nodes/{ref:path}/dependents",
    "What rests on it",
    """Return what was concluded from one memory, caused by it, made of it, or depends on it, up to `depth` steps from
it, the nearest first.

It is what is in doubt when that falls.""",
    (UNKNOWN_NODE,),
    example={"ref": "<event>"},
)
