"""A memory for thinkers to think about."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from yggdrasil import Memory


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory[Any]]:
    with Memory.open(tmp_path / "memory", "me/agent", partitions=1) as made:
        yield made
