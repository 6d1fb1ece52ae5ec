"""A memory in a directory, and a service that goes away and comes back, one of each for a module."""

import logging
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from yggdrasil import Memory, Store
from yggdrasil.engines.embedded import Embedded
from yggdrasil.serving import Service, Serving

_numbers = count()


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with Store.open(tmp_path_factory.mktemp("house"), embedder=None) as it:
        yield it


@pytest.fixture
def memory(house: Store) -> Memory[Any]:
    """Empty, and nobody else's."""
    return house.memory(f"me/agent-{next(_numbers)}")


class Stoppable:
    """A service on one port, over one directory, that can be stopped and started again."""

    def __init__(self, place: Path) -> None:
        self._place = place
        self._running = ExitStack()
        self._address = ("127.0.0.1", 0)
        self.start()

    @property
    def url(self) -> str:
        return f"http://{self._address[0]}:{self._address[1]}"

    def start(self) -> None:
        engine = self._running.enter_context(Embedded(self._place, sliced=True))
        serving = self._running.enter_context(Serving(engine, Service(self._address, rate=0)))
        host, port = serving.url.removeprefix("http://").rsplit(":", 1)
        self._address = (host, int(port))

    def stop(self) -> None:
        self._running.close()


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stoppable]:
    it = Stoppable(tmp_path_factory.mktemp("service"))
    yield it
    it.stop()


@pytest.fixture
def remote(service: Stoppable) -> Iterator[Memory[Any]]:
    """Empty, and nobody else's, at the service."""
    with Memory.connect(service.url, memory=f"me/agent-{next(_numbers)}") as it:
        yield it


@pytest.fixture
def warned(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    caplog.set_level(logging.WARNING, "yggdrasil.doors.loop")
    return caplog


def learnt(memory: Memory[Any]) -> str:
    """Let a memory know of a deployment that ended badly; return its reference."""
    event = memory.record_event("Deployed on a Friday evening", features=["deploy", "friday"])
    memory.log_outcome(event, -3, kind="outage", text="The site was down for an hour")
    return event
