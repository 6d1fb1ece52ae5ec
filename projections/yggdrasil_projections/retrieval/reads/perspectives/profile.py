"""What an agent is strong in: the strengths of a memory under the perspectives of a role, and where they move."""

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field
from math import log2, sqrt
from typing import Annotated, Final, NamedTuple

import numpy as np
from pydantic import Field

from yggdrasil_projections.graph.laws.regard import strength
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.graph.perspectives import Perspective
from yggdrasil_schemas.graph.records import Node, NodeFlag, Status
from yggdrasil_schemas.limits import PERSPECTIVE_CHARS_MAX

from ...asks import asked_role, check_count
from ...errors import InvalidAskError
from ...found import Answered
from ...memories import describe
from ...parameters import COUNT_MAX, Count
from ...query import Query, Read, Source

_REGARDED: Final = int(NodeFlag.REGARDED)
_AWAY: Final = int(NodeFlag.ARCHIVED | NodeFlag.STALE)
_STANDS: Final = (Status.ACTIVE, Status.PRIOR, Status.CONTESTED)
_LOOKED_AT: Final = 4_096  # memories, those that were touched last
_SHOWN: Final = 5
_RECENT: Final = 5  # what was touched in the latest fifth of the memory's ticks is recent


@dataclass(frozen=True, slots=True)
class StrongMemory:
    """A memory that is strong under a perspective: how strong it is now, in units of salience, and how often it was
    used under it.
    """

    ref: str
    text: str | None
    strength: float
    uses: int


@dataclass(frozen=True, slots=True)
class PerspectiveSeen:
    """What is strong under one perspective: ``strength`` of how many ``memories`` together, how often they were used
    under it, and its ``share`` of all strength of the profile; ``recent`` is its share of what was touched of late.

    ``features`` are those of the memories with their strengths added up, the strongest first, and ``strongest`` are the
    memories themselves.
    """

    name: str
    keywords: list[str]
    strength: float
    memories: int
    uses: int
    share: float
    recent: float
    features: dict[str, float]
    strongest: list[StrongMemory]


@dataclass(frozen=True, slots=True)
class Profile(Answered):
    """What a role, or one perspective, is strong in. ``drift``, in [0, 1], is how much of its strength has moved from
    one perspective to another of late: the total variation distance between its shares and its recent ones.

    ``left_out`` counts memories that were touched so long ago that they were not looked at.
    """

    name: str = ""
    perspectives: list[PerspectiveSeen] = field(default_factory=list[PerspectiveSeen])
    drift: float = 0.0
    left_out: int = 0
    tick: int = 0
    as_of: int = 0

    @property
    def features(self) -> dict[str, float]:
        """The strengths of all its features, by name."""
        found: dict[str, float] = {}
        for perspective in self.perspectives:
            for name, value in perspective.features.items():
                found[name] = found.get(name, 0.0) + value
        return found

    def divergence(self, other: "Profile") -> float:
        """Return how far apart two profiles are, of one memory or of two, by the features that they are strong in.

        The Jensen-Shannon distance (Endres and Schindelin, 2003), in [0, 1]: 0 for the same shares, 1 where they have
        no feature in common. A profile without any strength is 1 away from one that has some, and 0 from another such.
        """
        one, two = _shares(self.features), _shares(other.features)
        if not one or not two:
            return float(bool(one) != bool(two))
        total = 0.0
        for name in sorted({*one, *two}):
            p, q = one.get(name, 0.0), two.get(name, 0.0)
            middle = (p + q) / 2
            total += sum(each / 2 * log2(each / middle) for each in (p, q) if each)
        return sqrt(min(max(total, 0.0), 1.0))


class _Kept(NamedTuple):
    """A memory with its strength now under one perspective, its uses under it, and when that was touched."""

    node: Node
    strength: float
    uses: int
    tick: int


def profiled(graph: Graph, name: str, count: int) -> Profile:
    """Return the profile of a role, or of one perspective. Raises InvalidAskError for a name that is neither."""
    perspectives = _named(graph, name)
    table = graph.node_table()
    there = np.isin(table.rows["status"], _STANDS) & (table.rows["flags"] & _AWAY == 0)
    regarded = np.flatnonzero(there & (table.rows["flags"] & _REGARDED != 0))
    latest = regarded[np.argsort(table.rows["tick"][regarded].astype(np.int64), kind="stable")][::-1][:_LOOKED_AT]
    numbers: list[int] = sorted(table.keys[latest].astype(np.int64).tolist())
    kept: dict[bytes, list[_Kept]] = {view.key: [] for view in perspectives}
    for node in map(graph.expect, numbers):
        for each in graph.regards(node):
            if each.key in kept:
                kept[each.key].append(_Kept(node, strength(graph, node, (each.key,)), each.uses, each.tick))
    since = graph.header.tick - graph.header.tick // _RECENT
    totals = [sum(each.strength for each in kept[view.key]) for view in perspectives]
    recent = [sum(each.strength for each in kept[view.key] if each.tick >= since) for view in perspectives]
    shares, lately = _normal(totals), _normal(recent)
    seen = [
        _seen(graph, view, kept[view.key], (total, share, late), count)
        for view, total, share, late in zip(perspectives, totals, shares, lately, strict=True)
    ]
    moved = any(recent) and any(totals)
    drift = sum(abs(share - late) for share, late in zip(shares, lately, strict=True)) / 2 if moved else 0.0
    return Profile(name, seen, drift, len(regarded) - len(numbers), graph.header.tick, graph.header.seq)


def _named(graph: Graph, name: str) -> list[Perspective]:
    roles = graph.roles
    if name in roles:
        return list(roles[name].perspectives)
    found = {each.name: each for role in sorted(roles) for each in roles[role].perspectives}
    if name not in found:
        there = ", ".join([*sorted(roles), *sorted(found)]) or "none; an operator defines them"
        raise InvalidAskError(f"profile: {name!r} is no role and no perspective of this memory; there are: {there}")
    return [found[name]]


def _seen(
    graph: Graph, view: Perspective, kept: list[_Kept], of: tuple[float, float, float], count: int
) -> PerspectiveSeen:
    weights: dict[str, float] = {}
    for each in kept:
        for carrier in graph.parts(each.node.number).carriers:
            if graph.node(carrier) is not None:
                feature = graph.feature_name(carrier)
                weights[feature] = weights.get(feature, 0.0) + each.strength
    order = sorted(kept, key=lambda each: (-each.strength, -each.uses, each.node.number))
    strongest = [
        StrongMemory(memory.ref, memory.text, each.strength, each.uses)
        for each in order[:count]
        for memory in (describe(graph, each.node),)
    ]
    features = dict(sorted(weights.items(), key=lambda each: (-each[1], each[0]))[:COUNT_MAX])
    total, share, late = of
    used = sum(each.uses for each in kept)
    return PerspectiveSeen(view.name, list(view.keywords), total, len(kept), used, share, late, features, strongest)


def _normal(values: list[float]) -> list[float]:
    whole = sum(values)
    return [value / whole if whole else 0.0 for value in values]


def _shares(values: Mapping[str, float]) -> dict[str, float]:
    whole = sum(values.values())
    return {name: value / whole for name, value in values.items() if value} if whole else {}


@dataclass(frozen=True, slots=True)
class AskProfile(Query[Profile]):
    """Return what a role, or one perspective, is strong in, and how that has moved of late.

    Each perspective comes with the ``count`` memories that are strongest under it. Of what was said or used under
    perspectives, stands and is not archived, the 4,096 memories are looked at that were touched last. Raises
    InvalidAskError for a name that is neither a role nor a perspective here.
    """

    name: Annotated[str, Field(min_length=1, max_length=PERSPECTIVE_CHARS_MAX)]
    _: KW_ONLY
    count: Count = _SHOWN

    def __post_init__(self) -> None:
        asked_role(self.name)
        check_count("count", self.count, COUNT_MAX)

    def read(self, source: Source, /) -> Profile:
        """Answer it."""
        with source.frozen() as graph:
            return profiled(graph, self.name, self.count)


PROFILE: Final = Read(
    "profile",
    AskProfile,
    Profile,
    "GET /profiles/{name}",
    "What a role is strong in",
    """Return what is strong under the perspectives of a role, or under one perspective, and how that moves.

A role that is not defined is an invalid question. Two profiles are compared by the features they are strong in.""",
    example={"name": "reviewer"},
)
