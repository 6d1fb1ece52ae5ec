"""A memory that is told of sessions."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.thinkers.digestion.told import Told, telling


@pytest.fixture
def told(tmp_path: Path) -> Iterator[Told]:
    with telling(tmp_path / "memory") as it:
        yield it
