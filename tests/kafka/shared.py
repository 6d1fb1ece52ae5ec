"""One broker for all processes of a session: the first that asks starts it, and stops it when the last has gone."""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from fcntl import LOCK_EX, LOCK_SH, LOCK_UN, flock
from pathlib import Path
from typing import Final

from tests.kafka.node import KafkaNode, free_port

PROCESS_VARIABLE: Final = "PYTEST_XDIST_WORKER"  # which of several processes this is


@contextmanager
def shared_broker(own: Path) -> Iterator[str]:
    """Give the address of the session's broker; ``own`` is the base folder of this process' temporary files.

    Who uses it holds a shared lock, which goes with a process that crashes. Who started it waits at its end for those
    who still use it: it has nothing else to do then, and nobody else may wait for the process.
    """
    if PROCESS_VARIABLE not in os.environ:
        with KafkaNode(own / "kafka", free_port()) as node:
            yield node.address
        return
    folder = own.parent  # that of the session
    address = folder / "kafka.address"
    with (folder / "kafka.door").open("w") as door, (folder / "kafka.users").open("w") as users, ExitStack() as mine:
        flock(door, LOCK_EX)
        if started := not address.exists():
            node = mine.enter_context(KafkaNode(folder / "kafka", free_port()))
            address.write_text(node.address, encoding="utf-8")
        flock(users, LOCK_SH)
        flock(door, LOCK_UN)
        try:
            yield address.read_text(encoding="utf-8")
        finally:
            if started:
                flock(door, LOCK_EX)
                flock(users, LOCK_EX)
                address.unlink()
