"""What a thinker is: a name, a version, what wakes it, and a pure function from what it reads to decisions."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, Literal, TypeVar

from yggdrasil_projections.retrieval.query import Query
from yggdrasil_projections.retrieval.reads.experience.happened import Happening

DecisionType = Literal[
    "commit_episode",
    "form_concept",
    "dissolve_concept",
    "adjust",
    "sleep",
    "assert_claim",
    "alias_entity",
    "relate",
    "judge",
    "adopt_scorer",
]
StateT = TypeVar("StateT")


@dataclass(frozen=True, slots=True)
class Decision:
    """A command that a thinker wants appended.

    ``body`` is that of the command, without ``thinker``, which the frame stamps. ``text`` is what people and retrieval
    read, ``payload`` says why; ``session`` is the one that it belongs to, None for none. ``object`` is that of a claim
    as ``Memory.assert_claim`` takes it, of which the frame makes the body's; without a ``text`` it says the claim too.
    """

    type: DecisionType
    body: Mapping[str, Any]
    text: str | None = None
    payload: Mapping[str, Any] = field(default_factory=dict[str, Any])
    session: str | None = None
    object: str | int | None = None


@dataclass(frozen=True, slots=True)
class Heard:
    """What somebody outside, such as a model, has found to be said in an event: a claim, and its sentence there."""

    subject: str
    predicate: str
    object: str
    sentence: str
    by: str


class Thinker(ABC, Generic[StateT]):
    """Reads one memory at a time, in order, and decides.

    A subclass has no state but what is in ``StateT``, a dataclass of JSON values with a default for each, bounded
    whatever happens. It looks at no clock, draws no lot, and reads nothing but what it is given: so it decides the same
    wherever and how often it reads the same history. What it finds out otherwise (a model's words) comes after the
    decision and is stored with it. What it has to know of the memory as it stands it says (``asks``), and is told.
    """

    name: ClassVar[str]
    """Under which its cursor is kept: a decision counts once for each name."""
    version: ClassVar[str]
    """Changes whenever it may decide otherwise."""
    wakes: ClassVar[frozenset[str]]
    """The types of commands after which it is worth looking again, such as ``record_event``."""
    follows: ClassVar[frozenset[str]] = frozenset()
    """The thinkers whose decisions wake it too; those of others never do."""
    state: type[StateT]
    """What it remembers of one memory between two readings."""

    @abstractmethod
    def observe(self, state: StateT, happening: Happening) -> Sequence[Decision]:
        """Take in one thing that happened, changing ``state``; return what follows from it: at most 64 decisions.

        Everything comes, in order of seq, also what this thinker itself and others have decided.
        """

    def hear(self, state: StateT, happening: Happening, heard: Sequence[Heard]) -> Sequence[Decision]:
        """Return what follows from what was found in an event from outside, after ``observe``; changes ``state``."""
        del state, happening, heard
        return ()

    def asks(self, state: StateT, memory: str, *, again: bool) -> Sequence[Query[Any]]:
        """Return what it wants to know of ``memory`` as it stands, before it decides: at most 64 reads; none: nothing.

        It is asked whenever a page of what happened has been observed, and then ``again`` after each answer, until it
        decides something or wants nothing. Called twice in the same state it returns the same.
        """
        del state, memory, again
        return ()

    def answered(self, state: StateT, answers: Sequence[Any]) -> Sequence[Decision]:
        """Return what follows from the answers to what it ``asks``, in that order; changes ``state``.

        An answer is None where what was asked about is not there any more. What it has been told of it must not ask
        again at once.
        """
        del state, answers
        return ()

    def rest(self, state: StateT) -> Sequence[Decision]:
        """Return what is to be decided since nothing has happened for a while, changing ``state``."""
        del state
        return ()
