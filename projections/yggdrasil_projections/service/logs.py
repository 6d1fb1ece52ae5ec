"""The routes that read whole logs: a fork is made, forks are told of and compared, a memory is compared with its log.

All of it reads a partition or more, so it is done in the background, one piece of work for a tenant at a time; who asks
the same again finds it, or what came of it. Any reader may ask where forks come from, so that has a place of its own:
it holds off no operator who forks, and no auditor.
"""

import asyncio
from asyncio import Task
from collections.abc import Callable, Hashable
from functools import partial
from time import monotonic
from typing import Annotated, Any, Final, NamedTuple, TypeVar, cast

from fastapi import APIRouter, Request, Response
from fastapi import Query as InQuery
from pydantic import BaseModel, ConfigDict, Field

from yggdrasil_infra.http.application import JsonRoute, json_response, need
from yggdrasil_infra.http.callers import Caller
from yggdrasil_infra.http.parameters import DEADLINE_S, Agent, Deadline, Tenant, memory_of
from yggdrasil_infra.http.problems import NO_JSON_TYPE, NOT_JSON, QUOTA, TOO_MANY, ProblemError, documented
from yggdrasil_infra.http.workroom import FOR, Workroom
from yggdrasil_schemas.commands.forks import fork_id, is_fork, origin_of
from yggdrasil_schemas.commands.wire import MemoryId, Strict
from yggdrasil_schemas.ids import tenant_of
from yggdrasil_schemas.problems import DISK_FULL, FORBIDDEN

from ..retrieval.errors import NotReadyError, UnknownMemoryError
from ..retrieval.past.against_log import AgainstLog
from ..retrieval.past.forks import (
    PRESENT,
    CannotForkError,
    ForkDiffersError,
    Forked,
    ForkLineage,
    ForkThereError,
    check_fork,
    check_related,
)
from ..retrieval.past.moment import WRITTEN, WRITTEN_CHARS_MAX, AsOf, BeingBuiltError
from ..retrieval.past.otherwise import Differs
from .reads import Progress
from .routes import OF_A_MEMORY, CallerDep, ReadRoutes
from .shapes import ForksAnswer, TrustMin

_LEAST_S: Final = 0.25  # what is wrong with a request is found by then, and told at once
_KEPT_MAX: Final = 64  # tenants of which something is done, or is and nobody has asked for it again
_KEPT_S: Final = 300.0
"""For so long it is kept what came of a piece of work that nobody has asked for again: later it may not be so."""
_NAME_CHARS_MAX: Final = 64
T = TypeVar("T")


class ForkSent(Strict):
    """Of which moment a fork is made, and what it is called."""

    moment: Annotated[str, Field(min_length=1, max_length=WRITTEN_CHARS_MAX, description=f"{WRITTEN}.")]
    name: Annotated[str, Field(min_length=1, max_length=_NAME_CHARS_MAX)]
    """The fork is `tenant/agent.fork-NAME`: letters, digits and `. _ -`."""
    quarantined: bool = False
    """Also where something has been taken into quarantine since, which it would not be in the fork: for auditors."""
    deadline_s: Deadline = DEADLINE_S


class _Waiting(BaseModel):
    model_config = ConfigDict(extra="forbid")

    deadline_s: Deadline = DEADLINE_S


class CompareSent(_Waiting):
    """The memory that another one is compared with."""

    other: Annotated[MemoryId, Field(description="Another memory, `tenant/agent`, that has gone on from the same.")]
    trust_min: TrustMin = None


class _Job:
    """A piece of work that is under way, or was done: how far it is. Of one event loop, but for ``progress``."""

    def __init__(self, key: Hashable, room: Workroom) -> None:
        self.key = key
        self.done = 0
        self.total = 0
        self.task: Task[Any] | None = None
        self.ended_at = 0.0
        self._room = room

    @property
    def under_way(self) -> bool:
        """Whether it is not done."""
        return self.task is not None and not self.task.done()

    @property
    def stale(self) -> bool:
        """Whether it was done long ago."""
        return not self.under_way and monotonic() - self.ended_at > _KEPT_S

    def progress(self, done: int, total: int) -> None:
        """Take notice of how far it is. Raises NotReadyError once the service ends."""
        if self._room.closed:
            raise NotReadyError("this service ends; ask again when it is back, and it goes on")
        self.done, self.total = done, total


class _Asked(NamedTuple):
    """Of which memory a piece of work is asked for, and of which moment."""

    memory: str
    moment: str
    deadline_s: float

    @property
    def tenant(self) -> str:
        return tenant_of(self.memory)


class Jobs:
    """What is done in the background, one piece for a tenant, until somebody has been told what came of it.

    What nobody has asked for again is let go of when it is stale.
    """

    def __init__(self, room: Workroom) -> None:
        """Work in ``room``."""
        self._room = room
        self._jobs: dict[str, _Job] = {}  # by tenant

    async def done(self, asked: _Asked, key: Hashable, work: Callable[[Progress], T]) -> T:
        """Return what ``work`` does, or did lately when the same ``key`` was asked for before.

        Raises BeingBuiltError at the deadline, while it goes on, ProblemError (429) while other work of that tenant is
        under way, and what the work raises.
        """
        job = self._jobs.get(asked.tenant)
        if job is not None and job.key != key and job.under_way:
            raise ProblemError(
                TOO_MANY, f"forks or logs of {asked.tenant} are read already: one at a time", retry_after_s=1
            )
        if job is None or job.key != key or job.stale:
            job = self._begun(asked.tenant, key, work)
        task = cast("Task[T]", job.task)
        await asyncio.wait({task}, timeout=max(_LEAST_S, asked.deadline_s))
        if not task.done():
            raise BeingBuiltError(asked.memory, asked.moment, job.done, job.total)
        if self._jobs.get(asked.tenant) is job:
            del self._jobs[asked.tenant]
        return task.result()

    def _begun(self, tenant: str, key: Hashable, work: Callable[[Progress], object]) -> _Job:
        if tenant not in self._jobs and len(self._jobs) >= _KEPT_MAX:
            left = next((each for each, job in self._jobs.items() if not job.under_way), None)
            if left is None:
                raise ProblemError(TOO_MANY, "this host has enough to do for others", retry_after_s=1)
            del self._jobs[left]
        job = _Job(key, self._room)
        job.task = asyncio.ensure_future(self._run(tenant, work, job))
        job.task.add_done_callback(_heard)
        self._jobs[tenant] = job
        return job

    async def _run(self, tenant: str, work: Callable[[Progress], T], job: _Job) -> T:
        """Work in the name of a tenant, which may be another one than that of the key: some keys are for all."""
        FOR.set(tenant)
        try:
            return await self._room.run(work, job.progress)
        finally:
            job.ended_at = monotonic()


class LogRoutes:
    """Makes and reads forks of the memories of this host, and compares memories with their log."""

    def __init__(self, routes: ReadRoutes) -> None:
        """Ask what ``routes`` ask."""
        self._reads = routes.reads
        self._quotas = routes.quotas
        self._rooms = routes.rooms
        self._jobs = Jobs(routes.rooms.jobs)
        self._lineages = Jobs(routes.rooms.lineages)

    def router(self) -> APIRouter:
        """Return the routes."""
        router = APIRouter(prefix="/v1/memories/{tenant}/{agent}", tags=["reads"], route_class=JsonRoute)
        made = {
            kind.name: kind
            for kind in (
                *(*OF_A_MEMORY, NOT_JSON, NO_JSON_TYPE, QUOTA, DISK_FULL),
                *(each.kind for each in (ForkThereError, ForkDiffersError, CannotForkError)),
            )
        }
        routes: list[tuple[str, str, Callable[..., Any], str, Any]] = [
            ("POST", "/forks", self.fork, "Make a memory of its own of what this one was", Forked),
            ("GET", "/forks", self.forks, "The forks of a memory", ForksAnswer),
            ("GET", "/fork-lineage", self.lineage_of_fork, "Where a fork comes from", ForkLineage),
            ("GET", "/compare", self.compare, "What differs between two forks", Differs),
            ("GET", "/against-log", self.verify_against_log, "Whether a memory is what its log gives", AgainstLog),
        ]
        for method, path, endpoint, summary, model in routes:
            router.add_api_route(
                path,
                endpoint,
                methods=[method],
                operation_id=endpoint.__name__,
                summary=summary,
                response_model=model,
                responses=documented(*(made.values() if method == "POST" else (*OF_A_MEMORY, DISK_FULL))),
            )
        return router

    async def fork(self, request: Request, tenant: Tenant, agent: Agent, sent: ForkSent, caller: CallerDep) -> Response:
        """Make a memory of its own of this one as it stood at a moment: `tenant/agent.fork-NAME`.

        What it had accepted by then is copied in the log, with ids and times, and compared record by record. 503
        `past_being_built` says how far that is; ask the same again until it is made. It goes on meanwhile, and after
        an interruption it goes on where it was. What has been taken into quarantine since would not be so in the fork:
        such a moment is for auditors, who say `quarantined`. One at a time of a tenant.
        """
        memory = memory_of(caller, tenant, agent)
        need(caller, "operate")
        if sent.quarantined:
            need(caller, "audit")
        moment, to = AsOf.of(sent.moment), fork_id(memory, sent.name)
        _opened(caller, to)
        self._quotas.pay(caller, memory)
        work = partial(
            self._reads.fork,
            memory,
            moment,
            sent.name,
            quarantined=sent.quarantined,
            admit=partial(self._quotas.check, to),
        )
        asked = _Asked(memory, sent.moment, sent.deadline_s)
        key = "fork", memory, sent.moment, sent.name, sent.quarantined
        made = await self._jobs.done(asked, key, lambda progress: work(progress=progress))
        request.state.commands = made.appended
        return json_response(made)

    async def forks(
        self, tenant: Tenant, agent: Agent, sent: Annotated[_Waiting, InQuery()], caller: CallerDep
    ) -> Response:
        """Return the forks of a memory that the key opens: up to which seq each is one with it, and what came since.

        It is read from the records of all of them: 503 `past_being_built` says how far that is.
        """
        memory = self._asked(caller, tenant, agent, "read", "audit", "operate")
        await self._rooms.reads.run(self._check_known, memory)
        names = await self._rooms.reads.run(self._reads.memories, tenant)
        forks = [each for each in names if is_fork(each) and origin_of(each) == memory]
        forks = [each for each in forks if caller.opens(*each.split("/", 1))]
        if not forks:
            return json_response(ForksAnswer(memory, []))
        asked = _Asked(memory, PRESENT, sent.deadline_s)
        found = await self._lineages.done(asked, ("forks", memory, *forks), partial(self._lineages_of, forks))
        return json_response(ForksAnswer(memory, found))

    async def lineage_of_fork(
        self, tenant: Tenant, agent: Agent, sent: Annotated[_Waiting, InQuery()], caller: CallerDep
    ) -> Response:
        """Return of which memory this one is a fork, and up to which seq both are one, for a key that opens both.

        Nobody noted that: it is what the records of both have in common. 503 `past_being_built` says how far it is.
        """
        memory = self._asked(caller, tenant, agent, "read", "audit", "operate")
        check_fork(memory)
        _opened(caller, origin_of(memory))
        asked = _Asked(memory, PRESENT, sent.deadline_s)
        work = partial(self._reads.lineage_of_fork, memory)
        return json_response(await self._lineages.done(asked, ("lineage", memory), work))

    async def compare(
        self, tenant: Tenant, agent: Agent, sent: Annotated[CompareSent, InQuery()], caller: CallerDep
    ) -> Response:
        """Return how the graph of `other` differs from this one's: both are forks of one memory, or one of the other.

        `was` is said of this one, and `would_be` of the other. It is for auditors: nothing that is in quarantine is
        withheld. What the lens of the key hides is in neither. 503 `past_being_built` says how far it is.
        """
        memory = self._asked(caller, tenant, agent, "audit")
        _opened(caller, sent.other)
        check_related(memory, sent.other)
        trust_min = max(sent.trust_min or 0, caller.trust_min)
        asked = _Asked(memory, PRESENT, sent.deadline_s)
        work = partial(self._reads.compare, memory, sent.other, trust_min)
        return json_response(await self._jobs.done(asked, ("compare", memory, sent.other, trust_min), work))

    async def verify_against_log(
        self, tenant: Tenant, agent: Agent, sent: Annotated[_Waiting, InQuery()], caller: CallerDep
    ) -> Response:
        """Return whether this memory is what its log gives: it is folded anew, up to where it stands, and compared.

        `verdict` counts the records that differ, and tells the first of each kind with the command that touched it
        last. Nothing of another memory is read. It is for auditors without a lens: values are told as they are stored.
        503 `past_being_built` says how far it is.
        """
        memory = self._asked(caller, tenant, agent, "audit")
        if caller.trust_min:
            raise ProblemError(FORBIDDEN, "what is stored is told as it is, and this key has a lens")
        asked = _Asked(memory, PRESENT, sent.deadline_s)
        work = partial(self._reads.verify_against_log, memory)
        return json_response(await self._jobs.done(asked, ("against-log", memory), work))

    def _asked(self, caller: Caller, tenant: str, agent: str, *roles: Any) -> str:
        """Return the memory, for a caller who may ask that of it, and has paid. Raises ProblemError."""
        memory = memory_of(caller, tenant, agent)
        need(caller, *roles)
        self._quotas.pay(caller, memory)
        return memory

    def _check_known(self, memory: str) -> None:
        if memory not in self._reads.memories(tenant_of(memory)):
            raise UnknownMemoryError(memory)

    def _lineages_of(self, forks: list[str], progress: Progress) -> list[ForkLineage]:
        return [self._reads.lineage_of_fork(each, progress) for each in forks]


def _opened(caller: Caller, memory: str) -> None:
    """Raise ProblemError (403) for a memory that the key does not open."""
    memory_of(caller, *memory.split("/", 1))


def _heard(task: Task[Any]) -> None:
    """Take notice of what went wrong, so that nobody is told of an error that nobody waited for."""
    if not task.cancelled():
        task.exception()
