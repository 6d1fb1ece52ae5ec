"""What stands around every route: who calls, how much, how large, how long; headers, metrics and the access log.

In this order, so that whoever may not come in costs least: the key, the rate, the head's claims, the body, a place to
work at, the route. A place is given back as soon as the answer is made: whoever reads slowly keeps nobody from work.
"""

import logging
import re
import time
from collections.abc import Callable, Mapping, MutableMapping
from contextlib import AsyncExitStack
from copy import copy
from dataclasses import dataclass, field, replace
from threading import Event
from typing import Any, Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from yggdrasil_schemas.problems import INTERNAL, NOT_READY

from ..signals.audit import Audit
from ..signals.metrics import ServiceMetrics
from ..tracing import TRACE, said_once, trace_of
from .bodies import Answers, Bodies, GoneError, Texts
from .callers import Caller, Callers
from .idle import Activity
from .problems import NO_JSON_TYPE, UNAUTHENTICATED, ProblemError, problem_response
from .rates import Buckets, Gate
from .workroom import FOR

_ACCESS: Final = logging.getLogger("yggdrasil.access")
_LOGGER: Final = logging.getLogger("yggdrasil.http")
_MEMORY: Final = re.compile(
    r"/(?:v1/memories|mcp)/([A-Za-z0-9_][A-Za-z0-9._-]{0,63}/[A-Za-z0-9_][A-Za-z0-9._-]{0,63})(?:/|$)"
)
_HEADERS: Final = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "cache-control": "no-store",
}
# A route is known by its path alone, and what a stranger makes up is no label: each is a series that is never freed.
_METHODS: Final = frozenset(("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"))
_WATCHING_PATH: Final = "/metrics"


@dataclass(frozen=True, slots=True)
class Guard:
    """What is let in: by whom, how often, how many at once, and how many bytes a body may have at a path."""

    callers: Callers
    buckets: Buckets
    gate: Gate
    bytes_max: Callable[[str], int]
    open_paths: frozenset[str] = frozenset()
    """What is answered without a key; these very paths, and none that begins like one."""
    audit: Audit | None = None
    """What writes down who did what; while it cannot, nobody is let in."""
    doors: Mapping[str, Gate] = field(default_factory=dict[str, Gate])
    """By the first part of a path: the places of what asks this application again for its answer. Were they those of
    the gate, doors could hold all of them, each waiting for one more."""

    def gate_of(self, path: str) -> Gate:
        """Return the gate before a path."""
        return self.doors.get(path.split("/", 2)[1], self.gate) if self.doors else self.gate

    def texts_of(self, path: str) -> Texts | None:
        """Return what cuts long texts in a body for a door, which then says of which it was; None for any other."""
        return Texts() if self.doors and path.split("/", 2)[1] in self.doors else None


@dataclass(slots=True)
class _Seen:
    """What becomes of one request."""

    status: int = 0
    ended: bool = False
    caller: Caller | None = None
    guarded: bool = False


class Shell:
    """An ASGI application around another one, whose routes find the caller in ``request.state.caller``."""

    def __init__(self, app: ASGIApp, guard: Guard, metrics: ServiceMetrics, draining: Event) -> None:
        self._app = app
        self._guard = guard
        self._metrics = metrics
        self._draining = draining
        self._bodies = Bodies()
        self._answers = Answers()
        self.activity = Activity()

    def for_callers(self, callers: Callers) -> "Shell":
        """Return the same shell for what comes in through another door; what is bounded is bounded for both."""
        other = copy(self)
        other._guard = replace(self._guard, callers=callers)
        return other

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            raise ValueError(f"only HTTP is served, not {scope['type']}")
        begun = time.perf_counter()
        seen = _Seen()
        headers = Headers(scope=scope)
        trace = trace_of(said_once(headers.getlist("x-request-id")), said_once(headers.getlist("traceparent")))
        state: MutableMapping[str, Any] = scope.setdefault("state", {})
        state["request_id"] = trace.request
        state["trace"] = trace
        TRACE.set(trace)
        answering = self._answering(scope, send, seen)
        self._metrics.requests_in_flight.inc()
        try:
            await self._answer(scope, receive, answering, seen)
        finally:
            self._metrics.requests_in_flight.dec()
            self._tell(scope, seen, time.perf_counter() - begun)

    async def _answer(self, scope: Scope, receive: Receive, send: Send, seen: _Seen) -> None:
        try:
            await self._let_in(scope, receive, send, seen)
        except GoneError:
            return
        except ProblemError as error:
            await problem_response(error, scope)(scope, receive, send)
        except Exception:
            _LOGGER.exception("a request failed", extra={"request": scope["state"]["request_id"]})
            if seen.ended:  # the framework has answered, and told us the error as well
                return
            if seen.status:  # too late for another answer: the connection ends, which the client notices
                raise
            found = ProblemError(INTERNAL, "the request could not be answered")
            await problem_response(found, scope)(scope, receive, send)

    async def _let_in(self, scope: Scope, receive: Receive, send: Send, seen: _Seen) -> None:
        path: str = scope["path"]
        guard = self._guard
        if path in guard.open_paths:
            await self._app(scope, receive, send)
            return
        seen.guarded = True
        self.activity.begin()
        try:
            await self._let_known_in(scope, receive, send, seen)
        finally:
            self.activity.end()

    async def _let_known_in(self, scope: Scope, receive: Receive, send: Send, seen: _Seen) -> None:
        path: str = scope["path"]
        guard = self._guard
        if guard.audit is not None and guard.audit.failure() is not None:
            raise ProblemError(NOT_READY, "what is done here cannot be written down just now", retry_after_s=1)
        headers = Headers(scope=scope)
        seen.caller = caller = guard.callers.caller(headers)
        if caller is None:
            raise ProblemError(UNAUTHENTICATED, "the request has no key that is known here")
        scope["state"]["caller"] = caller
        guard.buckets.take(caller.id)
        if path == _WATCHING_PATH:  # also, and above all, while all places are taken
            await self._app(scope, receive, send)
            return
        _check_encoding(headers)
        name = caller.tenant or caller.id  # a tenant may make itself as many keys as it likes
        self._answers.check(name)
        FOR.set(name)
        async with (
            self._bodies.read(scope, receive, name, guard.bytes_max(path), guard.texts_of(path)) as received,
            AsyncExitStack() as place,
        ):
            await place.enter_async_context(guard.gate_of(path).entered(name, share=self._answers.share(name)))
            await self._app(scope, received, self._answers.through(scope, send, name, place.aclose))

    def _answering(self, scope: Scope, send: Send, seen: _Seen) -> Send:
        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                seen.status = message["status"]
                self._write_down(scope, seen)  # before anybody has the answer
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
                headers["x-request-id"] = scope["state"]["request_id"]
                if self._draining.is_set():
                    headers["connection"] = "close"
            await send(message)
            seen.ended = message["type"] == "http.response.body" and not message.get("more_body", False)

        return answer

    def _tell(self, scope: Scope, seen: _Seen, seconds: float) -> None:
        route = getattr(scope.get("route"), "path_format", "other")
        method = scope["method"] if scope["method"] in _METHODS else "other"
        self._metrics.requests.labels(method if route != "other" else "other", route, seen.status).inc()
        self._metrics.request_seconds.labels(route).observe(seconds)
        problem: str | None = scope["state"].get("problem")
        if problem:
            self._metrics.requests_refused.labels(problem).inc()
        _ACCESS.info(
            "%s %s %s",
            method,
            route,
            seen.status or "gone",
            extra={
                "ms": round(seconds * 1000, 1),
                "key": seen.caller.id if seen.caller else None,
                "problem": problem,
                **scope["state"]["trace"].told(),
                **scope["state"].get("appended", {}),
            },
        )
        self._write_down(scope, seen)  # unless there was an answer

    def _write_down(self, scope: Scope, seen: _Seen) -> None:
        if seen.guarded and self._guard.audit is not None:
            self._guard.audit.write(_audited(scope, seen))
            seen.guarded = False


def _audited(scope: Scope, seen: _Seen) -> dict[str, object]:
    """Return who did what: the memory and the route, never what else stands in the path, nor what was sent."""
    memory = _MEMORY.match(scope["path"])
    client = scope.get("client")
    return {
        "request": scope["state"]["request_id"],
        "from": client[0] if client else None,
        "key": seen.caller.id if seen.caller else None,
        "source": seen.caller.name if seen.caller else None,
        "memory": memory[1] if memory else None,
        "method": scope["method"] if scope["method"] in _METHODS else "other",
        "route": getattr(scope.get("route"), "path_format", "other"),
        "status": seen.status,
        "commands": scope["state"].get("commands", 0),
        "problem": scope["state"].get("problem"),
    }


def _check_encoding(headers: Headers) -> None:
    encoding = headers.get("content-encoding", "").strip().lower()
    if encoding not in ("", "identity"):
        raise ProblemError(
            NO_JSON_TYPE,
            f"the body is encoded as {encoding[:80]}, and bodies are read as they are",
            remedy="Send the body as it is, without Content-Encoding.",
        )
