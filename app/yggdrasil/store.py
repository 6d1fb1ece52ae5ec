"""A directory that holds many memories: opened once in a process, and as many facades from it as one likes."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from yggdrasil_infra.log import LogError
from yggdrasil_producers.draft import Drafter

from .memory import Memory
from .settings import opened

if TYPE_CHECKING:
    from yggdrasil_infra.embedders import Embedder
    from yggdrasil_schemas.commands import Origin

    from .engines.embedded import Embedded
    from .engines.embedding import Embedding
    from .settings import EmbedderGiven


class Store:
    """One directory with its log, its stores, its indexes and its embedder, shared by all memories that are in it.

    Safe to use from several threads; a context manager.

    >>> with Store.open("./house") as store:
    ...     ana, ben = store.memory("acme/ana"), store.memory("acme/ben")
    ...     _ = ana.record_event("The deploy key is in the vault", features=["deploy"])
    ...     _ = ben.record_event("The printer is on the second floor", features=["printer"])
    ...     store.memories()
    ['acme/ana', 'acme/ben']
    """

    def __init__(self, engine: Embedded, embedding: Embedding | None = None) -> None:
        """Take over ``engine``, which is closed with this; ``open`` is the usual way."""
        self.engine = engine
        self._embedding = embedding
        self._closed = False

    @staticmethod
    def open(
        path: str | Path,
        *,
        partitions: int | None = None,
        embedder: EmbedderGiven = None,
        former_embedder: Embedder | None = None,
    ) -> Store:
        """Open or create the directory ``path``.

        ``partitions`` is fixed at creation (4 unless given). With an ``embedder`` (``yggdrasil_infra.embedders``), what
        is said and what is asked get vectors, and are compared by what they mean as well; ``former_embedder`` answers
        until 90 % of what was said has vectors of the new one (``yggdrasil embed``). Both remain the caller's to close.

        The directory remembers its embedder. Whoever opens it without, or with another one and not the former, gets an
        EmbedderWarning that says what to do; "off" says that none is wanted this time.

        Raises LogInUseError when the directory is open already, here or in another process, LogElsewhereError for that
        of a worker, StoreSettingsError, and LogError, StorageError or StoreError, with the remedy, for what is damaged.
        """
        return Store(*opened(path, partitions, embedder, former_embedder))

    def memory(self, memory: str, *, source: str = "agent", origin: Origin = "agent") -> Memory[Embedded]:
        """Return the memory ``memory``, ``tenant/agent``, which need not exist: its first command makes it.

        ``source`` names who speaks, and ``origin`` what that is; both are stamped on every command. To close the memory
        leaves the store open, and closing the store closes all of its memories. Raises InvalidCommandError for a
        malformed id, and LogError once the store is closed.
        """
        self._check()
        return Memory(self.engine, Drafter(memory, source, "yggdrasil-embedded", origin), embedding=self._embedding)

    def memories(self, tenant: str | None = None) -> list[str]:
        """Return the ids of all memories that are there, or of one tenant's, sorted. Raises LogError when closed."""
        self._check()
        return self.engine.memories(tenant)

    @property
    def path(self) -> Path:
        """The directory."""
        return self.engine.path

    def close(self) -> None:
        """Close the directory, and with it all of its memories. Closing twice is allowed."""
        self._closed = True
        self.engine.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _check(self) -> None:
        if self._closed:
            raise LogError(f"the store {self.path} is closed; open it again with Store.open")
