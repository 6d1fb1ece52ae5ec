"""Services on loopback ports, over real engines in fresh directories."""

from collections.abc import Iterator
from itertools import count

import pytest
from yggdrasil.embedded import Embedded
from yggdrasil.serving import Service, Serving
from yggdrasil_infra.http.keys import Keys, new_key

from tests.service.client import Client

LOOPBACK = ("127.0.0.1", 0)


@pytest.fixture(scope="module")
def serving(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """Without keys."""
    place = tmp_path_factory.mktemp("serving")
    with Embedded(place, sliced=True) as engine, Serving(engine, Service(LOOPBACK, rate=0)) as it:
        yield it


_numbers = count()


@pytest.fixture
def client(serving: Serving) -> Iterator[Client]:
    """With a memory of its own."""
    with Client(serving.url, memory=f"me/agent-{next(_numbers)}") as it:
        yield it


@pytest.fixture(scope="module")
def operator(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """A service with keys, asked with one that may do everything."""
    place = tmp_path_factory.mktemp("operator")
    _, key = new_key(place / "keys.json", "*", ["append", "read", "audit", "operate"], "operator")
    service = Service(LOOPBACK, Keys(place / "keys.json"), rate=0)
    with Embedded(place / "data", sliced=True) as engine, Serving(engine, service) as it, Client(it.url, key) as client:
        yield client
