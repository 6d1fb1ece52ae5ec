"""The process of a daemon, as ``daemon.starting`` starts it: a runner of commands, and the service of the directory.

``python -m yggdrasil.cli.background auto|1 DIR PLACE serve ...``: ``auto`` says that the command line has started it,
and PLACE is the open file of its place among such daemons, or ``-``.
"""

import os
import sys
from importlib import import_module
from pathlib import Path

from ..daemon.commands.running import Runner, begin
from ..daemon.commands.typed import QUICK
from ..daemon.wish import AUTO
from .app import command, main
from .commands import COMMANDS

_ASKED: tuple[str, ...] = (
    "yggdrasil.cli.opening",
    "yggdrasil.daemon.attaching",
    "yggdrasil.engines.upkeep.stats",
    "yggdrasil.memory",
)


def load() -> None:
    """Import what quick commands need, and make of each what runs it."""
    for name in sorted(QUICK & {*COMMANDS}):
        command().commands[name]  # made when it is asked for
    for module in _ASKED:
        import_module(module)


def run(words: list[str]) -> int:
    """Run one command, as it was typed."""
    sys.argv[1:] = words
    return main()


if __name__ == "__main__":
    said, where, place = sys.argv[1:4]
    begin(Runner(Path(where), said == AUTO, load, run), None if place == "-" else int(place))
    if said == AUTO:
        os.chdir(where)  # nobody has asked for it: it must not keep busy what the command was typed in
    sys.argv[1:] = sys.argv[4:]
    sys.exit(main())
