"""Requests that never leave the process: they go to the service's own application, as if they had come in.

So what is asked through a door goes the one way that there is: past the keys, the rates, the quotas, the audit and the
bounds of the service, with the key of whoever came in at the door.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import TimeoutError as TooLateError
from typing import Any, Final

import httpx2
from starlette.types import ASGIApp, Message, Scope

from yggdrasil_infra.http.problems import request_id_of

_ANSWER_S: Final = 90.0  # longer than any request of the service may take
_BUSY: Final = (429, 503)


class InProcess(httpx2.BaseTransport):
    """Carries the requests of one that came in at ``scope`` to ``app``, on the event loop that it came in on.

    For any thread but that of the loop.
    """

    def __init__(self, app: ASGIApp, scope: Scope, loop: asyncio.AbstractEventLoop) -> None:
        self._app = app
        self._loop = loop
        self._client = scope.get("client")
        self._headers = [
            (name, value) for name, value in scope["headers"] if name in (b"authorization", b"traceparent")
        ]
        self._headers.append((b"x-request-id", request_id_of(scope).encode()))

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Return the answer. Raises ReadTimeout when there is none in time."""
        answering = asyncio.run_coroutine_threadsafe(self._answer(request, request.read()), self._loop)
        try:
            status, headers, body = answering.result(_ANSWER_S)
        except TooLateError:
            answering.cancel()
            raise httpx2.ReadTimeout("the service took too long", request=request) from None
        if status in _BUSY:
            # Whoever asked through the door is told at once, and does not keep a place there by waiting.
            headers = [(name, value) for name, value in headers if name.lower() != b"retry-after"]
            headers.append((b"retry-after", b"3600"))
        return httpx2.Response(status, headers=headers, content=body, request=request)

    async def _answer(self, request: httpx2.Request, body: bytes) -> tuple[int, list[tuple[bytes, bytes]], bytes]:
        ours = {name for name, _ in self._headers}
        sent = [(name.lower(), value) for name, value in request.headers.raw if name.lower() not in ours]
        scope: Scope = {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.4"},
            "http_version": "1.1",
            "method": request.method,
            "scheme": "http",
            "path": request.url.path,
            "raw_path": request.url.raw_path.partition(b"?")[0],
            "query_string": request.url.query,
            "root_path": "",
            "headers": [*sent, *self._headers],
            "client": self._client,
            "server": ("127.0.0.1", 0),
            "state": {},
        }
        start: dict[str, Any] = {"status": 500, "headers": []}
        parts = bytearray()
        given = False

        async def receive() -> Message:
            nonlocal given
            if given:
                await asyncio.Event().wait()  # nobody goes away in the middle
            given = True
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: Message) -> None:
            if message["type"] == "http.response.start":
                start.update(message)
            elif message["type"] == "http.response.body":
                parts.extend(message.get("body", b""))

        await self._app(scope, receive, send)
        return start["status"], list(start["headers"]), bytes(parts)
