"""Claude's memory tool (``memory_20250818``) over a memory: its files are kept, searched and told the history of.

``client.beta.messages.tool_runner(..., tools=[YggdrasilMemoryTool(memory)])`` lets a model view, create, edit, delete
and rename files below ``/memories``.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from anthropic.tools import ToolError
from anthropic.tools.memory import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool
from anthropic.types.beta import (
    BetaMemoryTool20250818CreateCommand,
    BetaMemoryTool20250818DeleteCommand,
    BetaMemoryTool20250818InsertCommand,
    BetaMemoryTool20250818RenameCommand,
    BetaMemoryTool20250818StrReplaceCommand,
    BetaMemoryTool20250818ViewCommand,
)
from typing_extensions import override

from yggdrasil_schemas.errors import YggdrasilError

from ..asynchronous import AsyncMemory
from ..memory import Memory
from .documents.files import Files


class YggdrasilMemoryTool(BetaAbstractMemoryTool):
    """The memory tool over a memory, in a directory or on a service, which stays the caller's to close.

    What goes wrong is told to the model as the tool's error, also when the service is away.
    """

    def __init__(self, memory: Memory[Any], **options: Any) -> None:
        """``options`` are those of the base: ``cache_control``."""
        super().__init__(**options)
        self.files = Files(memory)

    @override
    def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        """Show a file or a directory."""
        return _told(partial(self.files.view, command.path, command.view_range))

    @override
    def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        """Make a file."""
        return _told(partial(self.files.create, command.path, command.file_text))

    @override
    def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        """Replace a text that occurs once."""
        return _told(partial(self.files.replace, command.path, command.old_str, command.new_str or ""))

    @override
    def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        """Insert lines."""
        return _told(partial(self.files.insert, command.path, command.insert_line, command.insert_text))

    @override
    def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        """Withdraw a file or a directory."""
        return _told(partial(self.files.delete, command.path))

    @override
    def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        """Move a file or a directory."""
        return _told(partial(self.files.rename, command.old_path, command.new_path))

    @override
    def clear_all_memory(self) -> str:
        """Withdraw all files."""
        return _told(self.files.clear)


class AsyncYggdrasilMemoryTool(BetaAsyncAbstractMemoryTool):
    """The memory tool for asynchronous clients: what ``YggdrasilMemoryTool`` does, on other threads."""

    def __init__(self, memory: Memory[Any] | AsyncMemory, **options: Any) -> None:
        """``options`` are those of the base: ``cache_control``."""
        super().__init__(**options)
        self._run: Callable[[Callable[[], str]], Awaitable[str]] = asyncio.to_thread
        if isinstance(memory, AsyncMemory):
            self._run, memory = memory.run, memory.memory
        self._tool = YggdrasilMemoryTool(memory)
        self.files = self._tool.files

    @override
    async def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        """Show a file or a directory."""
        return await self._run(partial(self._tool.view, command))

    @override
    async def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        """Make a file."""
        return await self._run(partial(self._tool.create, command))

    @override
    async def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        """Replace a text that occurs once."""
        return await self._run(partial(self._tool.str_replace, command))

    @override
    async def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        """Insert lines."""
        return await self._run(partial(self._tool.insert, command))

    @override
    async def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        """Withdraw a file or a directory."""
        return await self._run(partial(self._tool.delete, command))

    @override
    async def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        """Move a file or a directory."""
        return await self._run(partial(self._tool.rename, command))

    @override
    async def clear_all_memory(self) -> str:
        """Withdraw all files."""
        return await self._run(self._tool.clear_all_memory)


def _told(command: Callable[[], str]) -> str:
    """Return what a command says. Raises ToolError, which a model is told, for whatever the memory refuses."""
    try:
        return command()
    except YggdrasilError as error:
        raise ToolError(str(error)) from error
