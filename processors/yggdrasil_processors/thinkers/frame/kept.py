"""What thinkers keep of each memory: their state and position, and what they have planned and not yet sent.

It is never the only copy of anything: without it a thinker reads the memory's history again.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
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
_STATE: Final = b"\0"  # no id of a memory has it: the state lies beside what else is known
_CACHE_BYTES: Final = 8 << 20
_SHAPE: Final[Callable[[Any], TypeAdapter[Any]]] = cache(TypeAdapter)


class StateTooLargeError(Exception):
    """A thinker's state about one memory has grown beyond its bound."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A decision that is to be sent: its parts, and the seqs at which the cursor is before, and when all are in.

    ``standing`` is an event by which a part that is refused can be replaced, so that the decision becomes whole.
    ``again`` counts the ids that were refused since what goes before it was.
    """

    cursor_from: int
    cursor_to: int
    parts: list[Part]
    standing: str | None
    again: int = 0


@dataclass(slots=True)
class Thought(Generic[StateT]):
    """What a thinker knows of one memory.

    It has read up to ``position``, and the log has its decisions up to ``cursor``; it began at the seq ``since``, which
    is 0 unless an operator retired it. ``in_hand`` is how many decisions it may still make. Each of the ``plans``
    begins where the one before ends. ``unkept`` is how much it has read since it was kept.
    """

    state: StateT
    position: int = 0
    cursor: int = 0
    since: int = 0
    in_hand: int = IN_HAND
    plans: list[Plan] = field(default_factory=list[Plan])
    unkept: int = 0

    @property
    def reached(self) -> int:
        """Where its next decision begins: the cursor, once all that is planned is in."""
        return self.plans[-1].cursor_to if self.plans else self.cursor


@dataclass(frozen=True, slots=True)
class _Written:
    """A thought without its state, as it is stored."""

    position: int
    cursor: int
    since: int
    in_hand: int
    plans: list[Plan]


class ThoughtStore:
    """The thoughts of all thinkers of a process, in one database. Safe to use from several threads."""

    def __init__(self, path: Path) -> None:
        """Open or create the database at ``path``. Raises StorageInUseError, StorageDamagedError or StorageError."""
        self._rocks = Rocks(path, [_FAMILY], MemoryBudget.of(_CACHE_BYTES, _CACHE_BYTES))

    def load(self, thinker: str, memory: str, state: type[StateT]) -> Thought[StateT]:
        """Return what ``thinker`` (name and version) knows of ``memory``: nothing, where it has never been asked."""
        written = self._rocks.get(_FAMILY, _key(thinker, memory))
        data = self._rocks.get(_FAMILY, _key(thinker, memory) + _STATE)
        if written is None or data is None:
            return Thought(state())
        try:
            known: _Written = _SHAPE(_Written).validate_json(written)
            read: StateT = _SHAPE(state).validate_json(data)
        except ValidationError:  # of a release in which the state had another form: it is made anew from the log
            return Thought(state())
        return Thought(read, known.position, known.cursor, known.since, known.in_hand, known.plans)

    def stands(self, thinker: str, memory: str) -> int | None:
        """Return the seq up to which ``thinker`` has read ``memory``; None for none, or where it has plans to send."""
        written = self._rocks.get(_FAMILY, _key(thinker, memory))
        if written is None:
            return None
        try:
            known: _Written = _SHAPE(_Written).validate_json(written)
        except ValidationError:
            return None
        return None if known.plans else known.position

    def save(self, thinker: str, memory: str, thought: Thought[Any]) -> None:
        """Keep state, position and plans, in one batch. Raises StateTooLargeError and StoragePoisonedError."""
        state = orjson.dumps(thought.state)
        if len(state) > STATE_BYTES_MAX:
            raise StateTooLargeError(
                f"its state of {memory} takes {len(state):,} bytes, and may take {STATE_BYTES_MAX:,}"
            )
        batch = self._rocks.batch()
        batch.put(_FAMILY, _key(thinker, memory), _written(thought))
        batch.put(_FAMILY, _key(thinker, memory) + _STATE, state)
        self._rocks.write(batch)

    def note(self, thinker: str, memory: str, thought: Thought[Any]) -> None:
        """Keep the plans of a thought of which all else is kept already. Raises StoragePoisonedError."""
        batch = self._rocks.batch()
        batch.put(_FAMILY, _key(thinker, memory), _written(thought))
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


def _written(thought: Thought[Any]) -> bytes:
    return orjson.dumps(_Written(thought.position, thought.cursor, thought.since, thought.in_hand, thought.plans))


def _key(thinker: str, memory: str) -> bytes:
    return f"{thinker}\0{memory}".encode()
