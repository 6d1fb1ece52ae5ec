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


def test_what_is_around_a_way_may_change_and_nothing_is_said_under_an_id_that_was_used(tmp_path: Path) -> None:
    way, cafe = line((24.0, 60.0), (24.001, 60.0), (24.01, 60.0)), point(24.0011, 60.0001, name="Cafe")
    file = written(tmp_path, way, cafe)
    said = {draft.id: draft.value for draft in import_geojson(file, DRAFTER).drafts}
    for again in (import_geojson(file, DRAFTER, join=40), import_geojson(written(tmp_path, way, cafe), DRAFTER)):
        for draft in again.drafts:
            first, now = json.loads(said.get(draft.id, draft.value)), json.loads(draft.value)
            assert (first["body"], first.get("content")) == (now["body"], now.get("content"))
            said[draft.id] = draft.value


def test_many_corners_beside_each_other_and_the_poles_take_no_longer(tmp_path: Path) -> None:
    corners = [(24.0 + at / 1e7, 60.0) for at in range(3_000)]
    near = [point(24.0 + at / 1e7, 60.00001, name=f"p{at}") for at in range(1_500)]
    file = written(tmp_path, line(*corners), *near, point(0, 90, name="Pole"))
    importing = import_geojson(file, DRAFTER, join=40)
    assert importing.total == 1 + 1_500 + 1 + 1_500


def test_an_area_across_the_last_meridian_and_a_way_against_its_line(tmp_path: Path) -> None:
    ring = [[179.9, 50.0], [-179.9, 50.0], [-179.9, 50.2], [179.9, 50.2], [179.9, 50.0]]
    area = {"type": "Feature", "geometry": {"type": "Polygon", "coordinates": [ring]}, "properties": {"name": "Isle"}}
    told = claims_in(
        commands_of(import_geojson(written(tmp_path, area, line((24, 60), (25, 60), oneway="-1")), DRAFTER))
    )
    assert told[0][2] == "earth/1800000000/0/501000000"
    (path,) = (each for each in told if each[1] == "path")
    assert (path[0], path[2], path[3]["oneway"]) == (
        "place:earth 25.0000000 60.0000000",
        "place:earth 24.0000000 60.0000000",
        "yes",
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


def test_no_second_is_lost_where_a_track_is_parted_and_none_is_free(tmp_path: Path) -> None:
    points = [f'<trkpt lat="{60 + at / 10_000:.4f}" lon="24.0">{{}}</trkpt>' for at in range(10)]
    times = [f"<time>2026-05-01T10:00:{second:02}Z</time>" for second in (0, 23)]
    track = "".join(each.format({0: times[0], 9: times[1]}.get(at, "")) for at, each in enumerate(points))
    crossing = "".join(
        f'<rte><rtept lat="{60 + at / 10_000:.4f}" lon="24.0"/><rtept lat="{60 + at / 10_000:.4f}" lon="24.1"/></rte>'
        for at in range(1, 9)
    )
    (file := tmp_path / "tour.gpx").write_text(f"<gpx><trk><trkseg>{track}</trkseg></trk>{crossing}</gpx>")
    ticks = [int(said["ticks"]) for *_, said in claims_in(commands_of(import_gpx(file, DRAFTER))) if "ticks" in said]
    assert (len(ticks), sum(ticks), min(ticks)) == (9, 23, 2)
    file.write_text(f"<gpx><trk><trkseg>{track.replace(':23Z', ':00Z')}</trkseg></trk></gpx>")
    assert not [said for *_, said in claims_in(commands_of(import_gpx(file, DRAFTER))) if "ticks" in said]


def test_a_broken_segment_of_a_track_loses_no_other(tmp_path: Path) -> None:
    (file := tmp_path / "tour.gpx").write_text(
        GPX.replace("<trkseg>", '<trkseg><trkpt lat="1" lon="1"/></trkseg><trkseg>')
    )
    importing = import_gpx(file, DRAFTER)
    assert (importing.total, importing.unread.count) == (3, 1)


def test_entities_are_refused_in_any_encoding(tmp_path: Path) -> None:
    text = '<?xml version="1.0" encoding="UTF-16"?><!DOCTYPE gpx [<!ENTITY a "aaaa">]><gpx>&a;</gpx>'
    (file := tmp_path / "tour.gpx").write_bytes(text.encode("utf-16"))
    with pytest.raises(ImporterError, match="defines entities"):
        import_gpx(file, DRAFTER)
