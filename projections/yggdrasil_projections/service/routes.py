"""The routes that read."""

from collections.abc import Callable
from dataclasses import replace
from typing import Annotated, Any, Final

from fastapi import APIRouter, Body, Query, Request, Response

from yggdrasil_infra.http.application import json_response, need
from yggdrasil_infra.http.callers import Caller
from yggdrasil_infra.http.parameters import Agent, ReadingQuery, Tenant
from yggdrasil_infra.http.problems import NO_JSON_TYPE, NOT_JSON, UNKNOWN_COMMAND, ProblemError, documented
from yggdrasil_infra.http.rates import Quotas
from yggdrasil_infra.http.workroom import Workrooms
from yggdrasil_schemas.problems import NOT_READY, UNKNOWN_NODE

from ..retrieval.answers import (
    Context,
    Described,
    Foretelling,
    Prompt,
    SimilarCases,
    Timeline,
    prompted,
)
from ..retrieval.asks import Ask, QueryVector, Speaker
from ..retrieval.errors import UnknownActionError
from ..retrieval.reads.drift import Drift
from ..retrieval.reads.explain import Explanation
from ..retrieval.reads.happened import Happenings
from ..retrieval.reads.knowledge.lineage import Dependents
from ..retrieval.reads.neighbourhood import Neighbourhood
from .arriving import ALWAYS, READERS, Arriving, CommandPath, RefPath, Way, Who, routed
from .reads import Reads
from .shapes import (
    AskSent,
    CommandSeen,
    DigestAnswer,
    Following,
    Listing,
    MemoriesAnswer,
    Nearing,
    Resting,
    SituationSent,
    StatsAnswer,
)

_RETURNED_BYTES: Final = 40
_RECALL_BYTES: Final = 900
Embed = Callable[[str, str], QueryVector | None]
"""Makes the vector of a question to a memory; None when it cannot."""


class ReadRoutes(Arriving):
    """Answers reads out of the stores of this host."""

    def __init__(self, reads: Reads, rooms: Workrooms, quotas: Quotas, embed: Embed | None = None) -> None:
        """``embed`` makes vectors of questions that come without one; ``quotas`` say what a tenant may take."""
        super().__init__(reads, rooms, quotas)
        self._embed = embed

    def router(self) -> APIRouter:
        """Return the routes."""
        ask, one = (NOT_JSON, NO_JSON_TYPE), (UNKNOWN_NODE,)
        ways = (
            Way("get_context", "POST /context", self.context, Context | Prompt, ask, "Ask for what matters most"),
            Way(
                "get_similar_cases",
                "POST /similar-cases",
                self.cases,
                SimilarCases | Prompt,
                ask,
                "Ask for ones like it",
            ),
            Way("foretell", "POST /foretold", self.foretold, Foretelling, ask, "What a situation foretells"),
            Way("became", "GET /commands/{id}", self.command, CommandSeen, (UNKNOWN_COMMAND,), "What became of it"),
            Way(
                "explain_action",
                "GET /actions/{id}",
                self.action,
                Explanation,
                (UnknownActionError.kind,),
                "Why it was done",
            ),
            Way("neighbourhood", "GET /nodes/{ref:path}/neighbours", self.near, Neighbourhood, one, "What it leads to"),
            Way("dependents", "GET /nodes/{ref:path}/dependents", self.resting, Dependents, one, "What rests on it"),
            Way("describe", "GET /nodes/{ref:path}", self.node, Described, one, "One memory"),
            Way("timeline", "GET /timeline", self.timeline, Timeline, (), "What happened, the latest first"),
            Way("happened", "GET /happened", self.happened, Happenings, (), "What thinkers read, the oldest first"),
            Way("drift", "GET /drift", self.drift, Drift, (), "Whether it collapses, swings, or repeats what fails"),
            Way("stats", "GET /stats", self.stats, StatsAnswer, (), "A memory in numbers"),
            Way("digest", "GET /digest", self.digest, DigestAnswer, (), "Its state digest (role audit)"),
        )
        router = routed(ways)
        router.add_api_route(
            "",
            self.memories,
            methods=["GET"],
            operation_id="memories",
            summary="The memories of the key's tenant",
            response_model=MemoriesAnswer,
            responses=documented(*ALWAYS, NOT_READY),
        )
        return router

    async def context(
        self, request: Request, tenant: Tenant, agent: Agent, sent: Annotated[AskSent, Body()], caller: Who
    ) -> Response:
        """Return the memories that matter most to a question, each with its scores, its place and its lineage.

        The answer is *nothing* rather than a guess. The recall is recorded, so that it can be proved later. With
        `"format": "text"` the answer is a text for a prompt, and what the labels in it stand for.
        """
        memory = await self.arrive(caller, tenant, agent, sent)
        return await self._asked(request, self.reads.context, memory, sent, _speaker(caller, sent))

    async def cases(
        self, request: Request, tenant: Tenant, agent: Agent, sent: Annotated[AskSent, Body()], caller: Who
    ) -> Response:
        """Return situations like the one that is asked about, those that ended well and those that ended badly."""
        memory = await self.arrive(caller, tenant, agent, sent)
        return await self._asked(request, self.reads.similar_cases, memory, sent, _speaker(caller, sent))

    async def foretold(
        self, tenant: Tenant, agent: Agent, sent: Annotated[SituationSent, Body()], caller: Who
    ) -> Response:
        """Return what the features of a situation have come to mean, and what usually follows them.

        These are the ones that are given, and those that the text names. Nothing is recorded.
        """
        memory = await self.arrive(caller, tenant, agent, sent)
        return await self.answer(self.reads.foretell, memory, sent.text, sent.features)

    async def command(
        self, tenant: Tenant, agent: Agent, id: CommandPath, reading: ReadingQuery, caller: Who
    ) -> Response:
        """Return what became of a command: accepted, or refused and why."""
        memory = await self.arrive(caller, tenant, agent, reading, ("append", *READERS))
        found = await self.rooms.reads.run(self.reads.became, memory, id)
        if found is None:
            raise ProblemError(UNKNOWN_COMMAND, f"{memory}: no command {id} has been folded here")
        place = found.place
        receipt = f"{place.partition}-{place.offset}"
        return json_response(
            CommandSeen(found.id, receipt, found.accepted, place.seq, found.reason, found.detail, found.as_of)
        )

    async def action(
        self, tenant: Tenant, agent: Agent, id: CommandPath, reading: ReadingQuery, caller: Who
    ) -> Response:
        """Return the lineage of an action: what led to it, what informed it, what came of it, and where it stands."""
        memory = await self.arrive(caller, tenant, agent, reading)
        return await self.answer(self.reads.explain, memory, id)

    async def node(self, tenant: Tenant, agent: Agent, ref: RefPath, reading: ReadingQuery, caller: Who) -> Response:
        """Return one memory by its reference, as it is now."""
        memory = await self.arrive(caller, tenant, agent, reading)
        return await self.answer(self.reads.describe, memory, ref)

    async def near(
        self, tenant: Tenant, agent: Agent, ref: RefPath, nearing: Annotated[Nearing, Query()], caller: Who
    ) -> Response:
        """Return the strongest edges of one memory, strongest first, and then those of what they lead to, up to `depth`
        steps from it.
        """
        memory = await self.arrive(caller, tenant, agent, nearing)
        return await self.answer(self.reads.neighbourhood, memory, ref, nearing.count, nearing.depth)

    async def resting(
        self, tenant: Tenant, agent: Agent, ref: RefPath, resting: Annotated[Resting, Query()], caller: Who
    ) -> Response:
        """Return what was concluded from one memory, or depends on it, up to `depth` steps from it, the nearest first.

        It is what is in doubt when that falls.
        """
        memory = await self.arrive(caller, tenant, agent, resting)
        return await self.answer(self.reads.dependents, memory, ref, depth=resting.depth, count=resting.count)

    async def timeline(
        self, tenant: Tenant, agent: Agent, listing: Annotated[Listing, Query()], caller: Who
    ) -> Response:
        """Return events and episodes, of one session or of all, the latest first; `before` leads to earlier ones.

        With `where` only what that admits: what stands, unless it says otherwise.
        """
        memory = await self.arrive(caller, tenant, agent, listing)
        page: dict[str, Any] = {"session": listing.session, "before": listing.before, "count": listing.count}
        page["where"] = listing.where.where() if listing.where else None
        return await self.answer(self.reads.timeline, memory, **page)

    async def happened(
        self, tenant: Tenant, agent: Agent, following: Annotated[Following, Query()], caller: Who
    ) -> Response:
        """Return events, outcomes, episodes and concepts beyond `since`, the oldest first; `position` leads on.

        It is all that a thinker reads, as it was said, with how far each thinker has decided. Nothing is recorded.
        """
        memory = await self.arrive(caller, tenant, agent, following)
        return await self.answer(self.reads.happened, memory, since=following.since, count=following.count)

    async def drift(self, tenant: Tenant, agent: Agent, reading: ReadingQuery, caller: Who) -> Response:
        """Return what the latest of a memory says of its habits: nothing, where they are sound.

        `collapse`: what happens, or what outcomes speak of, is half as varied as before, or less. `oscillation`:
        episodes take two paths, and end well and badly, in turn. `repeated_failure`: they take the same path to a bad
        end. `narrow_recall`: what is recalled is half as varied as before, or less. Each has a sentence with counts.
        """
        memory = await self.arrive(caller, tenant, agent, reading)
        return await self.answer(self.reads.drift, memory)

    async def stats(self, tenant: Tenant, agent: Agent, reading: ReadingQuery, caller: Who) -> Response:
        """Return the counts of a memory by kind, and how full it is."""
        memory = await self.arrive(caller, tenant, agent, reading)
        found = await self.rooms.reads.run(self.reads.overview, memory)
        return json_response(StatsAnswer(found.seq, found))

    async def digest(self, tenant: Tenant, agent: Agent, reading: ReadingQuery, caller: Who) -> Response:
        """Return the state digest of a memory: every host that has folded the same commands has the same."""
        memory = await self.arrive(caller, tenant, agent, reading, ("audit",))
        digest, as_of = await self.rooms.reads.run(self.reads.digest, memory)
        return json_response(DigestAnswer(memory, digest, as_of))

    async def memories(self, caller: Who) -> Response:
        """Return the ids of the memories that this host has, of the key's tenant or of all."""
        need(caller, "read", "audit", "operate")
        found = await self.rooms.reads.run(self.reads.memories, caller.tenant)
        return json_response(MemoriesAnswer([name for name in found if caller.opens(*name.split("/", 1))]))

    def _ask(
        self,
        read: Callable[[Ask, Speaker | None], Context | SimilarCases],
        memory: str,
        sent: AskSent,
        by: Speaker | None,
    ) -> Context | SimilarCases | Prompt:
        ask = sent.ask(memory)
        if ask.vector is None and self._embed is not None:
            ask = replace(ask, vector=self._embed(ask.memory, ask.query))
        found = read(ask, by if by is None or self.quotas.may_record(memory, _size(ask)) else None)
        return prompted(found) if sent.format == "text" else found

    async def _asked(
        self,
        request: Request,
        read: Callable[[Ask, Speaker | None], Context | SimilarCases],
        memory: str,
        sent: AskSent,
        by: Speaker | None,
    ) -> Response:
        found = await self.rooms.reads.run(self._ask, read, memory, sent, by)
        request.state.commands = int(found.recorded)
        return json_response(found)


def _size(ask: Ask) -> int:
    """Return about how many bytes the record of a question takes: its words, its vector in base64, what it returns."""
    vector = len(ask.vector.data) * 4 // 3 if ask.vector is not None else 0
    asked = len(ask.query.encode()) + len(ask.more or "")
    return asked + vector + _RETURNED_BYTES * ask.places + _RECALL_BYTES


def _speaker(caller: Caller, sent: AskSent) -> Speaker | None:
    """Return on whose behalf a recall is recorded; None for whoever only audits, or wants no record."""
    if not sent.record or "read" not in caller.roles:
        return None
    return Speaker(caller.name, caller.process, caller.origin, sent.session)
