"""What is written through a door is read back, what cannot be is refused, and two clients share what they write."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from benchmarks.doors.ways.way import Door
from tests.doors.every.town import WRONG, Town, refused, remembers
from yggdrasil import UnknownMemoryError


def test_what_is_written_is_read_back_also_by_a_client_that_is_made_anew(door: Door, town: Town) -> None:
    place = town.place()
    with door.open(place) as way:
        way.write("printer", "The printer is on the third floor")
        remembers(way, "printer", "third floor")
    with door.open(place) as way:
        remembers(way, "printer", "third floor")


def test_what_cannot_be_taken_is_refused_in_the_client_s_own_manner(door: Door, town: Town) -> None:
    with door.open(town.place()) as way:
        way.write("printer", "The printer is on the third floor")
        with refused(door):
            way.wrong()
        remembers(way, "printer", "third floor")
        way.write("boiler", "The boiler is in the cellar")
        remembers(way, "boiler", "in the cellar")


@pytest.mark.parametrize("why", ["a wrong key", "a key of another tenant"])
def test_who_may_not_come_in_reads_and_writes_nothing(keyed: Door, town: Town, why: str) -> None:
    place = town.place()
    with keyed.open(place) as way:
        way.write("printer", "The printer is on the third floor")
    before = town.kept(place)
    other = {"key": WRONG} if why == "a wrong key" else {"key": town.keys["beta"], "source": "beta"}
    stranger = town.place(agent=place.memory.partition("/")[2], **other)
    with refused(keyed), keyed.open(stranger) as way:
        way.write("boiler", "The boiler is in the cellar")
    with refused(keyed, reading=True), keyed.open(stranger) as way:
        assert "third floor" not in way.read("printer")
    assert town.kept(place) == before
    nobody = town.place(**other)
    with refused(keyed), keyed.open(nobody) as way:
        way.write("boiler", "The boiler is in the cellar")
    with pytest.raises(UnknownMemoryError):
        town.kept(nobody)


def test_two_clients_at_once_lose_nothing_and_see_what_the_other_wrote(door: Door, town: Town) -> None:
    place, both = town.place(), Barrier(2, timeout=120)
    calls = 2 if door.dear else 4

    def client(number: int) -> None:
        with door.open(place) as way:
            both.wait()
            for call in range(calls):
                way.write(f"lamp{number}{call}", f"The lamp{number}{call} has mark-{number}-{call}")
            both.wait()
            other = 1 - number
            for call in range(calls):
                remembers(way, f"lamp{other}{call}", f"mark-{other}-{call}")
            both.wait()

    with ThreadPoolExecutor(2) as threads:
        for done in [threads.submit(client, number) for number in range(2)]:
            done.result()
