"""A thousand calls through each door, or fifty: all of them are there, and the client keeps nothing of them.

The service is in another process, so that what grows in this one is the client's.
"""

import gc
import os
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from benchmarks.doors.ways.way import Door, Place, Way
from benchmarks.latency.served import Served
from tests.doors.every.town import remembers
from tests.size import turns
from yggdrasil import Memory

CALLS: Final = turns(50, 1_000)
DEAR_CALLS: Final = turns(3, 1_000)
WARM: Final = turns(10, 100)
"""Calls before it is measured: pools, caches and compiled patterns are made by then."""
TRIES: Final = 3
"""What is left of a call is left each time; what else goes on in this process, or is made once, is not."""
READ_EVERY: Final = 10
KEPT_BYTES: Final = 64 << 10
KEPT_BYTES_A_CALL: Final = 128
"""So much may be there that was not before; a client that kept the text of each call would keep three times that.

The parser of JSON keeps short texts, up to a bound."""
DETAILS: Final = "and more of it " * 20


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    data = tmp_path_factory.mktemp("served")
    with Served(data) as it:
        yield it.url, data


class Left(NamedTuple):
    """What some calls have left behind in this process: bytes, and open descriptors."""

    size: int
    descriptors: int


@contextmanager
def measured(found: list[Left]) -> Iterator[None]:
    """Add to ``found`` what is left of what is done in here."""
    gc.collect()
    descriptors = len(os.listdir("/dev/fd"))
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        yield
        gc.collect()
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    found.append(Left(after - before, len(os.listdir("/dev/fd")) - descriptors))


def told(way: Way, first: int, calls: int) -> None:
    for number in range(first, first + calls):
        way.write(f"step{number}", f"The step{number} has mark-{number} {DETAILS}")


def test_many_calls_are_all_there_and_leave_nothing_behind(
    door: Door, served: tuple[str, Path], tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    calls = DEAR_CALLS if door.dear else CALLS
    warm = 1 if door.dear else WARM
    name = f"many/{request.node.callspec.params['door']}"
    with door.open(Place(*served, tmp_path / "client", name)) as way:
        told(way, 0, warm)
        remembers(way, f"step{warm - 1}", f"mark-{warm - 1} ")
        left, done = list[Left](), warm
        while not any(each.size <= KEPT_BYTES + KEPT_BYTES_A_CALL * calls and each.descriptors <= 1 for each in left):
            assert len(left) < TRIES, f"of {calls} calls each time: {left}"
            with measured(left):
                told(way, done, calls)
            done += calls
        for number in range(warm, done, READ_EVERY)[-2:]:
            way.read(f"step{number}")
        remembers(way, f"step{done - 1}", f"mark-{done - 1} ")
    with Memory.connect(served[0], memory=name) as memory:
        assert sum(memory.overview().nodes.values()) >= done
