"""Rules whose fixed constants a memory may change: the laws hold under any caps, and small ones are soon reached.

What the rules fix (``yggdrasil_schemas.policy.FIXED``) no ``set_policy`` changes in earnest. The tests of the laws let
it, so that they can look at what happens at a cap without a thousand commands on the way to it.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from yggdrasil_schemas import policy


@contextmanager
def open_rules() -> Iterator[None]:
    """Let ``set_policy`` change every constant, until the end."""
    closed = policy.CONSTANTS
    try:
        policy.CONSTANTS = {**closed, **policy.FIXED}  # type: ignore[misc]
        yield
    finally:
        policy.CONSTANTS = closed  # type: ignore[misc]
