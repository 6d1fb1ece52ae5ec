"""Hand a command to the runner of a directory; or let its daemon step aside."""

import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from time import monotonic, sleep
from types import FrameType
from typing import Any, Final, TextIO, cast

from yggdrasil_infra.http.errors import UntrustedSocketError
from yggdrasil_infra.http.wire.socket_file import COMMANDS, connected, find, is_named
from yggdrasil_infra.locks import has_holder
from yggdrasil_schemas.problems import ExitCode

from ..wish import LOCK
from .alternating import replaced
from .streams import failed
from .wire import SIGNALS, STREAMS, WireError, build, receive, send, settings, system

_SAYS_S: Final = 10.0  # until a runner says that it has begun
_ENDS_S: Final = 40.0  # a daemon has twenty to finish what is under way
_LOOK_S: Final = 0.01
_LOST: Final = (
    "the process that ran this command has ended before it said whether it was done; what it recorded is "
    "kept, and would stand there twice if the command is given again: see what `yggdrasil stats` and `context` say"
)


def handed(directory: Path, words: Sequence[str]) -> int | None:
    """Let the runner of ``directory`` run what was typed, on the streams of this process; return its exit code.

    None when there is no runner, or it is not the right one: then nothing has been done, and a daemon that the command
    line has started, of another release or other settings, has ended.
    """
    if not is_named(directory, COMMANDS) or (around := _here(directory)) is None:
        return None
    answer = _asked(directory, {"words": [*words], **around})
    if answer is None:
        return None
    runner, said = answer
    with runner:
        if "process" in said:
            return _followed(runner, said["process"], words)
    if said.get("auto") and said.get("no", "other") == "other":  # one of another release may not know what was asked
        replaced(directory, str(said.get("mark")), said.get("differs", ()))
        step_aside(directory)
    return None


def step_aside(directory: Path) -> None:
    """Let the daemon end that the command line has started for ``directory``, and wait until it has; any other stays.

    One that is being started is waited for.
    """
    until = monotonic() + _ENDS_S
    while not is_named(directory, COMMANDS) and find(directory) is None and has_holder(directory, LOCK):
        if monotonic() > until:
            return
        sleep(_LOOK_S)
    # One that is not ready yet hears it when it is.
    answer = _asked(directory, {"end": True}, says_s=max(until - monotonic(), _SAYS_S))
    if answer is None:
        return
    answer[0].close()
    while answer[1].get("ending") and monotonic() < until and is_named(directory, COMMANDS):
        sleep(_LOOK_S)


def is_auto(directory: Path) -> bool:
    """Whether the daemon of ``directory`` is one that the command line has started."""
    answer = _asked(directory, {"who": True})
    if answer is None:
        return False
    answer[0].close()
    return bool(answer[1].get("auto"))


def _here(directory: Path) -> dict[str, Any] | None:
    """Return what a command finds around it in this process; None for what cannot be handed over.

    That is a stream that is closed, or a folder that is gone.
    """
    streams = [each for each in cast("list[TextIO | None]", [sys.stdin, sys.stdout, sys.stderr]) if each is not None]
    if len(streams) != STREAMS:
        return None
    try:
        return {
            "build": build(),
            "system": system(),
            "settings": settings(os.environ, directory),
            "folder": os.getcwd(),
            "variables": dict(os.environ),
            "encodings": [[each.encoding, each.errors] for each in streams],
            "ignored": [each for each in SIGNALS if signal.getsignal(each) is signal.SIG_IGN],
        }
    except (OSError, ValueError):
        return None


def _asked(directory: Path, message: dict[str, Any], says_s: float = _SAYS_S) -> "tuple[Any, dict[str, Any]] | None":
    """Return a connection to the runner and its first answer; None when there is none that is our own."""
    if not is_named(directory, COMMANDS):
        return None
    try:
        found = connected(directory, COMMANDS)
    except UntrustedSocketError:  # the service's own socket will be found to be so, and told
        return None
    if found is None:
        return None
    runner, who = found
    try:
        if who.path.stat().st_uid != os.geteuid():  # it would run as somebody else
            raise WireError("another user's")
        runner.settimeout(says_s)
        send(runner, message)
        return runner, receive(runner)
    except (WireError, OSError):
        runner.close()
        return None


def _followed(runner: Any, process: int, words: Sequence[str]) -> int | None:
    """Let a command run, wait for its exit code, and hand on what this process is told meanwhile.

    None where it does not run: nothing does for one that has waited in vain, and runs it here.
    """
    told: list[int] = []

    def tell(number: int, _: FrameType | None) -> None:
        if number in SIGNALS:
            told.append(number)
        try:
            os.kill(process, number)
        except ProcessLookupError:
            return

    def pause(number: int, _: FrameType | None) -> None:
        """Stop with the command, which a terminal does not know, and go on with it."""
        tell(signal.SIGSTOP, None)
        os.kill(os.getpid(), signal.SIGSTOP)
        tell(signal.SIGCONT, None)

    handlers = dict.fromkeys(SIGNALS, tell) | {signal.SIGTSTP: pause}
    # What is ignored, as with nohup, stays so.
    before = {
        each: signal.signal(each, handler)
        for each, handler in handlers.items()
        if signal.getsignal(each) is not signal.SIG_IGN
    }
    runner.settimeout(None)
    code: int | None = None
    try:
        send(runner, {"go": True}, streams=range(STREAMS))  # whatever comes from now on is for it
    except WireError:
        pass
    else:
        code = _code(runner, told, words)
    for each, handler in before.items():
        signal.signal(each, handler)
    if told and told[-1] != signal.SIGINT:
        os.kill(os.getpid(), told[-1])
    return ExitCode.INTERRUPTED if told and code is None else code


def _code(runner: Any, told: Sequence[int], words: Sequence[str]) -> int:
    """Return the exit code of a command that runs, once it has ended."""
    try:
        return int(receive(runner)["code"])
    except WireError:
        if told:
            return ExitCode.INTERRUPTED
        failed(words, "lost", _LOST)
        return ExitCode.BROKEN
