"""Which places there are: of a type, in a realm, near to something, each with what says so."""

from collections.abc import Iterable, Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Annotated, Final

import numpy as np
from pydantic import Field

from yggdrasil_schemas.limits import NAME_CHARS_MAX

from ...asks import check_count
from ...errors import InvalidAskError
from ...found import Answered
from ...parameters import COUNT_MAX, Count, Thing
from ...query import Read, Source
from .look import PLACE, Gated, Look, PlaceSeen, check_gate, looking, named
from .nearest import by_distance

REALM_CHARS_MAX: Final = 32
OfType = Annotated[str, Field(min_length=1, max_length=NAME_CHARS_MAX, description="A type, such as `chest`.")]


@dataclass(frozen=True, slots=True)
class Places(Answered):
    """Places by name, or by their distance where one asks near something; ``more`` says whether there are others.

    Those by name go on ``beyond`` the last of them.
    """

    places: list[PlaceSeen]
    more: bool
    as_of: int


@dataclass(frozen=True, slots=True)
class AskPlaces(Gated[Places]):
    """Return places: things whose name begins with ``place:``, and whatever is said to be of a ``type``.

    With ``realm`` those that have an anchor there, and with ``near``, a thing or an anchor, those that have one in its
    realm, the nearest first; else by name, those ``beyond`` a name. Raises InvalidAskError.
    """

    type: OfType | None = None
    realm: Annotated[str, Field(min_length=1, max_length=REALM_CHARS_MAX)] | None = None
    near: Thing | None = None
    _: KW_ONLY
    count: Count = 50
    beyond: Annotated[Thing | None, Field(description="A name: go on with those behind it.")] = None

    def __post_init__(self) -> None:
        check_gate(self)
        if self.near is not None and self.beyond is not None:
            raise InvalidAskError("beyond: what is nearest goes by distance and not by name; give a larger count")
        for name in ("type", "realm", "near", "beyond"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, named(name, getattr(self, name)))
        check_count("count", self.count, COUNT_MAX)

    def read(self, source: Source, /) -> Places:
        """Answer it."""
        with looking(source, self) as look:
            return found_places(look, self)


def found_places(look: Look, ask: AskPlaces) -> Places:
    """Return the places that are asked for."""
    as_of = look.graph.header.seq
    kinds = None if ask.type is None else look.of_type(ask.type)
    nodes: Iterable[int] = _all(look) if kinds is None else kinds
    origin = None
    if ask.near is not None:
        _, origin = look.origin(ask.near)
        if origin is None or ask.realm not in (None, origin.realm):
            return Places([], False, as_of)
        order = [
            node for _, _, node in by_distance(look, nodes, origin, ask.count + 1, lambda node: _is(look, node, kinds))
        ]
    else:
        names = sorted((look.atlas.name(node), node) for node in nodes)
        order = [node for name, node in names if ask.beyond is None or name > ask.beyond]
    found: list[PlaceSeen] = []
    for node in order:
        if not _is(look, node, kinds):
            continue
        place = look.place(node, origin)
        if ask.realm is not None and (place.anchor is None or not place.anchor.startswith(f"{ask.realm}/")):
            continue
        if len(found) == ask.count:
            return Places(found, True, as_of)
        if place.types or place.anchor is not None or _spoken_of(look, node):
            found.append(place)
    return Places(found, False, as_of)


def _is(look: Look, node: int, kinds: Mapping[int, list[int]] | None) -> bool:
    """Whether something that is sure enough says that a thing is of the type that is asked for, if any is."""
    return kinds is None or any(map(look.admits, kinds[node]))


def _all(look: Look) -> list[int]:
    """Return all things that are called places, seen or not."""
    atlas = look.atlas
    nodes = np.unique(np.concatenate((atlas.subject, atlas.object[atlas.object >= 0])))
    return [node for node in nodes.tolist() if atlas.name(node).startswith(PLACE)]


def _spoken_of(look: Look, node: int) -> bool:
    """Whether something that is sure enough is about a place, or leads to it."""
    atlas = look.atlas
    return any(look.admits(link) for of in (atlas.about, atlas.leading_to) for link in of(node))


PLACES: Final = Read(
    "places",
    AskPlaces,
    Places,
    "GET /places",
    "Which places there are",
    """Return places by name, or near to something, each with its types, its anchor, and the claims that say so.

What is less sure than a half is there only with `stale`, and what waits to be confirmed only with `candidates`.""",
    example={"type": "chest"},
)
