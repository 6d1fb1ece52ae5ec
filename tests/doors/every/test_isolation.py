"""Whatever is written in whatever order: nothing of one tenant, memory or room is seen through the door of another."""

import re
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import count, product
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchmarks.doors.ways.way import Door, Way
from tests.doors.every.town import TENANTS, Town
from tests.size import turns

AGENTS: Final = ("east", "west")
ROOMS: Final = ("room", "room/ro")
MARK: Final = re.compile(r"mark-[a-z]+-[a-z]+-[a-z]+-\d+")
WHERE = st.sampled_from(list(product(TENANTS, AGENTS, ROOMS)))
SUBJECTS = st.sampled_from(["printer", "boiler", "lift"])
STEPS = st.lists(st.tuples(WHERE, SUBJECTS, st.booleans()), min_size=4, max_size=10)
_numbers = count()

Rooms = dict[tuple[str, str, str], Way]


@pytest.fixture
def rooms(quick: Door, town: Town) -> Iterator[Rooms]:
    """The same names in both tenants; where a door has no rooms, both are one."""
    agents = {name: f"{name}-{next(_numbers)}" for name in AGENTS}
    with ExitStack() as stack:
        found: Rooms = {}
        for tenant, agent, room in product(TENANTS, AGENTS, ROOMS):
            if not quick.rooms and room != ROOMS[0]:
                found[tenant, agent, room] = found[tenant, agent, ROOMS[0]]
                continue
            place = town.place(tenant, agents[agent], room=room)
            way = found[tenant, agent, room] = stack.enter_context(quick.open(place))
            way.write("bell", "The bell rings")  # or there would be nothing to ask
        yield found


def test_nothing_crosses(rooms: Rooms, quick: Door) -> None:
    @settings(
        max_examples=turns(5, 5 if quick.dear else 50), deadline=None, suppress_health_check=[HealthCheck.too_slow]
    )
    @given(steps=STEPS)
    def holds(steps: list[Any]) -> None:
        example, written = next(_numbers), set[tuple[Any, str]]()
        for (tenant, agent, room), word, writes in steps:
            room_seen = room if quick.rooms else ROOMS[0]
            own = f"mark-{tenant}-{agent}-{'one' if room_seen == ROOMS[0] else 'two'}-"
            subject, way = f"{word}{example}", rooms[tenant, agent, room]
            if writes and ((tenant, agent, room_seen), subject) not in written:
                written.add(((tenant, agent, room_seen), subject))
                way.write(subject, f"The {subject} has {own}{next(_numbers)}")
            for found in MARK.findall(way.read(subject)):
                assert found.startswith(own), f"{found} is seen from {own}"

    holds()
