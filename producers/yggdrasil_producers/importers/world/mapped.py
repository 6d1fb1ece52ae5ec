"""What a map says: marks, which become places, and ways, which become paths between places."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import cos, radians, sin
from pathlib import Path
from typing import Any, Final, Self

from yggdrasil_schemas.anchors import PER_DEGREE
from yggdrasil_schemas.canonical import canonical_json
from yggdrasil_schemas.limits import NAME_CHARS_MAX

from ...draft import Draft, Drafter
from ...errors import ImporterError
from ...observing import Scene, Told, observed, path_told
from ...stamps import Stamp
from ..lines import regular
from ..run import Import, Unread
from .earth import RADIUS_M, Spot, metres

FILE_BYTES_MAX: Final = 64 << 20
"""So large a map may be: it is read as a whole."""
_CORNERS_MAX: Final = 64
_NAME_CHARS: Final = NAME_CHARS_MAX - 40  # with the kind before it, and where there are several its place behind it


@dataclass(frozen=True, slots=True)
class Mark:
    """A point of a map: where it is, what it is called, what it is; and whatever else the map says of it."""

    where: str
    """In the file, for messages."""
    spot: Spot
    name: str | None = None
    types: Sequence[str] = ()
    said: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True)
class Way:
    """A line of a map. Others join it where they share a point; ``seconds`` is what walking it took, if known."""

    where: str
    spots: Sequence[Spot]
    name: str | None = None
    oneway: bool = False
    lit: bool | None = None
    seconds: int | None = None
    said: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True)
class Source:
    """What a map is read from: the sort of file, and when that was written, in Unix ms; its commands have that time."""

    sort: str
    at: int

    @classmethod
    def of(cls, sort: str, path: Path) -> Self:
        """Return that of a file which was read."""
        return cls(sort, max(0, path.stat().st_mtime_ns // 1_000_000))


def contents_of(path: Path, form: str) -> bytes:
    """Return what is in a file. Raises ImporterError for one that cannot be read, or is larger than 64 MiB."""
    regular(path)
    try:
        with path.open("rb") as opened:
            data = opened.read(FILE_BYTES_MAX + 1)
    except OSError as error:
        raise ImporterError(f"expected a file of {form} at {path}: {error.strerror}") from error
    if len(data) > FILE_BYTES_MAX:
        raise ImporterError(f"{path} is larger than {FILE_BYTES_MAX >> 20} MiB: part it, and import each part")
    return data


def joined(marks: Sequence[Mark], ways: Sequence[Way], within: int) -> list[Way]:
    """Return a way from each mark that lies on none to the nearest corner of one, ``within`` so many metres.

    A map has places beside its ways, and does not say how one gets there. Of corners that are equally near the first in
    order of longitude and latitude is taken. Corners are looked for in cubes of space around a mark, which are alike
    everywhere on the earth; of more than 64 in a cube the others are passed over.
    """
    cubes: dict[tuple[int, ...], list[Spot]] = defaultdict(list)
    corners = {spot[:2]: spot for way in ways for spot in way.spots}
    for spot in corners.values():
        cube = cubes[tuple(each // within for each in _in_space(spot))]
        if len(cube) < _CORNERS_MAX:
            cube.append(spot)
    found: list[Way] = []
    for mark in marks:
        if mark.spot[:2] in corners:
            continue
        own = [each // within for each in _in_space(mark.spot)]
        beside = product(*((each - 1, each, each + 1) for each in own))
        near = [spot for cube in beside for spot in cubes.get(cube, ())]
        best = min(((metres([mark.spot, spot]), spot) for spot in near), default=None)
        if best is not None and best[0] <= within:
            found.append(Way(mark.where, [mark.spot, best[1]]))
    return found


def _in_space(spot: Spot) -> tuple[int, int, int]:
    """Return where a point of the earth's surface is in space, in whole metres from its centre."""
    east, north = radians(spot.x / PER_DEGREE), radians(spot.z / PER_DEGREE)
    parts = cos(north) * cos(east), cos(north) * sin(east), sin(north)
    return round(RADIUS_M * parts[0]), round(RADIUS_M * parts[1]), round(RADIUS_M * parts[2])


def import_map(marks: Sequence[Mark], ways: Sequence[Way], drafter: Drafter, source: Source, unread: Unread) -> Import:
    """Import what a map says: of each mark and of each way an event, and what it tells of places and paths.

    Of several marks with one name each is told by where it is. A way is parted where another one joins it, and at the
    marks on it. Ids are derived from what the map says. ``unread`` names what a command cannot hold.
    """
    total = sum(1 for _ in _steps(marks, ways, drafter, source, unread))
    return Import(total, _steps(marks, ways, drafter, source, Unread()), unread)


def _steps(
    marks: Sequence[Mark], ways: Sequence[Way], drafter: Drafter, source: Source, unread: Unread
) -> Iterator[list[Draft]]:
    names = _names(marks)
    at = {mark.spot[:2]: names[number] for number, mark in reversed(list(enumerate(marks)))}
    for number, mark in enumerate(marks):
        with unread.noting(mark.where):
            yield _of_mark(mark, names[number], drafter, source)
    joints = _joints(ways)
    for way in ways:
        with unread.noting(way.where):
            yield _of_way(way, joints, at, drafter, source)


def _names(marks: Sequence[Mark]) -> list[str]:
    spots: dict[str, set[tuple[int, int]]] = defaultdict(set)
    for mark in marks:
        if mark.name:
            spots[mark.name].add(mark.spot[:2])
    return [
        mark.spot.name
        if not mark.name
        else f"place:{mark.name[:_NAME_CHARS]}" + (f" ({mark.spot.degrees})" if len(spots[mark.name]) > 1 else "")
        for mark in marks
    ]


def _joints(ways: Iterable[Way]) -> set[tuple[int, int]]:
    """Return the points at which ways end or meet."""
    passed = Counter[tuple[int, int]]()
    ends: set[tuple[int, int]] = set()
    for way in ways:
        passed.update({spot[:2] for spot in way.spots})
        ends |= {way.spots[0][:2], way.spots[-1][:2]}
    return ends | {spot for spot, times in passed.items() if times > 1}


def _of_mark(mark: Mark, name: str, drafter: Drafter, source: Source) -> list[Draft]:
    types = [Told(name, "is_a", {"entity": f"type:{each[:_NAME_CHARS]}"}) for each in mark.types]
    what = f", {' and '.join(mark.types)}" if mark.types else ""
    scene = Scene(place=name, anchor=mark.spot.anchor)
    payload = {"map": dict(mark.said)} if mark.said else {}
    own = drafter.derived_id(source.sort, name, mark.spot.anchor, *mark.types, _canonical(mark.said))
    text = f"On the map: {name.removeprefix('place:')}{what}"
    return observed(drafter, text, scene, types, payload=payload, stamp=Stamp(own, source.at), derived=True)


def _of_way(
    way: Way, joints: set[tuple[int, int]], at: Mapping[tuple[int, int], str], drafter: Drafter, source: Source
) -> list[Draft]:
    parts, begin = list[Sequence[Spot]](), 0
    for place in range(1, len(way.spots)):
        spot = way.spots[place][:2]
        if place == len(way.spots) - 1 or spot in joints or spot in at:
            parts.append(way.spots[begin : place + 1])
            begin = place
    whole = sum(map(metres, parts))
    told: list[Told] = []
    passed, took = 0, 0
    for part in parts:
        ends = [at.get(each[:2], each.name) for each in (part[0], part[-1])]
        if ends[0] == ends[1]:
            continue
        length = metres(part)
        ticks = None
        if way.seconds:
            passed += length
            until = way.seconds * passed // max(1, whole)  # so that no second is lost where a way is parted
            ticks, took = max(1, until - took), until
        told.append(path_told(*ends, ticks=ticks, length=length, lit=way.lit, oneway=way.oneway))
        told += [
            Told(end, "at", {"anchor": spot.anchor})
            for end, spot in zip(ends, (part[0], part[-1]), strict=True)
            if spot[:2] not in at
        ]
    payload = {"map": dict(way.said)} if way.said else {}
    parted = [str(each) for spot in way.spots for each in spot]
    own = drafter.derived_id(source.sort, way.name or "", _canonical(way.said), *parted)
    text = f"On the map: {way.name or 'a way'}, {metres(way.spots):,} m"
    return observed(drafter, text, Scene(), told, payload=payload, stamp=Stamp(own, source.at), derived=True)


def _canonical(said: Mapping[str, Any]) -> str:
    return canonical_json(dict(said)).decode()
