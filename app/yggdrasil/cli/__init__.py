"""The command line: ``yggdrasil``, or ``python -m yggdrasil``. ``main`` is its one entry.

One room for each kind of user, and beside them what all commands share: options, tables and bars, how a directory is
opened, how an error ends. A command parses, calls, prints; whatever a program may want as well belongs to the facade.
"""

import gc
import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code.

    ``arguments`` are those of the process unless given; those that are given run in this process, whatever daemon there
    is.
    """
    if arguments is not None:
        return _here(arguments)
    from yggdrasil_schemas.errors import YggdrasilError

    from ..daemon.commands.entry import run
    from ..daemon.commands.streams import failed

    words = sys.argv[1:]
    try:
        return run(words, _here)
    except YggdrasilError as error:  # of what is said of daemons: a command tells its own
        exits, code = error.ends()
        failed(words, code, str(error))
        return exits


def _here(arguments: Sequence[str] | None = None) -> int:
    # What is imported lives as long as the process: to look for garbage in it was a sixth of every start.
    gc.disable()
    from .app import main as run

    gc.freeze()
    gc.enable()
    return run(arguments)


__all__ = ["main"]
