"""Where a thing was last, and when."""

from dataclasses import dataclass
from typing import Any, Final

from ...found import Answered
from ...index.columns.links import ANCHORED, LOCATED, UNKNOWN
from ...memories import content_of
from ...parameters import Thing
from ...query import Read, Source
from ...records import fields_in
from .look import Gated, Look, check_gate, looking, named

_TOLD_MAX: Final = 20
_LOOKED_AT: Final = 512


@dataclass(frozen=True, slots=True)
class Sighting:
    """That a thing was somewhere: at a ``place``, or at an ``anchor``, by which ``claim``, and how sure that is.

    ``at`` is from when on it is said to be there, else when that was said, in Unix ms. The ``anchor`` is that of the
    place, where one is known.
    """

    place: str | None
    anchor: str | None
    at: int
    predicate: str
    confidence: float
    trust: int
    claim: str


@dataclass(frozen=True, slots=True)
class LastSeen(Answered):
    """Where a thing was ``last``, None where nothing says so; and ``others`` that stand beside it, at most 20.

    What is trusted more comes first; then ``last_seen_at`` before ``at`` and ``located_in``; then what is younger.
    """

    name: str
    last: Sighting | None
    others: list[Sighting]
    as_of: int


@dataclass(frozen=True, slots=True)
class AskLastSeen(Gated[LastSeen]):
    """Return where a thing was last, by any of its names: by what ``last_seen_at``, ``at`` and ``located_in`` say."""

    name: Thing

    def __post_init__(self) -> None:
        check_gate(self)
        object.__setattr__(self, "name", named("name", self.name))

    def read(self, source: Source, /) -> LastSeen:
        """Answer it."""
        with looking(source, self) as look:
            return last_seen(look, self.name)


def last_seen(look: Look, name: str) -> LastSeen:
    """Return where a thing was last."""
    atlas = look.atlas
    ranks = {atlas.named(predicate): rank for rank, predicate in enumerate(LOCATED)}
    links = [
        link
        for node in look.nodes(name)
        for link in atlas.about(node)
        if int(atlas.links.predicate[link]) in ranks and _says_where(look, link)
    ]
    links.sort(key=lambda link: (-int(atlas.trust[link]), ranks[int(atlas.links.predicate[link])], -atlas.number[link]))
    found = [
        ((-int(atlas.trust[link]), ranks[int(atlas.links.predicate[link])], -one.at, -int(atlas.number[link])), one)
        for link in links[:_LOOKED_AT]
        if look.admits(link)
        for one in (_sighting(look, link),)
    ]
    order = [one for _, one in sorted(found, key=lambda each: each[0])]
    known = look.graph.called(name)[0]
    return LastSeen(known, order[0] if order else None, order[1 : 1 + _TOLD_MAX], look.graph.header.seq)


def _says_where(look: Look, link: int) -> bool:
    return bool(look.atlas.links.flags[link] & ANCHORED) or look.atlas.object[link] != UNKNOWN


def _sighting(look: Look, link: int) -> Sighting:
    atlas = look.atlas
    record: dict[str, Any] = fields_in(content_of(look.graph, int(atlas.number[link])))
    at: int = record["body"].get("valid_from", record["at"])
    predicate: str = record["body"]["predicate"]
    place, anchor = None, None
    if atlas.object[link] != UNKNOWN:
        place = atlas.name(int(atlas.object[link]))
        spot = look.anchor(int(atlas.object[link]))
        anchor = None if spot is None else spot.spot.text
    else:
        anchor = look.spot(link).text
    trust = int(atlas.trust[link])
    return Sighting(place, anchor, at, predicate, look.sure(link), trust, look.claim(link))


LAST_SEEN: Final = Read(
    "last_seen",
    AskLastSeen,
    LastSeen,
    "GET /last-seen/{name:path}",
    "Where a thing was last",
    """Return where a thing was last, and when, by which claim, and what else says where it is.""",
    example={"name": "npc:smith"},
)
