"""A server of MCP over a memory: which tools it has, put together."""

from __future__ import annotations

import logging
from collections.abc import Generator
from contextlib import contextmanager
from importlib.metadata import version
from typing import Any, Final, Literal

from mcp.server import MCPServer

from .answering import Door
from .graph import graph_tools
from .guide import GRAPH_INSTRUCTIONS, INSTRUCTIONS, guide
from .loop import loop_tools
from .recalling import archive_tool

Tools = Literal["loop", "graph", "all"]
TOOLS: Final[tuple[Tools, ...]] = ("loop", "graph", "all")


def memory_server(door: Door, tools: Tools = "loop", *, archive: bool = False) -> MCPServer[Any]:
    """Return a server with the tools of the loop, those of the official memory server, or both.

    ``archive`` grants the tool that looks among what has faded.
    """
    loop = tools in ("loop", "all")
    with _logging_kept():
        server: MCPServer[Any] = MCPServer(
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
