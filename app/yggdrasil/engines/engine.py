"""The engine port: what the facade needs of whatever appends its commands and reads its memory."""

from collections.abc import Iterable, Iterator
from typing import Protocol, runtime_checkable

from yggdrasil_producers.draft import Draft
from yggdrasil_projections.graph.fold import Answer
from yggdrasil_projections.service.reads import Reads


class Engine(Protocol):
    """Appends commands. An engine that can be read as well is a ``ReadingEngine``."""

    def submit(self, draft: Draft) -> Answer | None:
        """Append a command and return once it is durable, with what the fold said of it; None: it is folded elsewhere.

        Sending the same command again is always safe, since the fold takes its id once.
        """
        ...

    def submit_many(
        self, drafts: Iterable[Draft], *, texts_first: bool = False
    ) -> Iterator[tuple[Draft, Answer | None]]:
        """Append commands in order, in chunks that share what an append costs; yield each with what ``submit`` returns.

        With ``texts_first`` whoever makes vectors there makes them afterwards. What is yielded is durable. When it
        raises, what was not yielded may be in the log or not; see ``submit``.
        """
        ...

    def close(self) -> None:
        """Let go of everything. Closing twice is allowed."""
        ...


@runtime_checkable
class ReadingEngine(Engine, Reads, Protocol):
    """Appends commands and reads the memories that they make."""

    def submit(self, draft: Draft) -> Answer:
        """Append a command, fold up to it, and return what the fold said of it."""
        ...

    def submit_many(self, drafts: Iterable[Draft], *, texts_first: bool = False) -> Iterator[tuple[Draft, Answer]]:
        """Append and fold commands in order, chunk by chunk, and yield each with what the fold said of it."""
        ...

    def attested(self, memory: str, seq: int) -> str:
        """Return the digest that the ``attest`` at ``seq`` asked for, waiting until it is there."""
        ...
