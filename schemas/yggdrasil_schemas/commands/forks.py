"""What a fork is called: a memory that went on from a moment of another one, whose name it has before its own."""

from typing import Final

from pydantic import TypeAdapter, ValidationError

from ..errors import InvalidCommandError
from ..limits import MEMORY_PART_CHARS_MAX
from ..refusals import Refusal
from .wire import MemoryId

FORK: Final = ".fork-"
_ID: Final = TypeAdapter[str](MemoryId)


def is_fork(memory: str) -> bool:
    """Whether a memory is a fork, by the name of its agent: a tenant may be called as it likes."""
    return FORK in memory.partition("/")[2]


def origin_of(memory: str) -> str:
    """Return the id of the memory that a fork went on from, which may be a fork as well; of any other its own."""
    return memory.rpartition(FORK)[0] if is_fork(memory) else memory


def fork_id(memory: str, name: str) -> str:
    """Return the id of the fork ``name`` of a memory. Raises InvalidCommandError for what makes no id of a memory."""
    made = f"{memory}{FORK}{name}"
    try:
        if name and FORK not in name:
            return _ID.validate_python(made)
    except ValidationError:
        pass
    raise InvalidCommandError(
        Refusal.INVALID_ENVELOPE.code,
        f"{made[:200]} is no id of a memory: a fork's name has letters, digits and . _ -, and with that of the agent "
        f"and {FORK} {MEMORY_PART_CHARS_MAX} of them at most",
    )
