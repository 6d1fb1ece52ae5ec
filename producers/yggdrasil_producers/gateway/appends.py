"""The port of the gateway: what it needs of whoever appends for it and knows what the fold said."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Final, Protocol

from yggdrasil_infra.log import Receipt
from yggdrasil_schemas.limits import RECORD_BYTES_MAX

from ..draft import Draft

FIELDS: Final = ("type", "id", "at", "session", "trust", "body", "content")
"""What a client says of a command; the rest is stamped here."""
BATCH_MAX: Final = 100  # a batch holds up one thread, and the memory's partition, for some 10 ms
BATCH_BYTES_MAX: Final = 4 * RECORD_BYTES_MAX


@dataclass(frozen=True, slots=True)
class Said:
    """What the fold said of a command: ``seq`` is 0 when it was refused, and ``reason`` and ``detail`` say why.

    ``as_of`` is the seq of the memory when that was asked; ``known`` says that the command had been answered before,
    and that the rest repeats that answer.
    """

    accepted: bool
    seq: int
    reason: str | None
    detail: str | None
    as_of: int
    known: bool = False


@dataclass(frozen=True, slots=True)
class Appended:
    """Where a command stands in the log, and what the fold said of it; None when that is not known (yet)."""

    receipt: Receipt
    said: Said | None


class Later(Protocol):
    """Gives texts their vectors after they were appended without, whatever becomes of the process. For any thread."""

    def takes(self, memory: str, texts: int) -> bool:
        """Return whether so many texts may be appended now: their tenant has not too much that waits already."""
        ...

    def appending(self, memory: str, texts: int) -> AbstractContextManager[Callable[[Receipt], object]]:
        """Note, durably, that so many texts are appended in here; what it opens is told of what is not folded yet."""
        ...


class Appends(Protocol):
    """Appends commands, by any thread."""

    def append(self, draft: Draft, deadline_s: float | None) -> Appended:
        """Append one command and return once it is durable, and folded unless the deadline comes first; None: durable.

        Raises LogError when it may not be in the log, and NotFoldedError when it is and could not be folded; the same
        command may be sent again.
        """
        ...

    def append_many(self, drafts: Sequence[Draft], deadline_s: float | None) -> list[Appended]:
        """Append commands of one memory in order, and return as ``append`` does, once for each."""
        ...

    def recorded(self, drafts: Sequence[Draft]) -> dict[str, bytes]:
        """Return the records of those commands, of one memory, whose ids it knows, by id, as far as they are kept.

        Raises LogError.
        """
        ...

    def writers(self, memory: str, command_ids: Sequence[str]) -> dict[str, str]:
        """Return the process of each record of those ids that the memory has folded, by id. Raises LogError."""
        ...
