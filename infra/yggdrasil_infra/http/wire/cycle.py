"""A request and its answer, which leaves in pieces: each when the client has taken the one before."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Final, cast

from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.httptools_impl import RequestResponseCycle

LEFT_BYTES_MAX: Final = 65_536  # of a body that nobody reads any more; for a longer one the connection ends
PIECE_BYTES: Final = 32_768


class Flow(FlowControl):
    """Reading stops when its consumer lags, or when the connection rests; it goes on when neither is so."""

    def __init__(self, transport: asyncio.Transport) -> None:
        super().__init__(transport)
        self._lags = self._rests = False

    def pause_reading(self) -> None:
        """Read no more until the consumer has caught up."""
        self._lags = True
        super().pause_reading()

    def resume_reading(self) -> None:
        """Read on, unless the connection rests."""
        self._lags = False
        if not self._rests:
            super().resume_reading()

    def rest(self, rests: bool) -> None:
        """Begin to rest, or stop it."""
        self._rests = rests
        if rests:
            super().pause_reading()
        elif not self._lags:
            super().resume_reading()


class Outlet:
    """What an answer is written to: it ends the connection so that the client can still read the answer."""

    def __init__(self, transport: asyncio.Transport, end: Callable[[], None]) -> None:
        self._transport = transport
        self._end = end
        self.ended = False
        self.written = 0

    def write(self, data: bytes | memoryview) -> None:
        if not self.ended:
            self.written += len(data)
            self._transport.write(data)

    def is_closing(self) -> bool:
        return self.ended or self._transport.is_closing()

    def close(self) -> None:
        self._end()

    def let_go(self) -> None:
        """Take nothing more: the connection is no more."""
        self.ended = True
        self._end = lambda: None


class Cycle(RequestResponseCycle):
    """A request and its answer."""

    left: float = 0  # how much of the body has yet to come, as the head says

    async def send(self, message: Any) -> None:
        """Send a part of the answer; a long one in pieces, so that only one of them waits for the client."""
        if message["type"] == "http.response.start" and self.more_body:
            # What is left of a short body is passed over. For a long one, or one that waits for leave, it ends.
            self.keep_alive = self.keep_alive and not (self.waiting_for_100_continue or self.left > LEFT_BYTES_MAX)
        send = cast(Callable[[Any], Awaitable[None]], super().send)
        body = memoryview(message.get("body", b""))
        while len(body) > PIECE_BYTES:
            await send({"type": message["type"], "body": body[:PIECE_BYTES], "more_body": True})
            body = body[PIECE_BYTES:]
        await send({**message, "body": body} if "body" in message else message)
