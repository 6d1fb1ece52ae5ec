"""Errors over HTTP: always ``application/problem+json`` (RFC 9457), with a member ``remedy`` that says what to do.

The kinds are a closed list. Two of them were hard to place: a read that waited in vain for a receipt is a conflict with
the state of the memory as it stands here (409), not a failure of the server, which monitors would count as one; and a
key that does not open a tenant is answered alike whether or not there is such a memory (403).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil
from typing import Any, Final

import orjson
from pydantic import BaseModel, Field
from starlette.responses import Response
from starlette.types import Scope

from yggdrasil_schemas.errors import YggdrasilError

MEDIA_TYPE: Final = "application/problem+json"


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of problem: its name in ``type``, its status, its title, and what usually helps."""

    name: str
    status: int
    title: str
    remedy: str

    @property
    def uri(self) -> str:
        """The kind as a URI, which names it and leads nowhere."""
        return f"urn:yggdrasil:problem:{self.name}"


BAD_REQUEST: Final = Kind("bad_request", 400, "This is not HTTP that can be served", "Mend the client.")
NOT_JSON: Final = Kind("not_json", 400, "The body is not JSON", "Send one JSON object in UTF-8; NaN is not JSON.")
UNAUTHENTICATED: Final = Kind(
    "unauthenticated", 401, "No valid key", "Send `Authorization: Bearer KEY`; `yggdrasil key new` makes a key."
)
FORBIDDEN: Final = Kind(
    "forbidden", 403, "The key does not open this", "Use a key of this tenant that has the role; see docs/service.md."
)
QUOTA: Final = Kind(
    "quota_exceeded", 403, "The tenant has what it may have", "Ask whoever runs the service for a larger quota."
)
DAY_QUOTA: Final = Kind(
    "day_quota_exceeded", 429, "The tenant has appended what it may today", "Go on tomorrow (UTC), or ask for more."
)
NOT_FOUND: Final = Kind("not_found", 404, "There is nothing here", "See /docs for what is served.")
UNKNOWN_MEMORY: Final = Kind("unknown_memory", 404, "Unknown memory", "Check its name; the first command makes it.")
UNKNOWN_NODE: Final = Kind("unknown_node", 404, "Unknown reference", "Use a reference that this memory returned.")
UNKNOWN_ACTION: Final = Kind("unknown_action", 404, "Unknown action", "Use the id of an accepted record_event.")
UNKNOWN_COMMAND: Final = Kind(
    "unknown_command", 404, "Unknown command", "Pass after=RECEIPT to wait for it, or send it again under the same id."
)
WRONG_METHOD: Final = Kind("method_not_allowed", 405, "Wrong method", "Use the method that the header Allow names.")
TOO_SLOW: Final = Kind("request_timeout", 408, "The request came too slowly", "Send it again, on a better line.")
NOT_YET: Final = Kind(
    "not_yet", 409, "Not folded yet", "Ask again with the same `after` and a later deadline; nothing is lost."
)
TOO_LARGE: Final = Kind(
    "too_large", 413, "The body is too large", "Send less at once; keep what is large elsewhere and refer to it."
)
NO_JSON_TYPE: Final = Kind("unsupported_media_type", 415, "Not sent as JSON", "Send `Content-Type: application/json`.")
ELSEWHERE: Final = Kind(
    "elsewhere", 421, "Another host answers for this memory", "Ask the host that has its partition; see `detail`."
)
INVALID: Final = Kind("invalid", 422, "This cannot be meant", "Mend what `detail` names; /docs shows the shape.")
TOO_MANY: Final = Kind("too_many_requests", 429, "Too many requests", "Wait as long as Retry-After says, then go on.")
HEAD_TOO_LARGE: Final = Kind("head_too_large", 431, "The request's head is too large", "Send fewer or shorter headers.")
INTERNAL: Final = Kind(
    "internal", 500, "A fault of the server", "Tell its operator the `instance`: the log there names the cause."
)
BUSY: Final = Kind("busy", 503, "The server is busy", "Wait as long as Retry-After says, then send it again.")
NOT_READY: Final = Kind("not_ready", 503, "The server is not ready", "Try again shortly, or ask another host.")
DISK_FULL: Final = Kind(
    "disk_full", 507, "No room on the disk", "Tell the operator to make room; reads go on, and nothing is lost."
)

KINDS: Final[tuple[Kind, ...]] = tuple(value for value in list(globals().values()) if isinstance(value, Kind))


class Problem(BaseModel):
    """What went wrong and what to do: the body of every answer from 400 on."""

    type: str = Field(description="The kind of problem, for machines: `urn:yggdrasil:problem:NAME`.")
    title: str = Field(description="The kind of problem, for people.")
    status: int = Field(description="The status of the answer.")
    detail: str = Field(description="What was wrong with this request.")
    instance: str = Field(
        description="This request: `urn:yggdrasil:request:ID`, with the id of the header X-Request-Id."
    )
    remedy: str = Field(description="What to do about it.")
    reason: str | None = Field(
        default=None, description="Why a command is refused before it reaches the log, as the fold would say it."
    )


class ProblemError(YggdrasilError):
    """Raised where a request ends in a problem. ``retry_after_s`` becomes the header Retry-After."""

    def __init__(
        self,
        kind: Kind,
        detail: str,
        *,
        remedy: str | None = None,
        reason: str | None = None,
        retry_after_s: float | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(f"{kind.name}: {detail}")
        self.kind = kind
        self.detail = detail
        self.remedy = remedy or kind.remedy
        self.reason = reason
        self.headers = dict(headers or {})
        if kind is UNAUTHENTICATED:
            self.headers["WWW-Authenticate"] = "Bearer"
        if retry_after_s is not None:
            self.headers["Retry-After"] = str(max(1, ceil(retry_after_s)))


def problem_body(error: ProblemError, request_id: str) -> bytes:
    """Return the JSON of a problem."""
    kind = error.kind
    fields: dict[str, Any] = {
        "type": kind.uri,
        "title": kind.title,
        "status": kind.status,
        "detail": error.detail,
        "instance": f"urn:yggdrasil:request:{request_id}",
        "remedy": error.remedy,
    }
    if error.reason is not None:
        fields["reason"] = error.reason
    return orjson.dumps(fields)


def problem_response(error: ProblemError, scope: Scope) -> Response:
    """Return a problem as the answer to the request of ``scope``."""
    scope.setdefault("state", {})["problem"] = error.kind.name  # for metrics and the access log
    body = problem_body(error, request_id_of(scope))
    return Response(body, error.kind.status, error.headers, MEDIA_TYPE)


def request_id_of(scope: Scope) -> str:
    """Return the id of a request, which its entry into the application has given it."""
    return str(scope.get("state", {}).get("request_id", "unknown"))


def documented(*kinds: Kind) -> dict[int | str, dict[str, Any]]:
    """Return the OpenAPI entries of problems, by status; kinds of one status share an entry."""
    found: dict[int | str, dict[str, Any]] = {}
    for kind in sorted(kinds, key=lambda kind: kind.status):
        entry = found.setdefault(
            kind.status,
            {"description": "", "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}},
        )
        entry["description"] += ("; " if entry["description"] else "") + f"{kind.title} (`{kind.name}`)"
    return found
