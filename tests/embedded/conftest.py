"""A memory in a fresh directory."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from yggdrasil import Memory
from yggdrasil.engines.embedded import Embedded


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory[Embedded]]:
    with Memory.open(tmp_path / "memories", memory="me/agent") as opened:
        yield opened
