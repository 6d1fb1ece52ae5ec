"""A server of MCP over a memory: which tools it has, put together."""

from __future__ import annotations

import logging
from collections.abc import Generator
from contextlib import contextmanager
from importlib.metadata import version
from typing import Any, Final, Literal

from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult, InputRequiredResult
from pydantic import ValidationError

from yggdrasil_schemas.commands.wording import placed

from .answering import Door
from .graph import graph_tools
from .guide import GRAPH_INSTRUCTIONS, INSTRUCTIONS, guide
from .loop import loop_tools
from .recalling import archive_tool

Tools = Literal["loop", "graph", "all"]
_NOTHING_DONE: Final = "Nothing was done; mend the argument and call again."
_NAME_SHOWN: Final = 40
_UNKNOWN_SHOWN: Final = 5
TOOLS: Final[tuple[Tools, ...]] = ("loop", "graph", "all")


class _Server(MCPServer[Any]):
    """A server whose tools refuse what they do not take, in words for a model, before anything is done."""

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        """Call a tool. Raises ToolError, which says what is wrong with which argument."""
        schema = self._tool_input_schema(name)  # of a tool that there is not the SDK says so
        takes: dict[str, Any] = {} if schema is None else schema.get("properties", {})
        unknown = [] if schema is None else [each for each in arguments if each not in takes]
        if unknown:
            wrong = ", ".join(repr(each[:_NAME_SHOWN]) for each in unknown[:_UNKNOWN_SHOWN])
            raise ToolError(f"{name} takes no {wrong}; it takes {', '.join(takes)}. {_NOTHING_DONE}")
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            if not isinstance(error.__cause__, ValidationError):
                raise
            wrong = "; ".join(map(placed, error.__cause__.errors(include_url=False)[:_UNKNOWN_SHOWN]))
            raise ToolError(f"{name} cannot be called like that: {wrong}. {_NOTHING_DONE}") from error.__cause__


def memory_server(door: Door, tools: Tools = "loop", *, archive: bool = False) -> MCPServer[Any]:
    """Return a server with the tools of the loop, those of the official memory server, or both.

    ``archive`` grants the tool that looks among what has faded.
    """
    loop = tools in ("loop", "all")
    with _logging_kept():
        server: MCPServer[Any] = _Server(
            "yggdrasil",
            title="Yggdrasil memory",
            instructions=INSTRUCTIONS if loop else GRAPH_INSTRUCTIONS,
            version=version("yggdrasil-substrate"),
            log_level="WARNING",
            subscriptions=False,  # a stream that is kept open for each client would be unbounded
        )
    if loop:
        loop_tools(server, door)
        guide(server, door)
    if tools in ("graph", "all"):
        graph_tools(server, door)
    if archive:
        archive_tool(server, door)
    return server


@contextmanager
def _logging_kept() -> Generator[None]:
    """Leave the root logger as it is: the SDK gives it a handler, and a service would write each line twice then."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    try:
        yield
    finally:
        root.handlers[:] = handlers
        root.setLevel(level)
