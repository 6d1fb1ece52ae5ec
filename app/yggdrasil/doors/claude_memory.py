"""Claude's memory tool (``memory_20250818``) over a memory: its files are kept, searched and told the history of.

``client.beta.messages.tool_runner(..., tools=[YggdrasilMemoryTool(memory)])`` lets a model view, create, edit, delete
and rename files below ``/memories``.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any, Final, cast

from pydantic import BaseModel, ValidationError
from typing_extensions import override

from yggdrasil_schemas.commands.wording import wording
from yggdrasil_schemas.errors import YggdrasilError

from ..asynchronous import AsyncMemory
from ..memory import Memory
from . import needing
from .documents.files import Files

with needing("anthropic"):
    from anthropic.lib.tools import BetaFunctionToolResultType
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

_COMMANDS: Final[Mapping[object, type[BaseModel]]] = {
    "view": BetaMemoryTool20250818ViewCommand,
    "create": BetaMemoryTool20250818CreateCommand,
    "str_replace": BetaMemoryTool20250818StrReplaceCommand,
    "insert": BetaMemoryTool20250818InsertCommand,
    "delete": BetaMemoryTool20250818DeleteCommand,
    "rename": BetaMemoryTool20250818RenameCommand,
}


class YggdrasilMemoryTool(BetaAbstractMemoryTool):
    """The memory tool over a memory, in a directory or on a service, which stays the caller's to close.

    What goes wrong is told to the model as the tool's error, also when the service is away.
    """

    def __init__(self, memory: Memory[Any], **options: Any) -> None:
        """``options`` are those of the base: ``cache_control``."""
        super().__init__(**options)
        self.files = Files(memory)

    @override
    def call(self, input: object) -> BetaFunctionToolResultType:
        """Run a command as the model has written it. Raises ToolError for what is none, which the model is told."""
        return super().call(_checked(input))

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
    async def call(self, input: object) -> BetaFunctionToolResultType:
        """Run a command as the model has written it. Raises ToolError for what is none, which the model is told."""
        return await super().call(_checked(input))

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


def _checked(given: object) -> object:
    """Return a command with all that it takes. Raises ToolError: the base takes it as it is, and fails within."""
    said: Mapping[object, object] = cast(Mapping[object, object], given) if isinstance(given, Mapping) else {}
    name = said.get("command")
    if name == "str_replace" and said.get("new_str") is None:  # as models leave it out to delete a text
        said = {**said, "new_str": ""}
    model = _COMMANDS.get(name) if isinstance(name, str) else None
    if model is None:
        raise ToolError(f"No such command: give `command` as one of {', '.join(map(str, _COMMANDS))}.")
    try:
        model.model_validate(said)
    except ValidationError as error:
        wrong = "; ".join(f"`{'.'.join(map(str, each['loc']))}`: {wording(each)}" for each in error.errors())
        raise ToolError(f"The command {name} was not understood, and nothing was changed. {wrong}.") from error
    return said


def _told(command: Callable[[], str]) -> str:
    """Return what a command says. Raises ToolError, which a model is told, for whatever the memory refuses."""
    try:
        return command()
    except YggdrasilError as error:
        raise ToolError(str(error)) from error
