"""A service on a loopback port, over a real engine in a fresh directory."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from yggdrasil.embedded import Embedded
from yggdrasil.serving import Service, Serving

from tests.service.client import Client


@pytest.fixture
def serving(tmp_path: Path) -> Iterator[Serving]:
    """Without keys."""
    with Embedded(tmp_path / "data", sliced=True) as engine, Serving(engine, Service(("127.0.0.1", 0), rate=0)) as it:
        yield it


@pytest.fixture
def client(serving: Serving) -> Iterator[Client]:
    with Client(serving.url) as it:
        yield it
