"""An engine that reads memories as of one moment, or as they never were, and takes nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, NoReturn, TypeVar

from yggdrasil_projections.retrieval.past.moment import AsOf
from yggdrasil_projections.retrieval.query import NOW, At, Query
from yggdrasil_schemas.errors import YggdrasilError
from yggdrasil_schemas.problems import ExitCode, local

from ..engine import ReadingEngine

if TYPE_CHECKING:
    from yggdrasil_infra.log import Receipt
    from yggdrasil_producers.draft import Draft
    from yggdrasil_projections.graph.fold import Answer
    from yggdrasil_projections.retrieval.asks import Speaker
    from yggdrasil_projections.retrieval.past.against_log import AgainstLog
    from yggdrasil_projections.retrieval.past.forks import Forked, ForkLineage
    from yggdrasil_projections.retrieval.past.otherwise import Differs, Otherwise, Voids
    from yggdrasil_projections.service.moved import MovedAnswer
    from yggdrasil_projections.service.reads import Admit, Lag

    from .jobs import Progress

T = TypeVar("T")


class PastError(YggdrasilError):
    """A memory of the past was to be told something, or to be waited for."""

    kind = local("of_the_past", ExitCode.USAGE)

    def __init__(self, as_of: AsOf, what: str = "the memory") -> None:
        super().__init__(
            f"this is {what} as of {as_of.written}: the past takes no commands, and has no past of its own; "
            "use the memory itself"
        )


class OfThePast:
    """Another engine, of which every read is as of a moment. Closing it closes nothing."""

    def __init__(self, engine: ReadingEngine, as_of: AsOf, *, quarantined: bool) -> None:
        self.present = self._engine = engine
        self.as_of = as_of
        self._quarantined = quarantined

    def ask(self, memory: str, query: Query[T], by: Speaker | None = None, at: At = NOW) -> T:
        """Answer a query as of the moment; nothing is recorded."""
        return self._engine.ask(memory, query, None, replace(at, as_of=self.as_of, quarantined=self._quarantined))

    def wait(self, memory: str, after: Receipt, deadline_s: float) -> None:
        """Return once what stands at a receipt has been folded."""
        self._engine.wait(memory, after, deadline_s)

    def stand(
        self, memory: str, as_of: AsOf, deadline_s: float | None = None, progress: Progress | None = None
    ) -> None:
        """Raise PastError: a moment is asked for of the memory itself."""
        raise PastError(self.as_of)

    def suppose(
        self,
        memory: str,
        otherwise: Otherwise,
        as_of: AsOf | None = None,
        deadline_s: float | None = None,
        progress: Progress | None = None,
        trust_min: int = 0,
    ) -> NoReturn:
        """Raise PastError: something is supposed of the memory itself."""
        raise PastError(self.as_of)

    def differs(
        self,
        memory: str,
        otherwise: Otherwise,
        as_of: AsOf,
        deadline_s: float | None = None,
        trust_min: int = 0,
    ) -> Differs:
        """Raise PastError."""
        raise PastError(self.as_of)

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
        """Raise PastError: the memory itself is forked."""
        raise PastError(self.as_of)

    def lineage_of_fork(self, memory: str, progress: Progress | None = None) -> ForkLineage:
        """Raise PastError: it is that of the memory as it stands."""
        raise PastError(self.as_of)

    def compare(self, memory: str, other: str, trust_min: int = 0, progress: Progress | None = None) -> Differs:
        """Raise PastError: memories are compared as they stand."""
        raise PastError(self.as_of)

    def verify_against_log(self, memory: str, progress: Progress | None = None) -> AgainstLog:
        """Raise PastError: the memory is compared as it stands."""
        raise PastError(self.as_of)

    def memories(self, tenant: str | None) -> list[str]:
        """Return the ids of the memories of today."""
        return self._engine.memories(tenant)

    def moved(
        self, since: str | None, prefix: str, count: int, opens: Callable[[str], bool] | None = None
    ) -> MovedAnswer:
        """Return which memories of today have moved."""
        return self._engine.moved(since, prefix, count, opens)

    def lags(self) -> list[Lag]:
        """Return how far the engine is."""
        return self._engine.lags()

    def submit(self, draft: Draft) -> NoReturn:
        """Raise PastError."""
        raise PastError(self.as_of)

    def submit_many(self, drafts: Iterable[Draft], *, texts_first: bool = False) -> Iterator[tuple[Draft, Answer]]:
        """Raise PastError."""
        raise PastError(self.as_of)

    def attested(self, memory: str, seq: int) -> str:
        """Return the digest that the ``attest`` at ``seq`` asked for."""
        return self._engine.attested(memory, seq)

    def close(self) -> None:
        """Do nothing: the engine is that of the memory of today."""


class OfAnother(OfThePast):
    """Another engine, of which every read is of a history that never was, up to a moment."""

    def __init__(self, engine: ReadingEngine, as_of: AsOf, otherwise: Otherwise, voids: Voids) -> None:
        super().__init__(engine, as_of, quarantined=True)
        self.otherwise = otherwise
        self.voids = voids

    def ask(self, memory: str, query: Query[T], by: Speaker | None = None, at: At = NOW) -> T:
        """Answer a query as it would be; nothing is recorded."""
        return super().ask(memory, query, None, replace(at, otherwise=self.otherwise))

    def differs_here(self, memory: str, trust_min: int) -> Differs:
        """Return how its graph differs from that of reality at the same moment, of what is trusted so far."""
        return self._engine.differs(memory, self.otherwise, self.as_of, None, trust_min)

    def attested(self, memory: str, seq: int) -> str:
        """Raise PastError: what was proved was proved of reality."""
        raise PastError(self.as_of, "a history of the memory that never was,")
