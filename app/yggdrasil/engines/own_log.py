"""Whose a directory is: that of a log, or of a worker whose log is elsewhere; and who holds it in this process."""

import os
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from threading import Lock
from time import monotonic, sleep
from typing import Final
from weakref import WeakValueDictionary

from yggdrasil_infra.local_log.log import LocalLog
from yggdrasil_infra.locks import BriefHold, is_brief
from yggdrasil_infra.log import DiskFullError, LogError, LogInUseError, ReadOnlyError
from yggdrasil_infra.paths import is_read_only
from yggdrasil_infra.rocks.database import MemoryBudget
from yggdrasil_infra.room import is_full
from yggdrasil_schemas.errors import YggdrasilError
from yggdrasil_schemas.problems import ExitCode, local

BRIEF_S: Final = 60.0  # a command takes a moment; it may be one of many at once, on a busy machine
UNTOLD_S: Final = 2.0  # what is being made or caught up with is locked before its holder can say how long that takes
_LOOK_S: Final = 0.05
_BRIEFLY: Final = ContextVar("briefly", default=False)


class LogElsewhereError(YggdrasilError):
    """A directory holds stores and no log: a worker's, for one, whose log is on Kafka."""

    kind = local("log_on_kafka", ExitCode.NOT_FOUND)


def check_own_log(path: Path) -> None:
    """Raise LogElsewhereError when ``path`` holds what a worker leaves there, and no log; nothing is made there.

    A log beside a worker's stores would be another one than they were folded from, and the worker would refuse both.
    """
    if (path / "log").is_dir():
        return
    stores = path / "graph"
    if (path / "worker.lock").exists() or (stores.is_dir() and any(stores.iterdir())):
        raise LogElsewhereError(
            f"{path} holds a worker's stores, and their log is on Kafka; name another directory, or see "
            "`yggdrasil replay --kafka`"
        )


FULL: Final = (
    "the disk was full when this was opened, so it is only read, as far as it was folded: make room, and open it again"
)


ONLY_READ: Final = (
    "this directory can only be read here, so nothing is recorded: have it mounted for writing, see to its "
    "permissions, or make another of it (`yggdrasil backup`, then `yggdrasil restore`), and open that"
)


def opened_log(
    path: Path, partitions: int | None, budget: MemoryBudget
) -> tuple[LocalLog, DiskFullError | ReadOnlyError | None]:
    """Open the log in the directory ``path``, and return why it can only be read, if so.

    A command that has it for a moment is waited for, up to a minute; whoever has not said so yet is, for two seconds.
    """
    begun = monotonic()
    heard = missed = False
    while True:
        try:
            return _opened(path, partitions, budget)
        except LogInUseError:
            told = is_brief(path / "log")
            waited = monotonic() - begun
            if waited > BRIEF_S or (missed and not told and (heard or waited > UNTOLD_S)):
                raise
            heard, missed = heard or told, not told  # whoever has it may have let go of it just now
        sleep(_LOOK_S)


@contextmanager
def briefly() -> Generator[None, None, None]:
    """Let what is opened in here be told to others as what is let go of soon, or served: whoever wants it waits."""
    before = _BRIEFLY.set(True)
    try:
        yield
    finally:
        _BRIEFLY.reset(before)


def brief(path: Path) -> BriefHold | None:
    """Tell others so of ``path``, which this process has just opened, if it is to be told; return what ends that."""
    return BriefHold(path / "log") if _BRIEFLY.get() else None


def _opened(
    path: Path, partitions: int | None, budget: MemoryBudget
) -> tuple[LocalLog, DiskFullError | ReadOnlyError | None]:
    try:
        return LocalLog.create_or_open(path / "log", partitions, budget), None
    except LogError as error:
        why = DiskFullError(FULL) if is_full(error) else ReadOnlyError(ONLY_READ) if is_read_only(error) else None
        if why is None or not (path / "log").is_dir():
            raise
        try:
            return LocalLog.open_read_only(path / "log", budget), why
        except LogError:
            raise error from None


class Hold:
    """This process's hold on a directory: one at a time, until it is released, or dropped with whatever has it.

    Processes are kept apart by locks on the log's files. Within one process those only say that a lock is taken, and
    not what to do.
    """

    def __init__(self, path: Path) -> None:
        """Take ``path``, which need not exist. Raises LogInUseError when it is held in this process already."""
        self._path = path.resolve()
        with _HOLDING:
            if _HELD.setdefault(self._path, self) is not self:
                raise _held(path)

    def release(self) -> None:
        """Let the next one have it. Releasing twice is allowed."""
        with _HOLDING:
            if _HELD.get(self._path) is self:
                del _HELD[self._path]


def check_not_held(path: Path) -> None:
    """Raise LogInUseError when this process has ``path`` open."""
    with _HOLDING:
        if path.resolve() in _HELD:
            raise _held(path)


def _held(path: Path) -> LogInUseError:
    return LogInUseError(
        f"{path} is open in this process already. Open it once, with store = Store.open(path), and take as many "
        'memories from that as you like, with store.memory("tenant/agent"); or close it first.',
        str(path),
    )


_HOLDING: Final = Lock()
_HELD: Final = WeakValueDictionary[Path, Hold]()


def _held_by_nobody() -> None:
    _HELD.clear()  # what the parent holds is not held in this process
    _HOLDING.release()


os.register_at_fork(before=_HOLDING.acquire, after_in_parent=_HOLDING.release, after_in_child=_held_by_nobody)
