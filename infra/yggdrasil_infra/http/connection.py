"""One connection: HTTP/1.1 read by a parser in C, with a bound on all that its client can make it cost.

Whoever is at the other end has shown no key yet. So its head is bounded in bytes and in headers however it arrives, the
framing of a body by the body, the time by clocks that only whole messages stop; what is read at once is little, and a
connection that costs more than its share of the event loop rests until the next sweep. An answer leaves in pieces, each
when the client has taken the one before.
"""

import asyncio
import socket
import struct
import urllib.parse
from math import inf
from secrets import token_hex
from time import monotonic, perf_counter
from typing import Final, Protocol, cast

import httptools
from uvicorn.config import Config
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol
from uvicorn.server import ServerState

from .cycle import PIECE_BYTES, Cycle, Flow, Outlet
from .problems import BAD_REQUEST, HEAD_TOO_LARGE, MEDIA_TYPE, Kind, ProblemError, problem_body

HEAD_BYTES_MAX: Final = 16_384  # the request line and all headers
HEADERS_MAX: Final = 100
HEAD_S_MAX: Final = 10.0
FRAMING_BYTES_MAX: Final = 16_384  # around the chunks of a body, beyond an eighth of the body itself
PIPELINED_MAX: Final = 32
ANSWER_S_MAX: Final = 20.0  # without the client taking any of it
ANSWER_BYTES_PER_S: Final = 32_768  # whoever takes less than that on average gets no more time than the above
IDLE_S_MAX: Final = 30.0
_LINGER_S: Final = 1.0
_NO_LINGER: Final = struct.pack("ii", 1, 0)
_LINGER_BYTES_MAX: Final = 8 << 20
READ_BYTES: Final = 16_384
_BUSY_S_MAX: Final = 0.02  # of the event loop between two sweeps, for parsing what one connection sends
_DETAIL_CHARS_MAX: Final = 200
_VERSIONS: Final = ("1.0", "1.1")


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


class _RefusedError(Exception):
    """Raised inside the parser's callbacks."""

    def __init__(self, kind: Kind, detail: str) -> None:
        super().__init__(detail)
        self.kind = kind


class Connection(HttpToolsProtocol, asyncio.BufferedProtocol):
    """One connection."""

    def __init__(self, config: Config, state: ServerState, places: Places) -> None:
        super().__init__(config, state, {})
        self._places = places
        self._outlet: Outlet = None  # type: ignore[assignment]  # until it is made
        self._running: Cycle | None = None  # the request that is being answered
        self._known = False
        self._deaf = False  # nothing that comes is parsed any more
        self._lingers_since = 0.0
        self._passed_over = 0
        self._in_body = False
        self._substituted = False  # the head that is parsed was made here
        self._steps = 0  # heads and messages that were completed
        self._head = self._fields = self._body = self._framing = 0  # bytes of the message that is parsed
        self._spent = 0.0  # s of the event loop since the last sweep
        self._head_since: float | None = None
        self._idle_since = 0.0
        self._answer_since: float | None = None  # some of an answer has not been taken since then
        self._taken_before = 0

    @property
    def known(self) -> bool:
        """Whether a request came with a key that is known here."""
        if not self._known and self._running is not None:
            self._known = "caller" in self._running.scope["state"]
        return self._known

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take the connection."""
        super().connection_made(transport)
        # Head and body of an answer are written apart. With Nagle's algorithm the body waits for the client to
        # acknowledge the head, some 40 ms; asyncio turns it off only for sockets that it has made itself.
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        transport.set_write_buffer_limits(high=PIECE_BYTES)
        self.flow = Flow(transport)
        self._outlet = Outlet(transport, self.end)
        self._head_since = monotonic()
        self._places.waits(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """Tell whoever is still answering."""
        super().connection_lost(exc)
        self._outlet.ended = True
        self.pipeline.clear()
        if self._running is not None:
            self._running.disconnected = True
            self._running.message_event.set()
        self._places.lost(self)

    def get_buffer(self, sizehint: int) -> memoryview:
        """Return where to read to; small, so that each connection has its turn."""
        return self._places.buffer

    def buffer_updated(self, nbytes: int) -> None:
        """Parse what was read."""
        if self._deaf:
            self._passed_over += nbytes
            if self._passed_over > _LINGER_BYTES_MAX:
                self.transport.abort()
            return
        if self._running is None and self._head_since is None:
            self._head_since = monotonic()
        begun = perf_counter()
        try:
            self._feed(bytes(self._places.buffer[:nbytes]))
        except (_RefusedError, httptools.HttpParserError) as error:
            self._refuse(error)
        if self._running is not None or not (self._in_body or self._head):
            self._head_since = None
        self._spent += perf_counter() - begun
        if self._spent > _BUSY_S_MAX:
            cast(Flow, self.flow).rest(True)

    def _feed(self, data: bytes) -> None:
        while data and not self._deaf:
            # A head that is not complete within its bytes is refused there, in however many reads they came.
            part = data if self._in_body else data[: HEAD_BYTES_MAX - self._head]
            data = data[len(part) :]
            steps, body = self._steps, self._body
            try:
                self.parser.feed_data(part)
            except httptools.HttpParserUpgrade as upgrade:
                self._go_on_as_it_is()
                data = part[upgrade.args[0] :] + data
            if steps != self._steps:
                self._head = self._framing = 0
            elif self._in_body:
                self._framing += len(part) - (self._body - body)
                if self._framing > FRAMING_BYTES_MAX + self._body // 8:
                    raise _RefusedError(BAD_REQUEST, "the body comes in chunks that are too small; send larger ones")
            else:
                self._head += len(part)
                if self._head >= HEAD_BYTES_MAX:
                    raise _head_too_large()

    def _go_on_as_it_is(self) -> None:
        """Pass over the wish for another protocol. The parser stops there, so another one takes the body."""
        self.parser = httptools.HttpRequestParser(self)
        self.parser.set_dangerous_leniencies(lenient_data_after_close=True)
        wanted = (b"content-length", b"transfer-encoding")
        fields = b"".join(b"%b: %b\r\n" % field for field in self.headers if field[0] in wanted)
        self._substituted = True
        self.parser.feed_data(b"POST / HTTP/1.1\r\n" + fields + b"\r\n")
        self._substituted = False

    def on_message_begin(self) -> None:
        """Begin a head."""
        if not self._substituted:
            self._fields = self._body = 0
            super().on_message_begin()

    def on_url(self, url: bytes) -> None:
        """Take a part of the request's target."""
        if not self._substituted:
            self._count(len(url))
            super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a header. One behind the body means nothing here."""
        if self._substituted or self._in_body:
            return
        self._count(len(name) + len(value) + 4)
        if len(self.headers) >= HEADERS_MAX:
            raise _RefusedError(HEAD_TOO_LARGE, f"a request has at most {HEADERS_MAX} headers")
        super().on_header(name, value)

    def _count(self, size: int) -> None:
        self._fields += size
        if self._fields > HEAD_BYTES_MAX:
            raise _head_too_large()

    def on_headers_complete(self) -> None:
        """Begin to answer, or wait until what was asked before is answered."""
        if self._substituted:
            return
        self._check()
        parsed = httptools.parse_url(self.url)
        path: bytes = parsed.path or b"/"
        self.scope |= {
            "method": self.parser.get_method().decode("ascii"),
            "http_version": self.parser.get_http_version(),
            "path": urllib.parse.unquote(path.decode("ascii")),
            "raw_path": path,
            "query_string": parsed.query or b"",
        }
        if len(self.pipeline) >= PIPELINED_MAX:
            raise _RefusedError(BAD_REQUEST, f"more than {PIPELINED_MAX} requests were sent ahead")
        self._in_body = True
        self._steps += 1
        self.cycle = cycle = self._made()
        if self._running is None:
            self._start(cycle)
        else:
            self.flow.pause_reading()
            self.pipeline.appendleft((cycle, self.app))

    def _check(self) -> None:
        """Refuse a head that others on the way might read in another way."""
        version, names = self.parser.get_http_version(), [name for name, _ in self.headers]
        codings = [value.strip().lower() for name, value in self.headers if name == b"transfer-encoding"]
        if version not in _VERSIONS:
            raise _RefusedError(BAD_REQUEST, f"HTTP/{version} is not spoken here; speak HTTP/1.1")
        if codings and (b"content-length" in names or version == "1.0"):
            raise _RefusedError(BAD_REQUEST, "Transfer-Encoding with Content-Length, or in HTTP/1.0; send only one")
        if codings not in ([], [b"chunked"]):
            raise _RefusedError(BAD_REQUEST, "the only Transfer-Encoding that is read here is chunked")
        if names.count(b"host") > 1 or (version == "1.1" and b"host" not in names):
            raise _RefusedError(BAD_REQUEST, "a request has one header Host")

    def _made(self) -> Cycle:
        cycle = Cycle(
            scope=self.scope,
            transport=cast(asyncio.Transport, self._outlet),
            flow=self.flow,
            logger=self.logger,
            access_logger=self.access_logger,
            access_log=False,
            default_headers=self.server_state.default_headers,
            message_event=asyncio.Event(),
            expect_100_continue=self.expect_100_continue,
            keep_alive=self.scope["http_version"] == "1.1" and self.parser.should_keep_alive(),
            on_response=self.on_response_complete,
        )
        if self.parser.should_upgrade():  # the parser takes the connection for ended then, and we do not
            cycle.keep_alive = True
        for name, value in self.headers:
            if name == b"content-length":
                cycle.left = int(value)
            elif name == b"transfer-encoding":
                cycle.left = inf
        return cycle

    def _start(self, cycle: Cycle) -> None:
        self._running = cycle
        self._places.works(self)
        self._start_asgi_task(cycle, self.app)

    def on_body(self, body: bytes) -> None:
        """Take a part of a body, which nobody may want any more."""
        self._body += len(body)
        cast(Cycle, self.cycle).left -= len(body)
        if not self.cycle.response_complete:
            HttpToolsProtocol.on_body(self, body)

    def on_message_complete(self) -> None:
        """End a request."""
        if self.parser.should_upgrade():
            return  # only to this parser: the next one takes the body
        self._in_body = False
        self._steps += 1
        self._idle_since = monotonic()
        super().on_message_complete()

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
        self._answer(_explained(error))
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


def _head_too_large() -> _RefusedError:
    return _RefusedError(HEAD_TOO_LARGE, f"a request's head has at most {HEAD_BYTES_MAX} bytes")


def _explained(error: Exception) -> ProblemError:
    """Say which problem it is. What a callback raises is the context of the parser's own error."""
    cause = error.__context__ if isinstance(error, httptools.HttpParserCallbackError) else error
    kind = cause.kind if isinstance(cause, _RefusedError) else BAD_REQUEST
    return ProblemError(kind, str(cause or error)[:_DETAIL_CHARS_MAX] or "it cannot be read")
