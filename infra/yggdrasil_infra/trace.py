"""Which request a command came with, as a record of the log tells it. No law, hash, digest or proof reads it."""

from dataclasses import dataclass
from typing import Final

TRACEPARENT: Final = "traceparent"
"""The header of a record with that of W3C Trace Context, as the request had it."""
REQUEST: Final = "yggdrasil-request"
"""The header of a record with the id of the request."""


@dataclass(frozen=True, slots=True)
class Trace:
    """The id of a request, and the ``traceparent`` that it came with, if it had a valid one of version 00."""

    request: str
    traceparent: str | None = None

    def headers(self) -> list[tuple[str, bytes]]:
        """Return it as headers of a record: 2 at most, of some 150 bytes."""
        named = [(REQUEST, self.request.encode())]
        return named if self.traceparent is None else [*named, (TRACEPARENT, self.traceparent.encode())]

    def told(self) -> dict[str, str]:
        """Return it as fields of a line of a log."""
        found = {"request": self.request}
        return found if self.traceparent is None else found | {"traceparent": self.traceparent}
