"""Yggdrasil: a governed long-term memory for AI agents. ``Memory`` is where to begin."""

from .memory import Memory

__all__ = ["Memory"]
