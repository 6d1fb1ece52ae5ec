"""Distances against Pythagoras and the haversine formula, and what an overlay makes of a path."""

from math import asin, cos, isqrt, radians, sin, sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from yggdrasil import InvalidAskError
from yggdrasil_projections.retrieval.reads.places.distance import Spot, between, likely_nearest
from yggdrasil_projections.retrieval.reads.places.overlay import CONTEXTS, Overlay, overlay_of
from yggdrasil_schemas.anchors import COORDINATE_MAX, LONGITUDE_MAX

BLOCK = st.integers(-COORDINATE_MAX, COORDINATE_MAX)
RADIUS_M = 6_371_008.8


def haversine(one: Spot, other: Spot) -> float:
    north, south = radians(one.z / 1e7), radians(other.z / 1e7)
    across = radians((one.x - other.x) / 1e7)
    half = sin((north - south) / 2) ** 2 + cos(north) * cos(south) * sin(across / 2) ** 2
    return 2 * RADIUS_M * asin(sqrt(half))


@given(st.tuples(BLOCK, BLOCK, BLOCK), st.tuples(BLOCK, BLOCK, BLOCK))
def test_blocks_are_as_far_apart_as_pythagoras_says(one: tuple[int, int, int], other: tuple[int, int, int]) -> None:
    found = between(Spot("overworld", *one), Spot("overworld", *other))
    assert found == isqrt(sum((a - b) ** 2 for a, b in zip(one, other, strict=True)))
    assert found == between(Spot("overworld", *other), Spot("overworld", *one))
    assert between(Spot("overworld", *one), Spot("nether", *other)) is None


def test_a_chunk_counts_as_its_centre_and_has_no_height() -> None:
    chunk, block = Spot.of("overworld/7/-3"), Spot.of("overworld/120/200/-40")
    assert (chunk.x, chunk.z, chunk.flat, chunk.text) == (120, -40, True, "overworld/7/-3")
    assert between(chunk, block) == 0 == between(block, chunk)
    assert between(Spot.of("overworld/123/200/-36"), chunk) == 5
    assert block.text == "overworld/120/200/-40"


@given(
    st.integers(-LONGITUDE_MAX, LONGITUDE_MAX),
    st.integers(-800_000_000, 800_000_000),
    st.floats(-1, 1),
    st.floats(-1, 1),
)
def test_on_earth_they_are_within_half_a_percent_of_the_haversine(x: int, z: int, east: float, north: float) -> None:
    reach = 9_000_000  # about 100 km of latitude
    other_z = z + int(north * reach)
    assume(abs(other_z) <= 800_000_000)
    other_x = x + int(east * reach / max(0.1, cos(radians(z / 1e7))))
    other_x = (other_x + LONGITUDE_MAX) % (2 * LONGITUDE_MAX) - LONGITUDE_MAX  # across the date line too
    one, other = Spot("earth", x, 0, z), Spot("earth", other_x, 0, other_z)
    metres = haversine(one, other)
    assume(1_000 < metres < 100_000)
    found = between(one, other)
    assert found is not None and abs(found - metres) <= 0.005 * metres
    assert abs(found - (between(other, one) or 0)) <= 1


def test_known_distances_on_earth() -> None:
    berlin, potsdam = Spot.of("earth/134050000/34/525200000"), Spot.of("earth/130645000/32/523906000")
    found = between(berlin, potsdam)
    assert found == 27_191 and abs(found - haversine(berlin, potsdam)) < 3
    assert between(Spot("earth", 1_799_999_000, 0, 0), Spot("earth", -1_799_999_000, 0, 0)) == 22
    assert between(Spot("earth", 0, 0, 900_000_000), Spot("earth", 900_000_000, 0, 900_000_000)) == 0
    assert between(Spot("earth", 0, 300, 0), Spot("earth", 0, 0, 0)) == 300


@pytest.mark.parametrize("realm", ["overworld", "earth"])
def test_the_nearest_are_among_those_that_are_likely(realm: str) -> None:
    rng = np.random.default_rng(5)
    most = 800_000_000 if realm == "earth" else COORDINATE_MAX
    x, z = rng.integers(-most, most, 400), rng.integers(-most, most, 400)
    y = rng.integers(-60, 300, 400)
    one = Spot(realm, int(x[0]), 64, int(z[0]))
    for count in (1, 5, 50, 400, 500):
        places, least = likely_nearest(one, x, z, y - 64, count)
        exact = [between(one, Spot(realm, *each)) or 0 for each in zip(x.tolist(), y.tolist(), z.tolist(), strict=True)]
        assert {at for at, each in enumerate(exact) if each <= least} <= set(places.tolist())
        if realm == "overworld":  # on earth floats and the table of cosines part by less than a metre in a thousand
            assert sum(each <= least for each in exact) >= min(count, 400)


def test_overlays_are_said_by_name_as_a_text_or_as_a_mapping() -> None:
    assert overlay_of(None) == overlay_of("") == overlay_of({}) == Overlay(1_000, 0, 0, 0)
    assert overlay_of("night") == overlay_of("dark:1, risk:3") == overlay_of({"dark": 1, "risk": 3})
    assert overlay_of("safe", lit=True) == Overlay(1_000, 0, 0, 10_000, lit=True)
    assert overlay_of({"ticks": 0.125, "dark": -0.1}) == Overlay(125, 0, -100, 0)
    for name in CONTEXTS:
        assert overlay_of(overlay_of(name).text) == overlay_of(name)
    assert overlay_of("dark:-0.5,distance:0.125").text == "distance:0.125,dark:-0.5"


@pytest.mark.parametrize(
    "given",
    [
        "day", "dark", "dark:x", "dark:1.0001", "dark:1e3", "dark:1001", "light:1", "ticks:-1", "dark:-1.5", "risk:-2",
        "distance:-0.1", "dark:" + "1" * 200, {"dark": 0.0001}, {"dark": float("nan")}, {"dark": float("inf")},
        {"dark": True}, {"dark": None}, {"light": 1}, {1: 1}, {"ticks": 1_000.5}, {"dark": "many"}, "dark:1;risk:1",
    ],
)  # fmt: skip
def test_what_is_no_overlay_is_refused(given: Any) -> None:
    with pytest.raises(InvalidAskError, match="overlay"):
        overlay_of(given)
