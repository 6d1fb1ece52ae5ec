"""The command line: ``yggdrasil``, or ``python -m yggdrasil``. ``main`` is its one entry.

One room for each kind of user, and beside them what all commands share: options, tables and bars, how a directory is
opened, how an error ends. A command parses, calls, prints; whatever a program may want as well belongs to the facade.
"""

import gc

# What is imported lives as long as the process: to look for garbage in it again and again was a sixth of every start.
gc.disable()

from .app import main  # noqa: E402

gc.freeze()
gc.enable()

__all__ = ["main"]
