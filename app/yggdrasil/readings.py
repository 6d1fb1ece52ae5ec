"""What can be asked of a memory: the part of ``Memory`` that reads."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Concatenate, Final, ParamSpec, TypeVar, cast, get_type_hints

from yggdrasil_infra.log import Receipt
from yggdrasil_projections.graph.fold import Answer
from yggdrasil_projections.retrieval.answers import Became, Context, More, SimilarCases
from yggdrasil_projections.retrieval.asks import NO_PIECES, Ask, QueryVector, Speaker, Where, check_named
from yggdrasil_projections.retrieval.errors import CommandRefusedError, InvalidAskError, UnknownCommandError
from yggdrasil_projections.retrieval.query import At, Query, check_types
from yggdrasil_projections.retrieval.reads.episodic.episodes import AskEpisode, AskEpisodes
from yggdrasil_projections.retrieval.reads.episodic.what_next import AskNext
from yggdrasil_projections.retrieval.reads.episodic.working_memory import AskWorkingMemory
from yggdrasil_projections.retrieval.reads.experience.described import AskBecame, AskDescribed
from yggdrasil_projections.retrieval.reads.experience.explain import AskExplanation, Explanation
from yggdrasil_projections.retrieval.reads.experience.happened import AskHappened
from yggdrasil_projections.retrieval.reads.experience.mentions import AskMentions
from yggdrasil_projections.retrieval.reads.experience.neighbourhood import AskNeighbourhood
from yggdrasil_projections.retrieval.reads.experience.timeline import AskTimeline
from yggdrasil_projections.retrieval.reads.knowledge.claims import AskClaims, AskEntity
from yggdrasil_projections.retrieval.reads.knowledge.conflicts import AskContradictions
from yggdrasil_projections.retrieval.reads.knowledge.digested import AskDigestion
from yggdrasil_projections.retrieval.reads.knowledge.history import AskHistory
from yggdrasil_projections.retrieval.reads.knowledge.lineage import AskDependents, AskLineage
from yggdrasil_projections.retrieval.reads.knowledge.rulings import AskRulings
from yggdrasil_projections.retrieval.reads.learning.drift import AskDrift
from yggdrasil_projections.retrieval.reads.learning.foretold import AskForetelling
from yggdrasil_projections.retrieval.reads.learning.searched import AskContext, AskSimilarCases
from yggdrasil_projections.retrieval.reads.operations.bias import AskBias
from yggdrasil_projections.retrieval.reads.operations.moment import AskMoment
from yggdrasil_projections.retrieval.reads.operations.overview import AskDigest, AskOverview, Overview
from yggdrasil_projections.retrieval.reads.operations.reported import AskReported
from yggdrasil_projections.retrieval.reads.operations.said import AskSaid
from yggdrasil_projections.retrieval.reads.operations.scorers import AskScorers
from yggdrasil_projections.retrieval.reads.operations.standing import AskStanding
from yggdrasil_projections.retrieval.reads.past.snapshots import AskSnapshots
from yggdrasil_projections.retrieval.reads.perspectives.profile import AskProfile
from yggdrasil_projections.retrieval.reads.places.graph import AskGraph
from yggdrasil_projections.retrieval.reads.places.last_seen import AskLastSeen
from yggdrasil_projections.retrieval.reads.places.nearest import AskNearest
from yggdrasil_projections.retrieval.reads.places.neighbours_of import AskNeighboursOf
from yggdrasil_projections.retrieval.reads.places.places import AskPlaces
from yggdrasil_projections.retrieval.reads.places.route import AskRoute
from yggdrasil_projections.retrieval.reads.places.trades import AskTrades
from yggdrasil_projections.retrieval.reads.sessions.context import AskSession
from yggdrasil_projections.retrieval.reads.sessions.decided import AskDecisions
from yggdrasil_projections.retrieval.reads.sessions.desk import AskDesk
from yggdrasil_projections.retrieval.reads.sessions.recovering import AskRecoveries
from yggdrasil_projections.retrieval.reads.sessions.registered import AskSessions
from yggdrasil_projections.retrieval.reads.sessions.sayers import AskSayers
from yggdrasil_projections.retrieval.table import OF
from yggdrasil_schemas.commands import Origin
from yggdrasil_schemas.errors import YggdrasilError

from .engines.engine import ReadingEngine
from .settings import EmbedderWarning

if TYPE_CHECKING:
    from yggdrasil_producers.draft import Drafter
    from yggdrasil_schemas.commands.vectors import Vector

    from .engines.embedding import Embedding
    from .opening import Advice

_CONTEXT: Final = "get_context"
P = ParamSpec("P")
A = TypeVar("A")
B = TypeVar("B")
S = TypeVar("S", AskContext, AskSimilarCases)


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


def reported(recall: str | Context | SimilarCases | Explanation, used: Sequence[str]) -> tuple[str, Sequence[str]]:
    """Return the id of a recall, or of an answer's, and the references that were used of it. Raises InvalidAskError."""
    if isinstance(recall, str):
        return recall, used
    if recall.recall_id is None:
        raise InvalidAskError("this answer was not recorded, so no use of it can be reported: ask with record=True")
    if isinstance(used, str):
        raise InvalidAskError(f"used is a list of references or labels, and not the string {used[:40]!r}")
    if isinstance(recall, Explanation):  # which has no labels
        return recall.recall_id, used
    return recall.recall_id, list(dict.fromkeys(map(recall.ref, used)))


def shown(
    make: Callable[P, Query[A]], of: Callable[[A], B], name: str, answer: type[B]
) -> Callable[Concatenate[Readings, P], B]:
    """Return the method ``name`` that makes a query of its arguments, asks it, and returns ``of`` its answer."""

    in_words = getattr(make, "__name__", "")

    def call(self: Readings, /, *args: P.args, **kwargs: P.kwargs) -> B:
        try:
            query = make(*args, **kwargs)
        except TypeError as error:  # what it does not take; it is told of the method, and not of what that makes
            raise TypeError(str(error).replace(f"{in_words}.__init__", name)) from None
        return of(self.ask(query))

    hints = get_type_hints(make)
    given = [each.replace(annotation=hints[each.name]) for each in inspect.signature(make).parameters.values()]
    given.sort(key=lambda each: (each.kind, each.name == "after"))
    itself = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    told: dict[str, object] = {
        "__signature__": inspect.Signature([itself, *given], return_annotation=answer),
        "__annotations__": {each.name: each.annotation for each in given} | {"return": answer},
        "__doc__": make.__doc__,
        "__name__": name,
        "__qualname__": f"Memory.{name}",
    }
    for what, value in told.items():
        setattr(call, what, value)  # for ``help``, and for whoever makes tools of methods
    return call


def asked(make: Callable[P, Query[A]]) -> Callable[Concatenate[Readings, P], A]:
    """Return the method that makes a query of its arguments and asks it."""
    read = OF[cast("type[Query[A]]", make)]
    return shown(make, lambda answer: answer, read.name, read.answer)


class Readings:
    """What can be asked of a memory. ``Memory`` has these methods beside those that append.

    Each of those that are one line is a row of the table of reads, and what it may be given stands with the read.
    ``after`` is where a command stands, as ``became`` says: the answer then has folded it; ``memory.after(receipt)``
    is a memory on which every read waits for it. That raises NotYetError when it takes longer than 10 s. A memory of
    which nothing was recorded is not made by asking it: everything raises UnknownMemoryError, and nothing is recorded.
    Through an engine that only appends, all of it raises AppendOnlyError.
    """

    _drafter: Drafter
    _embedding: Embedding | None
    _advice: Advice | None
    _at: At

    def _readable(self, what: str) -> ReadingEngine:
        """Return the engine as one that can be read. Raises AppendOnlyError."""
        raise NotImplementedError

    def ask(self, query: Query[A], after: Receipt | None = None) -> A:
        """Ask a query of the table of reads, which is what each method below does with one.

        It is asked in the name of whoever speaks here, of a state that has folded ``after``, or the query's own, or
        that of ``memory.after``. Raises AppendOnlyError, and what the read raises.
        """
        if type(query) not in OF:
            raise TypeError(f"ask takes a query of the table of reads, and not a {type(query).__name__}")
        check_types(query)
        engine, it = self._readable(OF[type(query)].called), self._drafter
        after = after or getattr(query, "after", None) or self._at.after
        by = Speaker(it.source, it.process, cast(Origin, it.origin))  # the log's own check refuses other origins
        return engine.ask(it.memory, query, by, replace(self._at, after=after))

    foretell = asked(AskForetelling)
    explain_action = asked(AskExplanation)
    describe = asked(AskDescribed)
    neighbourhood = asked(AskNeighbourhood)
    timeline = asked(AskTimeline)
    happened = asked(AskHappened)
    mentions = asked(AskMentions)
    working_memory = asked(AskWorkingMemory)
    episodes = asked(AskEpisodes)
    episode = asked(AskEpisode)
    what_next = asked(AskNext)
    drift = asked(AskDrift)
    bias = asked(AskBias)
    claims = asked(AskClaims)
    lineage = asked(AskLineage)
    digestion = asked(AskDigestion)
    dependents = asked(AskDependents)
    entity = asked(AskEntity)
    history = asked(AskHistory)
    contradictions = asked(AskContradictions)
    rulings = asked(AskRulings)
    said = asked(AskSaid)
    reported = asked(AskReported)
    scorers = asked(AskScorers)
    standing = asked(AskStanding)
    moment = asked(AskMoment)
    snapshots = asked(AskSnapshots)
    sessions = asked(AskSessions)
    session_context = asked(AskSession)
    desk = asked(AskDesk)
    decisions = asked(AskDecisions)
    sayers = asked(AskSayers)
    recoveries = asked(AskRecoveries)
    profile = asked(AskProfile)
    places = asked(AskPlaces)
    nearest = asked(AskNearest)
    route = asked(AskRoute)
    last_seen = asked(AskLastSeen)
    trades = asked(AskTrades)
    neighbours_of = asked(AskNeighboursOf)
    graph = asked(AskGraph)
    overview = shown(AskOverview, lambda answer: answer.overview, "overview", Overview)
    stats = shown(AskOverview, lambda answer: answer.overview, "stats", Overview)  # as the command line and HTTP say
    digest = shown(AskDigest, lambda answer: answer.digest, "digest", str)

    def became(self, command_id: str, *, after: Receipt | None = None) -> Became | None:
        """Return what became of a command of this memory; None when the fold has not met it."""
        try:
            return self.ask(AskBecame(command_id, after=after)).became()
        except UnknownCommandError:
            return None

    def get_context(
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
        full: bool = False,
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
        whole, but for what ``trust_min`` hides. With ``history`` what was superseded, withdrawn or resolved is there
        too, each with its status; and with ``deep`` what is archived: that is recorded as such, and what is returned is
        archived no longer.

        The answer's ``more`` says how much else is near enough. To go on, ask the same with it as ``more``: what was
        told is not told again, and ``k`` and ``tokens_max`` may be others. The answer's ``withdrawn`` counts what is
        about the question and no longer stands.

        Of memories that say the same, word by word, the latest is there: its ``repeats`` counts the others, and
        ``since`` is when it was said first. ``left_out`` counts all of these; with ``similar`` each is there itself.

        Of a text of more than 520 characters so much is shown as answers the question, with an ellipsis for what is
        left out; ``excerpt`` says where that stands. With ``full`` all texts are whole.

        Raises InvalidAskError, and EmbeddingError when the memory's embedder fails.
        """
        where = (where or Where()).having(history=True) if history else where
        features, cursor = check_named("", features), _cursor(more)
        ask = Ask(self._drafter.memory, query, k, tokens_max, None, deep, features, where, min_confidence, cursor)
        asked = AskContext(self._seeing(ask, similar=similar, full=full), session, bool(record))
        return self.ask(self._with_vector(asked, vector, after), after)

    def get_similar_cases(
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
        full: bool = False,
        session: str | None = None,
        record: bool = True,
        after: Receipt | None = None,
        vector: Vector | None = None,
    ) -> SimilarCases:
        """Return situations like the one that ``query`` describes: how they went on, those that ended badly apart.

        What ended both ways is in both lists, marked ``mixed``. The arguments are those of ``get_context``, with the
        features of the situation in ``features``, and it is recorded in the same way.
        """
        where = (where or Where()).having(history=True) if history else where
        ask = Ask(
            self._drafter.memory, query, k, tokens_max, None, deep, check_named("", features), where, min_confidence
        )
        asked = AskSimilarCases(self._seeing(ask, similar=similar, full=full), session, bool(record))
        return self.ask(self._with_vector(asked, vector, after), after)

    def attest(self) -> Attestation:
        """Ask every host for the state digest at this point, and return it.

        Raises CommandRefusedError (``attest_too_soon``).
        """
        engine, memory = self._readable("attest"), self._drafter.memory
        answer = engine.submit(self._drafter.draft("attest", {}))
        check_taken(answer)
        return Attestation(memory, answer.seq, engine.attested(memory, answer.seq))

    def _seeing(self, ask: Ask, *, similar: bool, full: bool) -> Ask:
        """Return an ask as whoever holds this handle asks it: for a role, and under perspectives."""
        return replace(ask, similar=similar, full=full, role=self._at.role, perspectives=self._at.perspectives)

    def _with_vector(self, query: S, vector: Vector | None, after: Receipt | None) -> S:
        """Return the question with the vector that is given, or those made of it. Raises EmbeddingError."""
        if vector is not None:
            if vector.pieces:
                raise InvalidAskError(NO_PIECES)
            return replace(query, ask=replace(query.ask, vector=QueryVector(vector.model, vector.values), clauses=()))
        if self._embedding is None:
            if self._advice is not None and (said := self._advice.give()) is not None:
                warnings.warn(said, EmbedderWarning, stacklevel=3)
            return query
        engine, after, memory = self._readable(_CONTEXT), after or self._at.after, query.ask.memory
        if after is not None:  # which model is asked depends on what has vectors by then
            engine.wait(memory, after, self._at.deadline_s)
        return query.embedded(partial(self._embedding.of_query, engine, memory))


def _cursor(more: object) -> str | None:
    """Return where to go on: the cursor itself, or that of what an answer says of more. Raises InvalidAskError."""
    if isinstance(more, More):
        if more.cursor is None:
            raise InvalidAskError("more: this answer has no cursor, and so nothing to go on to; ask anew without it")
        return more.cursor
    return cast("str | None", more)  # what is no text is refused with the ask
