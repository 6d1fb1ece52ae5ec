"""Lets a memory sleep: a little after every task, a session or ten events, and as a whole once in a while."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Final, Literal

from yggdrasil_projections.retrieval.reads.experience.happened import Happening

from .thinker import Decision, Thinker

DONE: Final = "done"
"""A task ends with an event that has the feature ``done`` or ``done:NAME``; every outcome ends one as well."""
SILENT_EVENTS: Final = 32
"""A session has ended when the other sessions have had so many events since its last one."""
SILENT_MS: Final = 6 * 3_600_000
"""It has also ended when its next event came so long after its last one, by what their producers say."""
SESSION_EVENTS_MIN: Final = 4
"""A shorter session is no reason to sleep; nor is a memory at rest woken for fewer events."""
TASK_EVENTS: Final = 10
"""A task has so many events (003, section 3.6: ten a day). Between two sleeps there are as many, whatever ends
meanwhile: so at most one command in eleven is a sleep."""
SCHEDULE_EVENTS: Final = 512
APART_EVENTS: Final = 128
"""An idle memory looks at its whole when there have been so many events since the last time."""


@dataclass(slots=True)
class Session:
    """How many events a session has had, and the number and time of the last."""

    events: int = 0
    last: int = 0
    at: int = 0


@dataclass(slots=True)
class Nights:
    """``events`` is how many there have been, ``slept`` how many there had been at the last look at the whole memory,
    and ``napped`` at the last sleep of either scope.

    ``trigger`` and ``why`` are of what has ended since that sleep: the latest end. ``sessions`` are those that have not
    ended, at most 32 of them.
    """

    events: int = 0
    slept: int = 0
    napped: int = 0
    trigger: str = ""
    why: str = ""
    sessions: dict[str, Session] = field(default_factory=dict[str, Session])


class Sleeper(Thinker[Nights]):
    """Decides when a memory sleeps, and whether it looks at its whole; what a sleep does is a law.

    A sleep after a task has the trigger ``task``, ``outcome`` or ``session`` where one has ended since the last sleep,
    else ``events``; it comes with the tenth event since then. One of the whole has ``schedule``, when 512 events or
    more have come after the last such one, or ``idle``.
    """

    name: ClassVar[str] = "sleeper"
    version: ClassVar[str] = "2"
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
        elif happening.kind == "outcome":
            _note(state, "outcome", "it was said how something went")
        whole, since = state.events - state.slept, state.events - state.napped
        if since < TASK_EVENTS:
            return ()
        if whole >= SCHEDULE_EVENTS:
            return [_sleep(state, "whole", "schedule", f"{whole:,} events since it last looked at its whole")]
        if state.trigger:
            return [_sleep(state, "task", state.trigger, state.why)]
        return [_sleep(state, "task", "events", f"{since:,} events since the last sleep")]

    def rest(self, state: Nights) -> Sequence[Decision]:
        """Look at the whole when there have been enough events since the last time; else sleep on what has ended."""
        whole, since = state.events - state.slept, state.events - state.napped
        if whole >= APART_EVENTS:
            why = f"nothing has happened for a while, and {whole:,} events since it last looked at its whole"
            return [_sleep(state, "whole", "idle", why)]
        if state.trigger and since >= SESSION_EVENTS_MIN:
            return [_sleep(state, "task", state.trigger, state.why)]
        return ()


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
    session = Session(session.events + 1, state.events, max(session.at, event.at))
    if event.boundary == "close":
        _end(state, event.session, session, "its last event closes it")
    else:
        state.sessions[event.session] = session
    for name, other in list(state.sessions.items()):
        silent = state.events - other.last
        if silent >= SILENT_EVENTS:
            _end(state, name, state.sessions.pop(name), f"others have had {silent} events since its last one")


def _end(state: Nights, name: str, session: Session, why: str) -> None:
    if session.events >= SESSION_EVENTS_MIN:
        _note(state, "session", f"session {name} has ended with {session.events:,} events: {why}")


def _sleep(state: Nights, scope: Literal["whole", "task"], trigger: str, why: str) -> Decision:
    state.napped = state.events
    if scope == "whole":
        state.slept = state.events
    state.trigger = state.why = ""
    body = {} if scope == "whole" else {"scope": scope}
    return Decision("sleep", body, text=f"Slept ({trigger}): {why}", payload={"trigger": trigger, "why": why})
