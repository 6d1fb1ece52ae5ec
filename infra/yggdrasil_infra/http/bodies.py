"""The body of a request, bounded before anything reads it: its bytes, the time it takes, and all bodies together."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from typing import Final

from starlette.types import Message, Receive, Scope

from .problems import BUSY, TOO_LARGE, TOO_SLOW, ProblemError

BODY_S_MAX: Final = 10.0
ALL_BYTES_MAX: Final = 64 << 20  # of all bodies that are held at once
# A client that is still sending when it is refused reads the answer only after it has sent all: let it, for a while.
_DISCARD_S: Final = 1.0
_DISCARD_BYTES_MAX: Final = 8 << 20
CLOSE: Final = {"Connection": "close"}


class GoneError(Exception):
    """The client went away in the middle of its request; there is nobody to answer."""


class Bodies:
    """Reads bodies of bounded size. Of one event loop."""

    def __init__(self) -> None:
        self._held = 0

    @asynccontextmanager
    async def read(self, scope: Scope, receive: Receive, bytes_max: int) -> AsyncGenerator[Receive, None]:
        """Read the whole body, and yield what the application receives it from.

        Raises ProblemError (408, 413, 503), and GoneError.
        """
        body = bytearray()
        try:
            try:
                async with asyncio.timeout(BODY_S_MAX):
                    await self._collect(body, scope, receive, bytes_max)
            except TimeoutError:
                raise ProblemError(
                    TOO_SLOW, f"the body did not arrive within {BODY_S_MAX:g} s", headers=CLOSE
                ) from None
            yield _replay(bytes(body), receive)
        finally:
            self._held -= len(body)

    async def _collect(self, body: bytearray, scope: Scope, receive: Receive, bytes_max: int) -> None:
        said = _content_length(scope)
        if said is not None and said > bytes_max:
            await _discard(scope, receive)
            raise _too_large(f"{said} bytes", bytes_max)
        more = True
        while more:
            message = await _next(receive)
            part: bytes = message.get("body", b"")
            more = message.get("more_body", False)
            if len(body) + len(part) > bytes_max:
                if more:
                    await _discard(scope, receive)
                raise _too_large("more", bytes_max)
            if self._held + len(part) > ALL_BYTES_MAX:
                raise ProblemError(BUSY, "too many large bodies are under way", retry_after_s=1, headers=CLOSE)
            body += part
            self._held += len(part)


def _too_large(found: str, bytes_max: int) -> ProblemError:
    return ProblemError(TOO_LARGE, f"a body may have {bytes_max} bytes here, and this one has {found}", headers=CLOSE)


def _content_length(scope: Scope) -> int | None:
    """Return what the head says; the server has checked that it is one number."""
    return next((int(value) for name, value in scope["headers"] if name == b"content-length"), None)


async def _next(receive: Receive) -> Message:
    message = await receive()
    if message["type"] == "http.disconnect":
        raise GoneError
    return message


async def _discard(scope: Scope, receive: Receive) -> None:
    """Read on for a while without keeping anything."""
    if any(name == b"expect" for name, _ in scope["headers"]):
        return  # it waits for leave to send, and does not get it
    left = _DISCARD_BYTES_MAX
    with suppress(TimeoutError):
        async with asyncio.timeout(_DISCARD_S):
            while left > 0:
                message = await _next(receive)
                left -= len(message.get("body", b""))
                if not message.get("more_body", False):
                    return


def _replay(body: bytes, receive: Receive) -> Receive:
    given = False

    async def replay() -> Message:
        nonlocal given
        if not given:
            given = True
            return {"type": "http.request", "body": body, "more_body": False}
        return await receive()

    return replay
