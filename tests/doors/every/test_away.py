"""The service goes away and comes back at the same address: nothing is lost, and every client goes on as it is."""

from collections.abc import Mapping
from contextlib import ExitStack

import pytest

from benchmarks.doors.ways.way import Door
from tests.doors.every.town import Town, remembers


def test_the_service_is_away_and_back(doors: Mapping[str, Door], town: Town) -> None:
    places = {name: town.place() for name in doors}
    with ExitStack() as stack:
        ways = {name: stack.enter_context(door.open(places[name])) for name, door in doors.items()}
        for way in ways.values():
            way.write("printer", "The printer is on the third floor")
        town.go()
        for name, way in ways.items():
            if doors[name].silent or doors[name].keeps:
                way.write("lift", "The lift was out of order")
                continue
            with pytest.raises(doors[name].errors()) as raised:
                way.write("lift", "The lift was out of order")
            assert str(raised.value).strip(), f"{name} says nothing of a service that is away"
            with pytest.raises(doors[name].errors()):
                way.read("printer")
        town.come()
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
