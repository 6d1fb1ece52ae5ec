"""What is said of a fork, a memory that went on from a moment of another one: values, and no stores.

Nothing of this is written down in a log: a fork's name says of which memory it is, and the log what both have in
common.
"""

from dataclasses import dataclass
from typing import Final

from yggdrasil_schemas.commands.forks import is_fork, origin_of
from yggdrasil_schemas.errors import YggdrasilError
from yggdrasil_schemas.problems import ExitCode, Kind

from ..errors import InvalidAskError

WRITTEN_TO: Final = (
    "something else was written to it meanwhile. Fork under another name, and let nobody write to it before it is made."
)
PRESENT: Final = "now"
"""What the moment of a question about forks is called: they are read as they stand."""


class ForkThereError(YggdrasilError):
    """There is a fork of that name, which is another one, or has gone on by itself; nothing was appended."""

    kind = Kind(
        "fork_there",
        409,
        "Another fork has that name",
        "Give the fork another name.",
        ExitCode.USAGE,
        by_caller=True,
    )


class ForkDiffersError(YggdrasilError):
    """A fork was made and is not what the original was: somebody has written to it meanwhile."""

    kind = Kind(
        "fork_differs",
        409,
        "The fork is not what the memory was",
        "Fork under another name, and let nobody write to it before it is made.",
        ExitCode.DIFFERENT,
        by_caller=True,
    )


class CannotForkError(YggdrasilError):
    """What a memory was cannot be copied in its log as it is; nothing was appended."""

    kind = Kind(
        "cannot_fork",
        409,
        "What this memory was cannot be copied",
        "Mend what `detail` names, where the log is, and ask again.",
        ExitCode.USAGE,
    )


@dataclass(frozen=True, slots=True)
class Forked:
    """A fork: its id, the memory ``of`` which it is, and the ``seq`` up to which it is that.

    ``appended`` records were copied now, and ``there`` had been before, by an attempt that was interrupted. ``state``
    is the digest, without name and history, that both have at that seq.
    """

    memory: str
    of: str
    seq: int
    there: int
    appended: int
    state: str


@dataclass(frozen=True, slots=True)
class ForkLineage:
    """Where a fork comes from: the memory ``of`` which it is, and the ``seq`` up to which both are one.

    ``own`` commands have come to the fork since, and ``others`` to the memory that it went on from. ``unfinished`` is
    the seq up to which it is to be, where it was begun at this host and has not been made: ask for that again.
    """

    memory: str
    of: str
    seq: int
    own: int
    others: int
    unfinished: int | None = None


def check_fork(memory: str) -> None:
    """Raise InvalidAskError unless a memory is a fork, by its name."""
    if not is_fork(memory):
        raise InvalidAskError(f"{memory} is no fork: no moment of another memory has been copied to it")


def check_related(one: str, other: str) -> None:
    """Raise InvalidAskError unless two memories have gone on from one, by their names."""
    if _root(one) != _root(other):
        raise InvalidAskError(f"{one} and {other} have not gone on from one memory, so their commands cannot be paired")


def _root(memory: str) -> str:
    while is_fork(memory):
        memory = origin_of(memory)
    return memory
