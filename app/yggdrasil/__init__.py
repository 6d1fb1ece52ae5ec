"""Yggdrasil: a governed long-term memory for AI agents. ``Memory`` is where to begin; ``AsyncMemory`` is awaited."""

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
