"""The process of a daemon, as ``daemon.starting`` starts it: a runner of commands, and the service of the directory.

``python -m yggdrasil.cli.background auto|1 DIR serve ...``: ``auto`` says that the command line has started it.
"""

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
    begin(Runner(Path(sys.argv[2]), sys.argv[1] == AUTO, load, run))
    sys.argv[1:] = sys.argv[3:]
    sys.exit(main())
