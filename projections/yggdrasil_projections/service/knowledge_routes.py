"""The routes that read what stands and what stood."""

from typing import Annotated

from fastapi import APIRouter, Query, Response

from yggdrasil_infra.http.parameters import Agent, Tenant
from yggdrasil_infra.http.problems import INVALID, UNKNOWN_NODE, ProblemError

from ..retrieval.reads.knowledge.conflicts import Contradictions
from ..retrieval.reads.knowledge.history import History
from .arriving import Arriving, Way, Who, routed
from .shapes import Counting, Naming


class KnowledgeRoutes(Arriving):
    """Answers what is asked of keys, of corrections and of contradictions. None of it leaves a trace."""

    def router(self) -> APIRouter:
        """Return the routes."""
        return routed(
            (
                Way("GET", "/history", self.history, History, (UNKNOWN_NODE,), "What was said of one thing, in order"),
                Way("GET", "/contradictions", self.contradictions, Contradictions, (), "What cannot all be true"),
            )
        )

    async def history(self, tenant: Tenant, agent: Agent, naming: Annotated[Naming, Query()], caller: Who) -> Response:
        """Return what was said under a `key`, or in place of one another around a `ref`: the first first, each with
        its status and what gave it that.
        """
        memory = await self.arrive(caller, tenant, agent, naming)
        if (naming.ref is None) == (naming.key is None):
            raise ProblemError(INVALID, "name either a ref or a key")
        return await self.answer(self.reads.history, memory, ref=naming.ref, key=naming.key)

    async def contradictions(
        self, tenant: Tenant, agent: Agent, counting: Annotated[Counting, Query()], caller: Who
    ) -> Response:
        """Return what stands, and what is contested or in quarantine for contradicting it, by the oldest of these."""
        memory = await self.arrive(caller, tenant, agent, counting)
        return await self.answer(self.reads.contradictions, memory, count=counting.count)
