"""The facade: one agent's memory in one process."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Literal, Self

from yggdrasil_infra.log import LogError
from yggdrasil_producers.draft import Draft, Drafter
from yggdrasil_projections.graph.fold import Answer
from yggdrasil_projections.retrieval.context import VERSIONS, Context
from yggdrasil_projections.retrieval.explain import Explanation
from yggdrasil_schemas.errors import InvalidCommandError, YggdrasilError
from yggdrasil_schemas.limits import RETURNED_MAX
from yggdrasil_schemas.refusals import Refusal, Refused

from .embedded import Embedded

K_DEFAULT: Final = 5  # as in 000, section 7


class CommandRefusedError(YggdrasilError):
    """The fold refused a command; it stays in the log, marked as refused. ``reason`` is a Refusal's code."""

    def __init__(self, refused: Refused) -> None:
        super().__init__(str(refused))
        self.reason = refused.reason.code
        self.detail = refused.detail


@dataclass(frozen=True, slots=True)
class Attestation:
    """The proof of a memory's state: every host that folds the same log has ``digest`` at ``seq``."""

    memory: str
    seq: int
    digest: str


class Memory:
    """One memory, ``tenant/agent``, in an embedded log. Safe to use from several threads; a context manager.

    >>> with Memory.open("./memories", memory="me/agent") as memory:
    ...     event = memory.record_event("Deployed on a Friday", features=["deploy", "friday"])
    ...     _ = memory.log_outcome(event, -3, kind="outage", text="The site was down for an hour")
    ...     context = memory.get_context("Should we deploy on Friday?")
    >>> context.found[0].memory.text
    'Deployed on a Friday'
    """

    def __init__(self, engine: Embedded, drafter: Drafter, *, owns_engine: bool = False) -> None:
        """Use ``engine``; ``Memory.open`` is the usual way. Raises InvalidCommandError for a malformed memory id."""
        _check(drafter)
        self.engine = engine
        self._drafter = drafter
        self._owns_engine = owns_engine

    @classmethod
    def open(cls, path: str | Path, memory: str, *, source: str = "agent", partitions: int | None = None) -> Self:
        """Open or create the directory ``path`` and use the memory ``memory`` in it.

        ``source`` names who speaks and is stamped on every command; ``partitions`` is fixed at creation (4 unless
        given). Raises LogInUseError when another process has the directory open.
        """
        drafter = Drafter(memory, source, "yggdrasil-embedded")
        _check(drafter)  # first, so that a malformed id leaves no directory behind
        engine = Embedded(Path(path), partitions=partitions)
        try:
            return cls(engine, drafter, owns_engine=True)
        except BaseException:
            engine.close()
            raise

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
    ) -> str:
        """Record that something happened and return the event's id once that is durable and folded.

        ``text`` and ``payload`` are what it says; ``features`` (at most 32, each at most 128 characters) are its parts,
        of which the first 8 are associated with each other; ``informed_by`` are the recalls that led to it.
        Raises InvalidCommandError when the command is malformed (nothing is appended) and CommandRefusedError.
        """
        return self._submit(
            self._drafter.record_event(
                text, features=features, payload=payload, session=session, informed_by=informed_by
            )
        )

    def log_outcome(
        self,
        event: str,
        value: float,
        *,
        kind: str = "outcome",
        catastrophic: bool = False,
        text: str | None = None,
        session: str | None = None,
    ) -> str:
        """Say how ``event`` turned out, ``value`` in [-10, 10], and return the outcome's id.

        Raises InvalidCommandError and CommandRefusedError (``unknown_event``, ``not_an_event``, ``event_forgotten``).
        """
        return self._submit(
            self._drafter.log_outcome(event, value, kind=kind, catastrophic=catastrophic, text=text, session=session)
        )

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
        context = self.engine.context(self.id, query, k)
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
        return self.engine.explain(self.id, event)

    def set_policy(self, **changes: float) -> str:
        """Change constants of the memory's policy from now on, for example ``nodes_max=10_000``; return the id.

        Raises InvalidCommandError for an unknown name or a value out of bounds, CommandRefusedError for a conflict.
        """
        return self._submit(self._drafter.draft("set_policy", {"changes": changes}))

    def attest(self) -> Attestation:
        """Ask every host for the state digest at this point, and return it.

        Raises CommandRefusedError (``attest_too_soon``).
        """
        draft = self._drafter.draft("attest", {})
        answer = self._answer(draft)
        return Attestation(self.id, answer.seq, self.engine.attested(self.id, answer.seq))

    def digest(self) -> str:
        """Return the state digest as it stands, without recording anything. Raises UnknownMemoryError."""
        return self.engine.digest(self.id)

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
        self._answer(draft)
        return draft.id

    def _answer(self, draft: Draft) -> Answer:
        answer = self.engine.submit(draft)
        if answer.refused is not None:
            raise CommandRefusedError(answer.refused)
        return answer


def _check(drafter: Drafter) -> None:
    """Raise InvalidCommandError unless memory id and source are well formed, which the cheapest command shows."""
    drafter.draft("attest", {})
    if drafter.memory.startswith("_"):
        raise InvalidCommandError(Refusal.RESERVED_MEMORY.code, Refusal.RESERVED_MEMORY.sentence)
