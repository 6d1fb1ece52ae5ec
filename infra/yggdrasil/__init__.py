"""Yggdrasil: a governed long-term memory for AI agents. ``Memory`` is where to begin."""

from .asynchronous import AsyncMemory
from .memory import Memory

__all__ = ["AsyncMemory", "Memory"]
