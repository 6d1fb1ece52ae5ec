"""Which problem each error of a read is, for whoever asked over HTTP: without the paths and names of the host."""

import logging
from collections.abc import Callable, Mapping
from typing import Final

from yggdrasil_infra.http.problems import (
    DISK_FULL,
    ELSEWHERE,
    INVALID,
    NOT_READY,
    NOT_YET,
    UNKNOWN_ACTION,
    UNKNOWN_MEMORY,
    UNKNOWN_NODE,
    ProblemError,
)
from yggdrasil_infra.log import DiskFullError, LogDamagedError, LogError, ReadOnlyError
from yggdrasil_infra.rocks.database import StorageDamagedError, StorageError
from yggdrasil_schemas.errors import InvalidCommandError

from ..graph.store.projector import ProjectorStoppedError
from ..retrieval.asks import InvalidAskError
from ..retrieval.errors import NotHereError, NotReadyError, NotYetError, UnknownMemoryError, UnknownNodeError
from ..retrieval.reads.explain import UnknownActionError

_SOON_S: Final = 1.0
_MEND: Final = (
    "Tell the operator: `yggdrasil verify` names the place, and a start with --recover or `yggdrasil rebuild` mends a "
    "store. Memories of other partitions go on."
)
ONLY_READ: Final = "Tell the operator to have the directory mounted for writing; reads go on, and nothing is lost."
_LOGGER: Final = logging.getLogger("yggdrasil.query")


def _unknown_memory(error: Exception) -> ProblemError:
    name = f"{error.memory}: " if isinstance(error, UnknownMemoryError) else ""
    return ProblemError(UNKNOWN_MEMORY, f"{name}nothing has been recorded for this memory")


def _failed(error: Exception) -> ProblemError:
    """Tell the operator what failed, and whoever asked only that something did."""
    _LOGGER.error("a request could not be answered: %s", error)
    return ProblemError(NOT_READY, "the log or a store of this host cannot be used just now", retry_after_s=_SOON_S)


def _damaged(error: Exception) -> ProblemError:
    """Tell the operator where, and whoever asked what has stopped and what its operator can do."""
    _LOGGER.error("damage was met: %s", error)
    detail = "what is kept of this memory's partition is damaged: nothing is answered or taken there until it is mended"
    return ProblemError(NOT_READY, detail, remedy=_MEND)


PROBLEMS: Final[Mapping[type[Exception], Callable[[Exception], ProblemError]]] = {
    # A question that its own record could not hold.
    InvalidCommandError: lambda error: ProblemError(INVALID, str(error)),
    InvalidAskError: lambda error: ProblemError(INVALID, str(error)),
    UnknownMemoryError: _unknown_memory,
    UnknownNodeError: lambda error: ProblemError(UNKNOWN_NODE, str(error)),
    UnknownActionError: lambda error: ProblemError(UNKNOWN_ACTION, str(error)),
    NotYetError: lambda error: ProblemError(NOT_YET, str(error), retry_after_s=_SOON_S),
    NotHereError: lambda error: ProblemError(ELSEWHERE, str(error)),
    NotReadyError: lambda error: ProblemError(NOT_READY, str(error), retry_after_s=_SOON_S),
    DiskFullError: lambda error: ProblemError(DISK_FULL, str(error)),
    ReadOnlyError: lambda error: ProblemError(NOT_READY, str(error), remedy=ONLY_READ),
    StorageDamagedError: _damaged,
    LogDamagedError: _damaged,
    StorageError: _failed,
    ProjectorStoppedError: _failed,
    LogError: _failed,
}
