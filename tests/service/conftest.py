"""Services on loopback ports, over real engines in fresh directories."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from tests.service.client import Client
from yggdrasil.engines.embedded import Embedded
from yggdrasil.serving import Service, Serving
from yggdrasil_infra.http.keys import Keys, new_key

LOOPBACK = ("127.0.0.1", 0)


@pytest.fixture(scope="module")
def serving(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """Without keys."""
    place = tmp_path_factory.mktemp("serving")
    with Embedded(place, sliced=True) as engine, Serving(engine, Service(LOOPBACK, rate=0)) as it:
        yield it


@contextmanager
def ring_of(data: Path, file: Path, keys: Mapping[str, str], **engine: Any) -> Iterator[dict[str, Client]]:
    """Serve with the keys of a file; for each of ``keys`` a client of the memory acme/agent, by its name."""
    with (
        Embedded(data, sliced=True, **engine) as served,
        Serving(served, Service(LOOPBACK, Keys(file), rate=0)) as it,
        ExitStack() as opened,
    ):
        yield {name: opened.enter_context(Client(it.url, key, "acme/agent")) for name, key in keys.items()}


_numbers = count()


@pytest.fixture
def client(serving: Serving) -> Iterator[Client]:
    """With a memory of its own."""
    with Client(serving.url, memory=f"me/agent-{next(_numbers)}") as it:
        yield it


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """A service with keys: its URL, and a key that may do everything."""
    place = tmp_path_factory.mktemp("guarded")
    _, key = new_key(place / "keys.json", "*", ["append", "read", "audit", "operate"], "operator")
    service = Service(LOOPBACK, Keys(place / "keys.json"), rate=0)
    with Embedded(place / "data", sliced=True) as engine, Serving(engine, service) as it:
        yield it.url, key


@pytest.fixture
def operator(guarded: tuple[str, str]) -> Iterator[Client]:
    with Client(*guarded) as client:
        yield client
