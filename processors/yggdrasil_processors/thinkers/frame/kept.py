"""What thinkers keep of each memory: their state and position, and what they have planned and not yet sent.

It is never the only copy of anything: without it a thinker reads the memory's history again.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Generic, Self, TypeVar

import orjson
from pydantic import TypeAdapter, ValidationError

from yggdrasil_infra.rocks.database import MemoryBudget, Rocks

from .ports import Part

StateT = TypeVar("StateT")

STATE_BYTES_MAX: Final = 4 << 20
"""How large the state of one thinker about one memory may be, as JSON."""
IN_HAND: Final = 256
"""How many decisions a thinker may make at once; it earns one more with each thing that happens."""
_FAMILY: Final = "thoughts"
_CACHE_BYTES: Final = 8 << 20
_SHAPE: Final[Callable[[Any], TypeAdapter[Any]]] = cache(TypeAdapter)


class StateTooLargeError(Exception):
    """A thinker's state about one memory has grown beyond its bound."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Decisions that are to be sent: the parts of one, and the seq that the cursor has when all are in.

    ``standing`` is an event by which a part that is refused can be replaced, so that the decision becomes whole.
    """

    cursor_to: int
    parts: list[Part]
    standing: str | None


@dataclass(slots=True)
class Thought(Generic[StateT]):
    """What a thinker knows of one memory.

    It has read up to ``position``, and the log has its decisions up to ``cursor``; it began at the seq ``since``, which
    is 0 unless an operator retired it. ``in_hand`` is how many decisions it may still make.
    """

    state: StateT
    position: int = 0
    cursor: int = 0
    since: int = 0
    in_hand: int = IN_HAND
    plan: Plan | None = None


@dataclass(frozen=True, slots=True)
class _Written:
    """A thought without its state, as it is stored."""

    position: int
    cursor: int
    since: int
    in_hand: int
    plan: Plan | None = field(default=None)


class ThoughtStore:
    """The thoughts of all thinkers of a process, in one database. Safe to use from several threads."""

    def __init__(self, path: Path) -> None:
        """Open or create the database at ``path``. Raises StorageInUseError, StorageDamagedError or StorageError."""
        self._rocks = Rocks(path, [_FAMILY], MemoryBudget.of(_CACHE_BYTES, _CACHE_BYTES))

    def load(self, thinker: str, memory: str, state: type[StateT]) -> Thought[StateT]:
        """Return what ``thinker`` (name and version) knows of ``memory``: nothing, where it has never been asked."""
        stored = self._rocks.get(_FAMILY, _key(thinker, memory))
        if stored is None:
            return Thought(state())
        written, _, data = stored.partition(b"\n")
        try:
            known: _Written = _SHAPE(_Written).validate_json(written)
            read: StateT = _SHAPE(state).validate_json(data)
        except ValidationError:  # of a release in which the state had another form: it is made anew from the log
            return Thought(state())
        return Thought(read, known.position, known.cursor, known.since, known.in_hand, known.plan)

    def save(self, thinker: str, memory: str, thought: Thought[Any]) -> None:
        """Keep state, position and plan, in one batch. Raises StateTooLargeError and StoragePoisonedError."""
        state = orjson.dumps(thought.state)
        if len(state) > STATE_BYTES_MAX:
            raise StateTooLargeError(
                f"its state of {memory} takes {len(state):,} bytes, and may take {STATE_BYTES_MAX:,}"
            )
        written = _Written(thought.position, thought.cursor, thought.since, thought.in_hand, thought.plan)
        batch = self._rocks.batch()
        batch.put(_FAMILY, _key(thinker, memory), orjson.dumps(asdict(written)) + b"\n" + state)
        self._rocks.write(batch)

    def close(self) -> None:
        """Close the database. Closing twice is allowed."""
        self._rocks.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _key(thinker: str, memory: str) -> bytes:
    return f"{thinker}\0{memory}".encode()
