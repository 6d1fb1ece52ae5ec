"""How a read arrives at a memory, and how its answer leaves: what all routes that read have in common."""

from collections.abc import Callable, Iterable
from typing import Annotated, Any, Final, NamedTuple, ParamSpec, Protocol

from fastapi import APIRouter, Depends, Path, Response

from yggdrasil_infra.http.application import JsonRoute, caller_of, json_response, need
from yggdrasil_infra.http.callers import Caller
from yggdrasil_infra.http.parameters import memory_of, receipt_of
from yggdrasil_infra.http.problems import BUSY, TOO_LARGE, TOO_MANY, TOO_SLOW, UNAUTHENTICATED, documented
from yggdrasil_infra.http.rates import Quotas
from yggdrasil_infra.http.workroom import Workrooms
from yggdrasil_schemas.commands import Role
from yggdrasil_schemas.commands.knowledge import Entity
from yggdrasil_schemas.commands.wire import CommandId, NodeRef
from yggdrasil_schemas.problems import ELSEWHERE, FORBIDDEN, INTERNAL, INVALID, NOT_READY, Kind

from ..retrieval.errors import NotYetError, UnknownMemoryError
from .reads import Reads

ALWAYS: Final = (UNAUTHENTICATED, FORBIDDEN, TOO_SLOW, TOO_LARGE, INVALID, TOO_MANY, INTERNAL, BUSY)
READERS: Final[tuple[Role, ...]] = ("read", "audit")
_HERE: Final = (*ALWAYS, NotYetError.kind, ELSEWHERE, NOT_READY, UnknownMemoryError.kind)
P = ParamSpec("P")

Who = Annotated[Caller, Depends(caller_of)]
CommandPath = Annotated[CommandId, Path(description="The id of a command.")]
ThingPath = Annotated[Entity, Path(description="A thing, by any of its names.")]
RefPath = Annotated[NodeRef, Path(description="A reference: the id of a command, or `feature:NAME`.")]


class Waiting(Protocol):
    """What every read says of when it wants its answer."""

    @property
    def after(self) -> str | None:
        """The receipt of what the answer has folded."""
        ...

    @property
    def deadline_s(self) -> float:
        """How long to wait for that."""
        ...


class Way(NamedTuple):
    """A route of one memory: its method and path below that, what answers, with what, and what may be wrong.

    ``name`` is its operation in the OpenAPI document, after which generated clients name what they make: it stays.
    """

    name: str
    path: str
    endpoint: Callable[..., Any]
    answer: Any
    kinds: tuple[Kind, ...]
    summary: str


class Arriving:
    """What routes that read out of the stores of this host need."""

    def __init__(self, reads: Reads, rooms: Workrooms, quotas: Quotas) -> None:
        """``quotas`` say what a tenant may take."""
        self.reads = reads
        self.rooms = rooms
        self.quotas = quotas

    async def arrive(
        self, caller: Caller, tenant: str, agent: str, reading: Waiting, roles: tuple[Role, ...] = READERS
    ) -> str:
        """Return whose memory is read, once it stands where the reader wants it. Raises ProblemError."""
        memory = memory_of(caller, tenant, agent)
        need(caller, *roles)
        self.quotas.pay(caller, memory)
        if reading.after is not None:
            await self.rooms.waits.run(self.reads.wait, memory, receipt_of(reading.after), reading.deadline_s)
        return memory

    async def answer(self, read: Callable[P, object], *args: P.args, **kwargs: P.kwargs) -> Response:
        """Return what is read, written where it was read: an answer may have millions of bytes."""
        return await self.rooms.reads.run(lambda: json_response(read(*args, **kwargs)))


def routed(ways: Iterable[Way]) -> APIRouter:
    """Return a router with routes of one memory."""
    router = APIRouter(prefix="/v1/memories", tags=["reads"], route_class=JsonRoute)
    for way in ways:
        method, path = way.path.split(" ")
        router.add_api_route(
            "/{tenant}/{agent}" + path,
            way.endpoint,
            methods=[method],
            operation_id=way.name,
            summary=way.summary,
            response_model=way.answer,
            responses=documented(*_HERE, *way.kinds),
        )
    return router
