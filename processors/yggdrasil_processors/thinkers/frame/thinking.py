"""One thinker over the memories of one place: read, observe, plan, send (docs/thinkers.md, the frame)."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Any, Final, Generic, NamedTuple, TypeVar

from yggdrasil_projections.retrieval.reads.happened import Happening, Happenings, OpenDecision
from yggdrasil_schemas.errors import InvalidCommandError
from yggdrasil_schemas.ids import sourced_id
from yggdrasil_schemas.limits import DECISION_PARTS_MAX
from yggdrasil_schemas.refusals import Refusal, Refused

from ..thinker import Decision, Thinker
from .kept import IN_HAND, Plan, StateTooLargeError, Thought, ThoughtStore
from .ports import Memories, Part

StateT = TypeVar("StateT")
Rewrite = Callable[[str, Decision], Decision]
"""Completes a decision about a memory by what only the outside knows, such as a model's words, before it is planned."""

PAGE: Final = 200
"""How many things one call of ``advance`` reads."""
OBSERVE_S_MAX: Final = 10.0
"""How long a thinker may take for one thing that happened."""
_ABANDONED_S: Final = 10.0  # after so long nobody will send the missing parts of a decision: sending takes less
_DISAGREEMENTS_MAX: Final = 3
_ELSEWHERE: Final = frozenset({Refusal.CURSOR_STALE, Refusal.CURSOR_AHEAD, Refusal.PART_STALE, Refusal.ID_REUSED})


class ThinkerError(Exception):
    """A thinker raised, took too long, or wanted too much. It is not to be asked again in this process."""


class Progress(NamedTuple):
    """What one call did: how much was read, how many commands were taken; whether nothing is left, or must wait."""

    read: int
    taken: int
    whole: bool
    waits: bool = False


@dataclass(frozen=True, slots=True)
class Signature:
    """Whose name is in a thinker's ids: ``source`` is what the commands are sent as, which owns their ids."""

    source: str
    thinker: str
    version: str

    def command_id(self, memory: str, since: int, cursor: tuple[int, int], part: str) -> str:
        """Return the id of a part of the decision from ``cursor[0]`` to ``cursor[1]``: the same wherever it is made."""
        said = (self.thinker, self.version, memory, str(since), str(cursor[0]), str(cursor[1]), part)
        return sourced_id(self.source, "decision", *said)


class Thinking(Generic[StateT]):
    """One thinker at work. Not for several threads at once."""

    def __init__(
        self,
        thinker: Thinker[StateT],
        memories: Memories,
        store: ThoughtStore,
        source: str = "thinkers",
        rewrite: Rewrite | None = None,
    ) -> None:
        """``source`` is the name under which ``memories`` sends: command ids are derived from it."""
        self.thinker = thinker
        self._memories = memories
        self._store = store
        self._signature = Signature(source, thinker.name, thinker.version)
        self._key = f"{thinker.name}/{thinker.version}"
        self._rewrite = rewrite
        self._disagreed: dict[str, int] = {}  # by memory: how often in a row the log had gone another way
        self._seen_open: dict[str, tuple[OpenDecision, float]] = {}

    def advance(self, memory: str, *, resting: bool = False) -> Progress:
        """Read the next page of a memory, and decide what follows from it.

        With ``resting``, and nothing left to read, the thinker is told that nothing happens. Raises ThinkerError,
        StorageError, and what ``Memories`` raises; then nothing is lost, and the same is done again.
        """
        thought = self._store.load(self._key, memory, self.thinker.state)
        if thought.plan is not None and (taken := self._send(memory, thought)) is None:
            return Progress(0, 0, whole=False)
        page = self._memories.happened(memory, since=thought.position, count=PAGE)
        logged = page.cursors.get(self.thinker.name, 0)
        if logged < thought.cursor:
            return self._begin_now(memory, page)
        if self.thinker.name in page.open:
            return self._complete(memory, logged, page.open[self.thinker.name])
        thought.cursor = logged
        taken = 0
        for happening in page.happened:
            decisions = observed(self._key, self.thinker.observe, thought.state, happening)
            thought.position = happening.seq
            thought.in_hand = min(IN_HAND, thought.in_hand + 1)
            if decisions and happening.seq > thought.cursor:
                sent = self._decide(memory, thought, decisions, happening)
                if sent is None:
                    return Progress(0, taken, whole=False)
                taken += sent
        thought.position = max(thought.position, page.position)
        whole = page.position == page.as_of
        if whole and resting and thought.position > thought.cursor:
            decisions = observed(self._key, lambda state, _: self.thinker.rest(state), thought.state, None)
            if decisions:
                sent = self._decide(memory, thought, decisions, None)
                return Progress(len(page.happened), taken + (sent or 0), whole=False)
        self._save(memory, thought)
        return Progress(len(page.happened), taken, whole and not taken)  # whether the cursor moved is seen by reading

    # Deciding

    def _decide(
        self, memory: str, thought: Thought[StateT], decisions: Sequence[Decision], happening: Happening | None
    ) -> int | None:
        """Plan decisions, which follow from ``happening``, and send them; as ``_send``. Raises ThinkerError."""
        if len(decisions) > thought.in_hand:
            raise ThinkerError(
                f"{self._key} has decided {IN_HAND} things more about {memory} than happened there, and would flood it"
            )
        thought.in_hand -= len(decisions)
        cursor = (thought.cursor, thought.position)
        stamp = self._stamp(cursor, len(decisions))
        parts: list[Part] = []
        for place, made in enumerate(decisions):
            decision = made if self._rewrite is None else self._rewrite(memory, made)
            command_id = self._signature.command_id(memory, thought.since, cursor, str(place))
            body = {**decision.body, "thinker": {**stamp, "part": place}}
            parts.append(Part(command_id, decision.type, body, decision.text, dict(decision.payload), decision.session))
        thought.plan = Plan(cursor[1], parts, None if happening is None else _standing([happening]))
        self._save(memory, thought)
        return self._send(memory, thought)

    def _stamp(self, cursor: tuple[int, int], parts: int) -> dict[str, Any]:
        """Return what all parts of the decision from ``cursor[0]`` to ``cursor[1]`` say of who decides."""
        of = self.thinker
        return {
            "name": of.name,
            "version": of.version,
            "cursor_from": cursor[0],
            "cursor_to": cursor[1],
            "parts": parts,
        }

    # Sending

    def _send(self, memory: str, thought: Thought[StateT]) -> int | None:
        """Send what is planned, and forget the plan; return how many parts were taken.

        None: the log has gone another way than this thinker's own state, which is forgotten.
        """
        plan = thought.plan
        if plan is None:
            return 0
        refused: dict[int, Refused] = {}
        for place, part in enumerate(plan.parts):
            answer = self._decided(memory, part)
            if answer is not None and answer.reason in _ELSEWHERE:
                self._disagree(memory)
                return None
            if answer is not None:
                refused[place] = answer
        taken = len(plan.parts) - len(refused)
        if taken:
            for place in refused:
                self._fill(memory, plan.parts[place], thought.since, plan.standing)
            thought.cursor = plan.cursor_to
            self._disagreed.pop(memory, None)
        thought.plan = None
        self._save(memory, thought)
        return taken

    def _decided(self, memory: str, part: Part) -> Refused | None:
        try:
            return self._memories.decide(memory, part).refused
        except InvalidCommandError as error:
            raise ThinkerError(f"{self._key} decided what no command may say: {error}") from error

    def _fill(self, memory: str, part: Part, since: int, standing: str | None) -> None:
        """Let a change of nothing take the place of a part that was refused, so that the decision becomes whole."""
        thinker = part.body["thinker"]
        event = standing or self._any_event(memory)
        if event is None:
            return
        cursor = (thinker["cursor_from"], thinker["cursor_to"])
        command_id = self._signature.command_id(memory, since, cursor, f"{thinker['part']} instead {event}")
        body = {"trajectory": [event], "evidence": [event], "thinker": thinker}
        why = {"why": "A part of this decision was refused. This one changes nothing, and makes the decision whole."}
        self._decided(memory, Part(command_id, "adjust", body, None, why, None))

    def _any_event(self, memory: str) -> str | None:
        return _standing(self._memories.happened(memory, since=0, count=PAGE).happened)

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
        stamp = self._stamp((logged, found.cursor_to), found.parts)
        for place in found.missing:
            self._fill(memory, Part("", "adjust", {"thinker": {**stamp, "part": place}}, None, {}, None), 0, None)
        return Progress(0, 0, whole=False)

    def _save(self, memory: str, thought: Thought[StateT]) -> None:
        try:
            self._store.save(self._key, memory, thought)
        except StateTooLargeError as error:
            raise ThinkerError(f"{self._key}: {error}") from error


def observed(
    who: str,
    observe: Callable[[StateT, Any], Sequence[Decision]],
    state: StateT,
    happening: Happening | None,
) -> Sequence[Decision]:
    """Return what a thinker decides of something that happened. Raises ThinkerError for all that goes wrong in it."""
    began = monotonic()
    try:
        decisions = observe(state, happening)
    except Exception as error:
        raise ThinkerError(f"{who} failed: {type(error).__name__}: {error}") from error
    took = monotonic() - began
    if took > OBSERVE_S_MAX:
        raise ThinkerError(f"{who} took {took:.0f} s for one thing, and may take {OBSERVE_S_MAX:.0f} s")
    if len(decisions) > DECISION_PARTS_MAX:
        raise ThinkerError(f"{who} decided {len(decisions)} things at once; {DECISION_PARTS_MAX} are allowed")
    return decisions


def _standing(happened: Iterable[Happening]) -> str | None:
    """Return the first event or episode among what happened, or one that is judged there."""
    for happening in happened:
        if happening.kind == "outcome":
            return happening.of
        return happening.id
    return None
