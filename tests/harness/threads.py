"""Which threads something leaves behind, whatever those of earlier tests do meanwhile: a bare count mixes them up."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from tests.harness.waiting import until


@contextmanager
def leaves_threads(most: int = 0) -> Iterator[None]:
    """Hold what is inside to leaving at most ``most`` threads that were not there before."""
    before = set(threading.enumerate())
    yield

    def left() -> list[str]:
        return [one.name for one in threading.enumerate() if one not in before]

    until(lambda: len(left()) <= most, left)
