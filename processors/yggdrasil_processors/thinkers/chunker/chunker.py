"""The episode chunker: decides where one experience ends and another begins, and says why."""

from collections.abc import Sequence
from typing import ClassVar, Final

from yggdrasil_projections.retrieval.reads.experience.happened import Happening

from ..thinker import Decision, Thinker
from . import cues, patterns
from .greetings import greets
from .likeness import best, look, shift, usual
from .state import EVENTS_MAX, SESSIONS_MAX, ChunkerState, Held, Stretch
from .summary import EXTRACTIVE, shown, summary
from .terms import terms_of, weigh
from .thresholds import DEFAULT, Thresholds

_SILENT_BY_CLOCK_TICKS: Final = 8
_EPISODE_MIN: Final = 2
_LATELY: Final = 3
"""An outcome of one of so many last events says how what went on ended; one of an earlier event comes late."""
_ROOM: Final = 4
_KEPT: Final = 4
_SWEEP_TICKS: Final = 8
_ENDED_AT_ONCE_MAX: Final = 16
_DECLARING: Final = ("tool", "user", "operator")
_STRONGER: Final = ("goal", "gap", "greeting", "outcome", "verdict")


class Chunker(Thinker[ChunkerState]):
    """Commits episodes, for five reasons (000, section 6), each with its way to clear the session's buffer:

    * ``cycle``: an action had an outcome, and its response has come. Clears all.
    * ``boundary``: another goal, a gap in time, a greeting, another topic, or the session has ended. Clears all.
    * ``outcome``: it turned out well or badly enough to matter, or all of it was judged. Key events stay, as context.
    * ``pressure``: the buffer is nearly full: cut where its two sides are least alike. The last four stay, as context.
    * ``pattern``: here episodes have ended before, reliably. Clears all.
    """

    name: ClassVar[str] = "chunker"
    version: ClassVar[str] = "1"
    wakes: ClassVar[frozenset[str]] = frozenset({"record_event", "log_outcome", "commit_episode"})
    state = ChunkerState

    def __init__(self, thresholds: Thresholds = DEFAULT) -> None:
        """Decide by ``thresholds``; only those that are the default ones are this version's."""
        self._by = thresholds

    def observe(self, state: ChunkerState, happening: Happening) -> Sequence[Decision]:
        """Take in an event, an outcome or an episode."""
        match happening.kind:
            case "event":
                return _event(state, happening, self._by)
            case "outcome":
                return _outcome(state, happening, self._by)
            case "episode":
                _taken(state, happening)
                return ()
            case _:
                return ()

    def rest(self, state: ChunkerState) -> Sequence[Decision]:
        """Commit what is left of every session, since nothing has happened for a while."""
        found: list[Decision] = []
        for name in sorted(state.sessions):
            stretch = state.sessions[name]
            size = len(stretch.events)
            found += _commit(state, name, size, "boundary", f"The memory came to rest after {size} events.")
        return found


def _event(state: ChunkerState, event: Happening, by: Thresholds) -> list[Decision]:
    state.tick += 1
    name = event.session
    decisions = _ended(state, event, by) if state.tick % _SWEEP_TICKS == 0 else []
    stretch = state.sessions.get(name)
    if stretch is None:
        if len(state.sessions) >= SESSIONS_MAX:
            oldest = min(state.sessions, key=lambda each: (state.sessions[each].tick, each))
            decisions += _end(state, oldest, f"{SESSIONS_MAX} other sessions are open, and this one is silent longest.")
        stretch = state.sessions[name] = Stretch(tick=state.tick, at=event.at)
    kinds = patterns.kinds_of(event.features)
    signature = patterns.signature(stretch.kinds, kinds)
    why = _boundary(state, stretch, event, by)
    trigger = "boundary"
    if not why and (pattern := patterns.reliable(state, signature)) and not stretch.ended:
        trigger = "pattern"
        why = f"At {pattern.ended} of {pattern.places} places like this one ({signature}) an episode ended."
    if why:
        decisions += _commit(state, name, len(stretch.events), trigger, why)
        stretch.events.clear()  # one alone is no episode, and does not belong to what begins now
    if why or stretch.ended:
        patterns.learn(state, signature, ended=trigger != "pattern")
    terms = terms_of(event)
    held = Held(event.id, event.seq, terms, weigh(state, terms), shown(event.telling), signature=signature)
    stretch.events.append(held)
    stretch.tick, stretch.at, stretch.kinds = state.tick, event.at, kinds
    stretch.ended, stretch.verdicts = False, 0
    acted, stretch.acted = stretch.acted, ""
    if acted in event.causes and cues.heeded(state, "cycle"):
        value = next((one.value for one in stretch.events if one.id == acted), None)
        if value is not None:
            why = f"An action had an outcome of {value:g}, and this is the response to it: its cycle is complete."
            return decisions + _commit(state, name, len(stretch.events), "cycle", why)
    return decisions + _within(state, name, stretch, by)


def _boundary(state: ChunkerState, stretch: Stretch, event: Happening, by: Thresholds) -> str:
    """Return why an episode ended before an event, empty if nothing that can be seen at once says so."""
    why = ""
    cues.another_place(state)
    goal = cues.goal_of(event.features) or stretch.goal
    if stretch.goal and goal != stretch.goal and cues.heeded(state, "goal"):
        why = f"The goal switched from {stretch.goal} to {goal}."
    stretch.goal = goal
    if stretch.tick < state.tick or stretch.events:
        gap = event.at - stretch.at
        telling = cues.telling_gap(state, by)
        cues.count_gap(state, gap)
        if telling and gap >= telling[0] and cues.heeded(state, "gap") and not why:
            why = f"{_span(gap)} passed; three of four gaps here are at most {_span(telling[1])}."
    if greets(event.text):
        since, stretch.greeted = state.tick - stretch.greeted, state.tick
        if (
            since > by.greeting_every
            and cues.heeded(state, "greeting")
            and not why
            and not cues.told_lately(state, "gap")
        ):
            why = f"It begins with a greeting, the first in {min(since, state.tick)} events."
    return why


def _within(state: ChunkerState, name: str, stretch: Stretch, by: Thresholds) -> list[Decision]:
    """Commit what came before a shift of topic inside the buffer, or what fits when the buffer is nearly full."""
    events = stretch.events
    if not cues.told_lately(state, *_STRONGER):
        look(state, events, by)
        if place := shift(state, events, by):
            alike = f"{events[place].likeness:.2f}, where {usual(state):.2f} is usual"
            why = f"The topic shifted: what was said before and after is alike by {alike}."
            return _commit(state, name, place, "boundary", why)
    if len(events) < EVENTS_MAX - _ROOM:
        return []
    place = best(events, len(events) // 2, len(events) - _ROOM, by)
    why = f"{len(events)} events wait and the buffer holds {EVENTS_MAX}: cut where both sides are least alike."
    return _commit(state, name, place, "pressure", why)


def _outcome(state: ChunkerState, outcome: Happening, by: Thresholds) -> list[Decision]:
    found = _held(state, outcome)
    if found is None:
        return []
    name, place = found
    stretch = state.sessions[name]
    events = stretch.events
    judged = events[place]
    if abs(outcome.value) > abs(judged.value):
        judged.value = outcome.value
    stretch.verdicts += 1
    late = place < len(events) - _LATELY
    size = abs(outcome.value)
    if outcome.catastrophic and outcome.origin in _DECLARING:
        why = f"A catastrophe of {outcome.value:g} ({outcome.outcome})."
        return _commit(state, name, len(events), "outcome", why, alone=True)
    if late:
        return []
    if size >= by.meaningful and cues.heeded(state, "outcome"):
        why = f"It turned out {outcome.value:g} ({outcome.outcome}): {by.meaningful:g} or more is meaningful."
        return _commit(state, name, len(events), "outcome", why)
    whole = place == len(events) - 1 and stretch.verdicts > 2 and 2 * stretch.verdicts > len(events)
    if whole and cues.heeded(state, "verdict"):
        why = f"{stretch.verdicts} of {len(events)} events were judged at once, to the last ({outcome.outcome})."
        return _commit(state, name, len(events), "outcome", why)
    if size:
        stretch.acted = judged.id
    return []


def _held(state: ChunkerState, outcome: Happening) -> tuple[str, int] | None:
    """Return the session and the place of the event that an outcome judges, if it is in no episode yet."""
    others = sorted(name for name in state.sessions if name != outcome.session)
    for name in [outcome.session, *others] if outcome.session in state.sessions else others:
        for place, event in enumerate(state.sessions[name].events):
            if event.id == outcome.of:
                return name, place
    return None


def _taken(state: ChunkerState, episode: Happening) -> None:
    """Let go of what an episode was made of, whoever decided it.

    What this one decided is gone already, unless its state was lost and is being made anew.
    """
    members = set(episode.members)
    for stretch in state.sessions.values():
        stretch.events = [event for event in stretch.events if event.id not in members]


def _ended(state: ChunkerState, event: Happening, by: Thresholds) -> list[Decision]:
    """Commit what is left of the sessions that have been silent for long while others went on."""
    found: list[Decision] = []
    telling = cues.telling_gap(state, by)
    for name in sorted(state.sessions):
        stretch = state.sessions[name]
        silent = state.tick - stretch.tick
        if name == event.session or silent < _SILENT_BY_CLOCK_TICKS or len(found) >= _ENDED_AT_ONCE_MAX:
            continue
        gap = event.at - stretch.at
        if silent >= by.silent_ticks:
            found += _end(state, name, f"The session is silent while {silent} events came in others.")
        elif telling and gap >= telling[0]:
            why = f"The session is silent for {_span(gap)}; three of four gaps here are at most {_span(telling[1])}."
            found += _end(state, name, why)
    return found


def _end(state: ChunkerState, name: str, why: str) -> list[Decision]:
    found = _commit(state, name, len(state.sessions[name].events), "boundary", why)
    del state.sessions[name]
    return found


def _commit(
    state: ChunkerState, name: str, size: int, trigger: str, why: str, *, alone: bool = False
) -> list[Decision]:
    """Make an episode of the first ``size`` events of a session's stretch, and let go of them."""
    stretch = state.sessions[name]
    if size < (1 if alone else _EPISODE_MIN):
        return []
    events, stretch.events = stretch.events[:size], stretch.events[size:]
    for event in events[1:]:
        patterns.learn(state, event.signature, ended=False)
    if trigger not in ("pressure", "pattern"):
        if stretch.events:
            patterns.learn(state, stretch.events[0].signature, ended=True)
        else:
            stretch.ended = True
    clear = {"pressure": "window", "outcome": "key"}.get(trigger, "all")
    body: dict[str, object] = {"events": [event.id for event in events], "clear": clear}
    if clear == "window":
        body["keep"] = _KEPT
    span = [events[0].seq, events[-1].seq]
    payload = {"trigger": trigger, "why": why, "summary": EXTRACTIVE, "span": span}
    return [Decision("commit_episode", body, summary(events) or None, payload, name)]


def _span(ms: int) -> str:
    """Return a time in words, in the greatest unit that it has at least two of."""
    for unit, size in (("days", 86_400_000), ("hours", 3_600_000), ("minutes", 60_000)):
        if ms >= 2 * size:
            return f"{ms / size:.0f} {unit}"
    return f"{ms / 1000:.0f} seconds"
