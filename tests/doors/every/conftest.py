"""One service for a module, and each door on the list."""

from collections.abc import Iterator, Mapping

import pytest

from benchmarks.doors.ways.table import DOORS
from benchmarks.doors.ways.way import Door
from tests.doors.every.town import Town
from tests.size import turns


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Town]:
    with Town(tmp_path_factory.mktemp("town")) as it:
        yield it


@pytest.fixture(scope="module")
def doors() -> Mapping[str, Door]:
    """All of them."""
    return DOORS


@pytest.fixture(params=DOORS)
def door(request: pytest.FixtureRequest) -> Door:
    """One of them."""
    return DOORS[request.param]


@pytest.fixture(params=turns([name for name, each in DOORS.items() if not each.dear], list(DOORS)))
def quick(request: pytest.FixtureRequest) -> Door:
    """One of them, for what is long: one that starts processes only in the long form."""
    return DOORS[request.param]


@pytest.fixture(params=[name for name, each in DOORS.items() if each.keyed])
def keyed(request: pytest.FixtureRequest) -> Door:
    """One of those that take a key; through the socket whoever owns the directory comes in."""
    return DOORS[request.param]
