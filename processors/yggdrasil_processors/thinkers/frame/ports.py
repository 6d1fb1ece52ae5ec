"""What the frame needs of where memories are: a way to read what happened, and one to append a decision."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from yggdrasil_infra.log import Receipt
from yggdrasil_projections.graph.fold import Answer
from yggdrasil_projections.retrieval.query import Query
from yggdrasil_projections.retrieval.reads.experience.happened import Happenings
from yggdrasil_projections.service.moved import MovedAnswer

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Part:
    """One command of a decision, complete but for its envelope: ``body`` says ``thinker`` too. JSON values only.

    Of a claim ``object`` is what it says, which is not in the body yet.
    """

    id: str
    type: str
    body: dict[str, Any]
    text: str | None
    payload: dict[str, Any]
    session: str | None
    object: str | int | None = None


class Memories(Protocol):
    """Where memories are. Everything may be called by any thread.

    Raises LogError or another YggdrasilError when they cannot be reached now; the frame then tries again later.
    """

    def wait(self, memory: str, after: Receipt) -> None:
        """Return once what is read of ``memory`` holds the record at ``after``. Raises NotYetError."""
        ...

    def happened(self, memory: str, *, since: int, count: int) -> Happenings:
        """Return what a memory has taken beyond ``since``. Raises UnknownMemoryError."""
        ...

    def ask(self, memory: str, query: Query[T]) -> T | None:
        """Answer a read without a trace; None where what it is about is not there. Raises UnknownMemoryError."""
        ...

    def memories(self) -> list[str]:
        """Return the ids of all memories that are there to be thought about."""
        ...

    def moved(self, since: str | None) -> MovedAnswer:
        """Return memories that have moved since the ``place`` of an earlier answer, all without one, and their seqs."""
        ...

    def decide(self, memory: str, parts: Sequence[Part]) -> list[Answer]:
        """Append parts in order, and return what the fold said of each.

        Raises InvalidCommandError for what breaks the language's form or bounds.
        """
        ...
