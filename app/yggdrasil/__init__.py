"""Yggdrasil: a governed long-term memory for AI agents. ``Memory`` is where to begin; ``AsyncMemory`` is awaited.

The floor that people import and type, and the composition root: only here are real parts wired together, and nothing
below imports it. Room for more doors, such as a protocol that an agent's host speaks.
"""

from typing import TYPE_CHECKING, Any

from .memory import Memory

if TYPE_CHECKING:
    from .asynchronous import AsyncMemory

__all__ = ["AsyncMemory", "Memory"]


def __getattr__(name: str) -> Any:
    """Import ``AsyncMemory`` when it is asked for: asyncio takes a tenth of a second, which a command line has not."""
    if name == "AsyncMemory":
        from .asynchronous import AsyncMemory  # noqa: PLC0415

        return AsyncMemory
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
