"""What can be asked of sessions and episodes: what is in mind, what was experienced, what comes next, and habits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from yggdrasil_infra.log import Receipt
from yggdrasil_projections.retrieval.asks import check_named
from yggdrasil_projections.retrieval.reads.drift import Drift
from yggdrasil_projections.retrieval.reads.episodic.episodes import Episode, Episodes
from yggdrasil_projections.retrieval.reads.episodic.what_next import SIMILAR, AskNext, WhatNext
from yggdrasil_projections.retrieval.reads.episodic.working_memory import WorkingMemory

from .engines.engine import ReadingEngine

if TYPE_CHECKING:
    from yggdrasil_producers.draft import Drafter

COUNT: Final = 20
"""How many are returned unless something else is asked for."""


class EpisodicReadings:
    """What can be asked of sessions and of episodes; ``Readings`` has these methods, and says what holds for all."""

    _drafter: Drafter

    def _reading(self, what: str, after: Receipt | None = None) -> ReadingEngine:
        """Return the engine as one that can be read, at or beyond ``after``. Raises AppendOnlyError."""
        raise NotImplementedError

    def working_memory(
        self, *, session: str | None = None, count: int = COUNT, after: Receipt | None = None
    ) -> WorkingMemory:
        """Return what is in mind: of each open session what is in its short-term buffer, before it is committed.

        These are its last ``count`` events, and the goals, promises and threats that stand. A feature ``goal:NAME`` or
        ``task:NAME`` says a goal, ``promise:NAME`` a promise, ``threat:NAME`` a threat; it stands until an event has
        the feature ``done:NAME``, or until an outcome follows from the event that said it last. What is likely to end
        badly, by what the memory has learnt, is among the threats. A session that is not open has nothing in mind.
        """
        engine = self._reading("working_memory", after)
        return engine.working_memory(self._drafter.memory, session=session, count=count)

    def episodes(
        self,
        *,
        session: str | None = None,
        before: int | None = None,
        count: int = COUNT,
        after: Receipt | None = None,
    ) -> Episodes:
        """Return episodes, the latest first: at most ``count``, of one session or of all, fewer where texts are long.

        To go on, give the answer's ``before``; it is None at the beginning.
        """
        engine = self._reading("episodes", after)
        return engine.episodes(self._drafter.memory, session=session, before=before, count=count)

    def episode(self, ref: str, *, after: Receipt | None = None) -> Episode:
        """Return one episode by its id. Raises UnknownNodeError, and InvalidAskError for what is no episode."""
        return self._reading("episode", after).episode(self._drafter.memory, ref)

    def what_next(
        self,
        text: str | None = None,
        *,
        features: Sequence[str] = (),
        episode: str | None = None,
        session: str | None = None,
        count: int = SIMILAR,
        after: Receipt | None = None,
    ) -> WhatNext:
        """Return what usually comes next: episodes like this, what followed on them, how likely, and how that ended.

        The situation is given in words and by its ``features``, or it is that of an ``episode``, or of an open
        ``session`` (what is in its buffer, or else its last episode). Without any of them it is what goes on in the
        session that was touched last. At most ``count`` (1 to 50) of the most similar episodes are looked at, among the
        latest 2,000. It records nothing. Raises UnknownNodeError and InvalidAskError.
        """
        check_named(text or "", features)
        ask = AskNext(text or "", tuple(features), episode, session, count)
        return self._reading("what_next", after).what_next(self._drafter.memory, ask)

    def drift(self, *, after: Receipt | None = None) -> Drift:
        """Return what the latest 2,000 events, outcomes and episodes, and the latest recalls, say of habits.

        There is a report where what happens, or what outcomes speak of, *collapses* onto few features; where episodes
        take two paths to good and bad ends in turn (*oscillation*), or the same path to a bad end (*repeated_failure*);
        and where what is recalled loses variety (*narrow_recall*). Each has a sentence with its counts, what was
        measured, where it tells, and its evidence. A memory of sound habits has none. Nothing is recorded.
        """
        return self._reading("drift", after).drift(self._drafter.memory)
