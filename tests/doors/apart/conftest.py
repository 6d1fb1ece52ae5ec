"""The doors that stand apart, in place of the others, for the tests that hold every door to the same."""

from collections.abc import Mapping

import pytest

from benchmarks.doors.ways.table import APART
from benchmarks.doors.ways.way import Door
from tests.doors.every.conftest import town

__all__ = ["town"]


@pytest.fixture(scope="module")
def doors() -> Mapping[str, Door]:
    """All of them."""
    return APART


@pytest.fixture(params=APART)
def door(request: pytest.FixtureRequest) -> Door:
    """One of them."""
    return APART[request.param]


@pytest.fixture
def quick(door: Door) -> Door:
    """The same: neither starts a process."""
    return door


@pytest.fixture
def keyed(door: Door) -> Door:
    """The same: each takes a key."""
    return door
