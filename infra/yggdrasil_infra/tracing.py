"""Which request a command came with: said beside the command, in headers of its record on Kafka and in lines of logs.

No law, hash, digest or proof reads it, and the local log does not keep it: whoever follows one command from its request
to the log and the store is led by it, and nothing else is. What comes from outside is held to a form, or left out.
"""

import re
from collections.abc import Sequence
from contextvars import ContextVar
from secrets import token_hex
from typing import Final

from .trace import REQUEST, TRACEPARENT, Trace

_REQUEST_ID: Final = re.compile(r"[A-Za-z0-9._-]{1,64}")
_TRACEPARENT: Final = re.compile(r"00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}")
_HEADERS_MAX: Final = 32  # of a record, that are looked at: ours has two, and a stranger's may have any number


TRACE: Final[ContextVar[Trace | None]] = ContextVar("TRACE", default=None)
"""The request for which something is done; None where it is for nobody's."""


def trace_of(request: str, traceparent: str) -> Trace:
    """Return the trace of a request with these headers; one that is none of ours gets an id made here."""
    known = request if _REQUEST_ID.fullmatch(request) else token_hex(8)
    return Trace(known, traceparent if _TRACEPARENT.fullmatch(traceparent) else None)


def said_once(values: Sequence[str]) -> str:
    """Return what a header says that came once, or alike each time; "" of one that says this and that.

    Of two that differ nobody knows which is meant: to take one could lead into another request's trace.
    """
    said = {value.strip(" \t") for value in values}  # the parser leaves what may stand behind a value
    return said.pop() if len(said) == 1 else ""


def trace_in(headers: Sequence[tuple[str, bytes]]) -> Trace | None:
    """Return the trace that a record was sent with, or None. Whoever writes to the topic may have written anything."""
    found = {name: value for name, value in reversed(headers[:_HEADERS_MAX]) if name in {REQUEST, TRACEPARENT}}
    request = found[REQUEST].decode("ascii", "replace") if found.get(REQUEST) else ""
    if not _REQUEST_ID.fullmatch(request):
        return None
    return trace_of(request, (found.get(TRACEPARENT) or b"").decode("ascii", "replace"))
