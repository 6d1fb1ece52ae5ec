"""The facade: one agent's memory, in one process or over Kafka."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Generic, Literal, Self

from typing_extensions import TypeVar
from yggdrasil_infra.log import LogError
from yggdrasil_producers.draft import Draft, Drafter
from yggdrasil_projections.graph.fold import Answer
from yggdrasil_projections.retrieval.answers import Context
from yggdrasil_projections.retrieval.context import VERSIONS
from yggdrasil_projections.retrieval.explain import Explanation
from yggdrasil_schemas.errors import InvalidCommandError, YggdrasilError
from yggdrasil_schemas.limits import MEMORY_FORM, RETURNED_MAX
from yggdrasil_schemas.refusals import Refusal, Refused
from yggdrasil_schemas.topics import COMMANDS, DURABILITY, Profile

from .decisions import Decisions
from .embedded import Embedded
from .engine import Engine, ReadingEngine

if TYPE_CHECKING:
    from .published import Published

K_DEFAULT: Final = 5  # as in 000, section 7
# With a default, so that ``Memory`` alone is a memory on any engine.
EngineT_co = TypeVar("EngineT_co", bound=Engine, default=Engine, covariant=True)


class CommandRefusedError(YggdrasilError):
    """The fold refused a command; it stays in the log, marked as refused. ``reason`` is a Refusal's code."""

    def __init__(self, refused: Refused) -> None:
        super().__init__(str(refused))
        self.reason = refused.reason.code
        self.detail = refused.detail


class AppendOnlyError(YggdrasilError):
    """A memory was to be read through an engine that only appends."""

    def __init__(self, what: str) -> None:
        super().__init__(
            f"{what} reads the memory, and over Kafka this facade only appends: workers fold what it appends "
            "(`yggdrasil worker`), and `yggdrasil replay --kafka` shows the memories' digests. To ask a memory, open "
            "one in a directory with Memory.open."
        )


@dataclass(frozen=True, slots=True)
class Attestation:
    """The proof of a memory's state: every host that folds the same log has ``digest`` at ``seq``."""

    memory: str
    seq: int
    digest: str


class Memory(Decisions, Generic[EngineT_co]):
    """One memory, ``tenant/agent``. Safe to use from several threads; a context manager.

    Here is what an agent needs; what thinkers and operators may decide is in ``Decisions``.

    >>> with Memory.open("./memories", memory="me/agent") as memory:
    ...     event = memory.record_event("Deployed on a Friday", features=["deploy", "friday"])
    ...     _ = memory.log_outcome(event, -3, kind="outage", text="The site was down for an hour")
    ...     context = memory.get_context("Should we deploy on Friday?")
    >>> context.found[0].memory.text
    'Deployed on a Friday'
    """

    def __init__(self, engine: EngineT_co, drafter: Drafter, *, owns_engine: bool = False) -> None:
        """Use ``engine``; ``open`` and ``connect`` are the usual ways.

        Raises InvalidCommandError for a malformed memory id.
        """
        _check(drafter)
        self.engine = engine
        self._drafter = drafter
        self._owns_engine = owns_engine

    @staticmethod
    def open(
        path: str | Path, memory: str, *, source: str = "agent", partitions: int | None = None
    ) -> "Memory[Embedded]":
        """Open or create the directory ``path`` and use the memory ``memory`` in it.

        ``source`` names who speaks and is stamped on every command; ``partitions`` is fixed at creation (4 unless
        given). Raises LogInUseError when another process has the directory open.
        """
        drafter = Drafter(memory, source, "yggdrasil-embedded")
        _check(drafter)  # first, so that a malformed id leaves no directory behind
        return Memory(Embedded(Path(path), partitions=partitions), drafter, owns_engine=True)

    @staticmethod
    def connect(
        bootstrap_servers: str | None = None,
        *,
        memory: str,
        source: str = "agent",
        topic: str = COMMANDS,
        profile: Profile = "production",
    ) -> "Memory[Published]":
        """Append to the memory ``memory`` on Kafka; workers fold it. What reads raises AppendOnlyError.

        An id is returned once all replicas in sync have the command; whether the fold takes it is known later, and a
        refusal goes to the topic of refusals. Without ``bootstrap_servers`` KAFKA_BOOTSTRAP_SERVERS names the brokers;
        YGGDRASIL_KAFKA_SECURITY_PROTOCOL and the like say how to be let in. ``profile`` "development" takes one broker.

        Every method that appends raises UnacknowledgedError, whose ``draft`` goes to ``resend``, when the brokers have
        not acknowledged a command within 30 s. Raises TopicError, with the remedy, for a topic that is not fit,
        SettingsError for what cannot be meant, and LogError.
        """
        # Kafka's client takes a third as long to import as all the rest, and a memory in a directory needs none of it.
        from yggdrasil_infra.kafka_settings import KafkaSettings  # noqa: PLC0415

        from .published import Published  # noqa: PLC0415

        drafter = Drafter(memory, source, "yggdrasil-kafka")
        _check(drafter)
        if profile not in DURABILITY:
            raise ValueError(f"profile is production or development, not {profile!r}")
        engine = Published(KafkaSettings.from_environment(bootstrap_servers), topic, profile)
        return Memory(engine, drafter, owns_engine=True)

    @property
    def id(self) -> str:
        """The memory's id, ``tenant/agent``."""
        return self._drafter.memory

    def record_event(
        self,
        text: str | None = None,
        *,
        features: Sequence[str] = (),
        payload: Mapping[str, Any] | None = None,
        session: str | None = None,
        informed_by: Sequence[str] = (),
        caused_by: Sequence[str] = (),
    ) -> str:
        """Record that something happened and return the event's id once that is durable and folded.

        ``text`` and ``payload`` are what it says; ``features`` (at most 32, each at most 128 characters) are its parts,
        of which the first 8 are associated with each other; ``informed_by`` are the recalls that led to it, and
        ``caused_by`` the earlier events, of any session, that brought it about (at most 8 of each): what comes of it
        is credited to them too. Raises InvalidCommandError when the command is malformed (nothing is appended) and
        CommandRefusedError (``unknown_recall``, ``unknown_event``, ``not_an_event``).
        """
        draft = self._drafter.record_event(
            text, features=features, payload=payload, session=session, informed_by=informed_by, caused_by=caused_by
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
        text: str | None = None,
        session: str | None = None,
    ) -> str:
        """Say how ``event``, an event or an episode, turned out, ``value`` in [-10, 10], and return the outcome's id.

        What led to it takes a share: the steps before it in its session, or those of ``trajectory`` (at most 16 events
        and episodes, the latest first) where they are known better. The kind ``guardrail_violation`` is kept for long.
        Raises InvalidCommandError and CommandRefusedError (``unknown_event``, ``not_an_event``, ``event_forgotten``).
        """
        draft = self._drafter.log_outcome(
            event, value, kind=kind, catastrophic=catastrophic, trajectory=trajectory, text=text, session=session
        )
        return self._submit(draft)

    def get_context(
        self, query: str, *, k: int = K_DEFAULT, session: str | None = None, record: bool = True
    ) -> Context:
        """Return the ``k`` (1 to 50) memories that matter most to ``query``, each with its evidence.

        The read is recorded as a command, so that what was returned is noticed and the answer can be proved later;
        with ``record=False``, or when the log cannot be appended to, the answer says ``recorded=False``. Nothing found
        is an answer too: there is no guess, and it is recorded like any other.
        """
        if not 1 <= k <= RETURNED_MAX:
            raise ValueError(f"k must lie between 1 and {RETURNED_MAX}, not {k}")
        context = self._reading("get_context").context(self.id, query, k)
        if not record:
            return context
        body = {
            "purpose": "context",
            "as_of": context.as_of,
            "returned": context.refs,
            "parameters": {"k": k},
            **VERSIONS,
        }
        try:
            recall_id = self._submit(self._drafter.draft("record_recall", body, {"text": query}, session))
        except LogError:
            return context
        return replace(context, recall_id=recall_id, recorded=True)

    def report_use(
        self,
        recall_id: str,
        used: Sequence[str],
        *,
        result: Literal["success", "failure", "unknown"] = "unknown",
        helpful: bool = False,
        prevented_error: bool = False,
    ) -> str:
        """Say which references of a recall were really used and how the task went; return the command's id.

        Raises CommandRefusedError (``unknown_recall``, ``recall_forgotten``, ``recall_reported``, ``not_recalled``).
        """
        body = {
            "recall": recall_id,
            "used": list(used),
            "result": result,
            "helpful": helpful,
            "prevented_error": prevented_error,
        }
        return self._submit(self._drafter.draft("report_use", body))

    def explain_action(self, event: str) -> Explanation:
        """Return the lineage of ``event``: what led to it, what informed it, what came of it, and where it all stands.

        Raises UnknownMemoryError and UnknownActionError.
        """
        return self._reading("explain_action").explain(self.id, event)

    def attest(self) -> Attestation:
        """Ask every host for the state digest at this point, and return it.

        Raises CommandRefusedError (``attest_too_soon``).
        """
        engine = self._reading("attest")
        answer = engine.submit(self._drafter.draft("attest", {}))
        _check_taken(answer)
        return Attestation(self.id, answer.seq, engine.attested(self.id, answer.seq))

    def digest(self) -> str:
        """Return the state digest as it stands, without recording anything. Raises UnknownMemoryError."""
        return self._reading("digest").digest(self.id)

    def resend(self, draft: Draft) -> str:
        """Append a command of this memory again, as it was, and return its id: what an UnacknowledgedError asks for.

        The fold takes an id once, so it does not matter whether the first attempt has reached the log.
        """
        if draft.memory != self.id:
            raise ValueError(f"the draft belongs to {draft.memory}, and this is {self.id}")
        return self._submit(draft)

    def close(self) -> None:
        """Close the engine if this facade opened it. Closing twice is allowed."""
        if self._owns_engine:
            self.engine.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _submit(self, draft: Draft) -> str:
        _check_taken(self.engine.submit(draft))
        return draft.id

    def _reading(self, what: str) -> ReadingEngine:
        engine: Engine = self.engine
        if not isinstance(engine, ReadingEngine):
            raise AppendOnlyError(what)
        return engine


def _check_taken(answer: Answer | None) -> None:
    if answer is not None and answer.refused is not None:
        raise CommandRefusedError(answer.refused)


def _check(drafter: Drafter) -> None:
    """Raise InvalidCommandError unless memory id and source are well formed, which the cheapest command shows."""
    try:
        drafter.draft("attest", {})
    except InvalidCommandError as error:
        if error.detail.startswith("memory:"):
            raise InvalidCommandError(error.reason, f"memory takes {MEMORY_FORM}") from None
        raise
    if drafter.memory.startswith("_"):
        raise InvalidCommandError(Refusal.RESERVED_MEMORY.code, Refusal.RESERVED_MEMORY.sentence)
