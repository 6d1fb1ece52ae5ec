"""The routes that read: one for each row of the table of reads, and the list of memories."""

import inspect
from collections.abc import Callable, Coroutine
from dataclasses import replace
from functools import partial
from typing import Annotated, Any, Final, cast

from fastapi import APIRouter, Body, Depends, Path, Request, Response
from fastapi import Query as InQuery

from yggdrasil_infra.http.application import JsonRoute, caller_of, json_response, need
from yggdrasil_infra.http.callers import Caller, leaves_no_trace
from yggdrasil_infra.http.parameters import Agent, Tenant, memory_of
from yggdrasil_infra.http.problems import (
    BUSY,
    NO_JSON_TYPE,
    NOT_JSON,
    TOO_LARGE,
    TOO_MANY,
    TOO_SLOW,
    UNAUTHENTICATED,
    documented,
)
from yggdrasil_infra.http.rates import Quotas
from yggdrasil_infra.http.workroom import Workrooms
from yggdrasil_infra.log import Receipt
from yggdrasil_schemas.commands.forks import is_fork
from yggdrasil_schemas.problems import ELSEWHERE, FORBIDDEN, INTERNAL, INVALID, NOT_READY

from ..retrieval.answers import Context, SimilarCases, prompted
from ..retrieval.asks import QueryVector, Speaker
from ..retrieval.errors import InvalidAskError, NotYetError, UnknownMemoryError
from ..retrieval.past.moment import AsOf, BeingBuiltError, NoSuchMomentError
from ..retrieval.query import At, Query, Read, parameters_of
from ..retrieval.reads.learning.searched import Searched
from ..retrieval.table import READS
from .moved import PLACE_CHARS_MAX, MovedAnswer, MovedCount
from .reads import Reads
from .shapes import AskSent, MemoriesAnswer, Sent, shape_of

_ALWAYS: Final = (UNAUTHENTICATED, FORBIDDEN, TOO_SLOW, TOO_LARGE, INVALID, TOO_MANY, INTERNAL, BUSY)
OF_A_MEMORY: Final = (
    *_ALWAYS,
    NotYetError.kind,
    ELSEWHERE,
    NOT_READY,
    BeingBuiltError.kind,
    UnknownMemoryError.kind,
    NoSuchMomentError.kind,
)
Embed = Callable[[str, str], QueryVector | None]
"""Makes the vector of a question to a memory; None when it cannot."""
CallerDep = Annotated[Caller, Depends(caller_of)]
Endpoint = Callable[..., Coroutine[Any, Any, Response]]


class ReadRoutes:
    """Answers reads out of the stores of this host."""

    def __init__(self, reads: Reads, rooms: Workrooms, quotas: Quotas, embed: Embed | None = None) -> None:
        """``embed`` makes vectors of questions that come without one; ``quotas`` say what a tenant may take."""
        self.reads = reads
        self.rooms = rooms
        self.quotas = quotas
        self._embed = embed

    def router(self) -> APIRouter:
        """Return the routes."""
        router = APIRouter(prefix="/v1/memories", tags=["reads"], route_class=JsonRoute)
        for read in READS:
            of_body = (NOT_JSON, NO_JSON_TYPE) if read.method == "POST" else ()
            router.add_api_route(
                "/{tenant}/{agent}" + read.path,
                self._endpoint(read),
                methods=[read.method],
                operation_id=read.name,
                name=read.name,
                summary=read.summary,
                description=read.told,
                response_model=read.documented or read.answer,
                responses=documented(*OF_A_MEMORY, *of_body, *read.problems),
            )
        router.add_api_route(
            "",
            self.memories,
            methods=["GET"],
            operation_id="memories",
            summary="The memories of the key's tenant",
            response_model=MemoriesAnswer,
            responses=documented(*_ALWAYS, NOT_READY),
        )
        return router

    def router_of_all(self) -> APIRouter:
        """Return the route that is of no memory in particular."""
        router = APIRouter(prefix="/v1", tags=["reads"], route_class=JsonRoute)
        router.add_api_route(
            "/moved",
            self.moved,
            methods=["GET"],
            operation_id="moved",
            summary="Which memories have moved since one looked",
            response_model=MovedAnswer,
            responses=documented(*_ALWAYS, NOT_READY),
        )
        return router

    async def moved(
        self,
        caller: CallerDep,
        since: Annotated[
            str | None,
            InQuery(max_length=PLACE_CHARS_MAX, description="`place` of an earlier answer. All memories without it."),
        ] = None,
        count: Annotated[MovedCount, InQuery(description="At about how many memories it looks.")] = 1_000,
    ) -> Response:
        """Return the memories that have moved since an earlier answer, and the seqs at which they are.

        Of the key's tenant or of all, forks among them. Without `since` all are listed. `place` leads on: while there
        is `more` at once, later else.
        """
        need(caller, "read", "audit", "operate")

        def opens(memory: str) -> bool:
            return caller.opens(*memory.split("/", 1))

        return json_response(await self.rooms.reads.run(self.reads.moved, since, caller.prefix, count, opens))

    async def memories(
        self, caller: CallerDep, forks: Annotated[bool, InQuery(description="Whether forks are listed too.")] = False
    ) -> Response:
        """Return the ids of the memories that this host has, of the key's tenant or of all; with `forks` those too."""
        need(caller, "read", "audit", "operate")
        found = await self.rooms.reads.run(self.reads.memories, caller.tenant)
        wanted = [name for name in found if forks or not is_fork(name)]
        return json_response(MemoriesAnswer([name for name in wanted if caller.opens(*name.split("/", 1))]))

    def _endpoint(self, read: Read[Any]) -> Endpoint:
        """Return what answers the requests of a read, with the parameters by which the framework documents them."""
        parts, of_body = read.parts, read.method == "POST"

        async def endpoint(
            request: Request, tenant: str, agent: str, caller: Caller, sent: Sent, **given: Any
        ) -> Response:
            memory = memory_of(caller, tenant, agent)
            need(caller, *read.roles)
            if of_body and request.query_params:
                raise InvalidAskError(
                    f"{read.name} is asked in the body: put {next(iter(request.query_params))[:40]!r} there"
                )
            self.quotas.pay(caller, memory)
            if sent.after is not None:
                await self.rooms.waits.run(self.reads.wait, memory, Receipt.parsed(sent.after), sent.deadline_s)
            at = At(trust_min=max(sent.trust_min or 0, caller.trust_min))
            if sent.as_of is not None:
                moment = AsOf.of(sent.as_of)
                if sent.quarantined:
                    need(caller, "audit")
                await self.rooms.waits.run(self.reads.stand, memory, moment, sent.deadline_s)
                at = replace(at, as_of=moment, quarantined=sent.quarantined, deadline_s=sent.deadline_s)
            elif sent.quarantined:
                raise InvalidAskError("quarantined goes with as_of; of the present a filter's `history` shows it")
            for name in read.moments:
                since = AsOf.of(getattr(sent, name))
                await self.rooms.waits.run(self.reads.stand, memory, since, sent.deadline_s)
            by = None
            if at.as_of is None and sent.record and "read" in caller.roles and not leaves_no_trace(request.headers):
                by = Speaker(caller.name, caller.process, caller.origin, may=partial(self.quotas.may_record, memory))
            recorded, answer = await self.rooms.reads.run(self._answer, read, memory, by, sent, given, at)
            request.state.commands = int(recorded is not None)
            if recorded is not None:  # for the access line; where it stands in the log the host does not say
                request.state.appended = {"command": recorded}
            return answer

        taken: dict[str, Any] = {"request": Request, "tenant": Tenant, "agent": Agent}
        for each in parameters_of(read.query):
            if each.wire in parts:
                taken[each.wire] = _annotated(each.type, Path(description=each.description))
        taken["sent"] = _annotated(shape_of(read), Body() if of_body else InQuery())
        taken["caller"] = CallerDep
        cast(Any, endpoint).__signature__ = inspect.Signature(  # what the framework reads
            [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=of) for name, of in taken.items()]
        )
        return endpoint

    def _answer(
        self, read: Read[Any], memory: str, by: Speaker | None, sent: Sent, named: dict[str, str], at: At
    ) -> tuple[str | None, Response]:
        """Return the id of a read's record, if any, and its answer, written here: it may have millions of bytes."""
        query = self.embedded(sent.asked(read, memory, named), memory)
        found = self.reads.ask(memory, query, by, at)
        return _record_of(found), json_response(shown(sent, found))

    def embedded(self, query: Query[Any], memory: str) -> Query[Any]:
        """Return a query with the vectors that it comes without, where vectors are made here."""
        if isinstance(query, Searched) and query.ask.vector is None and self._embed is not None:
            return query.embedded(partial(self._embed, memory))
        return query


def shown(sent: Sent, found: object) -> object:
    """Return an answer, or the text that a prompt wants of it, if that is asked for."""
    of_prompt = isinstance(sent, AskSent) and sent.format == "text"
    return prompted(cast("Context | SimilarCases", found)) if of_prompt else found


def _record_of(found: object) -> str | None:
    """Return the id of the command by which an answer was recorded, or None."""
    if not getattr(found, "recorded", False):
        return None
    named: str | None = getattr(found, "recall_id", None) or getattr(found, "read_id", None)
    return named


def _annotated(of: Any, how: Any) -> Any:
    return Annotated[of, how]
