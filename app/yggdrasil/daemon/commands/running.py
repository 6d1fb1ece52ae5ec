"""The runner: a process beside a daemon that has imported what commands need, and forks a child for each.

It is forked from the daemon before that has a thread or opens anything, has no thread itself, and ends with it.
"""

import fcntl
import gc
import os
import select
import signal
import socket
import sys
import threading
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import IO, Any, Final, NamedTuple, NoReturn, cast

from yggdrasil_infra.http.errors import ServerError
from yggdrasil_infra.http.wire.socket_file import COMMANDS, SocketFile, find, is_named, peer

from ..wish import STARTING
from .wire import (
    SIGNALS,
    STREAMS,
    WireError,
    build,
    differing,
    mark,
    receive,
    receive_with_streams,
    send,
    settings,
    system,
)

_CHILDREN_MAX: Final = 32
_ASKS_S: Final = 5.0
_LOOK_S: Final = 0.02
_LAST_ONES_S: Final = 20.0


class Runner(NamedTuple):
    """What a runner runs: ``load`` imports it, ``run`` runs one command and returns its code.

    ``auto`` says that the command line has started the daemon, which then steps aside for whoever needs its directory.
    """

    directory: Path
    auto: bool
    load: Callable[[], object]
    run: Callable[[list[str]], int]


def begin(runner: Runner, place: int | None = None) -> None:
    """Fork the runner of this process, which is to be the daemon of a directory, and has one thread yet.

    The open file ``place`` stays with the daemon alone.
    """
    daemon = os.getpid()
    alive, held = os.pipe()  # the other end is closed with this process, however it ends
    if child := os.fork():
        os.close(alive)
        if place is not None:
            os.set_inheritable(place, False)
        if runner.auto:
            threading.Thread(target=_end_without, args=(child,), name="runner", daemon=True).start()
        return
    os.close(held)
    if place is not None:
        os.close(place)
    if runner.auto:
        os.chdir(runner.directory)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)  # the daemon's own is the lock on its directory, which must go with it
    os.close(nothing)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    code = 1
    try:
        _run(runner, alive, daemon)
        code = 0
    except BaseException:
        traceback.print_exc()  # its standard error is the log of the daemon
    finally:
        os._exit(code)


def _end_without(runner: int) -> None:
    """End this process, a daemon that the command line has started, when its runner was killed or has failed.

    No command would run beside it any longer, and none that needs the directory could ask it to end. What ends both is
    heard here too.
    """
    with suppress(ChildProcessError):
        _, status = os.waitpid(runner, 0)
        if -os.waitstatus_to_exitcode(status) not in {0, *SIGNALS}:
            os.kill(os.getpid(), signal.SIGTERM)


def _served(directory: Path, alive: int) -> bool:
    """Return once the service of ``directory`` answers; False when its process has ended."""
    while not select.select([alive], [], [], _LOOK_S)[0]:
        if find(directory) is not None:
            return True
    return False


def _run(runner: Runner, alive: int, daemon: int) -> None:
    """Fork a child for each command, until the daemon ends, or is asked to."""
    started = build()
    asked, ask = os.pipe()
    try:
        listens = SocketFile(runner.directory, COMMANDS)  # first, so that whoever comes now waits
    except ServerError as error:
        sys.stderr.write(f"commands run without this daemon: {error}\n")
        return
    children: set[int] = set()
    try:
        runner.load()
        gc.collect()
        gc.freeze()  # or the first look for garbage in a child would copy all of it
        if not _served(runner.directory, alive):
            return
        with suppress(OSError):
            (runner.directory / STARTING).unlink(missing_ok=True)
        heard: list[Any] = [listens.socket, alive, asked]
        while True:
            ready = select.select(heard, [], [], 1.0 if children else None)[0]
            _reap(children)
            if alive in ready:
                return
            if asked in ready:
                _end(children, daemon, alive)
                return
            if listens.socket in ready and len(children) < _CHILDREN_MAX:
                with suppress(OSError):  # who has gone again
                    made = listens.socket.accept()[0]
                    if child := os.fork():
                        children.add(child)
                        made.close()
                    else:
                        _child(runner, made, started, ask)
            elif listens.socket in ready:
                time.sleep(_LOOK_S)
    finally:
        listens.remove()


def _end(children: set[int], daemon: int, alive: int) -> None:
    """Let commands end that are under way, and then the daemon; return once it has."""
    until = time.monotonic() + _LAST_ONES_S
    while len(children) > 0 and time.monotonic() < until:
        _reap(children)
        time.sleep(_LOOK_S)
    os.kill(daemon, signal.SIGTERM)
    select.select([alive], [], [], 2 * _LAST_ONES_S)


def _reap(children: set[int]) -> None:
    for each in [*children]:
        with suppress(ChildProcessError):
            if os.waitpid(each, os.WNOHANG)[0] == 0:
                continue
        children.discard(each)


def _child(runner: Runner, made: socket.socket, started: str, ask: int) -> NoReturn:
    """Answer who has connected, in a process of its own."""
    try:
        made.setblocking(True)
        made.settimeout(_ASKS_S)
        _, user = peer(made)
        if user in {None, os.geteuid()}:
            _answer(runner, made, receive(made), started, ask)
    except WireError:
        pass
    finally:
        os._exit(0)


def _answer(runner: Runner, made: socket.socket, message: dict[str, Any], started: str, ask: int) -> None:
    if "words" not in message:
        if message.get("end") and runner.auto:
            os.write(ask, b"e")
        send(made, {"auto": runner.auto, "ending": bool(message.get("end") and runner.auto)})
        return
    if message["system"] != system():
        send(made, {"no": "elsewhere"})  # its folder, files and processes are not those of that name here
        return
    now = settings(os.environ, runner.directory)
    differs = differing(message, started if started == build() else "", now)
    if differs or not is_named(runner.directory):  # it is about to end
        no = {"no": "other", "differs": differs, "mark": mark(started, now)} if differs else {"no": "ending"}
        send(made, {**no, "auto": runner.auto})
        return
    _as_there(message)
    send(made, {"process": os.getpid()})
    _, streams = receive_with_streams(made)  # or it waits no longer, and runs the command itself
    if len(streams) != STREAMS:
        return
    _take(streams, cast("list[list[str]]", message["encodings"]))
    _end_with(made)
    code = _code(runner, [str(each) for each in message["words"]])
    for each in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            each.flush()
    send(made, {"code": code})


def _take(streams: list[int], encodings: list[list[str]]) -> None:
    """Let the standard streams of this process be those of the one that hands over."""
    for number, stream in enumerate(streams):
        os.dup2(stream, number, inheritable=True)
        os.close(stream)
    sys.stdin, sys.stdout, sys.stderr = (_stream(number, *each) for number, each in enumerate(encodings))


def _as_there(message: dict[str, Any]) -> None:
    """Let this process be as the one that hands over: its folder, environment, and how Ctrl-C is heard."""
    os.environ.clear()
    os.environ.update(message["variables"])
    time.tzset()
    os.chdir(message["folder"])
    for each in SIGNALS:
        usual = signal.default_int_handler if each == signal.SIGINT else signal.SIG_DFL
        signal.signal(each, signal.SIG_IGN if each in message["ignored"] else usual)


def _end_with(made: socket.socket) -> None:
    """End this process when the one that has typed the command is gone: it may be waiting for a stream of theirs."""

    def end(_: int, __: FrameType | None) -> None:
        if select.select([made], [], [], 0)[0] and not made.recv(1, socket.MSG_PEEK):
            os._exit(1)

    signal.signal(signal.SIGIO, end)
    fcntl.fcntl(made, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(made, fcntl.F_SETFL, fcntl.fcntl(made, fcntl.F_GETFL) | os.O_ASYNC)
    end(signal.SIGIO, None)


def _stream(number: int, encoding: str, errors: str) -> IO[str]:
    mode = "w" if number else "r"
    lines = number == 2 or os.isatty(number)
    return open(number, mode, 1 if lines else -1, encoding, errors, closefd=False)


def _code(runner: Runner, words: list[str]) -> int:
    """Run the command, and return its exit code as the interpreter would."""
    try:
        return int(runner.run(words))
    except SystemExit as error:
        if error.code is None or isinstance(error.code, int):
            return error.code or 0
        sys.stderr.write(f"{error.code}\n")
        return 1
