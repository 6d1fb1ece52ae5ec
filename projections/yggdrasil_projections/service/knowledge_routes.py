"""The routes that read what is known: what stands and what stood, claims, and the things that they are about."""

from typing import Annotated, Any

from fastapi import APIRouter, Query, Response

from yggdrasil_infra.http.parameters import Agent, ReadingQuery, Tenant
from yggdrasil_infra.http.problems import ProblemError
from yggdrasil_schemas.problems import INVALID, UNKNOWN_NODE

from ..retrieval.reads.knowledge.claims import Claims
from ..retrieval.reads.knowledge.claims import Entity as EntitySeen
from ..retrieval.reads.knowledge.conflicts import Contradictions
from ..retrieval.reads.knowledge.history import History
from ..retrieval.reads.knowledge.lineage import ClaimLineage
from ..retrieval.reads.knowledge.rulings import Rulings
from .arriving import Arriving, RefPath, ThingPath, Way, Who, routed
from .shapes import Claiming, Counting, Meeting, Naming


class KnowledgeRoutes(Arriving):
    """Answers what is asked of claims, keys, corrections and contradictions. None of it leaves a trace."""

    def router(self) -> APIRouter:
        """Return the routes."""
        one = (UNKNOWN_NODE,)
        ways = (
            Way("history", "GET /history", self.history, History, one, "What was said of it, in order"),
            Way(
                "contradictions",
                "GET /contradictions",
                self.contradictions,
                Contradictions,
                (),
                "What cannot all be so",
            ),
            Way("rulings", "GET /rulings", self.rulings, Rulings, (), "What people decided between claims"),
            Way("claims", "GET /claims", self.claims, Claims, (), "What is claimed of a thing, of a time"),
            Way("lineage", "GET /claims/{ref:path}/lineage", self.lineage, ClaimLineage, one, "Why it is believed"),
            Way("entity", "GET /entities/{name:path}", self.entity, EntitySeen, (), "A thing, by any of its names"),
        )
        return routed(ways)

    async def history(self, tenant: Tenant, agent: Agent, naming: Annotated[Naming, Query()], caller: Who) -> Response:
        """Return what was said under a `key`, or in place of one another around a `ref`: the first first, each with
        its status and what gave it that. With `standing` only what still stands.
        """
        memory = await self.arrive(caller, tenant, agent, naming)
        if (naming.ref is None) == (naming.key is None):
            raise ProblemError(INVALID, "name either a ref or a key")
        what: dict[str, Any] = {"ref": naming.ref, "key": naming.key, "standing": naming.standing}
        return await self.answer(self.reads.history, memory, **what)

    async def contradictions(
        self, tenant: Tenant, agent: Agent, counting: Annotated[Counting, Query()], caller: Who
    ) -> Response:
        """Return what stands, and what is contested or in quarantine for contradicting it, by the oldest of these."""
        memory = await self.arrive(caller, tenant, agent, counting)
        return await self.answer(self.reads.contradictions, memory, count=counting.count)

    async def rulings(self, tenant: Tenant, agent: Agent, reading: ReadingQuery, caller: Who) -> Response:
        """Return what users and operators decided between claims, by predicate: how often recency, and how often the
        weight of words, would have decided the same, with bounds at 95 %. `suggests` is another resolution where the
        figures tell it from the one in force. `flapping`: one value took the place of another to and fro.
        """
        memory = await self.arrive(caller, tenant, agent, reading)
        return await self.answer(self.reads.rulings, memory)

    async def claims(
        self, tenant: Tenant, agent: Agent, claiming: Annotated[Claiming, Query()], caller: Who
    ) -> Response:
        """Return the claims that hold, what stands unopposed first, then the surest.

        Each comes with its status, its trust, how sure it is, and from when until when it holds. With `history` they
        come whatever became of them.
        """
        memory = await self.arrive(caller, tenant, agent, claiming)
        return await self.answer(self.reads.claims, memory, claiming.asked())

    async def lineage(self, tenant: Tenant, agent: Agent, ref: RefPath, reading: ReadingQuery, caller: Who) -> Response:
        """Return why a claim is believed: who said so, what it was concluded from, its rivals, what held before it, and
        how other things have to do with it.
        """
        memory = await self.arrive(caller, tenant, agent, reading)
        return await self.answer(self.reads.lineage, memory, ref)

    async def entity(
        self, tenant: Tenant, agent: Agent, name: ThingPath, meeting: Annotated[Meeting, Query()], caller: Who
    ) -> Response:
        """Return a thing by any of its names, with its other names and what is claimed of it."""
        memory = await self.arrive(caller, tenant, agent, meeting)
        read = self.reads.entity
        return await self.answer(read, memory, name, valid_at=meeting.moment, count=meeting.count)
