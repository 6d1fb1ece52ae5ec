"""Start the service of a directory in the background, unless one answers already."""

import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from time import monotonic, sleep
from typing import Final, NamedTuple

from yggdrasil_infra.http.wire.socket_file import Answering, find
from yggdrasil_infra.locks import DirectoryInUseError, DirectoryLock
from yggdrasil_infra.log import LogError, LogInUseError
from yggdrasil_infra.paths import directory_at, followed
from yggdrasil_infra.private import make_directory, open_private

from ..engines.own_log import check_not_held, check_own_log
from .places import free_place
from .wish import ALWAYS, AUTO, LOCK, STARTING, VARIABLE, auto_idle_s

IDLE_S: Final = 900.0
"""After so long without a request a daemon ends by itself."""
LOG_FILE: Final = "serve.log"
TAKEN: Final = 5
"""With which a daemon ends when another process keeps the directory; the same as of the command line."""
_STARTING_S: Final = 120.0  # a directory may have much to catch up with
_LOOK_S: Final = 0.02
_TOLD_BYTES: Final = 2_000


class DaemonError(LogError):
    """No service could be started in the background; the message says why, as far as its log does."""


class Started(NamedTuple):
    """The service that answers, and whether it was started for this."""

    answering: Answering
    new: bool


def start(directory: Path, options: Sequence[str] = (), idle_s: float = IDLE_S, *, auto: bool = False) -> Started:
    """Return once a service answers for ``directory``: the one that does, or a new one with ``options``.

    One that is ``auto`` steps aside for a command that needs the directory.

    Of several that start at once one starts it, and the others wait. Raises LogInUseError when another process has the
    directory open and does not serve it, LogElsewhereError, UntrustedSocketError and DaemonError.
    """
    directory = directory_at(directory)  # once, or the lock would be of one directory, and the daemon of another
    if found := find(directory):
        return Started(found, new=False)
    check_own_log(directory)
    check_not_held(directory)
    make_directory(directory)
    until = monotonic() + _STARTING_S
    with ExitStack() as held:
        child: subprocess.Popen[bytes] | None = None
        while (found := find(directory)) is None:
            if child is None:
                try:
                    lock = held.enter_context(DirectoryLock(directory, LOCK))
                except DirectoryInUseError:
                    pass
                else:
                    # A program that has opened it needs it, however many there are.
                    place = free_place() if auto else None
                    if place is not None:
                        held.enter_context(place)
                    child = _child(directory, lock, options, idle_s, place, auto=auto)
            elif child.poll() is not None and find(directory) is None:
                raise _ended(directory, child.returncode)
            if monotonic() > until:
                raise DaemonError(f"the service of {directory} does not answer yet; see {directory / LOG_FILE}")
            sleep(_LOOK_S)
    return Started(found, new=child is not None and found.pid in {0, child.pid})


def begin_beside(directory: Path, lock: DirectoryLock) -> None:
    """Start the daemon of ``directory`` unless there are as many as may be, and wait for nothing.

    The caller holds the directory's ``lock``, which is the daemon's from then on. Where a link leads to another one by
    now none is started. Raises DaemonError, DaemonSettingError and OSError.
    """
    directory = followed(directory)
    idle_s = auto_idle_s()
    if not _is_in(lock, directory):
        return
    if (place := free_place()) is None:
        return
    with place:
        open_private(directory / STARTING).close()
        _child(directory, lock, (), idle_s, place, auto=True)


def _is_in(lock: DirectoryLock, directory: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(lock.fileno()), (directory / LOCK).stat())
    except OSError:
        return False


def _child(
    directory: Path,
    lock: DirectoryLock,
    options: Sequence[str],
    idle_s: float,
    place: DirectoryLock | None,
    *,
    auto: bool,
) -> "subprocess.Popen[bytes]":
    """Start the process, which leads a session of its own, so that no terminal and no signal for us ends it.

    Its standard input is the lock, which it holds by that for as long as it runs, and gives back however it ends; so
    it does with its ``place`` among the daemons of this user.
    """
    log = directory / LOG_FILE
    # -P: what lies in the working directory is not imported.
    command = [sys.executable, "-P", "-m", "yggdrasil.cli.background", AUTO if auto else ALWAYS, str(directory)]
    command += ["-" if place is None else f"{place.fileno()}", "serve", "--http", "off", *options]
    command += ["--auto"] if auto else []
    command += ["--data", str(directory), "--idle", f"{idle_s:g}", "--log-file", str(log)]
    with open_private(log, "ab") as written:
        try:
            child = subprocess.Popen(
                command,
                stdin=lock.fileno(),
                stdout=written,
                stderr=written,
                pass_fds=() if place is None else (place.fileno(),),
                start_new_session=True,
            )
        except OSError as error:
            raise DaemonError(f"{sys.executable} cannot be started: {error}. Run `yggdrasil serve` yourself") from error
    threading.Thread(target=child.wait, name="daemon", daemon=True).start()  # or it would stay on as a zombie
    return child


def _ended(directory: Path, code: int) -> LogError:
    if code == TAKEN:
        return LogInUseError(in_use(directory), str(directory))
    log = directory / LOG_FILE
    try:
        said = log.read_bytes()[-_TOLD_BYTES:].decode(errors="replace").strip().rpartition("\n")[2]
    except OSError:
        said = ""
    return DaemonError(
        f"the service of {directory} ended while it started ({code}): {said or 'it said nothing'}. See {log}"
    )


def in_use(directory: Path) -> str:
    """Return what is said where another process has ``directory`` open, and serves nobody."""
    return (
        f"{directory} is open in another process, which does not serve it, and a directory has one writer. End that "
        f"one, or let both share a service: open it with daemon=True, or {VARIABLE}=1, in each of them"
    )
