"""Errors over HTTP: always ``application/problem+json`` (RFC 9457), with a member ``remedy`` that says what to do.

The kinds are a closed list: those of errors (``yggdrasil_schemas.problems``), and those below. Two of them were hard
to place: a read that waited in vain for a receipt is a conflict with the state of the memory as it stands here (409),
not a failure of the server, which monitors would count as one; and a key that does not open a tenant is answered alike
whether or not there is such a memory (403).
"""

from collections.abc import Mapping
from math import ceil
from typing import Any, Final

import orjson
from pydantic import BaseModel, Field
from starlette.responses import Response
from starlette.types import Scope

from yggdrasil_schemas.errors import YggdrasilError
from yggdrasil_schemas.problems import Kind

MEDIA_TYPE: Final = "application/problem+json"


BAD_REQUEST: Final = Kind("bad_request", 400, "This is not HTTP that can be served", "Mend the client.")
NOT_JSON: Final = Kind("not_json", 400, "The body is not JSON", "Send one JSON object in UTF-8; NaN is not JSON.")
UNAUTHENTICATED: Final = Kind(
    "unauthenticated", 401, "No valid key", "Send `Authorization: Bearer KEY`; `yggdrasil key new` makes a key."
)
QUOTA: Final = Kind(
    "quota_exceeded", 403, "The tenant has what it may have", "Ask whoever runs the service for a larger quota."
)
DAY_QUOTA: Final = Kind(
    "day_quota_exceeded", 429, "The tenant has appended what it may today", "Go on tomorrow (UTC), or ask for more."
)
NOT_FOUND: Final = Kind("not_found", 404, "There is nothing here", "See /docs for what is served.")
WRONG_METHOD: Final = Kind("method_not_allowed", 405, "Wrong method", "Use the method that the header Allow names.")
TOO_SLOW: Final = Kind("request_timeout", 408, "The request came too slowly", "Send it again, on a better line.")
TOO_LARGE: Final = Kind(
    "too_large", 413, "The body is too large", "Send less at once; keep what is large elsewhere and refer to it."
)
NO_JSON_TYPE: Final = Kind("unsupported_media_type", 415, "Not sent as JSON", "Send `Content-Type: application/json`.")
TOO_MANY: Final = Kind("too_many_requests", 429, "Too many requests", "Wait as long as Retry-After says, then go on.")
HEAD_TOO_LARGE: Final = Kind("head_too_large", 431, "The request's head is too large", "Send fewer or shorter headers.")
BUSY: Final = Kind("busy", 503, "The server is busy", "Wait as long as Retry-After says, then send it again.")


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
    arguments: dict[str, Any] | None = Field(
        default=None, description="What it is about, by name: of `unknown_node` the memory, the reference and its heir."
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
        arguments: Mapping[str, Any] | None = None,
        retry_after_s: float | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(f"{kind.name}: {detail}")
        self.kind = kind
        self.detail = detail
        self.remedy = remedy or kind.remedy
        self.reason = reason
        self.about = dict(arguments or {})
        self.headers = dict(headers or {})
        if kind is UNAUTHENTICATED:
            self.headers["WWW-Authenticate"] = "Bearer"
        if retry_after_s is not None:
            self.headers["Retry-After"] = str(max(1, ceil(retry_after_s)))


def problem_of(error: YggdrasilError) -> ProblemError:
    """Return the problem that an error of ours is."""
    if isinstance(error, ProblemError):
        return error
    about = error.arguments()
    reason = about.pop("reason", None)
    return ProblemError(error.kind, error.told(), reason=reason, arguments=about, retry_after_s=error.kind.again_s)


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
    if error.about:
        fields["arguments"] = error.about
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
