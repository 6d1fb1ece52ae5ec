"""What a signal does to a worker."""

import os
import signal
from threading import Lock

from yggdrasil.cli.operator.hosts.working import once


def test_a_second_signal_in_the_midst_of_the_first_changes_nothing() -> None:
    lock = Lock()
    handled: list[int] = []

    def stop() -> None:
        assert lock.acquire(timeout=1.0)  # as Event.set has one, which a second call would wait for in vain
        os.kill(os.getpid(), signal.SIGTERM)
        handled.append(1)
        lock.release()

    before = signal.signal(signal.SIGTERM, once(stop))
    try:
        os.kill(os.getpid(), signal.SIGTERM)
    finally:
        signal.signal(signal.SIGTERM, before)
    assert handled == [1]
