"""The command line: ``yggdrasil``, or ``python -m yggdrasil``. ``main`` is its one entry."""

from .app import main

__all__ = ["main"]
