"""Where places stand closer together than chance has it: at each scale, and nowhere where they are spread evenly."""

import sys
from collections import Counter
from random import Random

import pytest

from tests.thinkers.cartographer.measured import measured
from tests.thinkers.cartographer.worlds import Cell, centres, even, spots, village
from yggdrasil_processors.thinkers.cartographer.density import MEMBERS_MIN, clusters
from yggdrasil_projections.retrieval.reads.places.distance import Spot


@pytest.mark.parametrize(("count", "side"), [(20, 100), (100, 1_000), (300, 300), (600, 2_000_000)])
def test_what_is_spread_evenly_makes_no_village(count: int, side: int) -> None:
    chance = Random(f"even {count}")
    assert [clusters(spots(even(chance, count, side))) for _ in range(5)] == [[]] * 5


@pytest.mark.parametrize("broad", [1, 60])
def test_a_road_makes_no_village(broad: int) -> None:
    """Along a line chance brings places together far more often than in a field."""
    chance = Random(f"road {broad}")
    roads = [[(chance.randrange(100_000), chance.randrange(broad)) for _ in range(300)] for _ in range(5)]
    assert [clusters(spots(dict.fromkeys(road))) for road in roads] == [[]] * 5


def test_a_lattice_makes_no_village() -> None:
    assert clusters(spots((16 * x, 16 * z) for x in range(20) for z in range(20))) == []


@pytest.mark.parametrize("scale", [1, 50, 5_000])
def test_villages_are_found_at_each_scale(scale: int) -> None:
    """Ten of eight places each, and fifty places that lie between them."""
    chance = Random("scale")
    middles = centres(chance, 10, 1_200, 150)
    told = [village(chance, middle, 8, 10) for middle in middles]
    cells = [(x * scale, z * scale) for x, z in [*(each for one in told for each in one), *even(chance, 50, 1_200)]]
    where = list(dict.fromkeys(cells))
    found = [{where[each] for each in one} for one in clusters(spots(where))]
    wanted = [{(x * scale, z * scale) for x, z in one} for one in told]
    assert sum(any(len(one & each) >= 6 and len(each) <= 10 for each in found) for one in wanted) >= 9
    assert len(found) <= 10


def test_a_town_is_one_village() -> None:
    chance = Random("town")
    cells = list(dict.fromkeys([*village(chance, (5_000, 5_000), 200, 100), *even(chance, 200, 10_000)]))
    (town,) = clusters(spots(cells))
    assert 180 <= len(town) <= 220


def test_fewer_than_four_spots_are_no_village() -> None:
    far: list[Cell] = [(10**6 * n, 7 * 10**5 * n * n) for n in range(1, 9)]
    near: list[Cell] = [(0, 0), (1, 0), (0, 1), (1, 1)]
    assert clusters(spots([*near, *far])) == [[0, 1, 2, 3]]
    assert clusters(spots([*near[: MEMBERS_MIN - 1], *far])) == []
    assert clusters([]) == clusters(spots(near)) == []


def test_where_an_anchor_says_a_chunk_nothing_is_nearer_than_that() -> None:
    """The middle of a chunk is where something may be that lies at its border."""
    near = [Spot("w", 8 + x, 64, 8 + z) for x, z in ((2, 0), (0, 2), (-2, 1))]
    far = [Spot("w", 100 * n, 64, 80 * (n % 3)) for n in range(2, 10)]
    assert clusters([Spot("w", 8, 64, 8), *near, *far]) == [[0, 1, 2, 3]]
    assert clusters([Spot("w", 8, 0, 8, flat=True), *near, *far]) == []


def test_the_order_in_which_places_were_told_changes_nothing() -> None:
    chance = Random("order")
    cells = list(dict.fromkeys([*village(chance, (300, 300), 9, 8), *even(chance, 60, 2_000)]))
    first = {frozenset(cells[each] for each in one) for one in clusters(spots(cells))}
    chance.shuffle(cells)
    assert {frozenset(cells[each] for each in one) for one in clusters(spots(cells))} == first != set()


def test_on_earth_a_village_may_lie_on_the_date_line() -> None:
    near = [
        Spot("earth", x, 0, z)
        for x, z in ((1_799_999_000, 0), (-1_799_999_500, 900), (1_799_999_700, 2_000), (-1_799_999_000, 1_500))
    ]
    far = [Spot("earth", 50_000_000 * n, 0, 40_000_000 * (n % 4)) for n in range(1, 9)]
    assert clusters([*near, *far]) == [[0, 1, 2, 3]]


def test_what_was_measured() -> None:
    """Some of ``measured``: where places are spread evenly one world in a hundred may have a village by chance."""
    assert measured("a hundred places, spread evenly", 60)[1] <= 2 / 60
    assert measured("a hundred along a road", 60)[1] <= 2 / 60
    found, others = measured("ten villages of 10, and 50 places between", 10)
    assert found >= 0.9 and others <= 0.2


@pytest.mark.parametrize("towns", [2, 8, 60])
def test_towns_take_no_more_steps_than_other_places(towns: int) -> None:
    """Nothing in Python is done for each pair of places, nor for each size around one."""
    chance = Random("towns")
    cells = [(chance.randrange(300) + at % towns * 10**5, chance.randrange(300)) for at in range(1_200)]
    told = spots(dict.fromkeys(cells))
    clusters(told)  # what is remembered from one look to the next does not count
    calls: Counter[str] = Counter()
    sys.setprofile(lambda frame, event, _: calls.update([frame.f_code.co_name] if event == "call" else []))
    try:
        found = clusters(told)
    finally:
        sys.setprofile(None)
    assert len(found) == towns
    assert calls.total() < 120 * len(told), calls.most_common(3)
