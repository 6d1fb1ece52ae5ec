"""The command line: ``yggdrasil``, or ``python -m yggdrasil``. ``main`` is its one entry.

One room for each kind of user, and beside them what all commands share: options, tables and bars, how a directory is
opened, how an error ends. A command parses, calls, prints; whatever a program may want as well belongs to the facade.
"""

from .app import main

__all__ = ["main"]
