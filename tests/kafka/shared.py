"""One broker for all processes of a session: the first that asks starts it, and what began the session stops it."""

import os
import shutil
import signal
import tempfile
from fcntl import LOCK_EX, flock
from functools import cache
from pathlib import Path
from time import monotonic
from typing import Final

from tests.kafka.node import KafkaNode, free_port, pause

PROCESS_VARIABLE: Final = "PYTEST_XDIST_WORKER"  # which of several processes this is; nothing in the one that began
FOLDER_VARIABLE: Final = "YGGDRASIL_TESTS_KAFKA"  # inherited by the processes of a session
STOPPING_S: Final = 20.0


def begin_session() -> None:
    """Make the folder of the session's broker, in the process that begins the session; it costs nothing."""
    if PROCESS_VARIABLE not in os.environ:
        os.environ[FOLDER_VARIABLE] = tempfile.mkdtemp(prefix="yggdrasil-kafka-")


def shared_broker() -> str:
    """Return the address of the session's broker, which is started for the first who asks."""
    folder = Path(os.environ[FOLDER_VARIABLE])
    address = folder / "address"
    with (folder / "door").open("w") as door:
        flock(door, LOCK_EX)
        if not address.exists():
            node = _started(folder / "node")
            (folder / "pid").write_text(str(node.pid), encoding="utf-8")
            address.write_text(node.address, encoding="utf-8")
        return address.read_text(encoding="utf-8")


def end_session() -> None:
    """Stop the broker, if anybody asked for one: the processes that used it have ended, whether well or not."""
    if PROCESS_VARIABLE in os.environ or FOLDER_VARIABLE not in os.environ:
        return
    folder = Path(os.environ.pop(FOLDER_VARIABLE))
    pid = folder / "pid"
    if pid.exists():
        _stop(int(pid.read_text(encoding="utf-8")))
    shutil.rmtree(folder, ignore_errors=True)


@cache
def _started(folder: Path) -> KafkaNode:
    """Start a broker that outlives this process; what holds it is kept, since Python would warn of it otherwise."""
    return KafkaNode(folder, free_port()).__enter__()


def _stop(pid: int) -> None:
    deadline = monotonic() + STOPPING_S
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            return
        while _runs(pid) and monotonic() < deadline:
            pause(0.1)


def _runs(pid: int) -> bool:
    try:
        return os.waitpid(pid, os.WNOHANG) == (0, 0)
    except ChildProcessError:  # of a process that has ended; somebody else reaps it
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return False
        return True
