"""The facade: one agent's memory, in one process or over Kafka."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from datetime import date
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Generic, Literal, Self, cast

from typing_extensions import TypeVar

from yggdrasil_infra.forking import OfThisProcess, stays
from yggdrasil_infra.log import LogError, Receipt
from yggdrasil_producers.draft import BY_OPERATORS, Draft, Drafter
from yggdrasil_producers.errors import NotAllowedError
from yggdrasil_producers.gateway.moments import in_ms
from yggdrasil_producers.stamps import stamp
from yggdrasil_projections.retrieval.answers import Context, SimilarCases
from yggdrasil_projections.retrieval.asks import asked_perspectives, asked_role, asked_trust
from yggdrasil_projections.retrieval.claimed import ClaimSeen
from yggdrasil_projections.retrieval.errors import CommandRefusedError, InvalidAskError, UnknownMemoryError
from yggdrasil_projections.retrieval.past.against_log import AgainstLog
from yggdrasil_projections.retrieval.past.forks import Forked, ForkLineage
from yggdrasil_projections.retrieval.past.moment import AsOf
from yggdrasil_projections.retrieval.past.otherwise import Differs, Otherwise, Voids
from yggdrasil_projections.retrieval.query import NOW, At
from yggdrasil_projections.retrieval.reads.experience.explain import Explanation
from yggdrasil_projections.retrieval.reads.past.diff import COUNT, QUESTIONS, AskDiff, Diff
from yggdrasil_projections.retrieval.using.finding import AskModel, UseFound, find
from yggdrasil_schemas import commands
from yggdrasil_schemas.commands.envelope import is_tier
from yggdrasil_schemas.commands.forks import fork_id, is_fork, origin_of
from yggdrasil_schemas.errors import InvalidCommandError
from yggdrasil_schemas.ids import tenant_of
from yggdrasil_schemas.limits import TRUST_MAX
from yggdrasil_schemas.moments import Moment
from yggdrasil_schemas.refusals import Refusal
from yggdrasil_schemas.topics import COMMANDS, DURABILITY, Profile

from .decisions import Decisions
from .engines.engine import Engine, ReadingEngine
from .engines.past.handle import OfAnother, OfThePast, PastError
from .knowing.corrections import Corrections
from .knowing.using import Reading, embedding_by, returned_by
from .knowing.worlds import Worlds
from .opening import opened
from .readings import AppendOnlyError, Attestation, Readings, check_taken, reported
from .recording import Recordings
from .sessions import Sessions

if TYPE_CHECKING:
    from yggdrasil_infra.embedders import Embedder
    from yggdrasil_producers.envelopes import OpenedAs
    from yggdrasil_schemas.commands import Origin
    from yggdrasil_schemas.commands.experience import NoteKind, UseMethod
    from yggdrasil_schemas.commands.vectors import Vector

    from .engines.embedding import Embedding
    from .opening import Advice
    from .settings import EmbedderGiven

__all__ = ["AppendOnlyError", "Attestation", "CommandRefusedError", "Memory"]

# With a default, so that ``Memory`` alone is a memory on any engine.
EngineT_co = TypeVar("EngineT_co", bound=Engine, default=Engine, covariant=True)


class Memory(OfThisProcess, Recordings, Sessions, Worlds, Corrections, Decisions, Readings, Generic[EngineT_co]):
    """One memory, ``tenant/agent``. Safe to use from several threads; a context manager.

    Here is what an agent says; what it knows is in ``KnownThings``, what it tells of a world in ``Worlds``, how it
    corrects that in ``Corrections``, what it may ask in ``Readings``, what thinkers and operators decide in
    ``Decisions``, what importers say in ``Recordings``, and an agent's piece of work is a ``Session``.

    >>> with Memory.open("./memories", memory="me/agent") as memory:
    ...     event = memory.record_event("Deployed on a Friday", features=["deploy", "friday"])
    ...     _ = memory.log_outcome(event, -3, kind="outage", text="The site was down for an hour")
    ...     context = memory.get_context("Should we deploy on Friday?")
    >>> context.found[0].memory.text
    'Deployed on a Friday'
    """

    def __init__(
        self,
        engine: EngineT_co,
        drafter: Drafter,
        *,
        owns_engine: bool = False,
        embedding: Embedding | None = None,
        advice: Advice | None = None,
    ) -> None:
        """Use ``engine``; ``open``, ``connect`` and ``Store.memory`` are the usual ways.

        ``embedding`` makes vectors; without it ``advice`` says how to get them. Neither it nor the engine is closed
        unless they are owned. Raises InvalidCommandError for a malformed memory id.
        """
        drafter.check()
        self.engine = engine
        # Once, as it takes a while to find out.
        self._reads: ReadingEngine | None = engine if isinstance(engine, ReadingEngine) else None
        self._drafter = drafter
        self._owns_engine = owns_engine
        self._embedding = embedding
        self._advice = advice
        self._closed = False
        self._at = NOW
        self._of: Memory[EngineT_co] | None = None
        if not getattr(engine, "survives_fork", False):
            stays(self, f"the memory {drafter.memory}")

    @staticmethod
    def open(
        path: str | Path,
        memory: str,
        *,
        source: str = "agent",
        origin: Origin = "agent",
        role: OpenedAs = "operator",
        partitions: int | None = None,
        embedder: EmbedderGiven = None,
        former_embedder: Embedder | None = None,
        daemon: bool = False,
        ranker: str | None = None,
    ) -> Memory[Any]:
        """Open or create the directory ``path`` for the memory ``memory`` alone; ``Store.open`` is for several.

        ``source`` names who speaks, and ``origin`` what that is: only what a tool, a user or an operator says can be
        catastrophic. Both are stamped on every command. With ``role`` "agent" it can be told what agents may say, and
        the rest raises NotAllowedError: it defines, pins, adjusts and retires nothing, and changes no policy. For the
        rest, and for what it raises and warns of, see ``Store.open``; the directory is closed with the memory. Where a
        service holds it, or is started for it with ``daemon``, its ``engine`` is a ``Remote``, and otherwise an
        ``Embedded``.
        """
        drafter = Drafter(memory, source, "yggdrasil-embedded", origin, role=role)
        drafter.check()  # first, so that a malformed id leaves no directory behind
        engine, found = opened(path, partitions, embedder, former_embedder, daemon=daemon, ranker=ranker)
        return Memory(engine, drafter, owns_engine=True, embedding=found.embedding, advice=found.advice)

    @staticmethod
    def connect(
        where: str | None = None,
        *,
        memory: str,
        source: str = "agent",
        origin: Origin = "agent",
        role: OpenedAs = "operator",
        key: str | None = None,
        topic: str = COMMANDS,
        profile: Profile = "production",
    ) -> Memory[Any]:
        """Use the memory ``memory`` of a query service, ``where`` being its URL, or append to it on Kafka.

        ``http://host:port`` and ``https://...`` lead to a service (`yggdrasil serve`), with a ``key`` if it asks for
        one, or else YGGDRASIL_KEY. The service stamps who speaks, so ``source`` and ``origin``
        say nothing there. It is connected to when it is needed; see ``Remote`` for what that raises.

        ``role`` is as in ``open``: with "agent" what takes an operator is refused here, whatever the key may do.

        Anything else names brokers. Workers fold what is appended there, and what reads raises AppendOnlyError. An id
        is returned once all replicas in sync have the command; whether the fold takes it is known later, and a refusal
        goes to the topic of refusals. Without ``where`` KAFKA_BOOTSTRAP_SERVERS names the brokers;
        YGGDRASIL_KAFKA_SECURITY_PROTOCOL and the like say how to be let in. ``profile`` "development" takes one broker.

        Every method that appends raises UnacknowledgedError, whose ``draft`` goes to ``resend``, when the brokers have
        not acknowledged a command within 30 s. Raises TopicError, with the remedy, for a topic that is not fit,
        SettingsError for what cannot be meant, and LogError.
        """
        if where is not None and where.startswith(("http://", "https://")):
            from .engines.remote import Remote

            drafter = Drafter(memory, source, "yggdrasil-http", role=role)
            drafter.check()
            remote = Remote(where, key or os.environ.get("YGGDRASIL_KEY") or None)  # an empty one is none
            return Memory(remote, drafter, owns_engine=True)
        # Kafka's client takes a third as long to import as all the rest, and a memory in a directory needs none of it.
        from yggdrasil_infra.kafka_log.settings import KafkaSettings

        from .engines.published import Published

        drafter = Drafter(memory, source, "yggdrasil-kafka", origin, role=role)
        drafter.check()
        if profile not in DURABILITY:
            raise ValueError(f"profile is production or development, not {profile!r}")
        engine = Published(KafkaSettings.from_environment(where), topic, profile)
        return Memory(engine, drafter, owns_engine=True)

    @property
    def id(self) -> str:
        """The memory's id, ``tenant/agent``."""
        return self._drafter.memory

    def after(self, receipt: Receipt) -> Memory[EngineT_co]:
        """Return this memory, on which every read waits until what stands at ``receipt`` has been folded.

        ``became`` says where a command stands. It raises NotYetError when that takes longer than 10 s. Both are the
        same memory: what is recorded through one is in the other, and closing this one closes neither.
        """
        if not isinstance(cast(object, receipt), Receipt):  # of a program without types
            raise InvalidAskError(f"after takes a receipt, which says where a command stands, and not {receipt!r:.40}")
        return self._read_at(replace(self._at, after=receipt))

    def as_of(
        self,
        moment: AsOf | Receipt | int | str | date,
        *,
        quarantined: bool = False,
        progress: Callable[[int, int], object] | None = None,
    ) -> Memory[Any]:
        """Return this memory as it stood at ``moment``, to be read only: every read says what it would have said then.

        A moment is a seq, which every answer has as its ``as_of``; a ``Receipt``, or the text ``3-1250`` for one; a
        datetime with a time zone, or a date, which is the end of that day in UTC; either of them as a text too. Times
        are the log's own. ``valid_at`` says what held when; both may be given together, and without it a read is of
        what held at the moment. Answers have ``past`` true, and nothing is recorded. What one may not see today one
        does not see there: what has been taken into quarantine since is ``withheld``, unless an auditor asks with
        ``quarantined``.

        What is not at hand is built from the log first; ``progress`` is told how many records of how many are read.
        Raises NoSuchMomentError for a moment before its first command, after the present, or of which the log tells no
        more, PastError for a past of a past, UnknownMemoryError, and InvalidAskError for what is no moment.
        """
        engine, at = self._readable("as_of"), AsOf.of(moment)
        engine.stand(self.id, at, None, progress)
        other = cast("Memory[Any]", self._read_at(self._at))
        other.engine = other._reads = OfThePast(engine, at, quarantined=quarantined)
        if at.snapshot is not None:  # whatever becomes of the name
            at = AsOf(seq=other.moment().as_of)
            other.engine = other._reads = OfThePast(engine, at, quarantined=quarantined)
        return other

    def what_if(
        self,
        without: str | Iterable[str] = (),
        *,
        without_source: str | None = None,
        without_session: str | None = None,
        policy: Mapping[str, float] | None = None,
        with_: Sequence[Draft] = (),
        as_of: AsOf | Receipt | int | str | date | None = None,
        progress: Callable[[int, int], object] | None = None,
    ) -> Memory[Any]:
        """Return this memory as it would stand if something had been otherwise, to be read only, as with ``as_of``.

        The commands with the ids ``without`` (at most 1,000) never happened, nor did what ``without_source`` said, nor
        what was recorded in the session ``without_session``. Their seqs pass and change nothing, so all else keeps its
        place, and only what names them, directly or through what fell with them, is refused: ``voids`` counts and lists
        that. ``policy`` holds from the beginning, until a ``set_policy`` of the memory says otherwise. ``with_`` are
        commands, as a ``Drafter`` makes them, that come at the end (at most 100). ``as_of`` is a moment at which it all
        ends, the present unless given. ``differs`` says how its graph differs from this one's.

        It is for auditors: nothing that is in quarantine today is withheld. Nothing is recorded, and reality does not
        change. It is built from the log, in as long as folding that takes; ``progress`` is told of it.

        Raises InvalidAskError for what was never accepted and so cannot be left out, for a policy that cannot be, for
        what is refused of ``with_``; NotAllowedError for a memory that was opened with the role "agent"; AccessError
        for a key that may not audit, or not say what ``with_`` says; PastError; NoSuchMomentError; UnknownMemoryError.
        """
        if self._drafter.role == "agent":
            raise NotAllowedError("what_if")
        engine = self._readable("what_if")
        if isinstance(engine, OfThePast):
            raise PastError(engine.as_of)
        if other := next((each.memory for each in with_ if each.memory != self.id), None):
            raise InvalidAskError(f"with_ takes commands of {self.id}, and not of {other}")
        made = with_ if self._embedding is None else [self._embedding.completed(each) for each in with_]
        values = [each.value for each in made]
        otherwise = Otherwise.of(without, without_source, without_session, policy, values)
        moment = None if as_of is None else AsOf.of(as_of)
        at, voids = engine.suppose(self.id, otherwise, moment, None, progress, self._at.trust_min)
        found = cast("Memory[Any]", self._read_at(self._at))
        found.engine = found._reads = OfAnother(engine, at, otherwise, voids)
        return found

    @property
    def voids(self) -> Voids | None:
        """What was left out of this memory and what is refused in it, if ``what_if`` made it; None of any other."""
        return self.engine.voids if isinstance(self.engine, OfAnother) else None

    def differs(self) -> Differs:
        """Return how the graph of this memory, which ``what_if`` made, differs from that of reality.

        Nodes are counted by kind, and the 20 that differ most are listed. Raises InvalidAskError for any other memory.
        """
        self._live()
        if not isinstance(self.engine, OfAnother):
            raise InvalidAskError("differs says how a memory that what_if made differs from reality; this is reality")
        return self.engine.differs_here(self.id, self._at.trust_min)

    def fork(
        self,
        moment: AsOf | Receipt | int | str | date,
        name: str,
        *,
        quarantined: bool = False,
        progress: Callable[[int, int], object] | None = None,
    ) -> Forked:
        """Make a memory of its own of this one as it stood at ``moment``: ``tenant/agent.fork-NAME``, and return it.

        What was accepted up to there is copied in the log, with its ids and times, under that name: record by record
        the fork is what this memory was. From then on each is told for itself, and neither moves the other. Moments
        are as in ``as_of``. A call that was interrupted is given again, and goes on. ``progress`` is told how many
        records of how many are read or written. ``lineage_of_fork`` says where a fork comes from, and ``compare`` how
        two differ.

        Nothing that was in quarantine then is released by it. What has been taken into quarantine since would not be in
        quarantine there: then it raises InvalidAskError, unless an auditor asks for it with ``quarantined``. It takes
        an operator: NotAllowedError for a memory that was opened with the role "agent", and AccessError for a key that
        does not operate, or audit. Raises ForkThereError for a name that another fork has, CannotForkError where the
        log does not allow it, ForkDiffersError, InvalidCommandError for what is no name, and as ``as_of`` does.
        """
        if self._drafter.role == "agent":
            raise NotAllowedError("fork")
        engine, at = self._readable("fork"), AsOf.of(moment)
        fork_id(self.id, name)  # so that a slip is told before anything is built
        return engine.fork(self.id, at, name, quarantined=quarantined, progress=progress)

    def forks(self, *, progress: Callable[[int, int], object] | None = None) -> list[ForkLineage]:
        """Return the forks of this memory, by their names, each as ``lineage_of_fork`` tells it."""
        engine = self._readable("forks")
        tenant = tenant_of(self.id)
        names = [each for each in engine.memories(tenant) if is_fork(each) and origin_of(each) == self.id]
        return [engine.lineage_of_fork(each, progress) for each in names]

    def lineage_of_fork(self, *, progress: Callable[[int, int], object] | None = None) -> ForkLineage:
        """Return of which memory this one is a fork, and up to which seq both are one.

        Nobody noted that: it is what the records of both have in common, so it is read from the log, in some seconds
        for 100,000 commands; ``progress`` is told of it. Raises InvalidAskError where this is no fork, and
        UnknownMemoryError.
        """
        return self._readable("lineage_of_fork").lineage_of_fork(self.id, progress)

    def compare(self, other: str, *, progress: Callable[[int, int], object] | None = None) -> Differs:
        """Return how the graph of the memory ``other`` differs from that of this one; both have gone on from one.

        One may be a fork of the other, or both of a third. Nodes are paired up to where they part, and from then on by
        the command that made them. ``was`` is said of this one, and ``would_be`` of the other. It is for auditors:
        nothing that is in quarantine is withheld. What one does not see (``seen``) is in neither. Raises
        NotAllowedError for a memory that was opened with the role "agent", AccessError for a key that may not audit,
        InvalidAskError for memories that have not gone on from one, and UnknownMemoryError.
        """
        if self._drafter.role == "agent":
            raise NotAllowedError("compare")
        return self._readable("compare").compare(self.id, other, self._at.trust_min, progress)

    def verify_against_log(self, *, progress: Callable[[int, int], object] | None = None) -> AgainstLog:
        """Fold this memory anew from its log, up to where it stands, and return whether both are equal.

        Every record of it is compared, and of what differs the first of each kind is told, with the command that
        touched it last. Whoever uses the memory goes on meanwhile. ``progress`` is told how many records of its
        partition of how many are read. It is for auditors: NotAllowedError for a memory that was opened with the role
        "agent", AccessError for a key that may not audit, or has a lens. Raises UnknownMemoryError, and DiskFullError
        where there is no room for a store of it.
        """
        if self._drafter.role == "agent":
            raise NotAllowedError("verify_against_log")
        return self._readable("verify_against_log").verify_against_log(self.id, progress)

    def diff(
        self,
        a: AsOf | Receipt | int | str | date,
        b: AsOf | Receipt | int | str | date | None = None,
        *,
        source: str | None = None,
        session: str | None = None,
        feature: str | None = None,
        count: int = COUNT,
        questions: int = QUESTIONS,
        progress: Callable[[int, int], object] | None = None,
    ) -> Diff:
        """Return what changed between two moments, ``a`` and then ``b``, which is now unless it is given.

        That is what was learnt, what fell and why, what says or holds something else, what grew and faded most, which
        features foretell something else, and which answers are others: the latest ``questions`` (at most 50) that were
        asked in between are asked again at both moments. With ``source``, ``session`` or ``feature`` only what is of it
        is told. There are at most ``count`` of each (at most 1,000), and ``left_out`` counts the rest.

        Moments are as in ``as_of``, and one sees what one sees through that: nothing that is in quarantine today,
        unless an auditor asks ``as_of(b, quarantined=True).diff(a)``. Nothing is recorded. Raises InvalidAskError where
        ``a`` comes after ``b``, and as ``as_of`` does.
        """
        asked = AskDiff(AsOf.of(a), source=source, session=session, feature=feature, count=count, questions=questions)
        it = self if b is None else self.as_of(b, progress=progress)
        engine = self._readable("diff")
        present = engine.present if isinstance(engine, OfThePast) else engine
        present.stand(self.id, asked.a, None, progress)
        return it.ask(asked)

    def seen(self, *, trust_min: int = 0, perspective: str | Sequence[str] | None = None) -> Memory[EngineT_co]:
        """Return this memory as one sees it who trusts nothing below ``trust_min``: no read shows the rest.

        Tiers are 1 an agent, 2 a user, 3 a tool, 4 an operator; 0 shows all. It hides what less trusted commands said,
        and whatever hangs on it: features that nothing else has, outcomes, lines of claims, aliases, sessions. Hidden
        references are unknown. What counts and values have learnt stays in them, and the digest is that of the whole.
        Both are the same memory, as with ``after``, and nothing widens again what one sees. Raises InvalidAskError for
        what is no tier.

        With ``perspective``, one or up to eight that a role of the memory has, what searches asks under these: what was
        used under them comes before its equals, and what is used of the answer grows strong under them.
        """
        at = replace(self._at, trust_min=max(self._at.trust_min, asked_trust(trust_min) or 0))
        if perspective is not None:
            under = (perspective,) if isinstance(perspective, str) else perspective
            at = replace(at, perspectives=asked_perspectives(under))
        return self._read_at(at)

    def as_agent(self, name: str, *, role: str | None = None) -> Memory[EngineT_co]:
        """Return this memory as the agent ``name`` has it: it speaks under that name, and asks for its ``role``.

        The role is called like the agent unless it is given; an operator says what it cares about (``define``). What
        searches asks under those of its perspectives that the question speaks of, or all of them where it speaks of
        none. A service stamps who speaks, whatever the name. Both are the same memory, as with ``after``.

        Raises InvalidAskError for what is no name, and when it is asked for a role that the memory does not define.
        """
        other = self._read_at(replace(self._at, role=asked_role(name if role is None else role)))
        other._drafter = replace(self._drafter, source=name)
        other._drafter.check()
        return other

    def speaking(self, *, trust: int) -> Memory[EngineT_co]:
        """Return this memory as one speaks to it who is trusted no more than ``trust``: for words of somebody else.

        Tiers are 0 a stranger, 1 an agent, 2 a user, 3 a tool, 4 an operator. What a mail or a page says is recorded
        through ``speaking(trust=0)``: it waits as a candidate, and moves nothing that is trusted more. Both are the
        same memory, as with ``after``, and nothing raises the trust again: to have more than one has is refused by a
        service, and changes nothing here. Raises InvalidCommandError for what is no tier.
        """
        if not is_tier(trust):  # of a program without types
            said = f"trust takes a whole number from 0 to {TRUST_MAX}, not {str(trust)[:40]!r}"
            raise InvalidCommandError(Refusal.INVALID_ENVELOPE.code, said)
        had = self._drafter.trust
        other = self._read_at(self._at)
        other._drafter = replace(self._drafter, trust=trust if had is None else min(trust, had))
        return other

    def _read_at(self, at: At) -> Memory[EngineT_co]:
        other = copy(self)
        other._of = self._of or self
        other._owns_engine = False
        other._at = at
        return other

    def record_event(
        self,
        text: str | None = None,
        *,
        features: Sequence[str] = (),
        payload: Mapping[str, Any] | None = None,
        session: str | None = None,
        informed_by: Sequence[str] = (),
        caused_by: Sequence[str] = (),
        key: str | None = None,
        name: str | None = None,
        aliases: Sequence[str] = (),
        rationale: str | None = None,
        note: NoteKind | None = None,
        perspectives: Sequence[str] = (),
        prominence: int | None = None,
        vector: Vector | None = None,
        at: Moment | None = None,
    ) -> str:
        """Record that something happened and return the event's id once that is durable and folded.

        ``text`` and ``payload`` are what it says; ``features`` (at most 32, each at most 128 characters) are its parts,
        of which the first 8 are associated with each other; ``informed_by`` are the recalls that led to it, and
        ``caused_by`` the earlier events, of any session, that brought it about (at most 8 of each): what comes of it
        is credited to them too. ``key``, such as "ana/diet", names what this is the latest word on: what had the same
        key before is superseded (see ``supersede``). ``vector`` is that of the text, where the agent supplies it.
        ``name`` is a short title, and ``aliases`` (at most 16) are other names: it is found under any of them, however
        the question is phrased. ``rationale``, why it is so, is kept, shown and explained, and never searched.
        ``note`` is what sort of note it is, by which ``Where(notes=...)`` filters; an "open_question" is in no answer,
        but to who asks for those, and ``resolve`` settles it; nor is an "utterance", which a loop said and which tells
        nothing new.
        ``perspectives`` (at most 8 that roles have) are those under which it matters from the start.
        ``prominence``, 0 to 100 and 50 unless given, is how much it stands out: it begins with 0.5 to 1.5 times the
        usual salience. Who is trusted below ``teach_trust_min`` is given no more than the usual.
        ``at`` is when it happened, the present unless given: a datetime with a time zone, a date (a day in UTC), either
        of them as a text in ISO 8601, or Unix ms. It is shown, and no law reads it. ``record_many`` records many.

        Raises InvalidCommandError when the command is malformed (nothing is appended), CommandRefusedError
        (``unknown_recall``, ``unknown_event``, ``not_an_event``), and EmbeddingError when the memory's embedder fails.
        """
        noted: dict[str, Any] = {"name": name, "aliases": aliases, "rationale": rationale, "note": note}
        if perspectives:
            noted["perspectives"] = perspectives
        if prominence is not None:
            noted["prominence"] = prominence
        draft = self._drafter.record_event(
            text,
            features=features,
            payload=payload,
            informed_by=informed_by,
            caused_by=caused_by,
            key=key,
            **noted,
            session=session,
            vector=vector,
            stamp=stamp(at),
        )
        return self._submit(draft)

    def log_outcome(
        self,
        event: str,
        value: float,
        *,
        kind: str = "outcome",
        catastrophic: bool = False,
        trajectory: Sequence[str] = (),
        origin: Origin | None = None,
        text: str | None = None,
        session: str | None = None,
        at: Moment | None = None,
    ) -> str:
        """Say how ``event``, an event or an episode, turned out, ``value`` in [-10, 10], and return the outcome's id.

        What led to it takes a share: the steps before it in its session, or those of ``trajectory`` (at most 16 events
        and episodes, the latest first) where they are known better. The kind ``guardrail_violation`` is kept for long.
        ``origin`` is who has seen it, such as "tool", if not the one who speaks here: what an agent itself calls
        ``catastrophic`` is a large outcome; of a tool, a user or an operator it is protected.
        Raises InvalidCommandError and CommandRefusedError (``unknown_event``, ``not_an_event``, ``event_forgotten``).
        """
        how: dict[str, Any] = {"kind": kind, "catastrophic": catastrophic, "trajectory": trajectory, "origin": origin}
        return self._submit(self._drafter.log_outcome(event, value, **how, text=text, session=session, stamp=stamp(at)))

    def report_use(
        self,
        recall: str | Context | SimilarCases | Explanation,
        used: Sequence[str],
        *,
        result: Literal["success", "failure", "unknown"] = "unknown",
        helpful: bool = False,
        prevented_error: bool = False,
        method: UseMethod = "declared",
        perspectives: Sequence[str] = (),
    ) -> str:
        """Say which references of a recall were really used and how the task went; return the command's id.

        ``recall`` is the recall's id, or the answer itself: then ``used`` may hold labels of its ``text``, such as
        ``m1``. It grows strong under ``perspectives``, or else under those that were asked under. ``method`` is how
        that was found out; ``used`` finds it in an output. Raises InvalidAskError for a label that it has not, and for
        an answer that was not recorded, and CommandRefusedError (``unknown_recall``, ``recall_forgotten``,
        ``recall_reported``, ``not_recalled``).
        """
        recall_id, refs = reported(recall, used)
        draft = self._drafter.report_use(
            recall_id,
            refs,
            result=result,
            helpful=helpful,
            prevented_error=prevented_error,
            method=method,
            perspectives=perspectives,
        )
        return self._submit(draft)

    def used(
        self,
        recall: str | Context | SimilarCases,
        output: str,
        *,
        method: Literal["labels", "words", "vectors", "model"] | None = None,
        model: AskModel | None = None,
        result: Literal["success", "failure", "unknown"] = "unknown",
        helpful: bool = False,
        prevented_error: bool = False,
    ) -> UseFound:
        """Find which memories of a recall an ``output`` really used, report that, and return what was found.

        ``recall`` is the answer, or its id: then what it returned is read as it is now. By ``labels`` it is what the
        output cites, as in ``[m1]``, and does not deny; by ``words`` what returns in its sentences; by ``vectors`` what
        they mean, which takes an embedder; by ``model`` what a model names, which is given the output and the texts and
        returns numbers of texts, from 1: see ``ModelUse``. Without a ``method`` it is the model if one is given, else
        labels where the output cites any, and words otherwise. An output that used nothing is reported with nothing,
        and without a ``result`` it is no success. What stands beyond 32,000 characters of it is not read: see
        ``left_out``.

        Raises InvalidAskError for an empty output, for which nothing is reported, for a method that lacks what it
        takes, for numbers that are none of a text's, and as ``report_use``; EmbeddingError; what the model raises.
        """
        recall_id, returned = returned_by(Reading(self.became, self.said, self.describe), recall)
        embed = None if self._embedding is None else embedding_by(self._embedding.current)
        found = find(returned, output, method or (None if model is None else "model"), embed=embed, ask_model=model)
        how: dict[str, Any] = {"result": result, "helpful": helpful, "prevented_error": prevented_error}
        report = self.report_use(recall_id, found.used, **how, method=found.method)
        return replace(found, recall_id=recall_id, report=report)

    def say(
        self,
        kind: str,
        body: Mapping[str, Any] | None = None,
        *,
        content: Mapping[str, Any] | None = None,
        session: str | None = None,
        at: Moment | None = None,
    ) -> str:
        """Say any command of the language by its ``kind``, such as "log_outcome", and return its id.

        It is the way of programs that are given commands, and do not name them; the other methods say what each is
        for. ``body`` and ``content`` are those of the command (docs/laws.md, and `yggdrasil say`), with points in time
        as ``at`` takes them. Raises InvalidCommandError for what breaks the language's form or bounds, and for what
        hosts alone say, such as a recall; NotAllowedError and CommandRefusedError.
        """
        for name, given in (("body", body), ("content", content)):
            if not isinstance(cast(object, given), Mapping | None):
                raise InvalidCommandError(Refusal.INVALID_BODY.code, f"{name} is a mapping, and not {given!r:.40}")
        model = commands.COMMANDS.get(kind) if isinstance(cast(object, kind), str) else None
        if model is None:
            raise InvalidCommandError(Refusal.UNKNOWN_TYPE.code, f"{kind!r:.40} names no command of the language")
        if not model.roles:
            raise InvalidCommandError(Refusal.INVALID_BODY.code, f"{kind} is said by hosts and not by whoever uses one")
        said = in_ms({"body": dict(body or {})})["body"]
        by = self._drafter
        if said.get("thinker") is not None:  # who stands behind it, as the methods and a service have it
            by = replace(by, origin="thinker")
        elif kind in BY_OPERATORS:
            by = replace(by, origin="operator")
        return self._submit(by.draft(kind, said, None if content is None else dict(content), session, stamp(at)))

    def _paths_between(self, start: str, end: str) -> list[ClaimSeen]:
        try:
            found = self.claims(start, "path", end).claims
        except UnknownMemoryError:  # this is the first that it is told
            return []
        return [each.claim for each in found if each.claim is not None]

    def resend(self, draft: Draft) -> str:
        """Append a command of this memory again, as it was, and return its id: what an UnacknowledgedError asks for.

        The fold takes an id once, so it does not matter whether the first attempt has reached the log.
        """
        if draft.memory != self.id:
            raise ValueError(f"the draft belongs to {draft.memory}, and this is {self.id}")
        check_taken(self._live().submit(draft))
        return draft.id

    def close(self) -> None:
        """Close this memory, and the engine if it was opened for this memory alone. Closing twice is allowed."""
        self._closed = True
        if self._owns_engine:
            self.engine.close()
            if self._embedding is not None:
                self._embedding.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _submit(self, draft: Draft) -> str:
        engine = self._live()
        if self._embedding is not None:
            draft = self._embedding.completed(draft)
        check_taken(engine.submit(draft))
        return draft.id

    def _live(self) -> Engine:
        if self._closed or (self._of is not None and self._of._closed):
            raise LogError(f"the memory {self.id} is closed")
        return self.engine

    def _readable(self, what: str) -> ReadingEngine:
        self._live()
        if self._reads is None:
            raise AppendOnlyError(what)
        return self._reads
