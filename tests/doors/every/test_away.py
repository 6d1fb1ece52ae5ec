"""The service goes away and comes back at the same address: nothing is lost, and every client goes on as it is."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, nullcontext, suppress

import pytest

from benchmarks.doors.ways.way import Door, Place, Way
from tests.doors.every.town import Town, refused, remembers


@contextmanager
def _ending(door: Door, place: Place) -> Iterator[Way]:
    """Open a door whose client may come to an end before it is closed, and says so once more then."""
    with suppress(*door.errors()) if door.ends else nullcontext(), door.open(place) as way:
        yield way


def test_the_service_is_away_and_back(doors: Mapping[str, Door], town: Town) -> None:
    places = {name: town.place() for name in doors}
    with ExitStack() as stack:
        ways = {name: stack.enter_context(_ending(door, places[name])) for name, door in doors.items()}
        for way in ways.values():
            way.write("printer", "The printer is on the third floor")
        town.go()
        try:
            for name, way in ways.items():
                if doors[name].silent or doors[name].keeps:
                    way.write("lift", "The lift was out of order")
                    continue
                with refused(doors[name]):
                    way.write("lift", "The lift was out of order")
                with refused(doors[name], reading=True):
                    assert "third floor" not in way.read("printer")
        finally:
            town.come()
        for name in [name for name in ways if doors[name].ends]:
            ways[name] = stack.enter_context(doors[name].open(places[name]))
        for name, way in ways.items():
            way.write("boiler", "The boiler is in the cellar")
            remembers(way, "printer", "third floor")
            remembers(way, "boiler", "in the cellar")
            there = any("out of order" in text for text in town.kept(places[name]))
            assert there == doors[name].keeps, f"{name}: what was said while the service was away"


def test_a_client_that_is_made_while_the_service_is_away_fails_or_goes_on(keyed: Door, town: Town) -> None:
    """Without a word of what the service would have been asked, and with nothing that hangs."""
    place = town.place()
    nowhere = type(place)("http://127.0.0.1:1", place.data, place.folder, place.memory, place.key, place.source)
    if keyed.silent:
        with keyed.open(nowhere) as way:
            way.write("lift", "The lift was out of order")
    else:
        with pytest.raises(keyed.errors()), keyed.open(nowhere) as way:
            way.write("lift", "The lift was out of order")
