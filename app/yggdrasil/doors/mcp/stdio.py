"""MCP over stdio: one memory, for the one program that has started this process."""

from __future__ import annotations

import sys
from typing import TextIO, cast

import anyio

from ...asynchronous import AsyncMemory
from ...memory import Memory
from .answering import TOKENS, Door
from .server import Tools, memory_server


def serve_stdio(memory: Memory, tools: Tools = "loop", *, archive: bool = False, tokens: int = TOKENS) -> None:
    """Answer on stdin and stdout until stdin ends, or nobody reads stdout; ``memory`` is closed then.

    Raises OSError where stdout cannot be written.
    """
    if cast("TextIO | None", sys.stdin) is None:  # it was closed: nobody asks anything
        memory.close()
        return

    async def run() -> None:
        async with AsyncMemory(memory) as it:
            await memory_server(Door(lambda: it, tokens), tools, archive=archive).run_stdio_async()

    try:
        anyio.run(run)
    except* OSError as errors:  # of the two streams alone: a tool's are answered
        error: BaseException = errors
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        raise error from None
