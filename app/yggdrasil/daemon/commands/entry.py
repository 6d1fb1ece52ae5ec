"""Where the command line begins: what was typed runs beside a daemon, or here, and then one is started beside it."""

import os
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from time import monotonic, sleep, time
from typing import TYPE_CHECKING, Final

from yggdrasil_infra.http.errors import UntrustedSocketError
from yggdrasil_infra.http.wire.socket_file import find
from yggdrasil_schemas.problems import ExitCode

from ..wish import AUTO, LOCK, NEVER, STARTING, auto_idle_s, wish
from .alternating import alternates
from .handing import handed, step_aside
from .typed import directories_in, directory_of, is_help, is_owner, is_quick
from .wire import build, mark, settings

if TYPE_CHECKING:
    from yggdrasil_infra.locks import DirectoryLock

_STARTS_S: Final = 60.0  # a daemon that is being started has much to catch up with, or the first command much to do
_UNUSED_S: Final = (
    15.0  # whoever starts one opens the log soon, on a busy machine too, or waits for what a person types
)
_AGAIN_S: Final = 60.0  # or one that fails whenever it starts would cost each command a start
_LOOK_S: Final = 0.02
_LOOK_S_MAX: Final = 0.2
_CONTAINER: Final = "/sys/fs/cgroup"  # as one finds it from within
_MEMORY_BYTES: Final = 2 << 30  # four times what a daemon takes: whoever goes through many directories starts many


def run(words: Sequence[str], here: Callable[[], int]) -> int:
    """Run what was typed beside the daemon of its directory, or by ``here``; return the exit code.

    The first command of a directory runs here, as fast as ever, and a daemon is started for those that follow. Raises
    DaemonSettingError, and what ``here`` raises.
    """
    said, only_help = wish(), is_help(words)
    if is_owner(words) and not only_help:
        for each in directories_in(words):
            step_aside(each)
        return here()
    if said == NEVER or not is_quick(words):
        return here()
    directory = directory_of(words)
    if only_help and (directory / STARTING).exists():
        return here()  # its runner would answer when it has imported all
    code = handed(directory, words)
    if code is not None:
        return code
    return _first(directory, words, here) if said == AUTO and not only_help else here()


def _first(directory: Path, words: Sequence[str], here: Callable[[], int]) -> int:
    """Run it here, and start a daemon when it is done; or wait for whoever does so just now, and hand it over then.

    Of several at once in a directory that is not there yet one makes it, and the others wait for that as well.
    """
    auto_idle_s()  # or nobody would hear of a slip in it, for which no daemon can be started
    with ExitStack() as held:
        lock, turned, look_s = None, False, _LOOK_S
        used = monotonic()
        until = used + _STARTS_S
        while _may_begin(directory) and monotonic() < min(until, used + _UNUSED_S):
            turned = turned or _turned(directory, held)
            lock = _locked(directory, held) if turned and _has_log(directory) else None
            if lock is not None or (turned and not _has_log(directory)):
                break
            sleep(look_s)
            look_s = min(_LOOK_S_MAX, 1.2 * look_s)  # thirty who look all the time would keep the one from beginning
            if _is_open(directory):
                used = monotonic()
            if (code := handed(directory, words)) is not None:
                return code
        code = here()
        if code == ExitCode.OK and _may_start(directory):
            lock = lock or _locked(directory, held)
            if lock is not None and not _failed_lately(directory) and not _alternates(directory):
                _begin(directory, lock)
    return code


def _alternates(directory: Path) -> bool:
    """Whether a daemon would only be ended by others, who give commands with other settings in turn."""
    try:
        return alternates(directory, mark(build(), settings(os.environ, directory)))
    except OSError:  # this installation is gone
        return True


def _begin(directory: Path, lock: "DirectoryLock") -> None:
    from yggdrasil_schemas.errors import YggdrasilError

    from ..starting import begin_beside

    try:
        begin_beside(directory, lock)
    except (YggdrasilError, OSError):
        return  # the command is done, and the next one does without a daemon as well


def _may_begin(directory: Path) -> bool:
    """Whether what was typed may be the first of its directory: with others at once, one after another."""
    return _may_start(directory) or not _has_log(directory)


def _has_log(directory: Path) -> bool:
    try:
        return (directory / "log").is_dir()
    except OSError:  # which whoever runs it tells
        return True


def _may_start(directory: Path) -> bool:
    """Whether one may be started: for this user's log, which is there and can be written, and which none serves."""
    try:
        return (
            _has_log(directory)
            and directory.stat().st_uid == os.geteuid()
            and all(os.access(each, os.W_OK | os.X_OK) for each in (directory, directory / "log"))
            and find(directory) is None
            and _memory_left()
        )
    except (OSError, UntrustedSocketError):
        return False


def _is_open(directory: Path) -> bool:
    """Whether another process has the log open."""
    from yggdrasil_infra.locks import has_writer

    try:
        return has_writer(directory / "log" / "records")
    except OSError:
        return False


def _failed_lately(directory: Path) -> bool:
    """Whether a daemon has been started here that has ended before it answered; the caller holds the lock."""
    try:
        return 0 <= time() - (directory / STARTING).stat().st_mtime < _AGAIN_S
    except OSError:
        return False


def _memory_left() -> bool:
    """Whether the machine, or the container, has room for a daemon with its model; True where it does not say."""
    kib = _number("/proc/meminfo", b"MemAvailable:")
    if kib is not None and kib * 1_024 < _MEMORY_BYTES:
        return False
    limit, taken = (_number(f"{_CONTAINER}/memory.{name}") for name in ("max", "current"))
    if limit is None or taken is None:
        return True
    unused = _number(f"{_CONTAINER}/memory.stat", b"inactive_file ") or 0  # read from files, and given up when needed
    return limit - taken + unused >= _MEMORY_BYTES


def _number(path: str, name: bytes = b"") -> int | None:
    """Return the number behind ``name`` in a file of the system; None where there is none, as for ``max``."""
    try:
        with open(path, "rb") as said:
            return next(int(line.removeprefix(name).split()[0]) for line in said if line.startswith(name))
    except (OSError, ValueError, StopIteration):
        return None


def _turned(directory: Path, held: ExitStack) -> bool:
    """Whether it is the turn of this process to be the first of ``directory``; where no turns are had, it is."""
    from yggdrasil_infra.locks import DirectoryInUseError

    from ..places import turn_of

    try:
        turn = turn_of(directory)
    except DirectoryInUseError:
        return False
    except OSError:  # the working directory is gone, which whoever runs it tells
        return True
    if turn is not None:
        held.enter_context(turn)
    return True


def _locked(directory: Path, held: ExitStack) -> "DirectoryLock | None":
    """Return the lock of whoever starts a daemon; None while another has it."""
    from yggdrasil_infra.locks import DirectoryInUseError, DirectoryLock
    from yggdrasil_infra.paths import PathError

    try:
        return held.enter_context(DirectoryLock(directory, LOCK))
    except (DirectoryInUseError, PathError, OSError):
        return None
