"""Lets a memory sleep when a task or a session has ended, when much has happened, and when nothing happens."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Final

from yggdrasil_projections.retrieval.reads.experience.happened import Happening

from .thinker import Decision, Thinker

DONE: Final = "done"
"""A task ends with an event that has the feature ``done`` or ``done:NAME``, or with an outcome of such a kind."""
SILENT_EVENTS: Final = 32
"""A session has ended when the other sessions have had so many events since its last one."""
SILENT_MS: Final = 6 * 3_600_000
"""It has also ended when its next event came so long after its last one, by what their producers say."""
SESSION_EVENTS_MIN: Final = 4
"""A shorter session is no reason to sleep."""
SCHEDULE_EVENTS: Final = 512
APART_EVENTS: Final = 128
"""Between two sleeps there are so many events, whatever ends meanwhile: a sleep looks over the whole memory."""


@dataclass(slots=True)
class Session:
    """How many events a session has had, and the number and time of the last."""

    events: int = 0
    last: int = 0
    at: int = 0


@dataclass(slots=True)
class Nights:
    """``events`` is how many there have been, ``slept`` how many there had been at the last sleep.

    ``trigger`` and ``why`` are of what has ended since that sleep: the latest end. ``sessions`` are those that have not
    ended, at most 32 of them.
    """

    events: int = 0
    slept: int = 0
    trigger: str = ""
    why: str = ""
    sessions: dict[str, Session] = field(default_factory=dict[str, Session])


class Sleeper(Thinker[Nights]):
    """Decides when a memory sleeps; what a sleep does is a law.

    The triggers are ``task`` and ``session``, which wait until the last sleep was 128 events ago, ``schedule``, 512
    events after the last sleep, and ``idle``.
    """

    name: ClassVar[str] = "sleeper"
    version: ClassVar[str] = "1"
    wakes: ClassVar[frozenset[str]] = frozenset({"record_event", "log_outcome"})
    state = Nights

    def observe(self, state: Nights, happening: Happening) -> Sequence[Decision]:
        """Note what has ended; sleep when it is time."""
        if happening.kind == "event":
            state.events += 1
            _attend(state, happening)
            if any(_is_done(name) for name in happening.features):
                _note(state, "task", "an event says that a task is done")
        elif happening.kind == "outcome" and _is_done(happening.outcome or ""):
            _note(state, "task", "an outcome says that a task is done")
        since = state.events - state.slept
        if since >= APART_EVENTS and state.trigger:
            return [_sleep(state, state.trigger, state.why)]
        if since >= SCHEDULE_EVENTS:
            return [_sleep(state, "schedule", f"{since:,} events since the last sleep")]
        return ()

    def rest(self, state: Nights) -> Sequence[Decision]:
        """Sleep when there have been enough events since the last time."""
        since = state.events - state.slept
        if since < APART_EVENTS:
            return ()
        return [_sleep(state, "idle", f"nothing has happened for a while, and {since:,} events since the last sleep")]


def _is_done(name: str) -> bool:
    return name == DONE or name.startswith(f"{DONE}:")


def _note(state: Nights, trigger: str, why: str) -> None:
    state.trigger, state.why = trigger, why


def _attend(state: Nights, event: Happening) -> None:
    """Note which sessions have ended with, or before, an event."""
    session = state.sessions.pop(event.session, Session())
    if session.events and event.at - session.at >= SILENT_MS:
        _end(state, event.session, session, f"its next event came {(event.at - session.at) // 3_600_000:,} hours later")
        session = Session()
    state.sessions[event.session] = Session(session.events + 1, state.events, max(session.at, event.at))
    for name, other in list(state.sessions.items()):
        silent = state.events - other.last
        if silent >= SILENT_EVENTS:
            _end(state, name, state.sessions.pop(name), f"others have had {silent} events since its last one")


def _end(state: Nights, name: str, session: Session, why: str) -> None:
    if session.events >= SESSION_EVENTS_MIN:
        _note(state, "session", f"session {name} has ended with {session.events:,} events: {why}")


def _sleep(state: Nights, trigger: str, why: str) -> Decision:
    state.slept = state.events
    state.trigger = state.why = ""
    return Decision("sleep", {}, text=f"Slept ({trigger}): {why}", payload={"trigger": trigger, "why": why})
