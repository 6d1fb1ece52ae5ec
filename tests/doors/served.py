"""Where the tests of doors get their memories: a directory, and a service that can go away and come back."""

from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from yggdrasil import Memory, Store
from yggdrasil.engines.embedded import Embedded
from yggdrasil.serving import Service, Serving

WAYS: Final = ("directory", "service")


class House:
    """Memories in a directory of their own, and others behind a service; a context manager."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._numbers = 0
        self._store = Store.open(folder / "store", embedder="none")
        self._kept = ExitStack()
        self._serving = ExitStack()
        self._address = ("127.0.0.1", 0)
        self.url = ""
        self.come()

    def memory(self, way: str, name: str | None = None) -> Memory[Any]:
        """A memory that nobody else has, unless ``name`` says whose."""
        self._numbers += 1
        name = name or f"me/agent-{self._numbers}"
        made: Memory[Any] = self._store.memory(name) if way == "directory" else Memory.connect(self.url, memory=name)
        return self._kept.enter_context(made)

    def go(self) -> None:
        """Let the service go away."""
        self._serving.close()

    def come(self) -> None:
        """Let the service come back, at the same address."""
        engine = self._serving.enter_context(Embedded(self._folder / "served", sliced=True))
        served = self._serving.enter_context(Serving(engine, Service(self._address, rate=0)))
        self.url = served.url
        self._address = ("127.0.0.1", int(served.url.rpartition(":")[2]))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._kept.close()
        self._serving.close()
        self._store.close()
