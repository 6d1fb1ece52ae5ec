"""The routes that append."""

import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Annotated, Any, Final, Literal, TypeAlias

from fastapi import APIRouter, Body, Depends, Query, Request, Response
from prometheus_client import Counter
from pydantic import BaseModel, ConfigDict, Field

from yggdrasil_infra.http.application import JsonRoute, caller_of, json_response
from yggdrasil_infra.http.callers import Caller
from yggdrasil_infra.http.parameters import DEADLINE_S, Agent, Deadline, Tenant, memory_of
from yggdrasil_infra.http.problems import (
    BUSY,
    DAY_QUOTA,
    NO_JSON_TYPE,
    NOT_JSON,
    QUOTA,
    TOO_LARGE,
    TOO_MANY,
    TOO_SLOW,
    UNAUTHENTICATED,
    WRONG_METHOD,
    ProblemError,
    documented,
)
from yggdrasil_infra.http.rates import Quotas
from yggdrasil_infra.http.workroom import Workroom
from yggdrasil_infra.log import DiskFullError, LogError, NotFoldedError, ReadOnlyError, Receipt
from yggdrasil_infra.tracing import TRACE
from yggdrasil_schemas.policy import DEFAULT
from yggdrasil_schemas.problems import DISK_FULL, ELSEWHERE, FORBIDDEN, INTERNAL, INVALID, NOT_READY, UNKNOWN_NODE

from ..draft import Draft
from .appends import BATCH_MAX, Appended, Appends, Later
from .authority import check_may_attach, check_may_mean
from .drafting import Drafting, Embed, lacks_vector, worded
from .shapes import BATCH, SENT, BatchAnswer, CommandAnswer, answer_of

_LOGGER: Final = logging.getLogger("yggdrasil.gateway")
PROBLEMS: Final = documented(
    NOT_JSON, UNAUTHENTICATED, FORBIDDEN, TOO_SLOW, UNKNOWN_NODE, TOO_LARGE, NO_JSON_TYPE, ELSEWHERE, INVALID,
    QUOTA, DAY_QUOTA, TOO_MANY, INTERNAL, BUSY, NOT_READY, DISK_FULL,
)  # fmt: skip
CEILINGS: Final[Mapping[str, int]] = {
    name: 4 * getattr(DEFAULT, name) for name in ("nodes_max", "edges_max", "archived_max", "recalls_kept_max")
}
"""What a memory's policy may take of a host at most, unless whoever runs it says otherwise: four times the default."""
LATER: Final = "In the log, and not folded here yet: ask what became of it, or pass the receipt as `after`."


VECTORS: Final = (
    "When the service makes the vectors of what comes without: before it is appended, or `later`, so that it is found "
    "by its words at once. Where too much of the tenant waits for vectors already, or nothing here makes them later, "
    "it is as with `now`. `/stats?vectors=true` says how many texts have one."
)


_Noted: TypeAlias = AbstractContextManager[Callable[[Receipt], object]]


class Waiting(BaseModel):
    """How an append is waited for."""

    model_config = ConfigDict(extra="forbid")

    wait: bool = True
    deadline_s: Deadline = DEADLINE_S
    vectors: Annotated[Literal["now", "later"], Field(description=VECTORS)] = "now"


class Gateway:
    """Takes commands in, drafts them in the name of the caller, and appends them."""

    def __init__(
        self,
        appends: Appends,
        workroom: Workroom,
        commands: Counter,
        embed: Embed | None = None,
        ceilings: Mapping[str, int] = CEILINGS,
        *,
        quotas: Quotas,
        later: Later | None = None,
    ) -> None:
        """``commands`` counts what was appended, by type; ``embed`` makes vectors of what comes without one.

        ``ceilings`` are the greatest values that a policy may have here, ``quotas`` what a tenant may take. ``later``
        makes vectors after an append that says so.
        """
        self._appends = appends
        self._workroom = workroom
        self._commands = commands
        self._embed = embed
        self._ceilings = ceilings
        self._quotas = quotas
        self._later = later

    def router(self) -> APIRouter:
        """Return the routes."""
        router = APIRouter(prefix="/v1/memories/{tenant}/{agent}", tags=["commands"], route_class=JsonRoute)
        router.add_api_route(
            "/commands",
            self.command,
            methods=["POST"],
            operation_id="append",
            summary="Append one command",
            response_description="In the log and folded; `accepted` says whether the memory took it.",
            response_model=CommandAnswer,
            responses={202: {"model": CommandAnswer, "description": LATER}, **PROBLEMS},
        )
        router.add_api_route(
            "/commands/batch",
            self.batch,
            methods=["POST"],
            operation_id="append_many",
            summary=f"Append up to {BATCH_MAX} commands in order",
            description="When one of them is malformed or not yours to say, none is appended.",
            response_description="All in the log and folded; each is answered.",
            response_model=BatchAnswer,
            responses={202: {"model": BatchAnswer, "description": LATER}, **PROBLEMS},
        )
        router.add_api_route("/commands/batch", self.no_page, methods=["GET"], include_in_schema=False)
        return router

    async def no_page(self) -> Response:
        """Say that there is nothing to get: a batch is no command."""
        raise ProblemError(WRONG_METHOD, "a batch is sent with POST", headers={"Allow": "POST"})

    async def command(
        self,
        request: Request,
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
        drafting = Drafting(caller, memory_of(caller, tenant, agent), self._ceilings)
        self._quotas.pay(caller, drafting.memory)
        commands = [worded(sent)]
        drafts = [drafting.draft(commands[0])]
        request.state.appended = _appended(drafts)
        (appended,) = await self._append(drafting, commands, drafts, waiting)
        request.state.appended |= {"receipt": appended.receipt.written}
        request.state.commands = 1
        return json_response(answer_of(drafts[0].id, appended), 202 if appended.said is None else 200)

    async def batch(
        self,
        request: Request,
        tenant: Tenant,
        agent: Agent,
        sent: Annotated[dict[str, Any], BATCH, Body()],
        waiting: Annotated[Waiting, Query()],
        caller: Annotated[Caller, Depends(caller_of)],
    ) -> Response:
        """Append commands in order, and answer each."""
        answers = await self.take(request, caller, memory_of(caller, tenant, agent), _commands(sent), waiting)
        return json_response(BatchAnswer(answers), status_of(answers))

    async def take(
        self, request: Request, caller: Caller, memory: str, commands: list[dict[str, Any]], waiting: Waiting
    ) -> list[CommandAnswer]:
        """Append commands to a memory in the name of the caller, in order, and return what became of each."""
        drafting = Drafting(caller, memory, self._ceilings)
        self._quotas.pay(caller, memory, len(commands))
        drafts = await self._workroom.run(_drafts, drafting, commands)  # a batch may have a million bytes
        request.state.appended = _appended(drafts)
        appended = await self._append(drafting, commands, drafts, waiting)
        request.state.appended |= {"receipt": appended[0].receipt.written}
        request.state.commands = len(commands)
        return [answer_of(draft.id, one) for draft, one in zip(drafts, appended, strict=True)]

    async def recorded(self, drafts: list[Draft]) -> Mapping[str, bytes]:
        """Return the records of commands of one memory whose ids it knows, by id."""
        return await self._workroom.run(self._appends.recorded, drafts)

    def supposed(
        self, caller: Caller, memory: str, policy: Mapping[str, Any], commands: Sequence[dict[str, Any]]
    ) -> list[bytes]:
        """Return the records of commands that the caller may say, in their order; nothing is appended.

        Raises ProblemError for what they may not say, and where they may not set that ``policy``.
        """
        drafting = Drafting(caller, memory, self._ceilings)
        check_may_mean(caller, "set_policy", {"changes": policy}, self._ceilings)
        sent = [worded(one) for one in commands]
        drafts = [drafting.draft(one, f"with_.{at}: ") for at, one in enumerate(sent)]
        nodes = [one["body"]["node"] for one in sent if one["type"] == "attach_vector"]
        if nodes:
            check_may_attach(caller, memory, nodes, self._appends)
        if drafts and self._embed is not None:
            drafts = drafting.with_vectors(sent, drafts, self._appends.recorded, self._embed)
        return [draft.value for draft in drafts]

    async def _append(
        self, drafting: Drafting, commands: list[dict[str, Any]], drafts: list[Draft], waiting: Waiting
    ) -> list[Appended]:
        deadline_s = waiting.deadline_s if waiting.wait else None
        nodes = [one["body"]["node"] for one in commands if one["type"] == "attach_vector"]
        try:
            if nodes:
                await self._workroom.run(check_may_attach, drafting.caller, drafting.memory, nodes, self._appends)
            noted: _Noted | None = None
            if self._embed is not None or any(one.get("id") is not None for one in commands):
                later = waiting.vectors == "later"
                drafts, noted = await self._workroom.run(self._completed, drafting, commands, drafts, later)
            appended = await self._workroom.run(self._place, drafting.memory, drafts, deadline_s, noted)
        except (DiskFullError, ReadOnlyError):  # before anything was appended
            raise
        except NotFoldedError as error:
            _LOGGER.error("commands are in the log and were not folded: %s", error, extra=_followed(drafts))
            ids = ", ".join(error.ids)
            raise ProblemError(
                NOT_READY,
                f"in the log, and not folded, since this host folds no more: {ids}",
                remedy="Nothing is lost. Sent again with the ids that `detail` names, they are taken once.",
                retry_after_s=1,
            ) from error
        except LogError as error:
            _LOGGER.error("commands were not acknowledged: %s", error, extra=_followed(drafts))
            raise _unacknowledged(error, [draft.id for draft in drafts]) from error
        for one in commands:
            self._commands.labels(one["type"]).inc()
        return appended

    def _completed(
        self, drafting: Drafting, commands: list[dict[str, Any]], drafts: list[Draft], may_follow: bool
    ) -> tuple[list[Draft], _Noted | None]:
        """Return the drafts with their vectors; or, if these ``may_follow``, without, and what notes that."""
        texts = sum(map(lacks_vector, commands)) if self._embed is not None and may_follow else 0
        later = self._later if texts and self._later and self._later.takes(drafting.memory, texts) else None
        embed = self._embed if later is None else None
        drafts = drafting.with_vectors(commands, drafts, self._appends.recorded, embed)
        return drafts, None if later is None else later.appending(drafting.memory, texts)

    def _place(
        self, memory: str, drafts: list[Draft], deadline_s: float | None, noted: _Noted | None
    ) -> list[Appended]:
        """Append, unless that is more than the tenant may take. Raises ProblemError and LogError.

        What is to get its vectors later is ``noted`` before; all of it is done even where nobody waits for it any more.
        """
        self._quotas.check(memory, sum(len(draft.key) + len(draft.value) for draft in drafts))
        if noted is None:
            return self._appends.append_many(drafts, deadline_s)
        with noted as unfolded:
            appended = self._appends.append_many(drafts, deadline_s)
            if appended[-1].said is None:
                unfolded(appended[-1].receipt)
        return appended


def status_of(answers: Sequence[CommandAnswer]) -> int:
    """Return 202 where the fold's word on some command is not known here yet, else 200."""
    return 202 if any(one.accepted is None for one in answers) else 200


def _appended(drafts: Sequence[Draft]) -> dict[str, Any]:
    """Return what the access line says of commands: the id of the first, and how many; all have the request's id."""
    return {"command": drafts[0].id} if len(drafts) == 1 else {"command": drafts[0].id, "commands": len(drafts)}


def _followed(drafts: Sequence[Draft]) -> dict[str, Any]:
    """Return the ids of the commands and of their request, by which a line is found beside the access line."""
    trace = TRACE.get()
    return ({} if trace is None else trace.told()) | _appended(drafts)


def _unacknowledged(error: LogError, ids: Sequence[str]) -> ProblemError:
    """Return the problem of commands that the log has not acknowledged, and which it may have."""
    those = ", ".join(ids)
    rejected = error.rejection
    if rejected is None:
        return ProblemError(
            NOT_READY,
            f"not acknowledged by the log, which may have it all the same: {those}",
            remedy="Send it again with the ids that `detail` names: the memory takes an id once.",
            retry_after_s=1,
        )
    # Of several, the log may have taken those before the one that it refused.
    said = "was not appended" if len(ids) == 1 else "not all of them were appended, and some may have been"
    return ProblemError(
        NOT_READY,
        f"{said}, since {rejected.why}: {those}",
        remedy=f"{rejected.remedy}. Then send it again, with the ids that `detail` names; another host may take it.",
    )


def _drafts(drafting: Drafting, commands: list[dict[str, Any]]) -> list[Draft]:
    return [drafting.draft(one, f"commands.{at}: ") for at, one in enumerate(commands)]


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
    return [worded(one) for one in commands]
