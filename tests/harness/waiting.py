"""Waiting for what another thread or process does, on machines of any speed: only a hang gets to the deadline."""

from collections.abc import Callable
from time import monotonic, sleep
from typing import Final, TypeVar

DEADLINE_S: Final = 240.0
T = TypeVar("T")


def until(
    happened: Callable[[], T | None], what: Callable[[], object] = lambda: "it never happened", *, look_s: float = 0.01
) -> T:
    """Return what ``happened`` does once that is true, and fail with ``what`` there is instead when it never is.

    It is asked every ``look_s`` seconds: seldom where asking costs the other one something.
    """
    deadline = monotonic() + DEADLINE_S
    while not (found := happened()):
        assert monotonic() < deadline, what()
        sleep(look_s)
    return found
