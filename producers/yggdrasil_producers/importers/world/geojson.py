"""Import a map from GeoJSON (RFC 7946): points are places, lines are paths, areas are places at their middle."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, cast

import orjson

from ...draft import Drafter
from ...errors import ImporterError
from ..run import Import, NotUnderstoodError, Unread, shown
from .earth import ROUND, Spot, spot_of
from .mapped import Mark, Source, Way, contents_of, import_map, joined

_TYPES: Final = (
    "amenity",
    "shop",
    "tourism",
    "leisure",
    "public_transport",
    "railway",
    "building",
    "place",
    "type",
    "kind",
)
"""Properties that say what a place is: those of OpenStreetMap, and those that people use."""
_YES: Final = frozenset({True, "yes", "true", "1"})
_NO: Final = frozenset({False, "no", "false", "0"})
_BACK: Final = frozenset({-1, "-1", "reverse"})  # in OpenStreetMap: one way, against the line
_PLAIN: Final = frozenset({"yes", "no", "true", "false"})  # as in building=yes, which says no type
_EXPECTED: Final = "expected GeoJSON: a FeatureCollection, a Feature, or a geometry"


def import_geojson(file: str | Path, drafter: Drafter, *, join: int = 0) -> Import:
    """Import the features of a GeoJSON file; ``total`` counts those that are places or ways, ``unread`` names others.

    A name is the property ``name``. What a place is, is said by properties such as ``amenity``; ``oneway`` and ``lit``
    are those of ways, which join each other where they share a point. With ``join``, places beside ways are joined to
    the nearest corner of one within so many metres. Raises ImporterError for a file that cannot be read, is larger than
    64 MiB, or is no GeoJSON.
    """
    path, unread = Path(file), Unread("feature")
    marks, ways = list[Mark](), list[Way]()
    for number, feature in enumerate(_features(path), 1):
        with unread.noting(f"feature {number}"):
            _read(f"feature {number}", feature, marks, ways)
    ways += joined(marks, ways, join) if join else []
    return import_map(marks, ways, drafter, Source.of("geojson", path), unread)


def _features(path: Path) -> Iterator[Any]:
    data = contents_of(path, "GeoJSON")
    try:
        whole: Any = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        raise ImporterError(f"{path} is no JSON: {error}; {_EXPECTED}") from error
    fields = cast("dict[str, Any]", whole) if isinstance(whole, dict) else {}
    if fields.get("type") == "FeatureCollection" and isinstance(fields.get("features"), list):
        yield from _listed(fields["features"])
    elif isinstance(fields.get("type"), str):
        yield fields if fields["type"] == "Feature" else {"type": "Feature", "geometry": fields}
    else:
        raise ImporterError(f"{path} is something else; {_EXPECTED}")


def _read(where: str, feature: Any, marks: list[Mark], ways: list[Way]) -> None:
    fields = cast("dict[str, Any]", feature) if isinstance(feature, dict) else {}
    geometry, given = fields.get("geometry"), fields.get("properties")
    if not isinstance(geometry, dict):
        raise NotUnderstoodError(f"a feature has a geometry, and not {shown(geometry)}")
    shape = cast("dict[str, Any]", geometry)
    properties = cast("dict[str, Any]", given if isinstance(given, dict) else {})
    said = {name: each for name, each in properties.items() if isinstance(each, str | int | float)}
    kind, at = shape.get("type"), shape.get("coordinates")
    if kind == "Point":
        marks.append(Mark(where, _spot(at), _name(said), _types(said), said))
    elif kind in ("Polygon", "MultiPolygon"):
        ring = _first(_first(at)) if kind == "MultiPolygon" else _first(at)
        marks.append(Mark(where, _middle(_line(ring)), _name(said), _types(said), said))
    elif kind in ("LineString", "MultiLineString"):
        lit = _flag(said.get("lit"))
        for line in [at] if kind == "LineString" else _listed(at):
            spots = _line(line)
            back = said.get("oneway") in _BACK
            oneway = back or _flag(said.get("oneway")) or False
            ways.append(Way(where, spots[::-1] if back else spots, _name(said), oneway, lit, None, said))
    else:
        expected = "a place is a Point or an area, and a way a LineString"
        raise NotUnderstoodError(f"{expected}; this is {shown(kind)}", "no place")


def _spot(at: Any) -> Spot:
    position = _listed(at)
    if len(position) < 2:
        raise NotUnderstoodError(f"a position is [longitude, latitude], and not {shown(at)}")
    return spot_of(*position[:3])


def _line(at: Any) -> list[Spot]:
    spots = [_spot(each) for each in _listed(at)]
    spots = [spot for number, spot in enumerate(spots) if number == 0 or spot[:2] != spots[number - 1][:2]]
    if len(spots) < 2:
        raise NotUnderstoodError("a line has two points at least")
    return spots


def _first(at: Any) -> Any:
    return next(iter(_listed(at)), None)


def _listed(at: Any) -> list[Any]:
    return list[Any](cast("list[object]", at)) if isinstance(at, list) else []


def _middle(ring: list[Spot]) -> Spot:
    """Return the middle of the corners of an area; the last corner is the first one again."""
    corners = ring[:-1] or ring
    xs = [each.x for each in corners]
    if max(xs) - min(xs) > ROUND // 2:  # it lies across the meridian at which longitudes begin anew
        xs = [each + ROUND if each < 0 else each for each in xs]
    middle = sum(xs) // len(xs)
    return Spot(middle - ROUND if middle > ROUND // 2 else middle, sum(each.z for each in corners) // len(corners))


def _name(said: Mapping[str, Any]) -> str | None:
    name = said.get("name")
    return " ".join(name.split()) if isinstance(name, str) and name.strip() else None


def _types(said: Mapping[str, Any]) -> list[str]:
    given = [said.get(name) for name in _TYPES]
    return list(dict.fromkeys(each for each in given if isinstance(each, str) and each.strip() and each not in _PLAIN))


def _flag(said: Any) -> bool | None:
    return True if said in _YES else False if said in _NO else None
