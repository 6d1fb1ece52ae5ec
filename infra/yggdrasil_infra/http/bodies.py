"""Bodies: of requests, bounded before anything reads them, and of answers, bounded before anything is sent.

A body of a request has a bound in bytes and in time, and all of them together have one. An answer is held in memory
until its client has taken it, so answers have a bound too, for each name under which they were asked for and in all.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from time import monotonic
from typing import Final

from starlette.types import Message, Receive, Scope, Send

from .problems import TOO_LARGE, TOO_MANY, TOO_SLOW, ProblemError, problem_response
from .rates import Gate, Held

BODY_S_MAX: Final = 10.0
ALL_BYTES_MAX: Final = 64 << 20  # of all bodies that are held at once
ANSWERS_BYTES_MAX: Final = 256 << 20  # of all answers that their clients have not taken yet
ANSWERS_SHARE: Final = 64 << 20  # of those that one tenant asked for
_SMALL_ANSWER: Final = 65_536  # hardly more than a connection's own buffer holds: it is never refused
_LATER_S: Final = 1.0
_PLACES: Final = 256  # of bodies that are on their way; they need no place to work at, which slow ones would keep
_CLOSE: Final = {"Connection": "close"}


class GoneError(Exception):
    """The client went away in the middle of its request; there is nobody to answer."""


class Bodies:
    """Reads bodies of bounded size. Of one event loop."""

    def __init__(self) -> None:
        self._held = Held("bodies", ALL_BYTES_MAX, ALL_BYTES_MAX // 2)
        self._gate = Gate(_PLACES, queue=0, share=_PLACES // 4)

    @asynccontextmanager
    async def read(self, scope: Scope, receive: Receive, name: str, bytes_max: int) -> AsyncGenerator[Receive, None]:
        """Read the whole body, sent under ``name``, and yield what the application receives it from.

        Raises ProblemError (408, 413, 429, 503), and GoneError.
        """
        body = bytearray()
        try:
            async with self._gate.entered(name):
                await self._collect_in_time(body, scope, receive, name, bytes_max)
            yield _replay(bytes(body), receive)
        finally:
            self._held.give(name, len(body))

    async def _collect_in_time(
        self, body: bytearray, scope: Scope, receive: Receive, name: str, bytes_max: int
    ) -> None:
        said = _content_length(scope)
        if said is not None and said > bytes_max:
            raise _too_large(f"{said} bytes", bytes_max)
        try:
            async with asyncio.timeout(BODY_S_MAX):
                await self._collect(body, receive, name, bytes_max)
        except TimeoutError:
            raise ProblemError(TOO_SLOW, f"the body did not arrive within {BODY_S_MAX:g} s", headers=_CLOSE) from None

    async def _collect(self, body: bytearray, receive: Receive, name: str, bytes_max: int) -> None:
        more = True
        while more:
            message = await _next(receive)
            part: bytes = message.get("body", b"")
            more = message.get("more_body", False)
            if len(body) + len(part) > bytes_max:
                raise _too_large("more", bytes_max)
            self._held.take(name, len(part))
            body += part


class Answers:
    """Sends answers while there is room for them. Of one event loop."""

    def __init__(self) -> None:
        self._held = Held("answers that were not taken yet", ANSWERS_BYTES_MAX, ANSWERS_SHARE)
        self._late: dict[str, float] = {}  # who was told to come later, and until when

    def check(self, name: str) -> None:
        """Refuse whoever was told to come later and comes at once: the work would be in vain. Raises ProblemError."""
        if name in self._late and monotonic() >= self._late[name]:
            del self._late[name]
        if name in self._late:
            raise ProblemError(TOO_MANY, "answers that were not taken yet leave no room", retry_after_s=_LATER_S)

    def share(self, name: str) -> int | None:
        """Return how many places to work at whoever comes under a name has; None for as many as others.

        Who does not take the answers that were made, but asks for more, has one: the work would be in vain.
        """
        return 1 if self._held.much(name) else None

    def through(self, scope: Scope, send: Send, name: str, made: Callable[[], Awaitable[None]]) -> Send:
        """Return what an application sends its answer through; ``made`` is awaited as soon as it does.

        An answer for which there is no room becomes a problem: 429 for the name's bound, 503 for that of all.
        """
        start: Message | None = None
        refused = False

        async def answer(message: Message) -> None:
            nonlocal start, refused
            if message["type"] == "http.response.start":
                await made()
                start = message  # until the size of the body is known
                return
            if refused:
                return
            size = len(message.get("body", b"")) if start is not None else 0
            size = size if size > _SMALL_ANSWER else 0
            try:
                self._held.take(name, size)
            except ProblemError as error:
                refused = True
                if error.kind is TOO_MANY:
                    self._late[name] = monotonic() + _LATER_S
                await problem_response(error, scope)(scope, _nothing_more, send)
                return
            try:
                if start is not None:
                    await send(start)
                    start = None
                await send(message)
            finally:
                self._held.give(name, size)

        return answer


async def _nothing_more() -> Message:
    return {"type": "http.disconnect"}


def _too_large(found: str, bytes_max: int) -> ProblemError:
    return ProblemError(TOO_LARGE, f"a body may have {bytes_max} bytes here, and this one has {found}", headers=_CLOSE)


def _content_length(scope: Scope) -> int | None:
    """Return what the head says; the server has checked that it is one number."""
    return next((int(value) for name, value in scope["headers"] if name == b"content-length"), None)


async def _next(receive: Receive) -> Message:
    message = await receive()
    if message["type"] == "http.disconnect":
        raise GoneError
    return message


def _replay(body: bytes, receive: Receive) -> Receive:
    given = False

    async def replay() -> Message:
        nonlocal given
        if not given:
            given = True
            return {"type": "http.request", "body": body, "more_body": False}
        return await receive()

    return replay
