"""The application without its routes: strict JSON in, problems out, an OpenAPI page that needs no network, probes."""

import asyncio
import logging
import re
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Annotated, Any, Final, cast
from urllib.parse import unquote

import orjson
from fastapi import APIRouter, Depends, FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.utils import get_openapi
from fastapi.responses import HTMLResponse, PlainTextResponse
from fastapi.routing import APIRoute
from fastapi.security import HTTPBearer
from prometheus_client import CollectorRegistry
from prometheus_client.exposition import choose_encoder
from starlette.exceptions import HTTPException
from starlette.routing import Match
from starlette.types import Scope

from yggdrasil_schemas.commands import Role
from yggdrasil_schemas.commands.wording import placed
from yggdrasil_schemas.errors import YggdrasilError
from yggdrasil_schemas.problems import FORBIDDEN, INTERNAL, INVALID, Kind

from .callers import Caller
from .document import mended
from .parameters import FORMS
from .problems import (
    BAD_REQUEST,
    NO_JSON_TYPE,
    NOT_FOUND,
    NOT_JSON,
    TOO_MANY,
    UNAUTHENTICATED,
    WRONG_METHOD,
    ProblemError,
    documented,
    problem_of,
    problem_response,
)

Check = Callable[[], str | None]
"""Returns None when all is well, or else the reason in one sentence."""

_LOGGER: Final = logging.getLogger("yggdrasil.http")
_ASSETS: Final = {"swagger-ui-bundle.js": "text/javascript", "swagger-ui.css": "text/css", "favicon.png": "image/png"}
_PARTS: Final = Path(__file__).with_name("page")  # of swagger-ui 5.32.6 as it is published, with its licences
_DOCUMENT_PATH: Final = "/openapi.json"
OPEN_PATHS: Final = frozenset(
    ("/livez", "/readyz", _DOCUMENT_PATH, "/docs", "/docs/start.js", *(f"/docs/{name}" for name in _ASSETS))
)
"""What is there for everybody: probes, and the page with all that it needs."""
_PAGE: Final = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Yggdrasil</title>
<link rel="stylesheet" href="/docs/swagger-ui.css"><link rel="icon" href="/docs/favicon.png"></head>
<body><div id="page"></div><script src="/docs/swagger-ui-bundle.js"></script><script src="/docs/start.js"></script>
</body></html>
"""
_START: Final = """SwaggerUIBundle({url: "/openapi.json", dom_id: "#page", deepLinking: true, validatorUrl: null});\n"""
_PAGE_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self';"
    " frame-ancestors 'none'"
)
_SLASH: Final = re.compile(b"%2f", re.IGNORECASE)
_BY_STATUS: Final[dict[int, Kind]] = {404: NOT_FOUND, 405: WRONG_METHOD}
_key: Final = HTTPBearer(auto_error=False, description="A key of `yggdrasil key new`.")


async def caller_of(request: Request, _: Annotated[object, Depends(_key)]) -> Caller:
    """Return who calls, as the shell has found out. Not a plain function: the framework would put it into a thread."""
    caller: Caller = request.state.caller
    return caller


@dataclass(frozen=True, slots=True)
class About:
    """What an application says of itself."""

    title: str
    text: str
    version: str


class JsonRoute(APIRoute):
    """A route whose body is JSON, read by a strict reader and only if it is sent as JSON.

    It writes its answers itself: their shape is made only for the document, which is half the time a service starts in.
    """

    def __init__(self, path: str, endpoint: Callable[..., Any], **given: Any) -> None:
        """``given`` is what the framework takes."""
        self.documented = partial(APIRoute, path, endpoint, **given)
        unshaped: dict[str, Any] = {**given, "response_model": None}
        super().__init__(path, endpoint, **unshaped)

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Return whether this route is meant, and what it adds to the scope.

        A slash in a name is sent as ``%2F``. It is no slash of the path, which the framework would take it for: the
        node ``feature:a/neighbours`` is not what is around ``feature:a``.
        """
        raw: bytes = scope.get("raw_path") or b""
        if b"%2" not in raw or b"%00" in raw:  # a name has no NUL, so it can stand for the slash
            return super().matches(scope)
        path = unquote(_SLASH.sub(b"%00", raw).decode("latin-1"))
        match, child = super().matches({**scope, "path": path})
        named: dict[str, Any] = child.get("path_params", {})
        child["path_params"] = {
            name: value.replace("\0", "/") if isinstance(value, str) else value for name, value in named.items()
        }
        return match, child

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return what handles a request."""
        handle = super().get_route_handler()
        takes_body = self.body_field is not None
        may_lack = self.body_field is not None and not self.body_field.field_info.is_required()

        async def checked(request: Request) -> Response:
            if takes_body and not (may_lack and _is_empty(request)):
                sent = request.headers.get("content-type", "").partition(";")[0].strip().lower()
                if sent != "application/json":
                    raise ProblemError(NO_JSON_TYPE, f"the body is sent as {sent[:80] or 'nothing in particular'}")
            return await handle(_JsonRequest(request.scope, request.receive))

        return checked


def _is_empty(request: Request) -> bool:
    """Return whether a request says that it has no body, by the headers that say how long one is."""
    return "transfer-encoding" not in request.headers and request.headers.get("content-length", "0") == "0"


class _JsonRequest(Request):
    async def json(self) -> Any:
        return orjson.loads(await self.body())


def json_response(answer: object, status: int = 200) -> Response:
    """Return ``answer``, a dataclass or what JSON has a form for."""
    return Response(orjson.dumps(answer), status, media_type="application/json")


def need(caller: Caller, *roles: Role) -> None:
    """Raise ProblemError (403) unless the caller has one of ``roles``."""
    if not caller.roles.intersection(roles):
        raise ProblemError(FORBIDDEN, f"this takes a key with the role {' or '.join(roles)}")


def application(routers: Sequence[APIRouter], about: About, *, keys: bool) -> FastAPI:
    """Return an application in which every error becomes a problem; ``keys`` says whether one is needed."""
    app = FastAPI(
        title=about.title,
        description=about.text,
        version=about.version,
        docs_url=None,
        redoc_url=None,
        openapi_url=None,  # it would be written anew for everybody who asks
        redirect_slashes=False,  # it would lead to whatever the header Host names
    )
    for router in (*routers, _documents(app)):
        app.routes.extend(router.routes)  # as they are: the framework's way of including one makes every route twice
    _explain_errors(app)

    @cache
    def openapi() -> dict[str, Any]:
        routes = [route.documented() if isinstance(route, JsonRoute) else route for route in app.routes]
        document = get_openapi(title=about.title, version=about.version, description=about.text, routes=routes)
        return mended(document, keys=keys)

    cast(Any, app).openapi = openapi  # which is how the framework has it replaced
    return app


def probes(live: Check, ready: Check, notes: Check, registry: CollectorRegistry) -> APIRouter:
    """Return the routes for those who watch the process; ``notes`` are said beside the ok of ``ready``."""
    router = APIRouter(tags=["watching"])

    @router.get(
        "/livez",
        operation_id="livez",
        response_class=PlainTextResponse,
        summary="Whether the process works at all",
    )
    async def livez() -> Response:
        return _probe(live())

    @router.get(
        "/readyz",
        operation_id="readyz",
        response_class=PlainTextResponse,
        summary="Whether requests should be sent here",
        responses={503: {"description": "Not now: the reason in one sentence", "content": {"text/plain": {}}}},
    )
    async def readyz() -> Response:
        return _probe(ready(), notes())

    @router.get(
        "/metrics",
        operation_id="metrics",
        response_class=PlainTextResponse,
        summary="Metrics for Prometheus (role operate)",
        responses=documented(UNAUTHENTICATED, FORBIDDEN, TOO_MANY),
    )
    async def metrics(request: Request, caller: Annotated[Caller, Depends(caller_of)]) -> Response:
        need(caller, "operate")
        encode, content_type = choose_encoder(request.headers.get("accept", ""))
        return Response(await asyncio.to_thread(encode, registry), headers={"content-type": content_type})

    return router


def _probe(reason: str | None, note: str | None = None) -> Response:
    well = "ok" if note is None else f"ok, but {note}"
    return PlainTextResponse(f"{well if reason is None else reason}\n", 200 if reason is None else 503)


def _documents(app: FastAPI) -> APIRouter:
    """Return the routes for whoever wants to know what is served; what they return is made once."""
    router = APIRouter(include_in_schema=False)

    @cache
    def written() -> bytes:
        return orjson.dumps(app.openapi())

    @cache
    def part(name: str) -> bytes:
        return (_PARTS / name).read_bytes()

    @router.get(_DOCUMENT_PATH)
    async def document() -> Response:
        return Response(await asyncio.to_thread(written), media_type="application/json")

    @router.get("/docs")
    async def page() -> Response:
        return HTMLResponse(_PAGE, headers={"content-security-policy": _PAGE_POLICY})

    @router.get("/docs/start.js")
    async def start() -> Response:
        return Response(_START, media_type="text/javascript")

    @router.get("/docs/{name}")
    async def asset(name: str) -> Response:
        media_type = _ASSETS.get(name)
        if media_type is None:
            raise ProblemError(NOT_FOUND, "the page has no such part")
        data = await asyncio.to_thread(part, name)
        return Response(data, media_type=media_type, headers={"cache-control": "max-age=3600"})

    return router


def _explain_errors(app: FastAPI) -> None:
    async def ours(request: Request, error: Exception) -> Response:
        if not isinstance(error, YggdrasilError) or error.kind.name == INTERNAL.name:
            raise error  # nobody has foreseen it here: the log gets all of it
        if error.kind.told is not None:
            _LOGGER.error("a request could not be answered: %s", error)
        return problem_response(problem_of(error), request.scope)

    async def theirs(request: Request, error: Exception) -> Response:
        return problem_response(_found(error), request.scope)

    app.add_exception_handler(YggdrasilError, ours)
    for kind in (RequestValidationError, HTTPException, Exception):
        app.add_exception_handler(kind, theirs)


def _found(error: Exception) -> ProblemError:
    """Say which problem an error of the framework is, or one that nobody has foreseen."""
    if isinstance(error, RequestValidationError):
        first = error.errors()[0]
        if first["type"] == "json_invalid" and first["loc"][0] == "body":
            return ProblemError(NOT_JSON, str(first.get("ctx", {}).get("error", "it cannot be read")))
        return ProblemError(INVALID, placed(first, FORMS))
    if isinstance(error, HTTPException):
        kind = _BY_STATUS.get(error.status_code, NOT_JSON if error.status_code == 400 else BAD_REQUEST)
        return ProblemError(kind, str(error.detail), headers=error.headers)
    return ProblemError(INTERNAL, "the request could not be answered")
