"""What is nearest: of a type, by what the way there costs, or by distance where no path leads."""

from collections.abc import Callable, Iterable
from dataclasses import KW_ONLY, dataclass, replace
from typing import Annotated, Final, Literal

import numpy as np
from pydantic import Field

from yggdrasil_schemas.limits import NAME_CHARS_MAX

from ...asks import check_count
from ...errors import InvalidAskError
from ...found import Answered
from ...index.columns.links import FLAT
from ...parameters import Thing
from ...query import Read, Source
from .distance import Spot, between, likely_nearest
from .look import (
    CostMax,
    Gated,
    Lighting,
    Look,
    PlaceSeen,
    Weighed,
    check_cost,
    check_gate,
    check_overlay,
    looking,
    named,
)
from .overlay import overlay_of
from .routing import Walk

NEAREST_MAX: Final = 50
By = Literal["path", "distance"]


@dataclass(frozen=True, slots=True)
class NearPlace:
    """Something near: ``by`` says by what it is, "path" or "distance".

    By a path it has a ``cost``, in thousandths of a tick, and a number of ``steps``; ``at`` is the place where it is,
    where that is another, as of a trader. ``distance`` is how far away it is, where both have anchors in one realm.
    """

    place: PlaceSeen
    by: str
    cost: int | None
    steps: int | None
    distance: int | None
    at: str | None = None


@dataclass(frozen=True, slots=True)
class Nearest(Answered):
    """What is nearest by a path, by its cost, of equal ones by name; then what no path was found to, by its distance.

    ``gave_up``: so many places were passed that the search for paths ended before it had been everywhere.
    """

    found: list[NearPlace]
    gave_up: bool
    as_of: int


@dataclass(frozen=True, slots=True)
class AskNearest(Gated[Nearest]):
    """Return the ``k`` nearest things of a ``type``, from a thing or an anchor.

    ``by`` "path", the way there counts, as ``overlay`` weighs it; with ``max_cost``, in thousandths, nothing is there
    to which the way costs more. ``by`` "distance" as the crow flies. ``require`` "lit" leaves dark paths out. Raises
    InvalidAskError.
    """

    type: Annotated[str, Field(min_length=1, max_length=NAME_CHARS_MAX, description="A type, such as `chest`.")]
    from_: Annotated[Thing, Field(alias="from", description="A thing by any of its names, or an anchor.")]
    _: KW_ONLY
    k: Annotated[int, Field(ge=1, le=NEAREST_MAX)] = 1
    by: By = "path"
    overlay: Weighed = None
    max_cost: CostMax = None
    require: Lighting | None = None

    def __post_init__(self) -> None:
        check_gate(self)
        object.__setattr__(self, "type", named("type", self.type))
        object.__setattr__(self, "from_", named("from", self.from_))
        check_count("k", self.k, NEAREST_MAX)
        if self.by not in ("path", "distance"):
            raise InvalidAskError(f"by: what is nearest is so by path or by distance, not by {str(self.by)[:40]!r}")
        object.__setattr__(self, "overlay", check_overlay(self.overlay, self.require))
        check_cost(self.max_cost)

    def read(self, source: Source, /) -> Nearest:
        """Answer it."""
        with looking(source, self) as look:
            return nearest(look, self)


def nearest(look: Look, ask: AskNearest) -> Nearest:
    """Return what is nearest of a type."""
    kinds = look.of_type(ask.type)
    begin, origin = look.origin(ask.from_)
    found: list[NearPlace] = []
    met = set[int]()
    gave_up = False
    if ask.by == "path":
        places = _places(look, kinds)
        walk = Walk(look, overlay_of(ask.overlay, lit=ask.require == "lit"), begin, ask.max_cost)
        for cost, node in walk.reached():
            there = sorted(places.get(node, ()), key=look.atlas.name)
            for one in there:
                if len(found) < ask.k and any(map(look.admits, kinds[one])):
                    met.add(one)
                    found.append(_near(look, one, node, origin, (cost, len(walk.way(node)))))
            if len(found) == ask.k:
                break
        gave_up = walk.gave_up
    if len(found) < ask.k and origin is not None and (ask.by == "distance" or ask.max_cost is None):
        others = (node for node in kinds if node not in met)
        more = by_distance(look, others, origin, ask.k - len(found), lambda node: any(map(look.admits, kinds[node])))
        found += [_near(look, node, node, origin, None) for _, _, node in more]
    return Nearest(found, gave_up, look.graph.header.seq)


def by_distance(
    look: Look, nodes: Iterable[int], origin: Spot, count: int, admits: Callable[[int], bool]
) -> list[tuple[int, str, int]]:
    """Return the ``count`` things that are nearest to a spot, each with its distance and name, the nearest first.

    Of those that are near it is asked whether they are admitted, and no others.
    """
    atlas = look.atlas
    wanted_nodes, elsewhere = list(nodes), look.elsewhere()
    among = np.zeros(len(atlas.nodes), np.bool_)
    among[wanted_nodes] = True
    moved: list[tuple[int, str, int]] = []  # what is where another thing is
    for node in wanted_nodes:
        at = look.stands_at(node) if elsewhere[node] and look.anchor(node) is None else None
        away = None if at is None else between(origin, at.spot)
        if away is not None and admits(node):
            moved.append((away, atlas.name(node), node))
    rows = atlas.anchored()
    links = atlas.links
    rows = rows[among[atlas.subject[rows]] & (links.value[rows] == atlas.named(origin.realm))]
    x, z = links.x[rows].astype(np.int64), links.z[rows].astype(np.int64)
    up = np.where((links.flags[rows] & FLAT != 0) | origin.flat, 0, links.y[rows].astype(np.int64) - origin.y)
    wanted = count
    while True:
        likely, most = likely_nearest(origin, x, z, up, wanted)
        found: list[tuple[int, str, int]] = []
        for node in np.unique(atlas.subject[rows[likely]]).tolist():
            at = look.anchor(node) if admits(node) else None
            away = None if at is None else between(origin, at.spot)
            if away is not None and away <= most:
                found.append((away, atlas.name(node), node))
        if len(found) >= count or len(likely) == len(rows):
            return sorted([*found, *moved])[:count]
        wanted *= 4


def _places(look: Look, kinds: Iterable[int]) -> dict[int, list[int]]:
    """Return the things of a type by the places where they are."""
    found: dict[int, list[int]] = {}
    elsewhere = look.elsewhere()
    for node in kinds:
        found.setdefault(look.where(node) if elsewhere[node] else node, []).append(node)
    return found


def _near(look: Look, node: int, place: int, origin: Spot | None, way: tuple[int, int] | None) -> NearPlace:
    seen = look.place(node, origin)
    if seen.distance is None and origin is not None and (there := look.stands_at(node)) is not None:
        seen = replace(seen, distance=between(origin, there.spot))
    at = None if place == node else look.atlas.name(place)
    cost, steps = (None, None) if way is None else way
    return NearPlace(seen, "distance" if way is None else "path", cost, steps, seen.distance, at)


NEAREST: Final = Read(
    "nearest",
    AskNearest,
    Nearest,
    "GET /places/nearest",
    "What is nearest of a type",
    """Return the `k` nearest things of a type by what the way there costs, and then by distance, marked so.

Costs are whole thousandths. At most 20,000 places are passed; an answer says where that was not enough.""",
    example={"type": "chest", "from_": "place:home", "k": 2, "overlay": "night"},
)
