"""Bodies: of requests, bounded before anything reads them, and of answers, bounded before anything is sent.

A body of a request has a bound in bytes and in time, and all of them together have one. An answer is held in memory
until its client has taken it, so answers have a bound too, for each name under which they were asked for and in all.
"""

from __future__ import annotations

import asyncio
import re
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
TEXTS_BYTES_MAX: Final = 32 << 20  # of a body whose long texts are cut, as it is sent
TEXT_BYTES_MAX: Final = 1_600_000
"""So much is left of a text: more than 131,072 characters, however they are written, and more than a record has."""
_TEXT: Final = re.compile(
    rb"""(?:
        [^"\\]++
        | \\[^u]
        | \\u(?![dD][89abAB])[0-9a-fA-F]{4}
        | \\u[dD][89abAB][0-9a-fA-F]{2} \\u[dD][c-fC-F][0-9a-fA-F]{2}
        | \\u[dD][89abAB][0-9a-fA-F]{2} (?= [^\\] | \\[^u] | \\u[^dD] | \\u[dD][^c-fC-F] )
        | \\(?=.{11})
    )*+""",
    re.DOTALL | re.VERBOSE,
)
"""The inside of a text, in whole characters: one that is written as two halves is one, and of what is none, a byte."""
_BETWEEN: Final = re.compile(rb'(?:[^"]++|"(?:[^"\\]++|\\.)*+")*+', re.DOTALL)  # with the texts that end in it
_ESCAPE_BYTES: Final = 12
_CHARACTER_BYTES: Final = 4
_PIECE_BYTES: Final = 1 << 16
_SMALL_ANSWER: Final = 65_536  # hardly more than a connection's own buffer holds: it is never refused
_LATER_S: Final = 1.0
_PLACES: Final = 256  # of bodies that are on their way; they need no place to work at, which slow ones would keep
_CLOSE: Final = {"Connection": "close"}


class GoneError(Exception):
    """The client went away in the middle of its request; there is nobody to answer."""


class Texts:
    """Cuts long texts in a body of JSON that arrives in parts, so that whoever reads it can say what is too long.

    What is left of a text is longer than any that a memory takes, in characters and in bytes, so none of them is taken
    as it was cut. The rest of the body stays as it is. Of one body, of at most ``bytes_max`` bytes as it is sent.
    """

    def __init__(self, bytes_max: int = TEXTS_BYTES_MAX, text_max: int = TEXT_BYTES_MAX) -> None:
        self.bytes_max = bytes_max
        self._text_max = text_max
        self._piece = max(2 * _ESCAPE_BYTES, min(_PIECE_BYTES, text_max))
        self._sent = self._room = 0  # bytes of the body so far, and those that may still be kept of this text
        self._inside = False
        self._left = b""  # of a character, or of what stands for one, the rest of which comes with the next part

    def cutting(self, receive: Receive) -> Receive:
        """Return what receives a body with its long texts cut; it raises ProblemError (413)."""

        async def received() -> Message:
            message = await receive()
            if message["type"] == "http.request":
                part = self.cut(message.get("body", b""))
                if not message.get("more_body", False):
                    part += self.rest
                message = {**message, "body": part}
            return message

        return received

    @property
    def rest(self) -> bytes:
        """What there is still of the body once all of it has arrived: half of a character."""
        return self._left

    def cut(self, part: bytes) -> bytes:
        """Return what is kept of the next part, in time in proportion to it. Raises ProblemError (413)."""
        self._sent += len(part)
        if self._sent > self.bytes_max:
            raise _too_large("more", self.bytes_max)
        data = self._left + part
        cut_off = _begun(data)
        data, self._left = data[: len(data) - cut_off], data[len(data) - cut_off :]
        kept, at = bytearray(), 0
        while at < len(data):  # a text that begins and ends in one piece is not too long
            until = _whole(data, min(len(data), at + self._piece), at)
            at = self._text(data, at, until, kept) if self._inside else self._between(data, at, until, kept)
        return bytes(kept)

    def _between(self, data: bytes, at: int, until: int, kept: bytearray) -> int:
        """Keep what is no text, and the texts that end before ``until``, and return where to go on."""
        found = _BETWEEN.match(data, at, until)
        end = at if found is None else found.end()
        self._inside, self._room = end < until, self._text_max
        end += self._inside  # what it begins with
        kept += data[at:end]
        return end

    def _text(self, data: bytes, at: int, until: int, kept: bytearray) -> int:
        """Keep what comes next of a text, as far as there is room, and return where to go on."""
        end = stop = _end(data, at, until)
        if end == at and data[at : at + 1] != b'"':  # the rest of it comes with the next part
            self._left = data[at:] + self._left
            return len(data)
        if end - at > self._room:
            stop = _whole(data, _end(data, at, at + self._room), at)
            self._room = stop - at
        kept += data[at:stop]
        self._room -= stop - at
        if data[end : end + 1] == b'"':
            kept += b'"'
            self._inside = False
            end += 1
        return end


class Bodies:
    """Reads bodies of bounded size. Of one event loop."""

    def __init__(self) -> None:
        self._held = Held("bodies", ALL_BYTES_MAX, ALL_BYTES_MAX // 2)
        self._gate = Gate(_PLACES, queue=0, share=_PLACES // 4)

    @asynccontextmanager
    async def read(
        self, scope: Scope, receive: Receive, name: str, bytes_max: int, texts: Texts | None = None
    ) -> AsyncGenerator[Receive, None]:
        """Read the whole body, sent under ``name``, and yield what the application receives it from.

        With ``texts`` a body may be larger than ``bytes_max`` by the texts in it, which are cut. Raises ProblemError
        (408, 413, 429, 503), and GoneError.
        """
        body = bytearray()
        said, sent_max = _content_length(scope), bytes_max if texts is None else texts.bytes_max
        try:
            async with self._gate.entered(name):
                if said is not None and said > sent_max:
                    raise _too_large(f"{said} bytes", sent_max)
                await self._collect_in_time(body, receive if texts is None else texts.cutting(receive), name, bytes_max)
            yield _replay(bytes(body), receive)
        finally:
            self._held.give(name, len(body))

    async def _collect_in_time(self, body: bytearray, receive: Receive, name: str, bytes_max: int) -> None:
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


def _end(data: bytes, at: int, until: int) -> int:
    """Return where a text goes on whole to, before ``until``: its end, or what stands for a character and is cut."""
    found = _TEXT.match(data, at, until)
    return at if found is None else found.end()


def _whole(data: bytes, place: int, least: int) -> int:
    """Return the last place up to ``place`` that is not in the middle of a character."""
    back = place
    while least < back < len(data) and data[back] & 0xC0 == 0x80 and place - back < _CHARACTER_BYTES:
        back -= 1
    return back


def _begun(data: bytes) -> int:
    """Return how many bytes at the end are of a character that is not whole: 0 to 3."""
    for back in range(1, min(3, len(data)) + 1):
        byte = data[-back]
        if byte >= 0xC0:
            return back if back < (2 if byte < 0xE0 else 3 if byte < 0xF0 else 4) else 0
        if byte < 0x80:
            return 0
    return 0


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
