"""One thinker over the memories of one place: read, observe, plan, send (docs/thinkers.md, the frame)."""

from collections.abc import Callable, Sequence
from time import monotonic
from typing import Any, Final, Generic, NamedTuple, TypeVar

from yggdrasil_projections.retrieval.query import Query
from yggdrasil_projections.retrieval.reads.experience.happened import Happening, Happenings, OpenDecision
from yggdrasil_schemas.limits import DECISION_PARTS_MAX

from ..thinker import Decision, Heard, Thinker
from .kept import IN_HAND, StateTooLargeError, Thought, ThoughtStore
from .ports import Memories
from .sending import Sending, Signature, UnspeakableError

StateT = TypeVar("StateT")
T = TypeVar("T")
Rewrite = Callable[[str, Decision], Decision]
"""Completes a decision about a memory by what only the outside knows, such as a model's words, before it is planned."""
Listen = Callable[[Happening], Sequence[Heard]]
"""Finds from outside, such as by a model, what an event says; it must not raise."""

PAGE: Final = 500
"""How many things one call of ``advance`` reads."""
OBSERVE_S_MAX: Final = 10.0
"""How long a thinker may take for one thing that happened."""
_ABANDONED_S: Final = 10.0  # after so long nobody will send the missing parts of a decision: sending takes less
ASKED_MAX: Final = 256
"""How often in a row a thinker may ask before it decides something: all of a page, a few things at a time."""
_DISAGREEMENTS_MAX: Final = 3
_KNOWN_MAX: Final = 8  # memories of which the state is held between two pages
_KEPT_EVERY: Final = 64  # things read, once all is; before that seldom, since a state may be large
_KEPT_AT_LEAST_EVERY: Final = 4_000


class ThinkerError(Exception):
    """A thinker raised, took too long, or wanted too much. It is not to be asked again in this process."""


class Progress(NamedTuple):
    """What one call did: how much was read, how many commands were taken; whether nothing is left, or must wait.

    ``seq`` is that of the memory when nothing is left; None where that is not known.
    """

    read: int
    taken: int
    whole: bool
    waits: bool = False
    seq: int | None = None


class Thinking(Generic[StateT]):
    """One thinker at work. Not for several threads at once."""

    def __init__(
        self,
        thinker: Thinker[StateT],
        memories: Memories,
        store: ThoughtStore,
        source: str = "thinkers",
        rewrite: Rewrite | None = None,
        listen: Listen | None = None,
    ) -> None:
        """``source`` is the name under which ``memories`` sends: command ids are derived from it.

        What ``listen`` finds in an event that was not decided about yet the thinker is told, once.
        """
        self.thinker = thinker
        self._memories = memories
        self._store = store
        self._sending = Sending(memories, Signature(source, thinker.name, thinker.version))
        self._key = f"{thinker.name}/{thinker.version}"
        self._rewrite = rewrite
        self._listen = listen
        self._disagreed: dict[str, int] = {}  # by memory: how often in a row the log had gone another way
        self._seen_open: dict[str, tuple[OpenDecision, float]] = {}
        self._known: dict[str, Thought[StateT]] = {}  # by memory: what is kept, and what was read and sent since

    def advance(self, memory: str, *, resting: bool = False) -> Progress:
        """Read the next page of a memory, and decide what follows from it.

        With ``resting``, and nothing left to read, the thinker is told that nothing happens. Raises ThinkerError,
        StorageError, and what ``Memories`` raises; then nothing is lost, and the same is done again.
        """
        thought = self._known.get(memory) or self._store.load(self._key, memory, self.thinker.state)
        if thought.plans and self._send_planned(memory, thought) is None:
            return Progress(0, 0, whole=False)
        page = self._memories.happened(memory, since=thought.position, count=PAGE)
        logged = page.cursors.get(self.thinker.name, 0)
        if logged < thought.cursor:
            return self._begin_now(memory, page)
        if self.thinker.name in page.open:
            return self._complete(memory, logged, page.open[self.thinker.name])
        thought.cursor = logged
        whole = page.position == page.as_of
        rests = whole and resting
        if not page.happened and page.position == thought.position and not rests:
            return Progress(0, 0, whole, seq=page.as_of)
        self._known.pop(memory, None)  # until what it becomes now is kept: an error may leave it half way
        concluded, taken = self._observe(memory, thought, page, rests=rests)
        if taken is None:
            return Progress(0, 0, whole=False)
        whole = whole and not taken and not concluded  # whether the cursor moved is seen by reading
        return Progress(len(page.happened), taken, whole, seq=page.as_of)

    # Deciding

    def _observe(
        self, memory: str, thought: Thought[StateT], page: Happenings, *, rests: bool
    ) -> tuple[bool, int | None]:
        """Take in a page, and then that the memory rests, if so; send what is decided, and keep what is known.

        Once the page is read it is told what it asks. Return whether that, or the rest, led to decisions, and how many
        commands were taken; as ``_send``.
        """
        taken = 0
        for happening in page.happened:
            decisions = observed(self._key, self.thinker.observe, thought.state, happening)
            if self._listen is not None and happening.kind == "event" and happening.seq > thought.cursor:
                decisions = [*decisions, *self._heard(self._listen, thought, happening)]
            thought.position = happening.seq
            thought.unkept += 1
            thought.in_hand = min(IN_HAND, thought.in_hand + 1)
            if decisions and happening.seq > thought.cursor:
                self._plan(memory, thought, decisions, happening)
                if (
                    self._rewrite is not None or self._listen is not None
                ):  # what others say takes its time, and is not to be lost
                    sent = self._send(memory, thought, whole=False)
                    if sent is None:
                        return False, None
                    taken += sent
        thought.position = max(thought.position, page.position)
        decisions = ()
        if rests and thought.position > thought.reached:
            decisions = observed(self._key, lambda state, _: self.thinker.rest(state), thought.state, None)
        if not decisions and thought.position > thought.reached:
            decisions = told(self._key, self.thinker, thought.state, self._memories, memory)
        if rests:  # it may know more by that, though nothing was read
            thought.unkept = max(1, thought.unkept)
        if decisions:
            self._plan(memory, thought, decisions, None)
        sent = self._send(memory, thought, whole=page.position == page.as_of)
        return bool(decisions), None if sent is None else taken + sent

    def _heard(self, listen: Listen, thought: Thought[StateT], event: Happening) -> Sequence[Decision]:
        """Return what follows from what is found in an event from outside."""
        found = listen(event)
        return observed(self._key, lambda state, _: self.thinker.hear(state, event, found), thought.state, None)

    def _plan(
        self, memory: str, thought: Thought[StateT], decisions: Sequence[Decision], happening: Happening | None
    ) -> None:
        """Plan decisions, which follow from ``happening``. Raises ThinkerError for too many."""
        if len(decisions) > thought.in_hand:
            raise ThinkerError(
                f"{self._key} has decided {IN_HAND} things more about {memory} than happened there, and would flood it"
            )
        thought.in_hand -= len(decisions)
        if self._rewrite is not None:
            decisions = [self._rewrite(memory, decision) for decision in decisions]
        self._sending.plan(memory, thought, decisions, happening)

    def _send(self, memory: str, thought: Thought[StateT], *, whole: bool) -> int | None:
        """Keep what is known and planned, then send what is planned; return how many parts were taken.

        Where nothing is planned it is kept now and then: what was read since is read again. None: the log has gone
        another way than this thinker's own state, which is forgotten.
        """
        if thought.plans or thought.unkept >= (_KEPT_EVERY if whole else _KEPT_AT_LEAST_EVERY):
            self._save(memory, thought)
        else:
            self._hold(memory, thought)
        return self._send_planned(memory, thought)

    def _send_planned(self, memory: str, thought: Thought[StateT]) -> int | None:
        try:
            taken = self._sending.send(memory, thought, lambda: self._store.note(self._key, memory, thought))
        except UnspeakableError as error:
            raise ThinkerError(f"{self._key} decided what no command may say: {error}") from error
        if taken is None:
            self._disagree(memory)
        elif taken:
            self._disagreed.pop(memory, None)
        return taken

    def stands(self, memory: str) -> int | None:
        """Return the seq up to which a memory was read and that is kept; None where it must be looked at."""
        return self._store.stands(self._key, memory)

    def keep(self) -> None:
        """Keep what was read of every memory, so that a process that ends soon after has not read in vain.

        Raises StorageError, and ThinkerError for a state that has grown too large.
        """
        for memory, thought in self._known.items():
            self._keep(memory, thought)

    # When the log and the thinker's own state have parted

    def _disagree(self, memory: str) -> None:
        """Forget what is known of a memory, since another instance decided meanwhile; in the end, begin at present."""
        times = self._disagreed[memory] = self._disagreed.get(memory, 0) + 1
        if times < _DISAGREEMENTS_MAX:
            self._save(memory, Thought(self.thinker.state()))
            return
        del self._disagreed[memory]
        self._begin_now(memory, self._memories.happened(memory, since=0, count=1))

    def _begin_now(self, memory: str, page: Happenings) -> Progress:
        """Begin with what happens from now on: an operator has retired the thinker, or the memory was set back."""
        logged = page.cursors.get(self.thinker.name, 0)
        thought = Thought(self.thinker.state(), page.as_of, logged, page.as_of)
        self._save(memory, thought)
        return Progress(0, 0, whole=False)

    def _complete(self, memory: str, logged: int, found: OpenDecision) -> Progress:
        """Complete a decision that another has begun at the cursor ``logged``, and left."""
        seen = self._seen_open.get(memory)
        if seen is None or seen[0] != found:
            self._seen_open[memory] = (found, monotonic())
            return Progress(0, 0, whole=False, waits=True)
        if monotonic() - seen[1] < _ABANDONED_S:
            return Progress(0, 0, whole=False, waits=True)
        del self._seen_open[memory]
        self._sending.complete(memory, logged, found)
        return Progress(0, 0, whole=False)

    def _save(self, memory: str, thought: Thought[StateT]) -> None:
        """Keep a thought, whatever was read, and hold it."""
        self._store_state(memory, thought)
        self._hold(memory, thought)

    def _hold(self, memory: str, thought: Thought[StateT]) -> None:
        """Hold a thought until its memory's next page. The one held longest makes room, and is kept before it goes.

        Else, with one memory more than there is room for, each would be let go before its turn comes again, and its
        first page would be read for ever.
        """
        self._known.pop(memory, None)
        while len(self._known) >= _KNOWN_MAX:
            longest = next(iter(self._known))
            self._keep(longest, self._known[longest])
            del self._known[longest]
        self._known[memory] = thought

    def _keep(self, memory: str, thought: Thought[StateT]) -> None:
        """Keep a thought, if anything was read since it was kept."""
        if thought.unkept:
            self._store_state(memory, thought)

    def _store_state(self, memory: str, thought: Thought[StateT]) -> None:
        try:
            self._store.save(self._key, memory, thought)
        except StateTooLargeError as error:
            raise ThinkerError(f"{self._key}: {error}") from error
        thought.unkept = 0


def told(who: str, thinker: Thinker[StateT], state: StateT, memories: Memories, memory: str) -> Sequence[Decision]:
    """Tell a thinker what it asks, until it decides something or asks no more; return what it decides.

    Raises ThinkerError for all that goes wrong in it, and what ``Memories`` raises.
    """
    answers: list[Any] = []

    def asks(now: StateT, again: object) -> Sequence[Query[Any]]:
        return thinker.asks(now, memory, again=again is not None)

    def answered(now: StateT, _: object) -> Sequence[Decision]:
        return thinker.answered(now, answers)

    for time in range(ASKED_MAX):
        queries = observed(who, asks, state, time or None)
        if not queries:
            return ()
        answers = [memories.ask(memory, query) for query in queries]
        decisions = observed(who, answered, state, None)
        if decisions:
            return decisions
    raise ThinkerError(f"{who} has asked {ASKED_MAX} times in a row, and decided nothing: it would ask for ever")


def observed(
    who: str,
    observe: Callable[[StateT, Any], Sequence[T]],
    state: StateT,
    happening: object,
) -> Sequence[T]:
    """Return what a thinker decides, or asks, of something that happened.

    Raises ThinkerError for all that goes wrong in it.
    """
    began = monotonic()
    try:
        decisions = observe(state, happening)
    except Exception as error:
        raise ThinkerError(f"{who} failed: {type(error).__name__}: {error}") from error
    took = monotonic() - began
    if took > OBSERVE_S_MAX:
        raise ThinkerError(f"{who} took {took:.0f} s for one thing, and may take {OBSERVE_S_MAX:.0f} s")
    if len(decisions) > DECISION_PARTS_MAX:
        raise ThinkerError(f"{who} wants {len(decisions)} things at once; {DECISION_PARTS_MAX} are allowed")
    return decisions
