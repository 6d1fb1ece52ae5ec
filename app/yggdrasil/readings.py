"""What can be asked of a memory: the part of ``Memory`` that reads."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, cast

from yggdrasil_infra.log import Receipt
from yggdrasil_projections.graph.fold import Answer
from yggdrasil_projections.retrieval.answers import (
    Became,
    Context,
    Described,
    Foretelling,
    More,
    SimilarCases,
    Timeline,
)
from yggdrasil_projections.retrieval.asks import Ask, QueryVector, Speaker, Where, check_named
from yggdrasil_projections.retrieval.errors import CommandRefusedError, InvalidAskError
from yggdrasil_projections.retrieval.reads.explain import Explanation
from yggdrasil_projections.retrieval.reads.happened import Happenings
from yggdrasil_projections.retrieval.reads.neighbourhood import Neighbourhood
from yggdrasil_projections.retrieval.reads.overview import Overview
from yggdrasil_schemas.commands import Origin
from yggdrasil_schemas.errors import YggdrasilError

from .engines.engine import ReadingEngine
from .episodic import COUNT, EpisodicReadings
from .settings import EmbedderWarning

if TYPE_CHECKING:
    from yggdrasil_schemas.commands.vectors import Vector

    from .engines.embedding import Embedding
    from .opening import Advice

WAIT_S: Final = 10.0
"""How long a reading waits for what it is to come ``after``."""
_HAPPENED: Final = 200


class AppendOnlyError(YggdrasilError):
    """A memory was to be read through an engine that only appends."""

    def __init__(self, what: str) -> None:
        super().__init__(
            f"{what} reads the memory, and over Kafka this facade only appends: workers fold what it appends "
            "(`yggdrasil worker`), and `yggdrasil replay --kafka` shows the memories' digests. To ask a memory, "
            "connect to a query service, or open one in a directory with Memory.open."
        )


@dataclass(frozen=True, slots=True)
class Attestation:
    """The proof of a memory's state: every host that folds the same log has ``digest`` at ``seq``."""

    memory: str
    seq: int
    digest: str


def check_taken(answer: Answer | None) -> None:
    """Raise CommandRefusedError unless the fold took a command, or takes it elsewhere (None)."""
    if answer is not None and answer.refused is not None:
        raise CommandRefusedError(answer.refused)


def reported(recall: str | Context | SimilarCases, used: Sequence[str]) -> tuple[str, Sequence[str]]:
    """Return the id of a recall, or of an answer's, and the references that were used of it. Raises InvalidAskError."""
    if isinstance(recall, str):
        return recall, used
    if recall.recall_id is None:
        raise InvalidAskError("this answer was not recorded, so no use of it can be reported: ask with record=True")
    if isinstance(used, str):
        raise InvalidAskError(f"used is a list of references or labels, and not the string {used[:40]!r}")
    return recall.recall_id, list(dict.fromkeys(map(recall.ref, used)))


class Readings(EpisodicReadings):
    """What can be asked of a memory. ``Memory`` has these methods beside those that append.

    ``after`` is where a command stands, as ``became`` says: the answer then has folded it. It raises NotYetError when
    that takes longer than 10 s. A memory of which nothing was recorded is not made by asking it: everything raises
    UnknownMemoryError, and nothing is recorded. Through an engine that only appends, all of it raises AppendOnlyError.
    """

    _embedding: Embedding | None
    _advice: Advice | None

    def get_context(  # noqa: PLR0913 - all but the query are named, and few are given
        self,
        query: str,
        *,
        k: int | None = None,
        tokens_max: int | None = None,
        min_confidence: float | None = None,
        features: Sequence[str] = (),
        where: Where | None = None,
        deep: bool = False,
        history: bool = False,
        more: str | More | None = None,
        similar: bool = False,
        session: str | None = None,
        record: bool = True,
        after: Receipt | None = None,
        vector: Vector | None = None,
    ) -> Context:
        """Return the memories that matter most to ``query``, each with its evidence.

        With ``k`` (1 to 50) they are at most so many, and with ``tokens_max`` their texts take at most so many tokens,
        of four characters each: whatever may be relevant, up to that. Without either of them it is what answers, and
        little else: in a small memory an answer of one is the rule, in a large one there may be ten. The read is
        recorded as a command, so that what was returned is noticed and the answer can be proved later; with
        ``record=False``, or when the log cannot be appended to, the answer says ``recorded=False``. Nothing found is an
        answer too: there is no guess, and it is recorded like any other. ``min_confidence``, from 0 to 1, says what
        confidence an answer takes, instead of what the memory's policy says; with 0 nothing that is relevant is
        refused. ``vector`` is that of the query, where the agent supplies it. The answer's ``text`` is what a prompt
        wants.

        ``foretold`` says what the features that the query names have come to mean, and those in ``features`` (at most
        32), by which nothing is found. With ``where`` only what that admits is there:
        ``Where(sessions=["planning"], since="2026-01-31")``. Principles, and what is foretold, are of the memory as a
        whole. With ``history`` what was superseded, withdrawn or resolved is there too, each with its status; and with
        ``deep`` what is archived: that is recorded as such, and what is returned is archived no longer.

        The answer's ``more`` says how much else is near enough. To go on, ask the same with it as ``more``: what was
        told is not told again, and ``k`` and ``tokens_max`` may be others. The answer's ``withdrawn`` counts what is
        about the question and no longer stands.

        Of memories that say the same, word by word, the latest is there: its ``repeats`` counts the others, and
        ``since`` is when it was said first. ``left_out`` counts all of these; with ``similar`` each is there itself.

        Raises InvalidAskError, and EmbeddingError when the memory's embedder fails.
        """
        engine = self._reading("get_context", after)
        where = (where or Where()).having(history=True) if history else where
        features, cursor = _listed(features), _cursor(more)
        ask = Ask(self._drafter.memory, query, k, tokens_max, None, deep, features, where, min_confidence, cursor)
        ask = replace(ask, similar=similar)
        ask = self._with_vector(engine, ask, vector)
        return engine.context(ask, self._speaker(session) if record else None)

    def get_similar_cases(  # noqa: PLR0913 - as above
        self,
        query: str,
        *,
        k: int | None = None,
        tokens_max: int | None = None,
        min_confidence: float | None = None,
        features: Sequence[str] = (),
        where: Where | None = None,
        deep: bool = False,
        history: bool = False,
        similar: bool = False,
        session: str | None = None,
        record: bool = True,
        after: Receipt | None = None,
        vector: Vector | None = None,
    ) -> SimilarCases:
        """Return situations like the one that ``query`` describes: how they went on, those that ended badly apart.

        What ended both ways is in both lists, marked ``mixed``. The arguments are those of ``get_context``, with the
        features of the situation in ``features``, and it is recorded in the same way.
        """
        engine = self._reading("get_similar_cases", after)
        where = (where or Where()).having(history=True) if history else where
        ask = Ask(self._drafter.memory, query, k, tokens_max, None, deep, _listed(features), where, min_confidence)
        ask = replace(ask, similar=similar)
        ask = self._with_vector(engine, ask, vector)
        return engine.similar_cases(ask, self._speaker(session) if record else None)

    def foretell(
        self, text: str | None = None, *, features: Sequence[str] = (), after: Receipt | None = None
    ) -> Foretelling:
        """Return what a situation foretells, and what usually follows it, by its features.

        These are the ones in ``features`` (at most 32), and those that ``text`` names by their words; what the memory
        does not know is passed over. It records nothing. Raises InvalidAskError.
        """
        check_named(text or "", features)
        return self._reading("foretell", after).foretell(self._drafter.memory, text or "", tuple(features))

    def explain_action(self, event: str, *, after: Receipt | None = None) -> Explanation:
        """Return the lineage of ``event``: what led to it, what informed it, what came of it, and where it all stands.

        Raises UnknownActionError.
        """
        return self._reading("explain_action", after).explain(self._drafter.memory, event)

    def describe(self, ref: str, *, after: Receipt | None = None) -> Described:
        """Return one memory by its reference: an id, or ``feature:NAME``. Raises UnknownNodeError."""
        return self._reading("describe", after).describe(self._drafter.memory, ref)

    def neighbourhood(
        self, ref: str, *, count: int = COUNT, depth: int = 1, after: Receipt | None = None
    ) -> Neighbourhood:
        """Return the strongest edges of one memory, and those of what they lead to, up to ``depth`` (1 to 3) steps.

        There are at most ``count``, the nearest first, fewer where texts are long. Raises UnknownNodeError.
        """
        return self._reading("neighbourhood", after).neighbourhood(self._drafter.memory, ref, count, depth)

    def timeline(
        self,
        *,
        session: str | None = None,
        before: int | None = None,
        count: int = COUNT,
        where: Where | None = None,
        after: Receipt | None = None,
    ) -> Timeline:
        """Return events and episodes in order, the latest first: at most ``count``, of one session or of all.

        There are fewer where texts are long. To go on, give the answer's ``before``; it is None at the beginning.
        With ``where`` only what that admits: what stands, unless it says otherwise.
        """
        engine = self._reading("timeline", after)
        return engine.timeline(self._drafter.memory, session=session, before=before, count=count, where=where)

    def happened(self, *, since: int = 0, count: int = _HAPPENED, after: Receipt | None = None) -> Happenings:
        """Return what thinkers read: events, outcomes, episodes and concepts with a seq beyond ``since``, in order.

        There are at most ``count``, fewer where contents are long. To go on, give the answer's ``position`` as
        ``since``; it is ``as_of`` at the end. It records nothing.
        """
        engine = self._reading("happened", after)
        return engine.happened(self._drafter.memory, since=since, count=count)

    def became(self, command_id: str, *, after: Receipt | None = None) -> Became | None:
        """Return what became of a command of this memory; None when the fold has not met it."""
        return self._reading("became", after).became(self._drafter.memory, command_id)

    def overview(self, *, after: Receipt | None = None) -> Overview:
        """Return how much this memory holds, by kind, and how full it is. It records nothing."""
        return self._reading("overview", after).overview(self._drafter.memory)

    def digest(self, *, after: Receipt | None = None) -> str:
        """Return the state digest as it stands, without recording anything."""
        return self._reading("digest", after).digest(self._drafter.memory)[0]

    def attest(self) -> Attestation:
        """Ask every host for the state digest at this point, and return it.

        Raises CommandRefusedError (``attest_too_soon``).
        """
        engine, memory = self._reading("attest"), self._drafter.memory
        answer = engine.submit(self._drafter.draft("attest", {}))
        check_taken(answer)
        return Attestation(memory, answer.seq, engine.attested(memory, answer.seq))

    def _with_vector(self, engine: ReadingEngine, ask: Ask, vector: Vector | None) -> Ask:
        """Return the question with the vector that is given, or made of it. Raises EmbeddingError."""
        if vector is not None:
            return replace(ask, vector=QueryVector(vector.model, vector.values))
        if self._embedding is None:
            if self._advice is not None and (said := self._advice.give()) is not None:
                warnings.warn(said, EmbedderWarning, stacklevel=3)
            return ask
        return replace(ask, vector=self._embedding.of_query(engine, ask.memory, ask.query))

    def _speaker(self, session: str | None) -> Speaker:
        it = self._drafter
        return Speaker(it.source, it.process, cast(Origin, it.origin), session)  # the log's own check refuses others


def _cursor(more: object) -> str | None:
    """Return where to go on: the cursor itself, or that of what an answer says of more. Raises InvalidAskError."""
    if isinstance(more, More):
        if more.cursor is None:
            raise InvalidAskError("more: this answer has no cursor, and so nothing to go on to; ask anew without it")
        return more.cursor
    return cast("str | None", more)  # what is no text is refused with the ask


def _listed(features: Sequence[str]) -> tuple[str, ...]:
    """Return the features of a situation. Raises InvalidAskError for a string, whose letters would become features."""
    check_named("", features)
    return tuple(features)
