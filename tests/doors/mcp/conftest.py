"""One service for a module, and each way in which an assistant gets to a memory of its own in it."""

from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest

from tests.doors.mcp.speaking import Assistant, talking, talking_to
from tests.size import turns
from yggdrasil.doors.mcp.over_http import McpDoor
from yggdrasil.engines.embedded import Embedded
from yggdrasil.memory import Memory
from yggdrasil.serving import Service, Serving
from yggdrasil_producers.draft import Drafter

LOOPBACK = ("127.0.0.1", 0)
_numbers = count()


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Embedded]:
    with Embedded(tmp_path_factory.mktemp("memories"), sliced=True) as it:
        yield it


@pytest.fixture(scope="module")
def serving(engine: Embedded) -> Iterator[Serving]:
    """Without keys."""
    with Serving(engine, Service(LOOPBACK, rate=0, doors=(McpDoor(),))) as it:
        yield it


@pytest.fixture(params=turns(["directory", "mcp"], ["directory", "service", "mcp", "handshake"]))
def way(request: pytest.FixtureRequest) -> str:
    """In a directory, of a service, and at the door of a service, by the protocol of today and with a handshake.

    What is asked of a service otherwise goes the way that the door goes too; the handshake is tested by itself as well.
    """
    return str(request.param)


@pytest.fixture
def name() -> str:
    return f"me/agent-{next(_numbers)}"


def memory_of(engine: Embedded, name: str) -> Memory[Any]:
    return Memory(engine, Drafter(name, "agent", "yggdrasil-embedded"))


@pytest.fixture
def assistant(way: str, name: str, engine: Embedded, serving: Serving) -> Iterator[Assistant]:
    """With the tools of the loop."""
    yield from connected(way, name, engine, serving, "loop")


@pytest.fixture
def librarian(way: str, name: str, engine: Embedded, serving: Serving) -> Iterator[Assistant]:
    """With the tools of the official memory server."""
    yield from connected(way, name, engine, serving, "graph")


def connected(way: str, name: str, engine: Embedded, serving: Serving, tools: Any) -> Iterator[Assistant]:
    if way == "directory":
        with talking_to(memory_of(engine, name), tools) as it:
            yield it
    elif way == "service":
        with Memory.connect(serving.url, memory=name) as memory, talking_to(memory, tools) as it:
            yield it
    else:
        url = f"{serving.url}/mcp/{name}?tools={tools}"
        with talking(url, "legacy" if way == "handshake" else "auto") as it:
            yield it
