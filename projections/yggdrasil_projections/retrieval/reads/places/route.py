"""Which way leads from one place to another, and which claims say so."""

from dataclasses import KW_ONLY, dataclass
from typing import Annotated, Final

from pydantic import Field

from ...found import Answered
from ...index.columns.links import UNLIT
from ...parameters import Thing
from ...query import Read, Source
from .distance import between
from .look import CostMax, Gated, Lighting, Look, Weighed, check_cost, check_gate, check_overlay, looking, named
from .overlay import overlay_of
from .routing import Walk


@dataclass(frozen=True, slots=True)
class Step:
    """One path of a way, from ``begin`` to ``end``, and the ``claim`` that says it.

    ``cost`` is in thousandths of a tick, ``risk`` in thousandths; ``ticks`` and ``length`` are None where nobody said
    them.
    """

    begin: str
    end: str
    cost: int
    ticks: int | None
    length: int | None
    lit: bool
    risk: int
    claim: str
    confidence: float


@dataclass(frozen=True, slots=True)
class Route(Answered):
    """The way that costs least. ``by`` is "path"; "distance" where none was found, but both have anchors in one realm;
    else "nothing".

    ``cost`` is in thousandths of a tick, and ``confidence`` that of the least sure step. ``gave_up``: so many places
    were passed that the search ended before it had been everywhere.
    """

    by: str
    cost: int | None
    steps: list[Step]
    confidence: float
    distance: int | None
    gave_up: bool
    as_of: int


@dataclass(frozen=True, slots=True)
class AskRoute(Gated[Route]):
    """Return the way from a thing to another that costs least, as ``overlay`` weighs it, and at most ``max_cost``.

    ``require`` "lit" leaves dark paths out. Raises InvalidAskError.
    """

    from_: Annotated[Thing, Field(alias="from", description="Where one is: a thing, by any of its names.")]
    to: Annotated[Thing, Field(description="Where one goes: a thing, by any of its names.")]
    _: KW_ONLY
    overlay: Weighed = None
    max_cost: CostMax = None
    require: Lighting | None = None

    def __post_init__(self) -> None:
        check_gate(self)
        object.__setattr__(self, "from_", named("from", self.from_))
        object.__setattr__(self, "to", named("to", self.to))
        object.__setattr__(self, "overlay", check_overlay(self.overlay, self.require))
        check_cost(self.max_cost)

    def read(self, source: Source, /) -> Route:
        """Answer it."""
        with looking(source, self) as look:
            return route(look, self)


def route(look: Look, ask: AskRoute) -> Route:
    """Return the way that costs least."""
    begin, origin = look.origin(ask.from_)
    ends, target = look.origin(ask.to)
    away = None if origin is None or target is None else between(origin, target)
    as_of = look.graph.header.seq
    walk = Walk(look, overlay_of(ask.overlay, lit=ask.require == "lit"), begin, ask.max_cost)
    if ends:
        for cost, node in walk.reached():
            if node in ends:
                steps = taken(look, walk, node)
                sure = min((step.confidence for step in steps), default=1.0)
                return Route("path", cost, steps, sure, away, gave_up=False, as_of=as_of)
    by = "nothing" if away is None else "distance"
    return Route(by, None, [], 0.0, away, gave_up=walk.gave_up, as_of=as_of)


def taken(look: Look, walk: Walk, node: int) -> list[Step]:
    """Return the steps of a way to a node that was reached."""
    atlas = look.atlas
    edges, links = atlas.edges, atlas.links
    found: list[Step] = []
    for edge in walk.way(node):
        link, end = int(edges.link[edge]), int(edges.target[edge])
        subject, other = int(atlas.subject[link]), int(atlas.object[link])
        begin = other if end == subject else subject
        ticks, length = (int(each) if each >= 0 else None for each in (links.ticks[link], links.length[link]))
        lit, risk = not links.flags[link] & UNLIT, int(links.risk[link])
        names = atlas.name(begin), atlas.name(end)
        sure, claim = look.sure(link), look.claim(link)
        found.append(Step(*names, walk.cost(edge), ticks, length, lit, risk, claim, sure))
    return found


ROUTE: Final = Read(
    "route",
    AskRoute,
    Route,
    "GET /routes",
    "Which way leads there",
    """Return the way from one place to another that costs least, step by step, with the claims that say so.

Costs are whole thousandths, and of equal ways the one goes by the names that come first. Where no path leads, the
distance is told, marked so.""",
    example={"from_": "place:home", "to": "place:chest", "overlay": "night"},
)
