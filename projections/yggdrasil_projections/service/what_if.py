"""The route that asks what would have been: one read, answered by reality and by a history that never was.

Both are of one moment, and built as a past is. What is asked again while that goes on finds it: without an ``as_of``,
and with commands that get their ids here, each request would mean another history, so what is meant is remembered.
"""

from collections import Counter, OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from hashlib import blake2b
from time import monotonic
from typing import Annotated, Any, Final, NamedTuple, cast

import orjson
from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, Field, ValidationError, create_model

from yggdrasil_infra.http.application import JsonRoute, json_response, need
from yggdrasil_infra.http.callers import Caller
from yggdrasil_infra.http.parameters import DEADLINE_S, After, Agent, Deadline, Tenant, memory_of
from yggdrasil_infra.http.problems import (
    NO_JSON_TYPE,
    NOT_JSON,
    TOO_MANY,
    ProblemError,
    documented,
    problem_body,
    problem_of,
    request_id_of,
)
from yggdrasil_infra.log import Receipt
from yggdrasil_schemas.commands.wire import CommandId, Name, Strict
from yggdrasil_schemas.commands.wording import placed
from yggdrasil_schemas.errors import YggdrasilError

from ..retrieval.errors import InvalidAskError
from ..retrieval.past.moment import WRITTEN, WRITTEN_CHARS_MAX, AsOf, BeingBuiltError
from ..retrieval.past.otherwise import WITH_MAX, WITHOUT_MAX, HistoryAnswer, Otherwise, Voids, WhatIf
from ..retrieval.query import At, Query, Read, parameters_of
from ..retrieval.reads.operations.moment import AskMoment
from ..retrieval.table import READS
from .routes import OF_A_MEMORY, CallerDep, ReadRoutes, shown
from .shapes import Sent, TrustMin, shape_of

_MEANT_MAX: Final = 32  # each may hold a megabyte of commands
_POLICY_MAX: Final = 100
_AS_OF: Final = f"Where it all ends, the present unless given: {WRITTEN}."
_READS: Final = {read.name: read for read in READS if not read.moments}
"""What is of one moment: what compares two would need another history at each."""
_OF_EVERY: Final = frozenset(("after", "deadline_s", "record", "trust_min", "as_of", "quarantined"))
"""What a read may be given beside its own, and what is said here once for both histories."""

Drafted = Callable[[Caller, str, Mapping[str, Any], Sequence[dict[str, Any]]], Sequence[bytes]]
"""Returns the records of commands that come at the end; none is appended. Raises ProblemError for what the caller may
not say, and for a policy that the host does not allow."""


@cache
def _shapes(name: str) -> tuple[type[BaseModel], type[BaseModel]]:
    """Return what is sent of a read in its path, and what else is."""
    read = _READS[name]
    parts: dict[str, Any] = {
        each.wire: (each.type, ...) for each in parameters_of(read.query) if each.wire in read.parts
    }
    return create_model(f"{read.query.__name__}Parts", **parts), shape_of(read)


class WhatIfSent(Strict):
    """What never happened, or is so, and what is asked of the memory as it would be then."""

    without: Annotated[list[CommandId], Field(default_factory=list[str], max_length=WITHOUT_MAX)]
    """The commands with these ids never happened."""
    without_source: Name | None = None
    """Nothing that this source said happened."""
    without_session: Name | None = None
    """Nothing that was recorded in this session happened."""
    policy: Annotated[dict[str, int | float], Field(default_factory=dict[str, Any], max_length=_POLICY_MAX)]
    """These constants of `set_policy` hold from the beginning."""
    with_: Annotated[list[dict[str, Any]], Field(default_factory=list[dict[str, Any]], max_length=WITH_MAX)]
    """These commands come at the end, as `/commands` takes them: what the key may say."""
    as_of: Annotated[str | None, Field(min_length=1, max_length=WRITTEN_CHARS_MAX, description=_AS_OF)] = None
    read: Annotated[str | None, Field(min_length=1, max_length=64)] = None
    """What both histories are asked: the name of a read, which is its operation in this document."""
    arguments: dict[str, Any] = Field(default_factory=dict[str, Any], max_length=64)
    """Its parameters, also those in its path."""
    after: After = None
    deadline_s: Deadline = DEADLINE_S
    trust_min: TrustMin = None


class Meant(NamedTuple):
    """What a request means: the same again, while it is built."""

    otherwise: Otherwise
    moment: AsOf | None


class Remembered:
    """What requests mean whose histories are being built, by tenant and key. Of one event loop.

    Of too much the oldest goes, of the tenant that has the most: nobody makes another one's request mean something new.
    """

    def __init__(self, most: int = _MEANT_MAX) -> None:
        """Remember so many at ``most``."""
        self._most = most
        self._meant: OrderedDict[tuple[str, bytes], Meant] = OrderedDict()

    def get(self, tenant: str, key: bytes) -> Meant | None:
        """Return what is remembered."""
        return self._meant.get((tenant, key))

    def note(self, tenant: str, key: bytes, meant: Meant) -> None:
        """Remember it, as the latest."""
        self._meant[tenant, key] = meant
        self._meant.move_to_end((tenant, key))
        if len(self._meant) > self._most:
            count = Counter(tenant for tenant, _ in self._meant)
            most = max(count.values())
            del self._meant[next(each for each in self._meant if count[each[0]] == most)]

    def forget(self, tenant: str, key: bytes) -> None:
        """Remember it no more."""
        self._meant.pop((tenant, key), None)


class WhatIfRoute:
    """Answers what would have been out of the stores of this host: for one of a tenant at a time."""

    def __init__(self, routes: ReadRoutes, drafted: Drafted) -> None:
        """Ask what ``routes`` ask; ``drafted`` makes records of what comes at the end."""
        self._routes = routes
        self._reads = routes.reads
        self._rooms = routes.rooms
        self._drafted = drafted
        self._under_way: set[str] = set()  # tenants; of one event loop
        self._remembered = Remembered()

    def router(self) -> APIRouter:
        """Return the route."""
        router = APIRouter(prefix="/v1/memories/{tenant}/{agent}", tags=["reads"], route_class=JsonRoute)
        problems = {kind.name: kind for kind in (*OF_A_MEMORY, NOT_JSON, NO_JSON_TYPE)}
        router.add_api_route(
            "/what-if",
            self.what_if,
            methods=["POST"],
            operation_id="what_if",
            summary="What would have been",
            response_model=WhatIf,
            responses=documented(*problems.values()),
        )
        return router

    async def what_if(
        self, request: Request, tenant: Tenant, agent: Agent, sent: WhatIfSent, caller: CallerDep
    ) -> Response:
        """Return how the memory would stand if something had never happened: what falls with it, and what differs.

        A read that is named is asked in reality and there, at the same moment. Nothing is recorded. It is built from
        the log; 503 `past_being_built` says how far that is, and the same asked again finds what was built. For one of
        a tenant at a time.
        """
        memory = memory_of(caller, tenant, agent)
        need(caller, "audit")
        asked = _asked(sent, memory)
        if asked is not None:
            need(caller, *asked.read.roles)
        if tenant in self._under_way:
            raise ProblemError(TOO_MANY, f"{tenant} asks what would have been already: one at a time", retry_after_s=1)
        self._under_way.add(tenant)
        try:
            self._routes.quotas.pay(caller, memory, 1 + len(sent.with_))
            until = monotonic() + sent.deadline_s
            if sent.after is not None:
                await self._rooms.waits.run(self._reads.wait, memory, Receipt.parsed(sent.after), sent.deadline_s)
            trust_min = max(sent.trust_min or 0, caller.trust_min)
            key = _key(caller, memory, sent)
            meant = self._remembered.get(tenant, key)
            if meant is None:
                values = await self._rooms.waits.run(self._drafted, caller, memory, sent.policy, sent.with_)
                meant = Meant(_otherwise(sent, values), None if sent.as_of is None else AsOf.of(sent.as_of))
            try:
                moment, voids = await self._rooms.waits.run(self._built, memory, meant, until, trust_min)
                at = At(trust_min=trust_min, as_of=moment, quarantined=True, deadline_s=_left(until))
                about = request_id_of(request.scope)
                answer = await self._rooms.reads.run(self._compared, memory, meant.otherwise, at, voids, asked, about)
            except BeingBuiltError as error:
                begun = meant.moment
                if begun is None or begun.snapshot is not None:  # both move: time goes on, and a name can be given anew
                    begun = AsOf.of(error.written)
                self._remembered.note(tenant, key, meant._replace(moment=begun))
                raise
            self._remembered.forget(tenant, key)
            return answer
        finally:
            self._under_way.discard(tenant)

    def _built(self, memory: str, meant: Meant, until: float, trust_min: int) -> tuple[AsOf, Voids]:
        """Return the moment, and what is void in the other history, once both are at hand. Raises BeingBuiltError."""
        moment, voids = self._reads.suppose(memory, meant.otherwise, meant.moment, _left(until), None, trust_min)
        self._reads.ask(memory, AskMoment(), None, At(as_of=moment, quarantined=True, deadline_s=_left(until)))
        return moment, voids

    def _compared(
        self,
        memory: str,
        otherwise: Otherwise,
        at: At,
        voids: Voids,
        asked: "_AskedOfBoth | None",
        request_id: str,
    ) -> Response:
        """Return the answer, written here: it may have millions of bytes."""
        moment = at.as_of or AsOf()
        as_of = self._reads.ask(memory, AskMoment(), None, at).as_of
        differs = self._reads.differs(memory, otherwise, moment, at.deadline_s, at.trust_min)
        real = other = None
        if asked is not None:
            query = self._routes.embedded(asked.query, memory)
            real, other = (
                self._answered(asked, query, memory, each, request_id)
                for each in (at, replace(at, otherwise=otherwise))
            )
        return json_response(WhatIf(memory, moment.written, as_of, voids, differs, real, other))

    def _answered(
        self, asked: "_AskedOfBoth", query: Query[Any], memory: str, at: At, request_id: str
    ) -> HistoryAnswer:
        """Return what a read answers in one history; what is unknown there may be known in the other."""
        try:
            return HistoryAnswer(shown(asked.sent, self._reads.ask(memory, query, None, at)))
        except YggdrasilError as error:
            if error.kind not in asked.read.problems:
                raise
            return HistoryAnswer(problem=orjson.loads(problem_body(problem_of(error), request_id)))


class _AskedOfBoth(NamedTuple):
    """What both histories are asked."""

    read: Read[Any]
    sent: Sent
    query: Query[Any]


def _asked(sent: WhatIfSent, memory: str) -> _AskedOfBoth | None:
    """Return the read that is asked. Raises InvalidAskError for what is none, and for what it does not take."""
    if sent.read is None:
        if sent.arguments:
            raise InvalidAskError("arguments are those of a read: name it, as in `read: timeline`")
        return None
    read = _READS.get(sent.read)
    if read is None:
        raise InvalidAskError(f"there is no read {sent.read!r}; it is one of {', '.join(sorted(_READS))}")
    if common := sorted(_OF_EVERY & sent.arguments.keys()):
        raise InvalidAskError(f"{common[0]} is not one of the arguments: it is said once, of both histories")
    in_path = {name: sent.arguments[name] for name in read.parts if name in sent.arguments}
    others = {name: value for name, value in sent.arguments.items() if name not in read.parts}
    of_path, of_rest = _shapes(read.name)
    try:
        named = of_path.model_validate(in_path)
        asked = cast("Sent", of_rest.model_validate(others))
    except ValidationError as error:
        raise InvalidAskError(f"arguments of {read.name}: {placed(error.errors()[0])}") from error
    return _AskedOfBoth(read, asked, asked.asked(read, memory, {name: getattr(named, name) for name in read.parts}))


def _otherwise(sent: WhatIfSent, values: Sequence[bytes]) -> Otherwise:
    return Otherwise.of(sent.without, sent.without_source, sent.without_session, sent.policy, values)


def _key(caller: Caller, memory: str, sent: WhatIfSent) -> bytes:
    """Return a name for what a request supposes, whatever it asks of that: equal for equals, who may say the same.

    Raises InvalidAskError for what is nested too deep to be a command.
    """
    supposed = sent.model_dump(include={"without", "without_source", "without_session", "policy", "with_", "as_of"})
    try:
        said = orjson.dumps([caller.id, sorted(caller.roles), memory, supposed], option=orjson.OPT_SORT_KEYS)
    except TypeError as error:  # what was read can be written but for its depth
        raise InvalidAskError(f"with_ takes commands, and no JSON that is nested so deep: {error}") from error
    return blake2b(said, digest_size=16).digest()


def _left(until: float) -> float:
    return max(0.0, until - monotonic())
