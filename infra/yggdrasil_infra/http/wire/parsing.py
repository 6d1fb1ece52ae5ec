"""What a connection reads: HTTP/1.1, parsed in C, with a bound on all that its client can make that cost.

Whoever is at the other end has shown no key yet. So a head is bounded in bytes and in headers however it arrives, the
framing of a body by the body; what is read at once is little, and a connection that costs more than its share of the
event loop rests until the next sweep.
"""

import asyncio
import urllib.parse
from abc import ABC, abstractmethod
from math import inf
from time import monotonic, perf_counter
from typing import Any, Final, cast

import httptools
from uvicorn.config import Config
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.server import ServerState

from yggdrasil_schemas.errors import YggdrasilError
from yggdrasil_schemas.problems import Kind

from ..problems import BAD_REQUEST, HEAD_TOO_LARGE, ProblemError
from .cycle import Cycle, Flow, Outlet

HEAD_BYTES_MAX: Final = 16_384  # the request line and all headers
HEADERS_MAX: Final = 100
FRAMING_BYTES_MAX: Final = 16_384  # around the chunks of a body, beyond an eighth of the body itself
PIPELINED_MAX: Final = 32
READ_BYTES: Final = 16_384
_LINGER_BYTES_MAX: Final = 8 << 20
_BUSY_S_MAX: Final = 0.02  # of the event loop between two sweeps, for parsing what one connection sends
_DETAIL_CHARS_MAX: Final = 200
_VERSIONS: Final = ("1.0", "1.1")
_ONCE: Final = (b"authorization", b"origin", b"content-type")  # which of two counts, another server may see otherwise
_OURS: Final = b"yggdrasil-"


class RefusedError(YggdrasilError):
    """Raised inside the parser's callbacks."""

    def __init__(self, kind: Kind, detail: str) -> None:
        super().__init__(detail)
        self.kind = kind


class Parsing(  # pyright: ignore[reportIncompatibleMethodOverride] - both are protocols of asyncio
    HttpToolsProtocol, asyncio.BufferedProtocol, ABC
):
    """The side of a connection that reads; what is done with a request, and when it ends, is up to ``Connection``."""

    def __init__(self, config: Config, state: ServerState, buffer: memoryview) -> None:
        super().__init__(config, state, {})
        self._buffer = buffer  # shared by all, since what is read is parsed before anything else is read
        self._outlet: Outlet = None  # type: ignore[assignment]  # until it is made
        self._running: Cycle | None = None  # the request that is being answered
        self._deaf = False  # nothing that comes is parsed any more
        self._passed_over = 0
        self._in_body = False
        self._substituted = False  # the head that is parsed was made here
        self._steps = 0  # heads and messages that were completed
        self._head = self._fields = self._body = self._framing = 0  # bytes of the message that is parsed
        self._spent = 0.0  # s of the event loop since the last sweep
        self._head_since: float | None = None
        self._idle_since = 0.0

    @abstractmethod
    def _start(self, cycle: Cycle) -> None:
        """Begin to answer a request."""

    @abstractmethod
    def _refuse(self, error: Exception) -> None:
        """Answer what is no HTTP."""

    def get_buffer(self, sizehint: int) -> memoryview:
        """Return where to read to; small, so that each connection has its turn."""
        return self._buffer

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
            self._feed(bytes(self._buffer[:nbytes]))
        except (RefusedError, httptools.HttpParserError) as error:
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
                    raise RefusedError(BAD_REQUEST, "the body comes in chunks that are too small; send larger ones")
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
            raise RefusedError(HEAD_TOO_LARGE, f"a request has at most {HEADERS_MAX} headers")
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
        cast(dict[str, Any], self.scope).update(
            {
                "method": self.parser.get_method().decode("ascii"),
                "http_version": self.parser.get_http_version(),
                "path": urllib.parse.unquote(path.decode("ascii")),
                "raw_path": path,
                "query_string": parsed.query or b"",
            }
        )
        if len(self.pipeline) >= PIPELINED_MAX:
            raise RefusedError(BAD_REQUEST, f"more than {PIPELINED_MAX} requests were sent ahead")
        self._in_body = True
        self._steps += 1
        self.cycle = cycle = self._made()
        if self._running is None:
            self._start(cycle)
        else:
            self.flow.pause_reading()
            self.pipeline.appendleft((cycle, cast(Any, self.app)))  # pyright: ignore[reportUnknownMemberType]

    def _check(self) -> None:
        """Refuse a head that others on the way might read in another way."""
        version, names = self.parser.get_http_version(), [name for name, _ in self.headers]
        codings = [value.strip().lower() for name, value in self.headers if name == b"transfer-encoding"]
        if version not in _VERSIONS:
            raise RefusedError(BAD_REQUEST, f"HTTP/{version} is not spoken here; speak HTTP/1.1")
        if codings and (b"content-length" in names or version == "1.0"):
            raise RefusedError(BAD_REQUEST, "Transfer-Encoding with Content-Length, or in HTTP/1.0; send only one")
        if codings not in ([], [b"chunked"]):
            raise RefusedError(BAD_REQUEST, "the only Transfer-Encoding that is read here is chunked")
        if names.count(b"host") > 1 or (version == "1.1" and b"host" not in names):
            raise RefusedError(BAD_REQUEST, "a request has one header Host")
        for name in {name for name in names if name in _ONCE or name.startswith(_OURS)}:  # any order: all are refused
            if names.count(name) > 1:
                raise RefusedError(BAD_REQUEST, f"a request has one header {name.decode('ascii', 'replace')}")

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


def _head_too_large() -> RefusedError:
    return RefusedError(HEAD_TOO_LARGE, f"a request's head has at most {HEAD_BYTES_MAX} bytes")


def explained(error: Exception) -> ProblemError:
    """Say which problem it is. What a callback raises is the context of the parser's own error."""
    cause = error.__context__ if isinstance(error, httptools.HttpParserCallbackError) else error
    kind = cause.kind if isinstance(cause, RefusedError) else BAD_REQUEST
    return ProblemError(kind, str(cause or error)[:_DETAIL_CHARS_MAX] or "it cannot be read")
