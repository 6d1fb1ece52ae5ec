"""What a map shows of a realm: places, the paths between them, and the last walk."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import cos, radians
from typing import TYPE_CHECKING, Any, Final

from yggdrasil_projections.retrieval.asks import Where
from yggdrasil_projections.retrieval.errors import InvalidAskError
from yggdrasil_projections.retrieval.reads.knowledge.claims import CLAIMS_MAX
from yggdrasil_schemas.anchors import EARTH, PER_DEGREE, Anchor

if TYPE_CHECKING:
    from yggdrasil.memory import Memory
    from yggdrasil_projections.retrieval.claimed import ClaimSeen

PLACES_MAX: Final = 5_000
"""So many places a map shows at most."""
PATHS_MAX: Final = 20_000
_PAGE: Final = 200
_LEGS_MAX: Final = 64
_RISK_MAX: Final = 1_000
_SIZES: Final = ((200, 5.0), (1_000, 3.0))
_SMALLEST: Final = 1.8
_MEETING: Final = 0.6
_STEEP: Final = 0.02  # near the poles a map is drawn as at 89 degrees


@dataclass(frozen=True, slots=True)
class Dot:
    """A place on a map: its name, where it is (x to the east, z to the south), what it is, and whether that is sure."""

    name: str
    x: int
    z: int
    types: tuple[str, ...]
    sure: bool


@dataclass(frozen=True, slots=True)
class Line:
    """A path on a map, by the places at its ends; ``risk`` lies in [0, 1], ``cost`` in ticks, or else in length."""

    start: Dot
    end: Dot
    cost: int
    risk: float
    lit: bool
    oneway: bool
    blocked: bool


@dataclass(frozen=True, slots=True)
class Map:
    """What is drawn of a realm. ``left_out`` says how many places there was no room for."""

    realm: str
    places: list[Dot]
    paths: list[Line] = field(default_factory=list[Line])
    walk: list[Dot] = field(default_factory=list[Dot])
    left_out: bool = False

    def radius(self, dot: Dot) -> float:
        """How large a place is drawn, in pixels: smaller where there are many, or where ways only meet."""
        whole = next((size for most, size in _SIZES if len(self.places) <= most), _SMALLEST)
        return whole if dot.types else whole * _MEETING

    @property
    def stretch(self) -> float:
        """How much longer a step along z is drawn than one along x: on the earth meridians draw together."""
        if self.realm != EARTH:
            return 1.0
        middle = (min(each.z for each in self.places) + max(each.z for each in self.places)) / 2
        return 1 / max(_STEEP, cos(radians(middle / PER_DEGREE)))


def map_of(memory: Memory[Any], realm: str) -> Map:
    """Return the map of a realm, as a memory knows it. Raises InvalidAskError where it knows no place there."""
    dots, left_out = _dots(memory, realm)
    if not dots:
        raise InvalidAskError(
            f"realm: no place has an anchor in {realm[:40]!r}; `yggdrasil read places` shows them all"
        )
    paths = [line for claim in _paths(memory) if (line := _line(claim, dots)) is not None]
    return Map(realm, list(dots.values()), paths, _walk(memory, dots), left_out)


def _dots(memory: Memory[Any], realm: str) -> tuple[dict[str, Dot], bool]:
    found, after = dict[str, Dot](), None
    while True:
        page = memory.places(realm=realm, candidates=True, count=_PAGE, beyond=after)
        for each in page.places:
            if each.anchor is not None and len(found) < PLACES_MAX:
                x, _, z = Anchor.of(each.anchor).centre
                sure = any(one.status != "candidate" for one in each.types) or not each.types
                found[each.name] = Dot(each.name, x, z, tuple(one.type for one in each.types), sure)
        if not page.more or len(found) >= PLACES_MAX:
            return found, page.more
        after = page.places[-1].name


def _paths(memory: Memory[Any]) -> Iterator[ClaimSeen]:
    skip = 0
    while skip < PATHS_MAX:
        page = memory.claims(predicate="path", count=CLAIMS_MAX, skip=skip)
        yield from (each.claim for each in page.claims if each.claim is not None)
        skip += len(page.claims)
        if not page.left_out or not page.claims:
            return


def _line(claim: ClaimSeen, dots: dict[str, Dot]) -> Line | None:
    start, end = dots.get(claim.subject), dots.get(str(claim.object))
    if start is None or end is None:
        return None
    said = claim.qualifiers
    cost = _whole(said.get("ticks")) or _whole(said.get("length")) or 1
    risk = min(_RISK_MAX, _whole(said.get("risk")) or 0) / _RISK_MAX
    lit = said.get("lit") != "no"
    return Line(start, end, cost, risk, lit, said.get("oneway") == "yes", said.get("blocked") == "yes")


def _walk(memory: Memory[Any], dots: dict[str, Dot]) -> list[Dot]:
    """Return the places of the latest walk, from its start on: legs that follow each other, as they are on record."""
    legs = memory.timeline(where=Where(features_all=["kind:walk"]), count=_LEGS_MAX).memories
    found: list[Dot] = []
    for leg in legs:  # the latest first; of each what it led to comes before where it began
        places = [dots.get(name) for name in leg.features if name.startswith("place:")]
        if len(places) < 2 or places[0] is None or places[1] is None:
            break
        end, start = places[0], places[1]
        if found and found[0] != end:
            break
        found = [start, *(found or [end])]
    return found


def _whole(said: str | None) -> int | None:
    return int(said) if said is not None and said.isdecimal() and len(said) < 12 else None
