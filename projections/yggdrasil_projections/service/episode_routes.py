"""The routes that read what is in mind, the episodes, and what usually comes next."""

from typing import Annotated

from fastapi import APIRouter, Body, Query, Response

from yggdrasil_infra.http.parameters import Agent, ReadingQuery, Tenant
from yggdrasil_infra.http.problems import NO_JSON_TYPE, NOT_JSON
from yggdrasil_schemas.problems import UNKNOWN_NODE

from ..retrieval.reads.episodic.episodes import Episode, Episodes
from ..retrieval.reads.episodic.what_next import WhatNext
from ..retrieval.reads.episodic.working_memory import WorkingMemory
from .arriving import Arriving, RefPath, Way, Who, routed
from .shapes import NextSent, Observing, Paging


class EpisodeRoutes(Arriving):
    """Answers what thinkers and agents ask of sessions and of episodes. None of it leaves a trace."""

    def router(self) -> APIRouter:
        """Return the routes."""
        one = (UNKNOWN_NODE,)
        ask = (NOT_JSON, NO_JSON_TYPE, *one)
        ways = (
            Way("working_memory", "GET /working-memory", self.mind, WorkingMemory, (), "What is in mind, by session"),
            Way("episodes", "GET /episodes", self.episodes, Episodes, (), "The episodes, the latest first"),
            Way("episode", "GET /episodes/{ref:path}", self.episode, Episode, one, "One episode"),
            Way("what_next", "POST /what-next", self.next, WhatNext, ask, "What usually comes next"),
        )
        return routed(ways)

    async def mind(
        self, tenant: Tenant, agent: Agent, observing: Annotated[Observing, Query()], caller: Who
    ) -> Response:
        """Return what the open sessions have in mind: their last events, goals, promises and threats, and episodes.

        It is read from their short-term buffers; what an episode took out of one is no longer in mind. `session` asks
        for one of them.
        """
        memory = await self.arrive(caller, tenant, agent, observing)
        read = self.reads.working_memory
        return await self.answer(read, memory, session=observing.session, count=observing.count)

    async def episodes(self, tenant: Tenant, agent: Agent, paging: Annotated[Paging, Query()], caller: Who) -> Response:
        """Return episodes, of one session or of all, the latest first; `before` leads to earlier ones."""
        memory = await self.arrive(caller, tenant, agent, paging)
        read = self.reads.episodes
        return await self.answer(read, memory, session=paging.session, before=paging.before, count=paging.count)

    async def episode(self, tenant: Tenant, agent: Agent, ref: RefPath, reading: ReadingQuery, caller: Who) -> Response:
        """Return one episode: its events, why it was made, how it turned out, and what is around it."""
        memory = await self.arrive(caller, tenant, agent, reading)
        return await self.answer(self.reads.episode, memory, ref)

    async def next(self, tenant: Tenant, agent: Agent, sent: Annotated[NextSent, Body()], caller: Who) -> Response:
        """Return episodes like a situation, what followed on them, how likely, and how that ended.

        The situation is given by `text` and `features`, or it is that of an `episode` or of a `session`; without any of
        these it is what goes on in the session that was touched last. Shares are of the similar ones that were
        `followed`, each counted by its likeness.
        """
        memory = await self.arrive(caller, tenant, agent, sent)
        return await self.answer(self.reads.what_next, memory, sent.asked())
