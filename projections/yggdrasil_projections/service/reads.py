"""The port of the query service: what it needs of whoever holds the stores."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeVar

from yggdrasil_infra.log import Receipt

from ..retrieval.asks import Speaker
from ..retrieval.past.against_log import AgainstLog
from ..retrieval.past.forks import Forked, ForkLineage
from ..retrieval.past.moment import AsOf
from ..retrieval.past.otherwise import Differs, Otherwise, Voids
from ..retrieval.query import NOW, At, Query
from .moved import MovedAnswer

T = TypeVar("T")
Progress = Callable[[int, int], object]
"""Called with how many records or commands of how many are done; what it raises ends the work."""
Admit = Callable[[int], object]
"""Called with how many bytes are to be appended; what it raises keeps them out."""


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

    def fork(
        self,
        memory: str,
        moment: AsOf,
        name: str,
        *,
        quarantined: bool = False,
        progress: Progress | None = None,
        admit: Admit | None = None,
    ) -> Forked:
        """Make the fork ``name`` of ``memory`` as it stood at ``moment``, however long that takes.

        Unless ``quarantined``, InvalidAskError is raised for a moment at which something of what is in quarantine today
        was not. ``admit`` is asked once it is known how much is copied. Raises NoSuchMomentError, ForkThereError,
        ForkDiffersError, CannotForkError, InvalidCommandError for what is no name, NotHereError, and LogError.
        """
        ...

    def lineage_of_fork(self, memory: str, progress: Progress | None = None) -> ForkLineage:
        """Return of which memory ``memory`` is a fork, and up to which seq both are one; else raise InvalidAskError."""
        ...

    def compare(self, memory: str, other: str, trust_min: int = 0, progress: Progress | None = None) -> Differs:
        """Return how the graph of ``other`` differs from that of ``memory``, of what is trusted so far.

        Raises InvalidAskError where they have not gone on from one.
        """
        ...

    def verify_against_log(self, memory: str, progress: Progress | None = None) -> AgainstLog:
        """Fold ``memory`` anew from its log, up to where it stands, and compare both record by record.

        Raises DiskFullError where there is no room for it, and LogError.
        """
        ...

    def memories(self, tenant: str | None) -> list[str]:
        """Return the ids of all memories, or of one tenant's, sorted."""
        ...

    def moved(
        self, since: str | None, prefix: str, count: int, opens: Callable[[str], bool] | None = None
    ) -> MovedAnswer:
        """Return memories that have moved since the ``place`` of an earlier answer, all without one.

        Of those whose names begin with ``prefix``. It looks at some ``count`` memories, and tells those that ``opens``.
        Raises InvalidAskError for what is no place.
        """
        ...

    def lags(self) -> list[Lag]:
        """Return how far every partition of this host is."""
        ...
