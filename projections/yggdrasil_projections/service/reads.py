"""The port of the query service: what it needs of whoever holds the stores."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeVar

from yggdrasil_infra.log import Receipt

from ..retrieval.asks import Speaker
from ..retrieval.past.moment import AsOf
from ..retrieval.past.otherwise import Differs, Otherwise, Voids
from ..retrieval.query import NOW, At, Query
from .moved import MovedAnswer

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

    def suppose(
        self,
        memory: str,
        otherwise: Otherwise,
        as_of: AsOf | None = None,
        deadline_s: float | None = None,
        progress: Callable[[int, int], object] | None = None,
        trust_min: int = 0,
    ) -> tuple[AsOf, Voids]:
        """Build ``memory`` as it would stand if something were ``otherwise``; return of which moment, and what is void.

        Without ``as_of`` it is the present. What is trusted less than ``trust_min`` is counted, and not listed. Raises
        InvalidAskError for what cannot be supposed, NoSuchMomentError, NotReadyError where the host is behind, and
        BeingBuiltError at the deadline, while the building goes on.
        """
        ...

    def differs(
        self,
        memory: str,
        otherwise: Otherwise,
        as_of: AsOf,
        deadline_s: float | None = None,
        trust_min: int = 0,
    ) -> Differs:
        """Return how its graph differs from that of reality at that moment, of what is trusted so far. Raises alike."""
        ...

    def memories(self, tenant: str | None) -> list[str]:
        """Return the ids of all memories, or of one tenant's, sorted."""
        ...

    def moved(self, since: str | None, tenant: str | None, count: int) -> MovedAnswer:
        """Return memories that have moved since the ``place`` of an earlier answer, all without one: those of a tenant.

        It looks at some ``count`` memories. Raises InvalidAskError for what is no place.
        """
        ...

    def lags(self) -> list[Lag]:
        """Return how far every partition of this host is."""
        ...
