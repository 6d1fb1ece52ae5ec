"""The doors that are measured, each as two functions: to remember a text, and to ask for one."""

import asyncio
import os
import sys
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from anyio.from_thread import start_blocking_portal
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

from yggdrasil import Memory
from yggdrasil.doors.langgraph import YggdrasilStore
from yggdrasil.doors.tools import Tools

AGENT: Final = "bench/agent"
_K: Final = 5


@dataclass(frozen=True, slots=True)
class Way:
    """A door that is open."""

    remember: Callable[[str], object]
    recall: Callable[[str], object]


@dataclass(frozen=True, slots=True)
class Door:
    """How a door is opened, over a directory or, where it is ``served``, the URL of the service over it."""

    open: Callable[[Path, str], AbstractContextManager[Way]]
    served: bool = False


def _of(memory: Memory[Any]) -> Way:
    return Way(memory.record_event, lambda query: memory.get_context(query, k=_K))


@contextmanager
def _facade(data: Path, _: str) -> Generator[Way]:
    with Memory.open(data, AGENT) as memory:
        yield _of(memory)


@contextmanager
def _service(_: Path, url: str) -> Generator[Way]:
    with Memory.connect(url, memory=AGENT) as memory:
        yield _of(memory)


@contextmanager
def _socket(data: Path, _: str) -> Generator[Way]:
    with Memory.open(data, AGENT) as memory:  # the service holds the directory: this speaks to it
        yield _of(memory)


@contextmanager
def _mcp(server: Any) -> Generator[Way]:
    with start_blocking_portal() as portal:
        client = Client(server)

        def call(tool: str, **arguments: Any) -> None:
            answer = portal.call(client.call_tool, tool, arguments)
            assert not answer.is_error, answer

        with portal.wrap_async_context_manager(client):
            yield Way(lambda text: call("remember", text=text), lambda query: call("recall", query=query, k=_K))


@contextmanager
def _mcp_http(_: Path, url: str) -> Generator[Way]:
    with _mcp(streamable_http_client(f"{url}/mcp/{AGENT}")) as way:
        yield way


@contextmanager
def _mcp_stdio(data: Path, _: str) -> Generator[Way]:
    told = ["-m", "yggdrasil", "mcp", "--dir", str(data), "--memory", AGENT]
    started = StdioServerParameters(command=sys.executable, args=told, env=dict(os.environ))
    with Path(os.devnull).open("w") as errors, _mcp(stdio_client(started, errlog=errors)) as way:
        yield way


@contextmanager
def _langgraph(data: Path, _: str) -> Generator[Way]:
    with Memory.open(data, AGENT) as memory:
        store = YggdrasilStore(memory)
        yield Way(
            lambda text: store.put(("notes",), text[:60], {"text": text}),
            lambda query: store.search(("notes",), query=query, limit=_K),
        )


@contextmanager
def _tools(data: Path, _: str) -> Generator[Way]:
    with Memory.open(data, AGENT) as memory, asyncio.Runner() as runner:
        tools = Tools(memory)
        yield Way(lambda text: runner.run(tools.remember(text)), lambda query: runner.run(tools.recall(query)))


WAYS: Final = {
    "facade": Door(_facade),
    "service": Door(_service, served=True),
    "socket": Door(_socket, served=True),
    "mcp_http": Door(_mcp_http, served=True),
    "mcp_stdio": Door(_mcp_stdio),
    "langgraph": Door(_langgraph),
    "tools": Door(_tools),
}
"""What is measured, the facade first: the others are told in its time."""
