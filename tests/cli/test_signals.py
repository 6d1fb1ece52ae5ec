"""What a signal does to a worker."""

import os
import signal
from threading import Event

from yggdrasil.cli.working import once


def test_a_second_signal_in_the_midst_of_the_first_changes_nothing() -> None:
    stopping = Event()
    handled: list[int] = []

    def stop() -> None:
        handled.append(1)
        with stopping._cond:  # as within Event.set, whose lock a second call would wait for in vain
            os.kill(os.getpid(), signal.SIGTERM)
        stopping.set()

    before = signal.signal(signal.SIGTERM, once(stop))
    try:
        os.kill(os.getpid(), signal.SIGTERM)
    finally:
        signal.signal(signal.SIGTERM, before)
    assert stopping.is_set()
    assert handled == [1]
