"""A service with keys that all doors lead to, which goes away and comes back; and how a client is refused."""

from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

import pytest

from benchmarks.doors.ways.way import Door, Place, Way
from yggdrasil import Memory
from yggdrasil.doors.mcp.over_http import McpDoor
from yggdrasil.engines.embedded import Embedded
from yggdrasil.serving import Service, Serving
from yggdrasil_infra.http.keys import Keys, new_key

TENANTS: Final = ("acme", "beta")
WRONG: Final = "ygg_0123456789ab_wrong"
_numbers = count()


class Town:
    """One directory, its service on one port and at the directory's socket, and a key for each tenant."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.data = folder / "data"
        self.keys = {name: new_key(folder / "keys.json", name, ["append", "read"], name)[1] for name in TENANTS}
        self._serving = ExitStack()
        self._address = ("127.0.0.1", 0)
        self.url = ""
        self.come()

    def go(self) -> None:
        """Let the service go away."""
        self._serving.close()

    def come(self) -> None:
        """Let it come back: at the same address, over the same directory."""
        engine = self._serving.enter_context(Embedded(self.data, sliced=True))
        keys = Keys(self._folder / "keys.json")
        service = Service(self._address, keys, rate=0, directory=self.data, doors=(McpDoor(),))
        self.url = self._serving.enter_context(Serving(engine, service)).url
        self._address = ("127.0.0.1", int(self.url.rpartition(":")[2]))

    def place(self, tenant: str = "acme", agent: str | None = None, **more: Any) -> Place:
        """Where a memory is that nobody else has, unless ``agent`` says whose."""
        number = next(_numbers)
        given: dict[str, Any] = {"key": self.keys[tenant], "source": tenant, **more}
        folder = self._folder / f"client-{number}"
        return Place(self.url, self.data, folder, f"{tenant}/{agent or f'agent-{number}'}", **given)

    def kept(self, place: Place) -> list[str]:
        """All texts of the memory at a place, whoever wrote them."""
        with Memory.open(self.data, place.memory) as memory:
            return [each.text or "" for each in memory.timeline(count=200).memories]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._serving.close()


@contextmanager
def refused(door: Door, *, reading: bool = False) -> Generator[None]:
    """Hold a door to its client's own manner of being refused: an error that says something, or silence."""
    if door.silent or (reading and door.deaf):
        yield
        return
    with pytest.raises(door.errors()) as raised:
        yield
    assert str(raised.value).strip()


def remembers(way: Way, subject: str, text: str) -> None:
    """Hold a door to finding what was said of a subject."""
    found = way.read(subject)
    assert text in found, f"{text!r} is not in {found[:2_000]!r}"
