"""Where time and randomness enter the system: nothing behind the producers asks for either."""

import os
import time


def now_ms() -> int:
    """Return the Unix time in milliseconds."""
    return time.time_ns() // 1_000_000


def entropy() -> bytes:
    """Return 10 random bytes, as many as a UUIDv7 needs."""
    return os.urandom(10)
