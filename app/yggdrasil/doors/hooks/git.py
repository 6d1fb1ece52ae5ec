"""What git says of a commit that an agent has just made."""

import os
import select
from contextlib import suppress
from typing import Final

from .service import Away, Deadline
from .tools import FILES_MAX

_BYTES_MAX: Final = 1 << 16


def committed(root: str, message: str, deadline: Deadline) -> list[str]:
    """Return the files of the last commit in the repository at ``root``, if its message is that one; else none.

    git has half of the time that is left: what is not sent goes with a later event, but git is asked only now. Nothing
    of the repository's configuration is run: no pager, no external diff.
    """
    command = ["git", "-C", root, "--no-pager", "show", "--no-ext-diff", "--name-only", "--format=%s", "-z", "HEAD"]
    subject, *paths = _said(command, deadline).split("\0")
    if not subject or subject != " ".join(message.partition("\n\n")[0].split()):
        return []
    return [path for path in (each.strip("\n") for each in paths) if path][:FILES_MAX]


def _said(command: list[str], deadline: Deadline) -> str:
    """Return what a program prints in time; nothing where it takes longer, or is not there."""
    reading, writing = os.pipe()
    quiet = [(os.POSIX_SPAWN_OPEN, at, os.devnull, os.O_RDWR, 0) for at in (0, 2)]
    try:
        process = os.posix_spawnp(
            command[0], command, os.environ, file_actions=[*quiet, (os.POSIX_SPAWN_DUP2, writing, 1)]
        )
    except OSError:
        os.close(reading)
        return ""
    finally:
        os.close(writing)
    taken = bytearray()
    with suppress(Away):
        until = Deadline.within(deadline.left_s() / 2)
        while len(taken) < _BYTES_MAX and select.select([reading], [], [], until.left_s())[0]:
            more = os.read(reading, _BYTES_MAX)
            if not more:
                os.close(reading)
                os.waitpid(process, 0)
                return taken.decode("utf-8", "replace")
            taken += more
    os.close(reading)  # git ends by that as soon as it prints
    return ""
