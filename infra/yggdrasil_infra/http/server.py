"""The server: an ASGI application on one address, with bounds on every connection, until it has been drained.

Uvicorn serves. Three things are ours: a client that sends its head, or takes its answer, too slowly is cut off; what is
no HTTP is answered with a problem like everything else; and a server that is told to stop first says so (``/readyz``)
while it goes on to serve, then takes no more, finishes what is under way, and ends.
"""

import asyncio
import logging
import socket
import sys
import threading
from dataclasses import dataclass
from secrets import token_hex
from time import monotonic
from types import FrameType
from typing import Any, Final, Self, cast

import h11
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from .errors import ServerError
from .problems import BAD_REQUEST, HEAD_TOO_LARGE, MEDIA_TYPE, ProblemError, problem_body

HEAD_BYTES_MAX: Final = 16_384  # the request line and all headers
HEAD_S_MAX: Final = 10.0
ANSWER_S_MAX: Final = 20.0  # without the client taking any of it
IDLE_S_MAX: Final = 30
CONNECTIONS_MAX: Final = 1_000
_SWEEP_S: Final = 0.25
_DETAIL_CHARS_MAX: Final = 200
_STARTING_S: Final = 30.0
_LOGGER: Final = logging.getLogger("yggdrasil.http")


@dataclass(frozen=True, slots=True)
class Ending:
    """How a server ends: for ``drain_s`` it goes on and says that it ends, then it has ``grace_s`` to finish."""

    drain_s: float = 0.0
    grace_s: float = 20.0


class Connection(H11Protocol):
    """One connection."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._head_since: float | None = None
        self._held = 0  # bytes of an answer that the client has not taken
        self._held_since = 0.0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take the connection, and let the one go that has been silent for longest if there are too many."""
        super().connection_made(transport)
        # Head and body of an answer are written apart. With Nagle's algorithm the body waits for the client to
        # acknowledge the head, some 40 ms; asyncio turns it off only for sockets that it has made itself.
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._head_since = monotonic()
        if len(self.connections) > CONNECTIONS_MAX:
            idle = [one for one in map(_ours, self.connections) if not one.busy]
            min(idle, key=Connection.waiting_since, default=self).transport.abort()

    def data_received(self, data: bytes) -> None:
        """Take note of when a head begins."""
        if not self.busy and self._head_since is None:
            self._head_since = monotonic()
        super().data_received(data)
        if self.busy:
            self._head_since = None

    @property
    def busy(self) -> bool:
        """Whether a request is being answered."""
        cycle = cast(RequestResponseCycle | None, self.cycle)  # as uvicorn has it before the first request
        return cycle is not None and not cycle.response_complete

    def waiting_since(self) -> float:
        """Return since when a head has been waited for; 0 when it has not begun."""
        return self._head_since or 0.0

    def sweep(self, now: float) -> None:
        """Cut the connection off if the client is too slow."""
        if self._head_since is not None and now - self._head_since > HEAD_S_MAX:
            self.transport.abort()
        held = self.transport.get_write_buffer_size()
        if held == 0 or held != self._held:
            self._held, self._held_since = held, now
        elif now - self._held_since > ANSWER_S_MAX:
            self.transport.abort()

    def send_400_response(self, msg: str) -> None:
        """Answer what is no HTTP. Called while the parser's error is handled."""
        error = sys.exc_info()[1]
        large = getattr(error, "error_status_hint", 400) == HEAD_TOO_LARGE.status
        problem = ProblemError(HEAD_TOO_LARGE if large else BAD_REQUEST, str(error or msg)[:_DETAIL_CHARS_MAX])
        request_id = token_hex(8)
        body = problem_body(problem, request_id)
        headers = [
            ("content-type", MEDIA_TYPE),
            ("content-length", str(len(body))),
            ("x-request-id", request_id),
            ("connection", "close"),
        ]
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            events = (h11.Response(status_code=problem.kind.status, headers=headers), h11.Data(data=body))
            for event in (*events, h11.EndOfMessage()):
                self.transport.write(self.conn.send(event) or b"")
        self.transport.close()


class _Uvicorn(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, ending: Ending, draining: threading.Event) -> None:
        super().__init__(config)
        self._ending = ending
        self._draining = draining
        self._loop: asyncio.AbstractEventLoop | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        self._loop = asyncio.get_running_loop()
        await super().startup(sockets)
        self._sweep()

    def _sweep(self) -> None:
        for connection in map(_ours, list(self.server_state.connections)):
            connection.sweep(monotonic())
        if self._loop is not None:
            self._loop.call_later(_SWEEP_S, self._sweep)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Drain at the first signal, and stop at once at the second. The process then ends as if it had not had it."""
        if self._draining.is_set():
            self.should_exit = True
        else:
            self.drain()

    def drain(self) -> None:
        """Say that the end is near, and end in a while; from any thread."""
        self._draining.set()
        _LOGGER.info("draining", extra={"drain_s": self._ending.drain_s, "grace_s": self._ending.grace_s})
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._loop.call_later, self._ending.drain_s, self._end)

    def _end(self) -> None:
        self.should_exit = True


class HttpServer:
    """Serves ``app``; ``draining`` is set when it begins to end. Run it, or enter it as a context in a thread."""

    def __init__(
        self, app: ASGIApp, address: tuple[str, int], draining: threading.Event, ending: Ending | None = None
    ) -> None:
        """Listen at ``address``; port 0 takes any that is free. Raises ServerError."""
        ending = ending or Ending()
        self._socket = _listening(address)
        config = uvicorn.Config(
            app,
            loop="asyncio",
            http=Connection,
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            proxy_headers=False,  # whoever is at the other end of the connection is the client
            server_header=False,
            timeout_keep_alive=IDLE_S_MAX,
            timeout_graceful_shutdown=max(1, round(ending.grace_s)),
            h11_max_incomplete_event_size=HEAD_BYTES_MAX,
        )
        self._server = _Uvicorn(config, ending, draining)
        self._thread: threading.Thread | None = None

    @property
    def address(self) -> tuple[str, int]:
        """The host and the port that are listened on."""
        name = self._socket.getsockname()
        return str(name[0]), int(name[1])

    def run(self) -> None:
        """Serve until the process is told to stop, from the main thread, or until ``stop``."""
        self._server.run(sockets=[self._socket])

    def stop(self) -> None:
        """Begin to end; from any thread."""
        self._server.drain()

    def __enter__(self) -> Self:
        """Serve from a thread. Raises ServerError when it does not start."""
        self._thread = threading.Thread(target=self.run, name="http", daemon=True)
        self._thread.start()
        begun = monotonic()
        while not self._server.started:
            if not self._thread.is_alive() or monotonic() - begun > _STARTING_S:
                raise ServerError("the server did not start; see the log")
            self._thread.join(0.01)
        return self

    def __exit__(self, *_: object) -> None:
        """Drain, and return when it has ended."""
        self.stop()
        if self._thread is not None:
            self._thread.join()


def _ours(connection: object) -> Connection:
    """Return a connection as what it is: uvicorn makes no other ones here."""
    return cast(Connection, connection)


def _listening(address: tuple[str, int]) -> socket.socket:
    host, port = address
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, _, _, _, place = found[0]
        made = socket.create_server(place[:2], family=family, backlog=512)
    except (OSError, OverflowError) as error:
        raise ServerError(
            f"cannot listen on {host}:{port}: {error}. Name an address of this machine and a free port (--http); "
            "another process may have this one."
        ) from error
    made.setblocking(False)
    return made
