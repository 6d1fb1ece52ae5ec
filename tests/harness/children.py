"""The environment of processes that tests start and that have not that of the tests, which ``conftest`` sets."""

import os

from yggdrasil.daemon.wish import NEVER, VARIABLE


def environment(**more: str) -> dict[str, str]:
    """Return no more than programs need to be found, with ``more``; and no daemon is left by a command of ours."""
    return {"PATH": os.environ["PATH"], VARIABLE: NEVER} | more
