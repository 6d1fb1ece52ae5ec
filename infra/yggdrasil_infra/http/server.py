"""The server: an ASGI application behind one or more doors, with bounds on every connection, until it is drained.

Uvicorn serves. Ours are who is let in (``listener``), what a connection may cost (``connection``), and the end: a
server that is told to stop first says so (``/readyz``) while it goes on to serve, then takes no more, finishes what is
under way, and ends.
"""

import asyncio
import ipaddress
import logging
import socket
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import monotonic
from types import FrameType
from typing import Any, Final, NamedTuple, Self, cast

import uvicorn
from starlette.types import ASGIApp

from ..forking import in_child, stays
from ..signals.tally import Tally
from .errors import OpenDoorError, ServerError
from .wire.connection import Connection
from .wire.listener import Connections, Listener, connections_max

_SWEEP_S: Final = 0.25
_SEND_BYTES: Final = 131_072
_STARTING_S: Final = 30.0
_LOGGER: Final = logging.getLogger("yggdrasil.http")


@dataclass(frozen=True, slots=True)
class Ending:
    """How a server ends: for ``drain_s`` it goes on and says that it ends, then it has ``grace_s`` to finish."""

    drain_s: float = 0.0
    grace_s: float = 20.0


class Bounds(NamedTuple):
    """How many connections there may be, and who is told why one was cut off."""

    most: int
    cut: Callable[[str], None]


class Entrance(NamedTuple):
    """A socket that listens, and who answers there."""

    socket: socket.socket
    app: ASGIApp


class _Uvicorn(uvicorn.Server):
    def __init__(
        self,
        config: uvicorn.Config,
        doors: Sequence[Entrance],
        ending: Ending,
        draining: threading.Event,
        connections: Bounds,
    ) -> None:
        super().__init__(config)
        self._doors = doors
        self._ending = ending
        self._draining = draining
        self._tally = Tally(_LOGGER)
        self._bounds = connections
        self._loop: asyncio.AbstractEventLoop | None = None
        self._listeners: list[Listener] = []

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen at all doors, whose ``sockets`` uvicorn need not know of until they are closed."""
        self._loop = loop = asyncio.get_running_loop()
        loop.set_exception_handler(self._tell)
        connections = Connections(self._bounds.most, self._tally, self._bounds.cut)

        def behind(app: ASGIApp) -> Callable[[], Connection]:
            return lambda: Connection(self.config, self.server_state, connections, app)

        await super().startup([])
        self._listeners = [Listener(one.socket, behind(one.app), connections, self._tally) for one in self._doors]
        self._sweep()
        if self._draining.is_set():  # before there was a loop to tell
            self._begin_to_end(loop)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Let nobody in any more, and finish what is under way."""
        for listener in self._listeners:
            listener.close()
        await super().shutdown(sockets)

    def _sweep(self) -> None:
        now = monotonic()
        for connection in map(_ours, list(self.server_state.connections)):
            connection.sweep(now)
        self._tally.sweep(now)
        if self._loop is not None:
            self._loop.call_later(_SWEEP_S, self._sweep)

    def _tell(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Say what went wrong in the event loop: seldom, since a stranger may be able to make it happen often."""
        error = context.get("exception")
        what = str(context["message"]).partition("<")[0].strip()  # what follows is the address of an object
        self._tally.add(f"event loop: {what}: {type(error).__name__}", error)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Drain at the first signal, and stop at once at the second. The process then ends as if it had not had it."""
        if self._draining.is_set():
            self.should_exit = True
        else:
            self.drain()

    def drain(self) -> None:
        """Say that the end is near, and end in a while; from any thread.

        Also from the handler of a signal, which may have come in the midst of a line of the log: so it writes none.
        """
        self._draining.set()
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._begin_to_end, self._loop)

    def _begin_to_end(self, loop: asyncio.AbstractEventLoop) -> None:
        _LOGGER.info("draining", extra={"drain_s": self._ending.drain_s, "grace_s": self._ending.grace_s})
        loop.call_later(self._ending.drain_s, self._end)

    def _end(self) -> None:
        self.should_exit = True


class HttpServer:
    """Serves what is behind its doors; ``draining`` is set when it begins to end.

    Run it, or enter it as a context in a thread.
    """

    def __init__(
        self,
        doors: Sequence[Entrance],
        draining: threading.Event,
        ending: Ending | None = None,
        cut: Callable[[str], None] = lambda why: None,
    ) -> None:
        """Take over the sockets of ``doors``, one at least. Raises ServerError.

        ``cut`` is called for each connection that is cut off, with what its client did: a sentence of a closed set.
        """
        ending = ending or Ending()
        bounds = Bounds(connections_max(), cut)
        self._sockets = [door.socket for door in doors]
        config = uvicorn.Config(
            doors[0].app,
            loop="asyncio",
            http=Connection,
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            proxy_headers=False,  # whoever is at the other end of the connection is the client
            server_header=False,
            timeout_graceful_shutdown=max(1, round(ending.grace_s)),
        )
        self._server = _Uvicorn(config, doors, ending, draining, bounds)
        self._thread: threading.Thread | None = None
        stays(self, "a server", "stop")

    def run(self) -> None:
        """Serve until the process is told to stop, from the main thread, or until ``stop``."""
        self._server.run(sockets=self._sockets)

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


def listening(address: tuple[str, int]) -> socket.socket:
    """Return a socket that listens at ``address``; port 0 takes any that is free. Raises ServerError."""
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
    in_child(made, socket.socket.close)  # or clients would connect where nobody serves them
    made.setblocking(False)
    # Connections have it from here: what a client does not take the kernel would hold too, up to 4 MB of each.
    made.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SEND_BYTES)
    return made


def check_loopback(address: tuple[str, int]) -> None:
    """Raise OpenDoorError unless ``address`` can be reached from this machine alone."""
    try:
        found = {entry[4][0] for entry in socket.getaddrinfo(*address, type=socket.SOCK_STREAM)}
    except (OSError, OverflowError):
        return  # it cannot be listened on either, which is said elsewhere
    if not all(ipaddress.ip_address(str(one).partition("%")[0]).is_loopback for one in found):
        raise OpenDoorError(
            f"{address[0]} can be reached from other machines, and without keys everybody would be let in. Make a key "
            "with `yggdrasil key new --keys FILE --tenant TENANT --role ROLE` and pass --keys FILE, or listen on "
            "127.0.0.1"
        )
