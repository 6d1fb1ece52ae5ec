"""One connection: when a request is begun, when it has taken too long, and how it ends.

What a client may make it cost is bounded: bytes where they are parsed (``parsing``), the time by clocks that only whole
messages stop. An answer leaves in pieces, each when the client has taken the one before.
"""

import asyncio
import socket
import struct
from secrets import token_hex
from time import monotonic
from typing import Any, Final, Protocol, cast

from starlette.types import ASGIApp
from uvicorn.config import Config
from uvicorn.protocols.http.httptools_impl import STATUS_LINE
from uvicorn.server import ServerState

from ..problems import MEDIA_TYPE, ProblemError, problem_body
from .cycle import PIECE_BYTES, Cycle, Flow, Outlet
from .parsing import Parsing, explained

HEAD_S_MAX: Final = 10.0
ANSWER_S_MAX: Final = 20.0  # without the client taking any of it
ANSWER_BYTES_PER_S: Final = 32_768  # whoever takes less than that on average gets no more time than the above
IDLE_S_MAX: Final = 30.0
_LINGER_S: Final = 1.0
_NO_LINGER: Final = struct.pack("ii", 1, 0)


class Places(Protocol):
    """Who keeps the count of connections."""

    buffer: memoryview
    """Where bytes are read to; all share it, since what is read is parsed before anything else is read."""

    def waits(self, connection: "Connection") -> None:
        """Take note that a request is waited for from now on."""

    def works(self, connection: "Connection") -> None:
        """Take note that a request is being answered."""

    def lost(self, connection: "Connection") -> None:
        """Take note that there is one less."""

    def cut(self, why: str) -> None:
        """Take note that a connection was cut off."""


class Connection(Parsing):
    """One connection."""

    def __init__(self, config: Config, state: ServerState, places: Places, app: ASGIApp | None = None) -> None:
        """Let ``app`` answer, or that of ``config``."""
        super().__init__(config, state, places.buffer)
        self.app: Any = app or self.app
        self._places = places
        self._known = False
        self._lingers_since = 0.0
        self._answer_since: float | None = None  # some of an answer has not been taken since then
        self._taken_before = 0

    @property
    def known(self) -> bool:
        """Whether a request came with a key that is known here."""
        if not self._known and self._running is not None:
            self._known = "caller" in cast(dict[str, Any], self._running.scope)["state"]
        return self._known

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take the connection."""
        super().connection_made(transport)
        # Head and body of an answer are written apart. With Nagle's algorithm the body waits for the client to
        # acknowledge the head, some 40 ms; asyncio turns it off only for sockets that it has made itself.
        made = transport.get_extra_info("socket")
        if made.family != socket.AF_UNIX:
            made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        transport.set_write_buffer_limits(high=PIECE_BYTES)
        self.flow = Flow(transport)
        self._outlet = Outlet(transport, self.end)
        self._head_since = monotonic()
        self._places.waits(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """Tell whoever is still answering, and keep nothing that refers to us.

        What refers to itself is freed by the collector alone, which comes seldom; of connections there may be a
        thousand a second.
        """
        super().connection_lost(exc)
        self._outlet.let_go()
        self.pipeline.clear()
        if self._running is not None:
            self._known = self.known
            self._running.disconnected = True
            self._running.message_event.set()
            self._running = None
        self.cycle = cast(Any, None)
        self._places.lost(self)
        vars(self.transport).pop("_read_ready_cb", None)  # asyncio's own reference of it to itself
        self.transport = cast(Any, None)

    def _start(self, cycle: Cycle) -> None:
        self._running = cycle
        self._places.works(self)
        self._start_asgi_task(cycle, self.app)  # pyright: ignore[reportUnknownMemberType]

    def on_response_complete(self) -> None:
        """Begin with what was asked meanwhile, or wait for more."""
        self.server_state.total_requests += 1
        self._known = self.known
        self._running = None
        if self.transport.get_write_buffer_size() == 0:
            self._answer_since = None
        self._idle_since = monotonic()
        self._places.waits(self)
        if self._outlet.is_closing():
            return
        self.flow.resume_reading()
        if self.pipeline:
            cycle, _ = self.pipeline.pop()
            self._start(cast(Cycle, cycle))
        elif self._in_body or self._head:
            self._head_since = self._idle_since

    def end(self) -> None:
        """Close: at once, or when a client that is still sending has had the time to read its answer.

        With bytes unread the kernel would reset the connection, and take the answer away from the client.
        """
        if self._outlet.ended:
            return
        self._outlet.ended = True
        if not (self._in_body or self._deaf):
            self.transport.close()
            return
        self._deaf = True
        self._lingers_since = monotonic()
        self.transport.write_eof()
        self.flow.resume_reading()

    def shutdown(self) -> None:
        """Take no more requests."""
        if self._running is None:
            self.transport.close()
        else:
            self._running.keep_alive = False

    def _refuse(self, error: Exception) -> None:
        """Answer what is no HTTP, unless an answer is under way: that one is finished, if it can be."""
        self._deaf = True
        self.pipeline.clear()
        running = self._running
        if running is not None and not running.more_body:
            running.keep_alive = False
            return
        if running is not None:
            running.disconnected = True
            running.message_event.set()
            if running.response_started:
                self.transport.abort()
                return
        elif self._in_body:  # what was left of a body whose request has been answered
            self.transport.abort()
            return
        self._answer(explained(error))
        self.end()

    def _answer(self, problem: ProblemError) -> None:
        request_id = token_hex(8)
        body = problem_body(problem, request_id)
        self._outlet.write(
            STATUS_LINE[problem.kind.status]
            + f"content-type: {MEDIA_TYPE}\r\ncontent-length: {len(body)}\r\nx-request-id: {request_id}\r\n".encode()
            + b"connection: close\r\n\r\n"
            + body
        )

    def sweep(self, now: float) -> None:
        """Cut the connection off if the client is too slow, and let it go on if it had to rest."""
        self._spent = 0.0
        cast(Flow, self.flow).rest(False)
        if why := self._too_slow(now):
            self._places.cut(why)
            if self.transport.get_write_buffer_size():  # let the kernel give up at once what it holds for the client
                self.transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _NO_LINGER)
            self.transport.abort()
        elif self._running is None and self._head_since is None and now - self._idle_since > IDLE_S_MAX:
            self.transport.close()

    def _too_slow(self, now: float) -> str | None:
        held = self.transport.get_write_buffer_size()
        if held == 0 and self._lingers_since and now - self._lingers_since > _LINGER_S:
            return "went on sending after their answer"
        if self._head_since is not None and now - self._head_since > HEAD_S_MAX:
            return "sent too slowly"
        if held == 0:
            return None
        taken = self._outlet.written - held
        if self._answer_since is None:
            self._answer_since, self._taken_before = now, taken
        allowed = ANSWER_S_MAX + (taken - self._taken_before) / ANSWER_BYTES_PER_S
        return "did not take their answers" if now - self._answer_since > allowed else None
