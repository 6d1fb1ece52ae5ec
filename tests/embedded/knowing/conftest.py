"""A place for the memories of several."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from yggdrasil import Store


@pytest.fixture
def house(tmp_path: Path) -> Iterator[Store]:
    """Without vectors: what stands is no matter of meaning."""
    with Store.open(tmp_path / "here", embedder="none") as store:
        yield store
