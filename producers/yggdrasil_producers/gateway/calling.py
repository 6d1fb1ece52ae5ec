"""The route that says who a key is: under which name it speaks, what it opens, and what it may do."""

from typing import Annotated

from fastapi import APIRouter, Depends, Response

from yggdrasil_infra.http.application import caller_of, json_response
from yggdrasil_infra.http.callers import Caller, CallerAnswer
from yggdrasil_infra.http.problems import BUSY, TOO_MANY, UNAUTHENTICATED, documented
from yggdrasil_schemas.problems import FORBIDDEN, NOT_READY


def calling() -> APIRouter:
    """Return the route. It takes a key and no role: nobody learns more from it than the key can do anyway."""
    router = APIRouter(prefix="/v1", tags=["keys"])

    @router.get(
        "/caller",
        operation_id="caller",
        summary="Who the key is",
        response_description="Its name, what it opens, and what it may do.",
        response_model=CallerAnswer,
        responses=documented(UNAUTHENTICATED, FORBIDDEN, TOO_MANY, BUSY, NOT_READY),
    )
    async def caller(caller: Annotated[Caller, Depends(caller_of)]) -> Response:
        """Say who a key is, so that a program need not be told it twice, nor begin what it may not end."""
        return json_response(CallerAnswer.of(caller))

    return router
