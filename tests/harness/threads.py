"""Which threads something leaves behind, whatever those of earlier tests do meanwhile: a bare count mixes them up."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic, sleep

_ENDED_WITHIN_S = 60.0


@contextmanager
def leaves_threads(most: int = 0) -> Iterator[None]:
    """Hold what is inside to leaving at most ``most`` threads that were not there before."""
    before = set(threading.enumerate())
    yield
    until = monotonic() + _ENDED_WITHIN_S
    while len(left := [one.name for one in threading.enumerate() if one not in before]) > most:
        assert monotonic() < until, f"left behind: {left}"
        sleep(0.01)
