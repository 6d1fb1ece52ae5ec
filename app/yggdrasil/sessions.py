"""Sessions, the part of ``Memory`` for an agent's piece of work: from its first action to what it leaves for others."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol, Self, TypeVar

from pydantic import ValidationError

from yggdrasil_infra.clock import entropy, now_ms
from yggdrasil_producers.sessions import (
    Connection,
    Decided,
    Learnt,
    Note,
    Opening,
    Reflection,
    Remedy,
    Result,
    Rule,
    Step,
    deciding,
    ending,
    holding,
    letting_go,
    noting,
    opened_by,
    opening,
    reflecting,
    unique,
)
from yggdrasil_producers.stamps import Stamp, valid_ms
from yggdrasil_projections.retrieval.errors import (
    CommandRefusedError,
    InvalidAskError,
    UnknownMemoryError,
    UnknownNodeError,
    UnknownSessionError,
)
from yggdrasil_projections.retrieval.reads.sessions.context import SEEN_MAX, TOKENS, AskSession
from yggdrasil_projections.retrieval.reads.sessions.given import SessionContext, Show
from yggdrasil_schemas.commands.wire import Strict
from yggdrasil_schemas.commands.wording import placed
from yggdrasil_schemas.errors import InvalidCommandError
from yggdrasil_schemas.ids import uuid7
from yggdrasil_schemas.limits import EVIDENCE_MAX, INFORMED_BY_MAX
from yggdrasil_schemas.refusals import Refusal, Refused

if TYPE_CHECKING:
    from yggdrasil_infra.log import Receipt
    from yggdrasil_producers.draft import Draft, Drafter
    from yggdrasil_projections.retrieval.answers import Context
    from yggdrasil_projections.retrieval.memories import MemoryObject
    from yggdrasil_projections.retrieval.query import Query
    from yggdrasil_schemas.moments import Moment

    from .engines.embedding import Embedding
    from .engines.engine import Engine

REFLECT_FROM: Final = 0.4
"""From this share of its window on an agent should say what it has learnt, while it still knows (004: 40 to 60 %)."""
COMPACT_FROM: Final = 0.6
"""From this share on, what is not said may be lost with the next compaction."""
Pressure = Literal["none", "reflect", "compact"]
A = TypeVar("A")
M = TypeVar("M", bound=Strict)
Lesson = str | Mapping[str, Any] | Learnt


@dataclass(frozen=True, slots=True)
class Left:
    """What a session has said in one go: the id of each command by what it is for, and what was refused of them.

    ``said`` are pairs of a part, such as "lesson" or "end", and an id; ``refused`` are the same with the reason.
    """

    said: list[tuple[str, str]]
    refused: list[tuple[str, str, Refused]]


class Working(Protocol):
    """What a session needs of a memory; ``Memory`` is one."""

    def record_event(self, *args: Any, **kwargs: Any) -> str:
        """Record an event."""
        ...

    def log_outcome(self, *args: Any, **kwargs: Any) -> str:
        """Say how an event turned out."""
        ...

    def get_context(self, *args: Any, **kwargs: Any) -> Context:
        """Ask."""
        ...

    def ask(self, query: Query[A], after: Receipt | None = None) -> A:
        """Ask a query of the table of reads."""
        ...

    def judge(self, *args: Any, **kwargs: Any) -> str:
        """Judge."""
        ...

    def say_steps(self, steps: Iterable[Step]) -> Left:
        """Say what a session says."""
        ...


class Session:
    """A session that is open, and a context manager: at its end it is closed, with or without a reflection.

    ``Memory.session`` begins one. What is recorded through it belongs to it, and names the recalls that were asked
    through it since the last event. Every method raises what the memory's method raises.
    """

    def __init__(self, memory: Working, source: str, opened: Opening, *, begun: bool = False) -> None:
        """Begin ``opened`` in ``memory``, in the name of ``source``, unless it was ``begun``.

        Raises CommandRefusedError.
        """
        self._memory = memory
        self._source = source
        self._opened = opened
        self._recalls: list[str] = []
        self._leases: list[str] = []
        self._decided: list[str] = []  # the latest first
        self._shown: list[str] = []  # references, the latest last
        self._ended = False
        if not begun:
            _first_refusal(memory.say_steps(opening(source, opened)))

    @property
    def name(self) -> str:
        """The name of the session: ``session`` of every command and read that belongs to it."""
        return self._opened.session

    @property
    def opened(self) -> str:
        """The id of the event that opened it: an outcome of that is one of the whole session."""
        return opened_by(self._source, self.name)

    @property
    def ended(self) -> bool:
        """Whether it was ended through this object."""
        return self._ended

    # At work

    def record_event(self, text: str | None = None, /, **given: Any) -> str:
        """Record that something happened, as ``Memory.record_event``, in this session."""
        return self._memory.record_event(text, **self._informed(given))

    def log_outcome(self, event: str, value: float, /, **given: Any) -> str:
        """Say how an event turned out, as ``Memory.log_outcome``; ``kind``, such as "failure:tool", tells why."""
        return self._memory.log_outcome(event, value, session=self.name, **given)

    def get_context(self, query: str, /, **given: Any) -> Context:
        """Ask for what matters to a question, as ``Memory.get_context``, in this session."""
        found = self._memory.get_context(query, session=self.name, **given)
        if found.recall_id is not None:
            self._recalls = [*self._recalls, found.recall_id][-INFORMED_BY_MAX:]
        return found

    def context(
        self,
        query: str | None = None,
        *,
        tokens_max: int = TOKENS,
        show: Show = "claims",
        seen: Sequence[str] | None = None,
    ) -> SessionContext:
        """Return what the session is given, by its goal or by ``query``; its ``text()`` is what a prompt wants.

        Lessons, warnings and rules of its workflow and of what it touches, decisions that were made before, what is on
        its desk, and which other open sessions touch the same. What was shown to this session before stands back behind
        what was not. ``show`` says how much of each: "index" a line, "claims" what it says, "full" all; ``describe``
        has the rest of any. A good size is 40 to 60 % of the window less what the work itself takes.
        """
        seen = tuple(self._shown[-SEEN_MAX:]) if seen is None else seen
        found = self._memory.ask(AskSession(self.name, query=query, tokens_max=tokens_max, show=show, seen=seen))
        self._shown = list(dict.fromkeys([*self._shown, *(each.ref for each in found.remembered)]))[-SEEN_MAX:]
        return found

    def decide(
        self, what: str, why: str | None = None, *, alternatives: Sequence[str] = (), about: Sequence[str] = ()
    ) -> str:
        """Record a decision, why it was made, and what else was thought of; return the id of its event.

        ``about`` are features of what it is about. ``Memory.decisions`` finds it, with what came of it.
        """
        given = {"what": what, "why": why, "alternatives": list(alternatives), "about": list(about)}
        decided = _checked(Decided, "decision", {**given, "informed_by": self._taken()})
        made = self._one(deciding(self._source, self._opened, decided))
        self._decided = [made, *self._decided][:EVIDENCE_MAX]
        return made

    # The desk

    def note(self, **notes: str | bool) -> list[str]:
        """Put notes on the desk, each in place of what the same word said before: ``note(progress="built")``.

        Of "goal", "subgoal", "threat" and "promise" there may be several. They are gone when the session ends, but
        for promises. Returns the ids of the claims.
        """
        return self._noted([{"predicate": name, "value": said} for name, said in notes.items()])

    def promise(self, text: str, *, due: Moment | None = None) -> str:
        """Promise something, until ``due`` if that is given: it outlives the session, until it is settled."""
        at = None if due is None else valid_ms("due", due)
        return self._noted([{"predicate": "promise", "value": text, "due": at}])[0]

    def settle(self, ref: str, reason: str = "done") -> str:
        """Say that a note, such as a promise or a goal, is settled; ``ref`` is the id of its claim."""
        return self._memory.judge({ref: "resolve"}, reason=reason)

    def hold(self, thing: str) -> str:
        """Take ``thing``, such as "resource:staging", for this session alone until it ends; return the claim's id.

        Nothing keeps others from doing the same: that two hold it is a contradiction, which both are told of.
        """
        lease = self._one(holding(self._source, self.name, thing, self.opened))
        self._leases.append(lease)
        return lease

    def let_go(self, lease: str) -> str:
        """Let go of what was held, by the id that ``hold`` returned: whoever waits for it has it then."""
        self._leases = [each for each in self._leases if each != lease]
        return self._one(letting_go(self._source, self.name, [lease]))

    # Its end, and before

    def pressure(self, used_tokens: int, window_tokens: int) -> Pressure:
        """Return what to do about a context window of which so much is used.

        "none"; "reflect", from 40 % on: say with ``reflect`` what was learnt so far, while it is known; and "compact",
        from 60 % on: what has not been said may be lost.
        """
        if used_tokens < 0 or window_tokens <= 0:
            raise InvalidAskError("pressure takes the tokens that are used, and those that there is room for, above 0")
        share = used_tokens / window_tokens
        return "none" if share < REFLECT_FROM else "reflect" if share < COMPACT_FROM else "compact"

    def reflect(
        self,
        *,
        decisions: Iterable[str | Mapping[str, Any] | Decided] = (),
        lessons: Iterable[Lesson] = (),
        warnings: Iterable[Lesson] = (),
        recoveries: Iterable[Mapping[str, Any] | Remedy] = (),
        rules: Iterable[str | Mapping[str, Any] | Rule] = (),
        connections: Iterable[Mapping[str, Any] | Connection] = (),
    ) -> Left:
        """Say in the middle of the work what was learnt so far; ``end`` says what its arguments are.

        What is said again, here or at the end, is taken once.
        """
        said = _reflection(
            decisions=decisions, lessons=lessons, warnings=warnings, recoveries=recoveries, rules=rules,
            connections=connections,
        )  # fmt: skip
        return self._memory.say_steps(unique(reflecting(self._source, self._opened, said)))

    def end(
        self,
        summary: str | None = None,
        *,
        decisions: Iterable[str | Mapping[str, Any] | Decided] = (),
        lessons: Iterable[Lesson] = (),
        warnings: Iterable[Lesson] = (),
        recoveries: Iterable[Mapping[str, Any] | Remedy] = (),
        rules: Iterable[str | Mapping[str, Any] | Rule] = (),
        connections: Iterable[Mapping[str, Any] | Connection] = (),
        outcome: float | Mapping[str, Any] | Result | None = None,
    ) -> Left:
        """End the session with what it leaves for others, in one batch, and return what was said.

        ``lessons`` and ``warnings`` are texts, or mappings with ``text``, ``about`` (a feature; else the workflow),
        ``evidence`` (ids) and ``confidence``; ``recoveries`` also say of which ``failure`` they are. ``decisions`` are
        texts, or have ``what``, ``why``, ``alternatives``, ``about``. ``rules`` wait for a person; with ``forbids``
        they say what must not be. ``connections`` have ``source``, ``target``, ``relation``, ``reason``. ``outcome``,
        from -10 to 10, is how it turned out. To end it again the same way changes nothing; another end is refused.
        """
        said = _reflection(
            summary=summary, decisions=decisions, lessons=lessons, warnings=warnings, recoveries=recoveries,
            rules=rules, connections=connections, outcome=outcome, decided=list(self._decided) or None,
            release=list(self._leases) or None,
        )  # fmt: skip
        left = self._memory.say_steps(unique(ending(self._source, self._opened, said)))
        for part, _, refused in left.refused:
            if part == "end":
                raise CommandRefusedError(refused)
        self._ended = True
        return left

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not self._ended:
            self.end(None if kind is None else f"It ended with an error: {kind.__name__}")

    def _informed(self, given: dict[str, Any]) -> dict[str, Any]:
        taken = self._taken()
        return {"session": self.name, "informed_by": taken} | given

    def _taken(self) -> list[str]:
        taken, self._recalls = self._recalls, []
        return taken

    def _noted(self, given: Sequence[Mapping[str, Any]]) -> list[str]:
        notes = [_checked(Note, "note", each) for each in given]
        left = self._memory.say_steps(noting(self._source, self._opened, notes, uuid7(now_ms(), entropy())))
        _first_refusal(left)
        return [command_id for _, command_id in left.said]

    def _one(self, step: Step) -> str:
        _first_refusal(self._memory.say_steps([step]))
        return step.id


class Sessions:
    """Sessions of agents at work. ``Memory`` has this method beside those that record."""

    _drafter: Drafter
    _embedding: Embedding | None

    def _live(self) -> Engine:
        """Return the engine. Raises LogError when the memory is closed."""
        raise NotImplementedError

    def session(
        self: Any,
        *,
        workflow: str | None = None,
        task: str | None = None,
        agent: str | None = None,
        goal: str | None = None,
        touches: Sequence[str] = (),
        holds: Sequence[str] = (),
        name: str | None = None,
    ) -> Session:
        """Begin a session, and return it; as a context manager it ends by itself.

        ``workflow`` is the kind of work, in which lessons are shared, ``task`` what its desk is about, ``agent`` who
        works; ``goal`` is a sentence. ``touches``, at most 29, are features of what it is going to touch: open sessions
        that touch the same are told by its context. ``holds`` is what it takes for itself alone, until it ends.
        ``name`` is the session's, used once, made unless it is given; to begin the same one again goes on with it.

        >>> with Memory.open("./memories", memory="me/agent") as memory:
        ...     with memory.session(workflow="release", task="T-12", goal="Ship 2.1") as session:
        ...         _ = session.note(progress="built")
        ...         _ = session.end("Shipped", lessons=["Warm the cache before the switch"], outcome=4)

        Raises InvalidCommandError for what is malformed, and CommandRefusedError (``not_trusted``, ``id_reused``).
        """
        given = {"workflow": workflow, "task": task, "agent": agent, "goal": goal}
        listed = {"touches": list(touches), "holds": list(holds)}
        named = {"session": name or uuid7(now_ms(), entropy())}
        return Session(self, self._speaks_as(), _checked(Opening, "session", named | given | listed))

    def resume(self: Any, name: str) -> Session:
        """Return the session called ``name``, which was begun in the same name before, by this process or another.

        Raises UnknownSessionError where there is none.
        """
        source: str = self._speaks_as()
        try:
            begun: MemoryObject = self.describe(opened_by(source, name)).memory
        except (UnknownMemoryError, UnknownNodeError):
            raise UnknownSessionError(self.id, name) from None
        payload: Mapping[str, Any] = begun.payload or {}
        known = {each: payload[each] for each in Opening.model_fields if each in payload}
        return Session(self, source, _checked(Opening, "session", {"session": name, **known}), begun=True)

    def _speaks_as(self) -> str:
        speaks_as = getattr(self._live(), "speaks_as", None)
        source: str = self._drafter.source if speaks_as is None else speaks_as(self._drafter.source)
        return source

    def say_steps(self, steps: Iterable[Step]) -> Left:
        """Say what a session says, in order; what is refused leaves the rest as it is. Raises LogError."""
        parts = {each.id: each for each in steps}
        drafts = [
            self._drafter.draft(each.type, each.body, each.content, each.session, Stamp(each.id))
            for each in parts.values()
        ]
        left = Left([], [])
        engine = self._live()
        for batch in self._with_vectors(engine, drafts):
            for draft, answer in engine.submit_many(batch):
                part = parts[draft.id].part
                if answer is not None and answer.refused is not None:
                    left.refused.append((part, draft.id, answer.refused))
                else:
                    left.said.append((part, draft.id))
        return left

    def _with_vectors(self, engine: Engine, drafts: list[Draft]) -> Generator[list[Draft]]:
        if self._embedding is None:
            yield drafts
            return
        from .engines.beside import completed_beside

        yield from completed_beside(self._embedding, engine, drafts)


def _first_refusal(left: Left) -> None:
    if left.refused:
        raise CommandRefusedError(left.refused[0][2])


def _reflection(**given: Any) -> Reflection:
    said: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    texts = {"decisions": "what", "lessons": "text", "warnings": "text", "rules": "text"}
    for name in ("decisions", "lessons", "warnings", "recoveries", "rules", "connections"):
        if isinstance(given.get(name), str):
            raise InvalidCommandError(Refusal.INVALID_BODY.code, f"{name} is a list, and not one text: put it in [...]")
        said[name] = [_as_mapping(each, texts.get(name)) for each in given.get(name) or ()]
    outcome = given.get("outcome")
    if outcome is not None:
        said["outcome"] = {"value": outcome} if isinstance(outcome, int | float) else _as_mapping(outcome, None)
        if "value" in said["outcome"]:
            said["outcome"] = {**said["outcome"], "value": float(said["outcome"]["value"])}
    return _checked(Reflection, "reflection", said)


def _as_mapping(given: Any, text: str | None) -> Any:
    if isinstance(given, Strict):
        return given.model_dump()
    return {text: given} if text is not None and isinstance(given, str) else given


def _checked(model: type[M], what: str, given: Mapping[str, Any]) -> M:
    """Return what is given as a model has it. Raises InvalidCommandError, which names the field."""
    try:
        return model.model_validate(dict(given))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        said = placed({**first, "loc": (what, *first["loc"])})
        raise InvalidCommandError(Refusal.INVALID_BODY.code, said) from None
