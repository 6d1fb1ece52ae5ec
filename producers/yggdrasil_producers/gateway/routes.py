"""The routes that append."""

import logging
from collections.abc import Mapping
from typing import Annotated, Any, Final

from fastapi import APIRouter, Body, Depends, Query, Response
from prometheus_client import Counter
from pydantic import BaseModel, ConfigDict
from yggdrasil_infra.http.application import JsonRoute, caller_of, json_response
from yggdrasil_infra.http.callers import Caller
from yggdrasil_infra.http.parameters import DEADLINE_S, Agent, Deadline, Tenant, memory_of
from yggdrasil_infra.http.problems import (
    BUSY,
    ELSEWHERE,
    FORBIDDEN,
    INTERNAL,
    INVALID,
    NO_JSON_TYPE,
    NOT_JSON,
    NOT_READY,
    TOO_LARGE,
    TOO_MANY,
    TOO_SLOW,
    UNAUTHENTICATED,
    ProblemError,
    documented,
)
from yggdrasil_infra.http.workroom import Workroom
from yggdrasil_infra.log import LogError
from yggdrasil_schemas.commands import COMMANDS
from yggdrasil_schemas.errors import InvalidCommandError
from yggdrasil_schemas.refusals import Refusal

from ..draft import Draft, Drafter, Stamp
from .appends import Appends
from .authority import check_may_say, origin_of
from .shapes import BATCH, BATCH_MAX, FIELDS, SENT, BatchAnswer, CommandAnswer, answer_of

PROCESS: Final = "yggdrasil-serve"
_LOGGER: Final = logging.getLogger("yggdrasil.gateway")
_PROBLEMS: Final = documented(
    NOT_JSON, UNAUTHENTICATED, FORBIDDEN, TOO_SLOW, TOO_LARGE, NO_JSON_TYPE, ELSEWHERE, INVALID, TOO_MANY, INTERNAL,
    BUSY, NOT_READY,
)  # fmt: skip
_LATER: Final = "In the log, and not folded here yet: ask what became of it, or pass the receipt as `after`."


class Waiting(BaseModel):
    """How an append is waited for."""

    model_config = ConfigDict(extra="forbid")

    wait: bool = True
    deadline_s: Deadline = DEADLINE_S


class Gateway:
    """Takes commands in, drafts them in the name of the caller, and appends them."""

    def __init__(self, appends: Appends, workroom: Workroom, commands: Counter) -> None:
        """``commands`` counts what was appended, by type."""
        self._appends = appends
        self._workroom = workroom
        self._commands = commands

    def router(self) -> APIRouter:
        """Return the routes."""
        router = APIRouter(prefix="/v1/memories/{tenant}/{agent}", tags=["commands"], route_class=JsonRoute)
        router.add_api_route(
            "/commands",
            self.command,
            methods=["POST"],
            summary="Append one command",
            response_description="In the log and folded; `accepted` says whether the memory took it.",
            response_model=CommandAnswer,
            responses={202: {"model": CommandAnswer, "description": _LATER}, **_PROBLEMS},
        )
        router.add_api_route(
            "/commands/batch",
            self.batch,
            methods=["POST"],
            summary=f"Append up to {BATCH_MAX} commands in order",
            description="When one of them is malformed or not yours to say, none is appended.",
            response_description="All in the log and folded; each is answered.",
            response_model=BatchAnswer,
            responses={202: {"model": BatchAnswer, "description": _LATER}, **_PROBLEMS},
        )
        return router

    async def command(
        self,
        tenant: Tenant,
        agent: Agent,
        sent: Annotated[dict[str, Any], SENT, Body()],
        waiting: Annotated[Waiting, Query()],
        caller: Annotated[Caller, Depends(caller_of)],
    ) -> Response:
        """Append one command; the server builds its envelope.

        The language of the log checks it first: what is malformed is refused (422, with the `reason` that the fold
        would give) and never reaches the log. What only the memory can judge is answered with `accepted: false`.
        """
        drafter = _Drafting(caller, memory_of(caller, tenant, agent))
        draft = drafter.draft(sent)
        appended = await self._run(self._appends.append, draft, waiting, [draft])
        self._count([sent])
        return json_response(answer_of(draft.id, appended), 202 if appended.said is None else 200)

    async def batch(
        self,
        tenant: Tenant,
        agent: Agent,
        sent: Annotated[dict[str, Any], BATCH, Body()],
        waiting: Annotated[Waiting, Query()],
        caller: Annotated[Caller, Depends(caller_of)],
    ) -> Response:
        """Append commands in order, and answer each."""
        drafter = _Drafting(caller, memory_of(caller, tenant, agent))
        commands = _commands(sent)
        drafts = [drafter.draft(one, f"commands.{at}: ") for at, one in enumerate(commands)]
        appended = await self._run(self._appends.append_many, drafts, waiting, drafts)
        self._count(commands)
        answers = [answer_of(draft.id, one) for draft, one in zip(drafts, appended, strict=True)]
        return json_response(BatchAnswer(answers), 202 if any(one.said is None for one in appended) else 200)

    async def _run(self, append: Any, what: Any, waiting: Waiting, drafts: list[Draft]) -> Any:
        try:
            return await self._workroom.run(append, what, waiting.deadline_s if waiting.wait else None)
        except LogError as error:
            _LOGGER.error("commands were not acknowledged: %s", error)
            ids = ", ".join(draft.id for draft in drafts[:BATCH_MAX])
            raise ProblemError(
                NOT_READY,
                f"not acknowledged by the log, which may have it all the same: {ids}",
                remedy="Send it again with the ids that `detail` names: the memory takes an id once.",
                retry_after_s=1,
            ) from error

    def _count(self, commands: list[dict[str, Any]]) -> None:
        for one in commands:
            self._commands.labels(one["type"]).inc()


def _commands(sent: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the commands of a batch. Raises ProblemError."""
    found: object = sent.get("commands")
    if sent.keys() != {"commands"} or not isinstance(found, list):
        raise ProblemError(INVALID, "a batch has one field, `commands`, and that is a list")
    commands: list[Any] = sent["commands"]
    if not 1 <= len(commands) <= BATCH_MAX:
        raise ProblemError(INVALID, f"commands: a batch has 1 to {BATCH_MAX} of them, not {len(commands)}")
    for at, one in enumerate(commands):
        if not isinstance(one, dict):
            raise ProblemError(INVALID, f"commands.{at}: a command is an object")
    return commands


class _Drafting:
    """Drafts what a caller sends to a memory."""

    def __init__(self, caller: Caller, memory: str) -> None:
        self._caller = caller
        self._memory = memory

    def draft(self, sent: Mapping[str, Any], where: str = "") -> Draft:
        """Return a draft. Raises ProblemError: 403 for what the caller may not say, 422 for what is malformed."""
        if unknown := sorted(sent.keys() - set(FIELDS)):
            raise ProblemError(
                INVALID,
                f"{where}a command has the fields {', '.join(FIELDS)}, and not {unknown[0][:80]}",
                reason=Refusal.INVALID_ENVELOPE.code,
            )
        kind = sent.get("type")
        if not isinstance(kind, str) or kind not in COMMANDS:
            raise ProblemError(INVALID, f"{where}{Refusal.UNKNOWN_TYPE.sentence}", reason=Refusal.UNKNOWN_TYPE.code)
        check_may_say(self._caller, kind)
        body: Any = sent.get("body")
        origin = origin_of(self._caller, kind, body)
        command_id = sent.get("id")
        if command_id is not None and (not isinstance(command_id, str) or not command_id):
            raise ProblemError(INVALID, f"{where}id: takes a UUIDv7 or UUIDv8", reason=Refusal.INVALID_ENVELOPE.code)
        drafter = Drafter(self._memory, self._caller.name, PROCESS, origin)
        try:
            return drafter.draft(
                kind, body, sent.get("content"), sent.get("session"), Stamp(command_id, sent.get("at"))
            )
        except InvalidCommandError as error:
            raise ProblemError(INVALID, f"{where}{error.detail}", reason=error.reason) from error
