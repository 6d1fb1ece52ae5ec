"""The cartographer: what a memory is told of places becomes a map, with villages, and without one place twice.

``density`` finds villages, ``villages`` tells them, ``merging`` joins two names of one place, ``paths`` says where to
look again; ``places`` knows what stands, and ``state`` is what is remembered. Room for what else a map shows.
"""

from .cartographer import Cartographer

__all__ = ["Cartographer"]
