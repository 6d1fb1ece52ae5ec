"""GeoJSON and GPX become places and paths: named, anchored, joined where ways meet, with their lengths in metres."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.producers.drafts import DRAFTER
from tests.producers.world.reading import claims_in, commands_of, events_in
from yggdrasil_producers.errors import ImporterError
from yggdrasil_producers.importers.run import NotUnderstoodError
from yggdrasil_producers.importers.world import import_geojson, import_gpx
from yggdrasil_producers.importers.world.earth import metres, spot_of

HELSINKI, TURKU = spot_of(24.9384, 60.1699), spot_of(22.2666, 60.4518)


def point(longitude: float, latitude: float, **properties: object) -> dict[str, Any]:
    geometry = {"type": "Point", "coordinates": [longitude, latitude]}
    return {"type": "Feature", "geometry": geometry, "properties": properties}


def line(*spots: tuple[float, float], **properties: object) -> dict[str, Any]:
    geometry = {"type": "LineString", "coordinates": [list(each) for each in spots]}
    return {"type": "Feature", "geometry": geometry, "properties": properties}


def written(folder: Path, *features: object) -> Path:
    file = folder / "map.geojson"
    file.write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    return file


def test_degrees_are_whole_and_lengths_are_those_of_the_earth() -> None:
    assert HELSINKI.anchor == "earth/249384000/0/601699000"
    assert spot_of("24.93840004", "-0.00000006", "12.6")[:] == (249_384_000, -1, 13)
    assert metres([HELSINKI, TURKU]) == pytest.approx(150_900, rel=0.005)  # by two calculators of distances
    assert metres([spot_of(0, 0), spot_of(0, 90)]) == pytest.approx(10_007_557, rel=1e-5)  # a quarter of a meridian
    assert metres([spot_of(180, 0), spot_of(-180, 0)]) == 0
    for wrong in ((181, 0), (0, -91), ("east", 0), (True, 0), (0, "nan"), (0, None), ("1e400", 0)):
        with pytest.raises(NotUnderstoodError):
            spot_of(*wrong)


def test_points_are_places_with_what_they_are_and_where(tmp_path: Path) -> None:
    file = written(tmp_path, point(24.9, 60.1, name="Cafe  Anna", amenity="cafe", building="yes"), point(24.8, 60.2))
    commands = commands_of(import_geojson(file, DRAFTER))
    assert claims_in(commands) == [
        ("place:Cafe Anna", "at", "earth/249000000/0/601000000", {}),
        ("place:Cafe Anna", "is_a", "type:cafe", {}),
        ("place:earth 24.8000000 60.2000000", "at", "earth/248000000/0/602000000", {}),
    ]
    assert events_in(commands)[0].body.features == ["place:Cafe Anna"]


def test_places_of_one_name_are_told_by_where_they_are(tmp_path: Path) -> None:
    shops = [point(24.9, 60.1, name="Shop"), point(24.9, 60.2, name="Shop"), point(24.7, 60.2, name="Only")]
    named = [subject for subject, *_ in claims_in(commands_of(import_geojson(written(tmp_path, *shops), DRAFTER)))]
    assert named == ["place:Shop (24.9000000 60.1000000)", "place:Shop (24.9000000 60.2000000)", "place:Only"]


def test_ways_are_parted_where_they_meet_and_at_places(tmp_path: Path) -> None:
    west, middle, east, north = (24.0, 60.0), (24.001, 60.0), (24.002, 60.0), (24.001, 60.001)
    features = [
        line(west, middle, east, name="Main", lit="yes"),
        line(middle, north, oneway="yes"),
        point(*east, name="Gate"),
    ]
    told = claims_in(commands_of(import_geojson(written(tmp_path, *features), DRAFTER)))
    paths = [(start[6:], end[6:], said) for start, predicate, end, said in told if predicate == "path"]
    assert paths == [
        ("earth 24.0000000 60.0000000", "earth 24.0010000 60.0000000", {"length": "56", "lit": "yes"}),
        ("earth 24.0010000 60.0000000", "Gate", {"length": "56", "lit": "yes"}),
        ("earth 24.0010000 60.0000000", "earth 24.0010000 60.0010000", {"length": "111", "oneway": "yes"}),
    ]
    anchored = {subject: where for subject, predicate, where, _ in told if predicate == "at"}
    assert anchored["place:Gate"] == "earth/240020000/0/600000000"
    assert len(anchored) == 4


def test_places_beside_ways_are_joined_to_the_nearest_corner_if_one_asks_for_it(tmp_path: Path) -> None:
    near, far = point(24.0001, 60.0002, name="Near"), point(24.0001, 60.01, name="Far")
    file = written(tmp_path, line((24.0, 60.0), (24.0, 60.0002), (24.0, 60.0004)), near, far)
    paths = [[each for each in claims_in(commands_of(import_geojson(file, DRAFTER, join=join))) if each[1] == "path"]
             for join in (0, 5, 40)]  # fmt: skip
    assert [len(each) for each in paths] == [1, 1, 3], "the way is parted where it is joined"
    assert paths[2][2] == ("place:Near", "path", "place:earth 24.0000000 60.0002000", {"length": "6"})
    away = written(tmp_path, line((179.99999, -89.9), (180.0, -89.9)), point(179.99999, -89.9001, name="Pole"))
    assert (
        len([each for each in claims_in(commands_of(import_geojson(away, DRAFTER, join=40))) if each[1] == "path"]) == 2
    )


def test_an_area_is_a_place_at_its_middle(tmp_path: Path) -> None:
    ring = [[24.0, 60.0], [24.2, 60.0], [24.2, 60.2], [24.0, 60.2], [24.0, 60.0]]
    area = {"type": "Feature", "geometry": {"type": "Polygon", "coordinates": [ring]}, "properties": {"name": "Park"}}
    assert claims_in(commands_of(import_geojson(written(tmp_path, area), DRAFTER))) == [
        ("place:Park", "at", "earth/241000000/0/601000000", {})
    ]


def test_the_same_map_gives_the_same_commands(tmp_path: Path) -> None:
    file = written(tmp_path, point(24.9, 60.1, name="A"), line((24.0, 60.0), (24.1, 60.0)))
    first, again = (list(import_geojson(file, DRAFTER).drafts) for _ in range(2))
    assert first == again
    assert len({each.id for each in first}) == len(first)


@pytest.mark.parametrize(
    "wrong",
    [
        None,
        {"type": "Feature", "geometry": None},
        point("east", 60.1),  # type: ignore[arg-type]
        {"type": "Feature", "geometry": {"type": "Point", "coordinates": [1]}},
        {"type": "Feature", "geometry": {"type": "Point"}},
        line((24.0, 60.0)),
        line((24.0, 60.0), (24.0, 60.0)),
        {"type": "Feature", "geometry": {"type": "GeometryCollection", "geometries": []}},
        {"type": "Feature", "geometry": {"type": "MultiPolygon", "coordinates": []}},
        point(24.0, 60.0, name="x", note="y" * 2_000_000),
    ],
)
def test_a_feature_that_is_none_is_named_and_the_rest_is_taken(tmp_path: Path, wrong: object) -> None:
    importing = import_geojson(written(tmp_path, point(24.9, 60.1), wrong, point(24.8, 60.2)), DRAFTER)
    assert [place for place, *_ in importing.unread.places] == ["feature 2"]
    assert importing.total == 2
    assert len(events_in(commands_of(importing))) == 2


@pytest.mark.parametrize("text", ["", "[]", '{"features": []}', "<gpx/>", '{"type": 1}'])
def test_what_is_no_geojson_is_refused(tmp_path: Path, text: str) -> None:
    (file := tmp_path / "map.geojson").write_text(text)
    with pytest.raises(ImporterError, match="GeoJSON"):
        import_geojson(file, DRAFTER)
    with pytest.raises(ImporterError, match="No such file"):
        import_geojson(tmp_path / "none", DRAFTER)


GPX = """<?xml version="1.0"?>
<gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1">
  <wpt lat="60.0" lon="24.0"><ele>12.4</ele><name>Hut</name><sym>Cabin</sym></wpt>
  <rte><name>Way up</name><rtept lat="60.0" lon="24.0"/><rtept lat="60.001" lon="24.0"/></rte>
  <trk><name>Tour</name><trkseg>
    <trkpt lat="60.001" lon="24.0"><time>2026-05-01T10:00:00Z</time></trkpt>
    <trkpt lat="60.002" lon="24.0"><time>2026-05-01T10:01:40Z</time></trkpt>
  </trkseg></trk>
</gpx>"""


def test_waypoints_routes_and_tracks(tmp_path: Path) -> None:
    (file := tmp_path / "tour.gpx").write_text(GPX)
    importing = import_gpx(file, DRAFTER)
    assert (importing.total, importing.unread.count) == (3, 0)
    told = claims_in(commands_of(importing))
    assert ("place:Hut", "at", "earth/240000000/12/600000000", {}) in told
    assert ("place:Hut", "is_a", "type:Cabin", {}) in told
    north, top = "place:earth 24.0000000 60.0010000", "place:earth 24.0000000 60.0020000"
    assert ("place:Hut", "path", north, {"length": "111"}) in told
    assert (north, "path", top, {"length": "111", "ticks": "100"}) in told


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{}", "no XML"),
        ("<kml/>", "something else"),
        ('<!DOCTYPE gpx [<!ENTITY a "aaaa">]><gpx>&a;</gpx>', "defines entities"),
        ("", "no XML"),
    ],
)
def test_what_is_no_gpx_is_refused(tmp_path: Path, text: str, told: str) -> None:
    (file := tmp_path / "tour.gpx").write_text(text)
    with pytest.raises(ImporterError, match=told):
        import_gpx(file, DRAFTER)


def test_a_broken_element_is_named_and_the_rest_is_taken(tmp_path: Path) -> None:
    (file := tmp_path / "tour.gpx").write_text(
        GPX.replace('lat="60.0" lon="24.0"><ele>', 'lat="north" lon="24.0"><ele>')
    )
    importing = import_gpx(file, DRAFTER)
    assert (importing.total, [place for place, *_ in importing.unread.places]) == (2, ["element 1"])
