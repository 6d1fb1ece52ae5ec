"""The port of the query service: what it needs of whoever holds the stores."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeVar

from yggdrasil_infra.log import Receipt

from ..retrieval.asks import Speaker
from ..retrieval.past.moment import AsOf
from ..retrieval.query import NOW, At, Query

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Lag:
    """How far a partition is folded, and where the log ends."""

    partition: int
    position: int
    end: int


class Reads(Protocol):
    """Reads of memories by any thread. What names a memory raises UnknownMemoryError unless it says otherwise."""

    def ask(self, memory: str, query: Query[T], by: Speaker | None = None, at: At = NOW) -> T:
        """Answer a query, once the memory stands where ``at`` says.

        It is recorded on behalf of ``by``, where the query says that it is. Raises NotYetError at the deadline, and
        what the query's row names.
        """
        ...

    def wait(self, memory: str, after: Receipt, deadline_s: float) -> None:
        """Return once ``memory`` has folded the record at ``after``. Raises NotYetError at the deadline."""
        ...

    def stand(
        self,
        memory: str,
        as_of: AsOf,
        deadline_s: float | None = None,
        progress: Callable[[int, int], object] | None = None,
    ) -> None:
        """Return once ``memory`` as of a moment is at hand; ``progress`` is told how many records of how many are read.

        Raises NoSuchMomentError, and BeingBuiltError at the deadline, while the building goes on.
        """
        ...

    def memories(self, tenant: str | None) -> list[str]:
        """Return the ids of all memories, or of one tenant's, sorted."""
        ...

    def lags(self) -> list[Lag]:
        """Return how far every partition of this host is."""
        ...
