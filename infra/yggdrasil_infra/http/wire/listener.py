"""Who is let in at the address: connections as many as there are descriptors for, counted one by one.

The listening socket is read here, not by asyncio, which takes as many connections as wait in one go, whatever that
makes of the process. When there are too many, one has to go: first of those that have shown no key the one that has
been silent for longest, then of those that have. Without any, nobody is let in until there is room.

To let one in and out again costs as much as to answer it, so whoever comes and goes by the thousand is paced: who is in
already, and asks, is answered meanwhile.
"""

import asyncio
import logging
import os
import resource
import socket
from collections.abc import Callable
from typing import Final

from ...signals.tally import Tally
from ..bucket import Bucket
from ..errors import ServerError
from .connection import Connection
from .parsing import READ_BYTES

CONNECTIONS_MAX: Final = 1_000
_CONNECTIONS_MIN: Final = 16  # with fewer there is nothing to serve with
_RESERVED: Final = 256  # descriptors for what stores and log open later: as many as a store may hold
_ACCEPTS_AT_ONCE: Final = 4  # then others have their turn
ACCEPTS_PER_S: Final = 600.0  # in the long run, some 20 % of the event loop
ACCEPTS_BURST: Final = 200.0  # that many come at once without being paced
_PACE_S: Final = 0.01
_REST_S: Final = 1.0  # when the system has no descriptor left
_LOGGER: Final = logging.getLogger("yggdrasil.http")
_LET_GO: Final = "connections that had been idle for longest were let go: there are as many as there may be"


def raise_descriptors() -> None:
    """Let this process open as many files and connections as its hard limit allows."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def connections_max() -> int:
    """Return how many connections there are descriptors for. Says so when they are few; raises ServerError for none."""
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    if limit == resource.RLIM_INFINITY:
        return CONNECTIONS_MAX
    left = limit - len(os.listdir("/dev/fd")) - _RESERVED
    remedy = f"`ulimit -n {CONNECTIONS_MAX + limit - left}`, or LimitNOFILE= of its unit, before it is started"
    if left < _CONNECTIONS_MIN:
        raise ServerError(f"the process may open {limit} files, too few for its stores and any connections: {remedy}")
    if left < CONNECTIONS_MAX:
        _LOGGER.warning("room for %d connections only, since %d files may be open; raise that: %s", left, limit, remedy)
    return min(left, CONNECTIONS_MAX)


class Connections:
    """The connections that there are, and which of them goes first. Of one event loop."""

    def __init__(self, most: int, tally: Tally, counted: Callable[[str], None]) -> None:
        """``counted`` is called with why a connection was cut off."""
        self.buffer = memoryview(bytearray(READ_BYTES))
        self.live = 0
        self.room: list[Callable[[], None]] = []
        """Called when there may be room for another one."""
        self._most = most
        self._tally = tally
        self._counted = counted
        self._leaving: set[Connection] = set()
        # Both in the order in which their turn to go comes.
        self._strangers: dict[Connection, None] = {}
        self._idle: dict[Connection, None] = {}

    def waits(self, connection: Connection) -> None:
        """Take note that a request is waited for from now on."""
        if connection in self._leaving:
            return
        self._strangers.pop(connection, None)
        (self._idle if connection.known else self._strangers)[connection] = None
        self._make_room()
        self._more()

    def works(self, connection: Connection) -> None:
        """Take note that a request is being answered. Who has shown no key yet may have to go all the same."""
        self._idle.pop(connection, None)

    def lost(self, connection: Connection) -> None:
        """Take note that there is one less."""
        self.live -= 1
        self._strangers.pop(connection, None)
        self._idle.pop(connection, None)
        self._leaving.discard(connection)
        self._more()

    def cut(self, why: str) -> None:
        """Take note that a connection was cut off."""
        self._counted(why)
        self._tally.add(f"connections were cut off that {why}")

    @property
    def full(self) -> bool:
        """Whether nobody may come in, because nobody can go, or those that have to go are not gone yet."""
        if self.live >= self._most + _ACCEPTS_AT_ONCE:
            return True
        return self.live - len(self._leaving) >= self._most and self._first() is None

    def _more(self) -> None:
        for begin in self.room:
            begin()

    def _make_room(self) -> None:
        if self.live - len(self._leaving) > self._most and (first := self._first()) is not None:
            self._tally.add(_LET_GO)
            self._strangers.pop(first, None)
            self._idle.pop(first, None)
            self._leaving.add(first)
            first.transport.abort()

    def _first(self) -> Connection | None:
        while (first := next(iter(self._strangers), None)) is not None:
            if not first.known:
                return first
            del self._strangers[first]  # its key was found meanwhile, and its request is being answered
        return next(iter(self._idle), None)


class Listener:
    """Lets connections in at a listening socket while there is room for them."""

    def __init__(
        self, listening: socket.socket, make: Callable[[], Connection], connections: Connections, tally: Tally
    ) -> None:
        """Begin; in the event loop. ``make`` makes the protocol of a connection."""
        self._loop = asyncio.get_running_loop()
        self._socket = listening
        self._make = make
        self._connections = connections
        self._tally = tally
        self._reads = self._closed = self._paced = False
        self._bucket = Bucket(ACCEPTS_PER_S, ACCEPTS_BURST)
        self._taking: set[asyncio.Task[None]] = set()
        connections.room.append(self._begin)
        self._begin()

    def close(self) -> None:
        """Let nobody in any more."""
        self._end()
        self._closed = True

    def _begin(self) -> None:
        if not (self._reads or self._closed or self._paced):
            self._loop.add_reader(self._socket.fileno(), self._let_in)
            self._reads = True

    def _end(self) -> None:
        if self._reads:
            self._loop.remove_reader(self._socket.fileno())
            self._reads = False

    def _rest(self, seconds: float) -> None:
        self._end()
        self._paced = True
        self._loop.call_later(seconds, self._rested)

    def _rested(self) -> None:
        self._paced = False
        self._begin()

    def _let_in(self) -> None:
        for _ in range(_ACCEPTS_AT_ONCE):
            if self._connections.full:
                self._end()
                return
            if self._bucket.take():
                self._rest(_PACE_S)
                return
            try:
                made, _ = self._socket.accept()
            except (BlockingIOError, InterruptedError, ConnectionAbortedError):
                return
            except OSError as error:
                self._tally.add(f"no connection can be let in: {error.strerror}")
                self._rest(_REST_S)
                return
            made.setblocking(False)
            self._connections.live += 1
            task = self._loop.create_task(self._take(made))
            self._taking.add(task)
            task.add_done_callback(self._taking.discard)

    async def _take(self, made: socket.socket) -> None:
        connection = self._make()
        try:
            await self._loop.connect_accepted_socket(lambda: connection, made)
        except OSError:
            made.close()
            self._connections.lost(connection)
