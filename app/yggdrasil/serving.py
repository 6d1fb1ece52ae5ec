"""The query service, put together: a host of memories, the gateway and the reads before it, and what is around them."""

import logging
import os
import threading
from collections.abc import Generator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from importlib.metadata import version
from pathlib import Path
from time import sleep
from types import TracebackType
from typing import Any, Final, Self

from starlette.routing import Match, Route
from starlette.types import Scope

from yggdrasil_infra.embedders import EmbeddingError
from yggdrasil_infra.http.application import OPEN_PATHS, About, application, probes
from yggdrasil_infra.http.bodies import TEXT_BYTES_MAX
from yggdrasil_infra.http.callers import Anyone, Callers, Owner
from yggdrasil_infra.http.errors import ServerError
from yggdrasil_infra.http.idle import ended_when_idle
from yggdrasil_infra.http.rates import Buckets, Gate, Quotas
from yggdrasil_infra.http.server import Entrance, HttpServer, check_loopback, listening
from yggdrasil_infra.http.shell import Guard, Shell
from yggdrasil_infra.http.wire.socket_file import SocketFile
from yggdrasil_infra.http.workroom import Workrooms
from yggdrasil_infra.signals.metrics import ServiceMetrics
from yggdrasil_producers.gateway.appends import BATCH_BYTES_MAX
from yggdrasil_producers.gateway.calling import calling
from yggdrasil_producers.gateway.routes import Gateway
from yggdrasil_producers.gateway.sessions import SessionRoutes
from yggdrasil_projections.retrieval.asks import QueryVector
from yggdrasil_projections.service.logs import LogRoutes
from yggdrasil_projections.service.reads import Lag
from yggdrasil_projections.service.routes import ReadRoutes
from yggdrasil_projections.service.what_if import WhatIfRoute
from yggdrasil_schemas.commands.vectors import Vector
from yggdrasil_schemas.errors import YggdrasilError
from yggdrasil_schemas.limits import RECORD_BYTES_MAX, RULES_VERSION, SCHEMA_VERSION
from yggdrasil_schemas.problems import ExitCode

from .engines.embedding import Embedding
from .engines.upkeep.reembedding import Reembedding
from .engines.upkeep.tally import Tally
from .serving_parts import Health, Host, Service

__all__ = ["Health", "Host", "Service", "Serving"]

_LOGGER: Final = logging.getLogger("yggdrasil.serve")
LAG_RECORDS_MAX: Final = 10_000  # a host that is further behind answers out of the past: others should be asked
_BODY_BYTES_MAX: Final = RECORD_BYTES_MAX
_DOOR_BYTES_MAX: Final = TEXT_BYTES_MAX + BATCH_BYTES_MAX  # a door says in its own words that a text is too long
_LAST_ONES_S: Final = 0.3
_ABOUT: Final = """A governed long-term memory for AI agents: commands in, reads out.

Every append returns a `receipt`; a read that is given it as `after` sees what was appended. Every error is a
`application/problem+json` whose `remedy` says what to do.
"""


class Serving:
    """Serves a host over HTTP: run it, or enter it as a context to serve from a thread.

    Host and embedder are closed by others.
    """

    def __init__(
        self,
        host: Host,
        service: Service,
        health: Health | None = None,
        embedding: Embedding | None = None,
        later: Reembedding | None = None,
    ) -> None:
        """Listen. With ``embedding``, what comes without a vector gets one, and from ``later`` afterwards if it may.

        Raises OpenDoorError and ServerError.
        """
        if service.keys is None and service.address is not None:
            check_loopback(service.address)
        self.metrics = ServiceMetrics()
        self._host = host
        self._health = health or Health()
        self._embedding = embedding
        self._later = later
        self._keys = service.keys
        self._audit = service.audit
        self._doors = service.doors
        bounded = service.quota.total_bytes or service.quota.day_bytes
        self._tally = Tally(host, service.tally) if bounded else None
        self._draining = threading.Event()
        self._rooms = Workrooms.of(service.concurrency)
        self._held = ExitStack()
        self.metrics.ready.set_function(lambda: self.ready() is None)
        self.metrics.stale.set_function(lambda: self._health.stale() is not None)
        self.metrics.topic_unfit.set_function(lambda: self._health.unfit() is not None)
        self.metrics.room_bytes.set_function(self._health.room_bytes)
        if self._keys is not None:
            self.metrics.keys_failed.set_function(self._keys.failures)
        self.metrics.build.info(
            {"version": version("yggdrasil-substrate"), "schema": str(SCHEMA_VERSION), "rules": str(RULES_VERSION)}
        )
        self.app = self._shell(service)
        if later is not None:
            later.idle_s = lambda: self.app.activity.idle_s
        self._idle_s = service.idle_s
        self._tcp = listening(service.address) if service.address is not None else None
        self._own = self._own_socket(service)
        entrances = [Entrance(self._tcp, self.app)] if self._tcp is not None else []
        if self._own is not None:
            entrances.append(Entrance(self._own.socket, self.app.for_callers(Owner())))
        self._server = HttpServer(entrances, self._draining, service.ending, self._cut)

    @property
    def url(self) -> str:
        """Where it is served; empty where only the owner's socket is."""
        if self._tcp is None:
            return ""
        host, port = self._tcp.getsockname()[:2]
        return f"http://{f'[{host}]' if ':' in host else host}:{port}"

    @property
    def socket(self) -> Path | None:
        """Where the owner's socket is, if there is one."""
        return self._own.path if self._own is not None else None

    def live(self) -> str | None:
        """Return why the process should be ended, or None."""
        return self._health.live()

    def ready(self) -> str | None:
        """Return None when requests should be sent here, or else why not, in one sentence."""
        if self._draining.is_set():
            return "draining: requests that are under way are finished, and then the process ends"
        if reason := self._health.ready():
            with suppress(YggdrasilError):
                self._lags()  # how far a store is that is being built
            return reason
        if self._keys is not None and (reason := self._keys.failure()):
            return reason
        if self._audit is not None and (reason := self._audit.failure()):
            return reason
        if self._tally is not None and (reason := self._tally.ready()):
            return reason
        behind = [lag for lag in self._lags() if lag.end - lag.position > LAG_RECORDS_MAX]
        return f"behind the log: {_told(behind)}" if behind else None

    def notes(self) -> str | None:
        """Return what whoever watches should know although requests should be sent here, or None."""
        stale, unfit = self._health.stale(), self._health.unfit()
        return "; ".join(filter(None, (stale and f"stale: {stale}", unfit))) or None

    def _lags(self) -> list[Lag]:
        """Return how far every partition is, and tell the metrics."""
        lags = self._host.lags()
        for lag in lags:
            self.metrics.lag_records.labels(lag.partition).set(lag.end - lag.position)
            self.metrics.applied_position.labels(lag.partition).set(lag.position)
        return lags

    def stop(self) -> None:
        """Begin to end; from any thread."""
        self._server.stop()

    def run(self) -> None:
        """Serve until the process is told to stop, and end it at once where its directory has been moved or deleted.

        What is open finds its files by their paths whenever it writes, as when it is closed. Another directory may be
        there by now, and would be damaged. What was recorded is in the log already.
        """
        with self._beside():
            try:
                self._server.run()
            finally:
                if self._own is not None and not self._own.is_in_place():
                    _LOGGER.warning("its directory is gone from where it was, so nothing is closed")
                    self._own.remove()
                    logging.shutdown()
                    os._exit(ExitCode.BROKEN)

    def __enter__(self) -> Self:
        """Serve from a thread."""
        with ExitStack() as stack:
            stack.enter_context(self._beside())
            stack.enter_context(self._server)
            self._held = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Drain, and end."""
        self._held.close()

    @contextmanager
    def _beside(self) -> Generator[None]:
        """Keep open what works beside the requests."""
        with ExitStack() as stack:
            stack.callback(self._rooms.close)
            for door in self._doors:
                stack.callback(door.close)
            if self._own is not None:
                stack.callback(self._own.remove)
            for each in (self._keys, self._tally):
                if each is not None:
                    stack.enter_context(each)
            if self._idle_s is not None:
                working = None if self._later is None else self._later.working
                idle = ended_when_idle(self.app.activity, self._idle_s, self._end_idle, self._lost, working)
                stack.enter_context(idle)
            yield

    def _lost(self) -> bool:
        """Whether nobody can find the way here, since the socket was the only one, and somebody has taken it away."""
        return self._tcp is None and self._own is not None and not self._own.is_there()

    def _end_idle(self) -> None:
        """End without losing anybody: who looks for the socket now finds none, and who has come already is answered."""
        _LOGGER.info("its socket is gone" if self._lost() else f"nothing was asked for {self._idle_s:g} s")
        if self._own is not None:
            self._own.remove()
        sleep(_LAST_ONES_S)
        self.stop()

    def _own_socket(self, service: Service) -> SocketFile | None:
        """Listen at the socket of the directory, if the service has one. Raises ServerError."""
        if service.directory is None:
            if self._tcp is None:
                raise ServerError("nothing is listened on: name an address (--http)")
            return None
        try:
            return SocketFile(service.directory)
        except ServerError as error:
            if self._tcp is None:
                raise
            _LOGGER.warning("served over HTTP alone: %s", error)
            return None

    def _shell(self, service: Service) -> Shell:
        of_records, of_query = (self._vectors_of, self._vector_of_query) if self._embedding else (None, None)
        buckets = Buckets(service.rate)
        quotas = Quotas(service.quota, buckets, self._host, self._tally)
        counted = self.metrics.commands
        appends, later = self._rooms.appends, self._later
        if later is not None:
            later.may_record = quotas.may_record
        gateway = Gateway(self._host, appends, counted, of_records, service.ceilings, quotas=quotas, later=later)
        reads = ReadRoutes(self._host, self._rooms, quotas, of_query)
        routers = [
            calling(),
            gateway.router(),
            SessionRoutes(gateway).router(),
            reads.router(),
            reads.router_of_all(),
            WhatIfRoute(reads, gateway.supposed).router(),
            LogRoutes(reads).router(),
            probes(self._health.live, self.ready, self.notes, self.metrics.registry),
        ]
        about = About("Yggdrasil", _ABOUT, version("yggdrasil-substrate"))
        app = application(routers, about, keys=service.keys is not None)
        callers: Callers = service.keys or Anyone()
        places = service.concurrency
        # Requests may wait for long: whoever sends nothing else must leave places for other tenants.
        share = places if service.keys is None else max(1, places * 3 // 4)
        gates = {door.path.strip("/"): Gate(places, share=share) for door in service.doors}
        bytes_max = partial(_bytes_max, frozenset(gates))
        guard = Guard(callers, buckets, Gate(places, share=share), bytes_max, OPEN_PATHS, service.audit, gates)
        shell = Shell(app, guard, self.metrics, self._draining)
        for door in service.doors:
            behind = door.app(shell, places)
            app.router.routes += [_DoorRoute(path, behind) for path in (door.path, door.path + "/{tenant}/{agent}")]
        return shell

    def _cut(self, why: str) -> None:
        self.metrics.connections_cut.labels(why.replace(" ", "_")).inc()

    def _vectors_of(self, sent: Sequence[Mapping[str, Any]]) -> list[Vector | None]:
        return self._embedding.of_records(sent) if self._embedding else [None] * len(sent)

    def _vector_of_query(self, memory: str, query: str) -> QueryVector | None:
        """Return the vector of a question; None when there is none to be had: words are searched all the same."""
        try:
            return self._embedding.of_query(self._host, memory, query) if self._embedding else None
        except EmbeddingError as error:
            _LOGGER.warning("a question without a vector: %s", error)
            return None


class _DoorRoute(Route):
    """A route that is known by its path to metrics and audit, as those of the framework are."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Return whether it is meant, and what it adds to the scope."""
        match, child = super().matches(scope)
        return match, {**child, "route": self}


def _bytes_max(doors: frozenset[str], path: str) -> int:
    if path.split("/", 2)[1] in doors:
        return _DOOR_BYTES_MAX
    return BATCH_BYTES_MAX if path.endswith(("/batch", "/what-if")) else _BODY_BYTES_MAX


def _told(lags: list[Lag]) -> str:
    return ", ".join(f"partition {lag.partition} by {lag.end - lag.position} records" for lag in lags)
