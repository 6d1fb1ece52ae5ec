"""The SDK's own client, spoken to from plain functions."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Any

import orjson
from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client
from mcp_types import CallToolResult, TextContent

from yggdrasil.asynchronous import AsyncMemory
from yggdrasil.doors.mcp.answering import TOKENS, Door
from yggdrasil.doors.mcp.server import Tools, memory_server
from yggdrasil.memory import Memory


@dataclass(frozen=True, slots=True)
class Assistant:
    """A client that is connected."""

    client: Client
    portal: BlockingPortal

    def called(self, tool: str, arguments: dict[str, Any]) -> CallToolResult:
        answer: CallToolResult = self.portal.call(self.client.call_tool, tool, arguments)
        return answer

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """What a call returns as structure, after a look at its text."""
        answer = self.called(tool, arguments)
        assert not answer.is_error, said(answer)
        assert said(answer)
        assert answer.structured_content is not None
        found: dict[str, Any] = answer.structured_content
        return found

    def refused(self, tool: str, **arguments: Any) -> str:
        """What is said to a call that cannot be meant."""
        answer = self.called(tool, arguments)
        assert answer.is_error, said(answer)
        return said(answer)

    @property
    def tools(self) -> list[str]:
        return [tool.name for tool in self.portal.call(self.client.list_tools).tools]

    def read(self, uri: str) -> Any:
        contents = self.portal.call(self.client.read_resource, uri).contents[0]
        return orjson.loads(getattr(contents, "text"))  # noqa: B009 - of two sorts, one has it


def said(answer: CallToolResult) -> str:
    content = answer.content[0]
    assert isinstance(content, TextContent)
    return content.text


@contextmanager
def talking(server: Any, mode: str = "auto") -> Iterator[Assistant]:
    """Connect to a server, to parameters of one over stdio, to a transport, or to a URL."""
    with start_blocking_portal() as portal:
        client = Client(server, mode=mode)
        with portal.wrap_async_context_manager(client):
            yield Assistant(client, portal)


@contextmanager
def talking_to(memory: Memory[Any], tools: Tools = "loop", **more: Any) -> Iterator[Assistant]:
    """Talk to a server over a memory in this process."""
    it = AsyncMemory(memory)
    door = Door(lambda: it, more.pop("tokens", TOKENS))
    with talking(memory_server(door, tools, **more)) as assistant:
        yield assistant


@asynccontextmanager
async def over_http(url: str, key: str | None = None) -> AsyncIterator[Any]:
    """The transport to a URL, with a key."""
    sent = {} if key is None else {"Authorization": f"Bearer {key}"}
    async with create_mcp_http_client(sent) as client, streamable_http_client(url, http_client=client) as streams:
        yield streams
