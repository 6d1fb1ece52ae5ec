"""The routes of sessions: what an agent at work says, drafted here as the commands that it comes to."""

from dataclasses import dataclass
from typing import Annotated, Any, Final

from fastapi import APIRouter, Body, Depends, Path, Query, Request, Response
from pydantic import Field

from yggdrasil_infra.clock import entropy, now_ms
from yggdrasil_infra.http.application import JsonRoute, caller_of, json_response, need
from yggdrasil_infra.http.callers import Caller
from yggdrasil_infra.http.parameters import Agent, Tenant, memory_of
from yggdrasil_infra.http.problems import ProblemError
from yggdrasil_schemas.commands.wire import CommandId, Name, Strict
from yggdrasil_schemas.ids import uuid7
from yggdrasil_schemas.limits import DESK_MAX, OBJECT_CHARS_MAX
from yggdrasil_schemas.moments import MomentSent
from yggdrasil_schemas.problems import UNKNOWN_NODE

from ..draft import Drafter
from ..sessions import (
    Note,
    Opening,
    Reflection,
    Step,
    Work,
    ending,
    noting,
    opened_by,
    opening,
    opening_in,
    reflecting,
    unique,
)
from ..stamps import Stamp, valid_ms
from .routes import LATER, PROBLEMS, Gateway, Waiting, status_of
from .shapes import CommandAnswer

_SESSION: Final = Path(min_length=1, max_length=128, description="The name of the session.")
_Session = Annotated[str, _SESSION]
_CallerDep = Annotated[Caller, Depends(caller_of)]
_WaitingDep = Annotated[Waiting, Query()]


class OpeningSent(Work):
    """How a session begins."""

    session: Name | None = None
    """Its name, used once; made here if it is left out."""


class PromiseSent(Strict):
    """Something that is promised."""

    text: Annotated[str, Field(min_length=1, max_length=OBJECT_CHARS_MAX)]
    """What."""
    due: MomentSent | None = None
    """Until when."""


class Scratchpad(Strict):
    """What is put on the desk, each note in place of what the same word said before."""

    notes: Annotated[
        dict[str, Annotated[str, Field(min_length=1, max_length=OBJECT_CHARS_MAX)] | bool],
        Field(default_factory=dict[str, Any], max_length=DESK_MAX),
    ]
    """Notes by their words, such as `progress`; of `goal`, `subgoal` and `threat` there may be several."""
    promises: Annotated[list[PromiseSent], Field(default_factory=list[PromiseSent], max_length=DESK_MAX)]
    """What is promised: it outlives the session."""
    id: CommandId | None = None
    """Your own UUIDv7 makes it safe to send this again."""


@dataclass(frozen=True, slots=True)
class SessionAnswer:
    """What became of what a session said: its name, and each command by its `part`, such as `lesson` or `end`.

    `opened` is the id of the event that began it.
    """

    session: str
    opened: str
    parts: list[str]
    answers: list[CommandAnswer]


class SessionRoutes:
    """Takes in what sessions say. The same may be sent again: it has the same ids, and is taken once."""

    def __init__(self, gateway: Gateway) -> None:
        """Append through ``gateway``."""
        self._gateway = gateway

    def router(self) -> APIRouter:
        """Return the routes."""
        router = APIRouter(prefix="/v1/memories/{tenant}/{agent}/sessions", tags=["sessions"], route_class=JsonRoute)
        for path, method, endpoint, operation, summary in (
            ("", "POST", self.open, "open_session", "Begin a session"),
            ("/{session}/scratchpad", "PUT", self.note, "put_scratchpad", "Put notes on its desk"),
            ("/{session}/reflection", "POST", self.reflect, "reflect", "Say what was learnt so far"),
            ("/{session}/end", "POST", self.end, "end_session", "End it with what it leaves for others"),
            ("/{session}", "DELETE", self.end, "delete_session", "End it with what it leaves for others"),
        ):
            router.add_api_route(
                path,
                endpoint,
                methods=[method],
                operation_id=operation,
                summary=summary,
                response_description="In the log and folded; each command is answered.",
                response_model=SessionAnswer,
                responses={202: {"model": SessionAnswer, "description": LATER}, **PROBLEMS},
            )
        return router

    async def open(
        self,
        request: Request,
        tenant: Tenant,
        agent: Agent,
        sent: Annotated[OpeningSent, Body()],
        waiting: _WaitingDep,
        caller: _CallerDep,
    ) -> Response:
        """Begin a session: on what, by whom, what it will touch, and what it takes for itself alone."""
        name = sent.session or uuid7(now_ms(), entropy())
        given = Opening(session=name, **sent.model_dump(exclude={"session"}))
        memory = memory_of(caller, tenant, agent)
        return await self._say(request, caller, memory, given, opening(caller.name, given), waiting)

    async def note(
        self,
        request: Request,
        tenant: Tenant,
        agent: Agent,
        session: _Session,
        sent: Annotated[Scratchpad, Body()],
        waiting: _WaitingDep,
        caller: _CallerDep,
    ) -> Response:
        """Put notes on the desk of a session that is open; promises stand until they are settled."""
        memory = memory_of(caller, tenant, agent)
        given = await self._opened(caller, memory, session)
        notes = [Note(predicate=name, value=value, due=None) for name, value in sent.notes.items()]
        notes += [
            Note(predicate="promise", value=each.text, due=None if each.due is None else valid_ms("due", each.due))
            for each in sent.promises
        ]
        steps = noting(caller.name, given, notes, sent.id or uuid7(now_ms(), entropy()))
        return await self._say(request, caller, memory, given, steps, waiting)

    async def reflect(
        self,
        request: Request,
        tenant: Tenant,
        agent: Agent,
        session: _Session,
        sent: Annotated[Reflection, Body()],
        waiting: _WaitingDep,
        caller: _CallerDep,
    ) -> Response:
        """Say what was learnt so far, while it is known; what is said again at the end is taken once."""
        memory = memory_of(caller, tenant, agent)
        given = await self._opened(caller, memory, session)
        return await self._say(request, caller, memory, given, reflecting(caller.name, given, sent), waiting)

    async def end(
        self,
        request: Request,
        tenant: Tenant,
        agent: Agent,
        session: _Session,
        waiting: _WaitingDep,
        caller: _CallerDep,
        sent: Annotated[Reflection | None, Body()] = None,
    ) -> Response:
        """End a session with a reflection: decisions, lessons, warnings, rules, connections, and how it turned out."""
        memory = memory_of(caller, tenant, agent)
        given = await self._opened(caller, memory, session)
        steps = ending(caller.name, given, sent or Reflection.model_validate({}))
        return await self._say(request, caller, memory, given, steps, waiting)

    async def _opened(self, caller: Caller, memory: str, session: str) -> Opening:
        """Return how a session began, in the name of the caller. Raises ProblemError (404) for one that did not."""
        need(caller, "append")
        command_id = opened_by(caller.name, session)
        drafter = Drafter(memory, caller.name, caller.process, caller.origin, caller.trust)
        known = await self._gateway.recorded([drafter.draft("record_event", {}, stamp=Stamp(command_id))])
        if command_id not in known:
            raise ProblemError(
                UNKNOWN_NODE,
                f"no session {session[:80]!r} was begun with this key",
                remedy="Begin it with POST .../sessions, and give the name that this answers.",
            )
        return opening_in(session, known[command_id])

    async def _say(
        self, request: Request, caller: Caller, memory: str, given: Opening, steps: list[Step], waiting: Waiting
    ) -> Response:
        said = list(unique(steps))
        commands = [each.sent() for each in said]
        answers = await self._gateway.take(request, caller, memory, commands, waiting) if commands else []
        opened = opened_by(caller.name, given.session)
        answer = SessionAnswer(given.session, opened, [each.part for each in said], answers)
        return json_response(answer, status_of(answers))
