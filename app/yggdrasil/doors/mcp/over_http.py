"""MCP over HTTP: at ``/mcp`` of the service, behind its keys; each request for itself, with JSON for an answer.

A memory is named by the path ``/mcp/TENANT/AGENT``, or by the header ``Yggdrasil-Memory``; a key that opens exactly one
needs neither. ``?tools=graph`` or ``all`` asks for other tools than those of the loop. Nothing is kept from one
request to the next.
"""

from __future__ import annotations

import asyncio
import logging
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Final, cast
from urllib.parse import parse_qs, urlsplit

import orjson
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from yggdrasil_infra.http.bodies import TEXTS_BYTES_MAX
from yggdrasil_infra.http.callers import Caller
from yggdrasil_infra.http.parameters import memory_of
from yggdrasil_infra.http.problems import NOT_FOUND, TOO_LARGE, WRONG_METHOD, ProblemError
from yggdrasil_producers.draft import Drafter
from yggdrasil_schemas.errors import InvalidCommandError
from yggdrasil_schemas.limits import MEMORY_FORM, RECORD_BYTES_MAX
from yggdrasil_schemas.problems import FORBIDDEN, INVALID

from ...asynchronous import AsyncMemory
from ...engines.remote import Remote
from ...memory import Memory

if TYPE_CHECKING:
    from mcp.server import MCPServer

    from .server import Tools

PATH: Final = "/mcp"
INSTALL: Final = "pip install 'yggdrasil-substrate[mcp]'"
MEMORY_HEADER: Final = "yggdrasil-memory"
_ARCHIVE: Final = "query_archive"
_URL: Final = "http://127.0.0.1"  # which is reached without a connection
_MEMORY: Final[ContextVar[AsyncMemory]] = ContextVar("mcp-memory")


class McpDoor:
    """The door for MCP over HTTP; see ``yggdrasil.serving.Door``. The SDK is imported when somebody first comes."""

    path = PATH

    def __init__(self) -> None:
        self._threads: ThreadPoolExecutor | None = None
        self._servers: dict[tuple[str, bool], MCPServer[Any]] = {}
        self._making = asyncio.Lock()

    def app(self, service: ASGIApp, places: int) -> ASGIApp:
        """Return what answers at ``path`` by asking ``service``, at most ``places`` calls at once."""
        self._threads = threads = ThreadPoolExecutor(places, "mcp")

        async def answer(scope: Scope, receive: Receive, send: Send) -> None:
            memory, tools, archive = _wanted(scope)
            received = await _bounded(receive)
            server = await self._server(tools, archive=archive)
            await _served(server, memory, (service, threads), (scope, received, send))

        return _Answering(answer)

    def close(self) -> None:
        """Begin nothing more. Closing twice is allowed."""
        if self._threads is not None:
            self._threads.shutdown(wait=False, cancel_futures=True)

    async def _server(self, tools: Tools, *, archive: bool) -> MCPServer[Any]:
        """Return the server with these tools, of which there are six at most."""
        key = (tools, archive)
        if key not in self._servers:
            async with self._making:
                if key not in self._servers:
                    self._servers[key] = await asyncio.to_thread(_made, tools, archive)
        return self._servers[key]


class _Answering:
    """An ASGI application out of a function: a class, so that it is not taken for an endpoint of the framework's."""

    def __init__(self, answer: ASGIApp) -> None:
        self._answer = answer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._answer(scope, receive, send)


async def _bounded(receive: Receive) -> Receive:
    """Return what receives the body again: one that calls a tool, however large, or one that no record is larger than.

    A tool says in its own words which text of it is too long. Raises ProblemError (413).
    """
    message = await receive()  # all of it: the service has read it
    body: bytes = message.get("body", b"")
    if len(body) > RECORD_BYTES_MAX and not await asyncio.to_thread(_calls_a_tool, body):
        detail = f"a body that calls no tool may have {RECORD_BYTES_MAX} bytes, and this one has more"
        raise ProblemError(TOO_LARGE, detail, headers={"Connection": "close"})
    given = False

    async def again() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return message

    return again


def _calls_a_tool(body: bytes) -> bool:
    try:
        said = orjson.loads(body)
    except orjson.JSONDecodeError:
        return False
    return isinstance(said, dict) and cast(dict[str, Any], said).get("method") == "tools/call"


def _made(tools: Tools, archive: bool) -> MCPServer[Any]:
    try:
        from .answering import Door
        from .server import memory_server
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in ("mcp", "mcp_types"):
            raise
        raise ProblemError(NOT_FOUND, "this service has no MCP", remedy=f"Install it there: {INSTALL}") from error
    for name in ("mcp", "mcp.server"):  # at INFO it writes a line for each request, with what was sent
        logging.getLogger(name).setLevel(logging.WARNING)
    return memory_server(Door(_MEMORY.get), tools, archive=archive)


async def _served(
    server: MCPServer[Any],
    memory: str,
    service: tuple[ASGIApp, ThreadPoolExecutor],
    request: tuple[Scope, Receive, Send],
) -> None:
    """Answer one request, with a session that lives as long as it."""
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

    from .in_process import InProcess

    app, threads = service
    scope, receive, send = request
    caller = cast(Caller, scope["state"]["caller"])
    transport = InProcess(app, scope, asyncio.get_running_loop())
    drafter = Drafter(memory, caller.name, "yggdrasil-mcp", role="agent")
    opened = Memory(Remote(_URL, None, transport), drafter, owns_engine=True)
    token = _MEMORY.set(AsyncMemory(opened, threads=threads))
    # The SDK's own look at Host and Origin is switched off: it knows only fixed names, and ours was before it.
    inner = server._lowlevel_server  # pyright: ignore[reportPrivateUsage] - a manager serves once, and this is for one
    # So many bytes were sent; what has come here of them the service has bounded before.
    manager = StreamableHTTPSessionManager(
        inner, json_response=True, stateless=True, max_request_body_size=TEXTS_BYTES_MAX
    )
    try:
        async with manager.run():
            await manager.handle_request(scope, receive, send)
    finally:
        _MEMORY.reset(token)
        opened.close()


def _wanted(scope: Scope) -> tuple[str, Tools, bool]:
    """Return which memory and tools are meant, and whether the archive is granted. Raises ProblemError."""
    headers = Headers(scope=scope)
    _check_origin(headers)
    if scope["method"] != "POST":
        raise ProblemError(
            WRONG_METHOD,
            "there are no streams and no sessions here",
            remedy="Send each message by POST; the answer is JSON.",
            headers={"Allow": "POST"},
        )
    caller = cast(Caller, scope["state"]["caller"])
    tools = parse_qs(scope["query_string"].decode("latin-1")).get("tools", ["loop"])[-1]
    if tools not in ("loop", "graph", "all"):
        raise ProblemError(INVALID, f"tools are loop, graph or all, and not {tools[:40]!r}")
    return _memory_named(scope, headers, caller), tools, caller.keyless or _ARCHIVE in caller.grants


def _memory_named(scope: Scope, headers: Headers, caller: Caller) -> str:
    parameters: dict[str, str] = scope.get("path_params", {})
    named = "/".join(parameters[each] for each in ("tenant", "agent") if each in parameters)
    named = named or headers.get(MEMORY_HEADER, "") or caller.only or ""
    tenant, _, agent = named.partition("/")
    if not named:
        raise ProblemError(
            INVALID,
            "which memory is meant is not said, and this key opens several",
            remedy=f"Use {PATH}/TENANT/AGENT, or the header Yggdrasil-Memory: TENANT/AGENT.",
        )
    try:
        Drafter(named, "mcp", "yggdrasil-mcp").check()
    except InvalidCommandError as error:
        raise ProblemError(INVALID, f"{named[:140]!r} is no memory: that is {MEMORY_FORM}") from error
    return memory_of(caller, tenant, agent)


def _check_origin(headers: Headers) -> None:
    """Raise ProblemError (403) for a page of another site, whatever key it has got hold of."""
    origin = headers.get("origin")
    if origin is not None and urlsplit(origin).netloc.lower() != headers.get("host", "").lower():
        raise ProblemError(FORBIDDEN, "no page of another site is answered", remedy="Ask from a program, or this site.")
