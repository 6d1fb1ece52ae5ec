"""The archivist: puts away events of sessions that have ended, once what they say stands in claims."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final

from yggdrasil_projections.retrieval.answers import Described
from yggdrasil_projections.retrieval.memories import MemoryObject
from yggdrasil_projections.retrieval.query import Query
from yggdrasil_projections.retrieval.reads.experience.described import AskDescribed
from yggdrasil_projections.retrieval.reads.experience.happened import Happening
from yggdrasil_projections.retrieval.reads.knowledge.digested import DIGESTED, is_verified
from yggdrasil_projections.retrieval.reads.knowledge.lineage import AskDependents, Dependents

from ..thinker import Decision, Thinker
from .gates import is_to_be_judged
from .sessions import SESSIONS_MAX, SILENT_TICKS
from .words import words_of

COVERED_MIN: Final = 0.6
"""An event is put away where claims that stand say at least this share of its content words."""
EVENTS_MAX: Final = 2_000
_AT_ONCE: Final = 16
_LOOKED_AT_MAX: Final = 64
_DEPENDENTS: Final = 50
_SWEEP_TICKS: Final = 8
_STANDING: Final = ("active", "prior")
_DECISION: Final = "decision"


@dataclass(slots=True)
class Work:
    """What is known of one memory: the session of each of the latest plain events, and the ticks of sessions.

    ``claimed`` are events of which something was claimed, ``ready`` those that are to be looked at now. ``open`` says
    when each session that has not ended had its last event.
    """

    tick: int = 0
    events: dict[str, str] = field(default_factory=dict[str, str])
    open: dict[str, int] = field(default_factory=dict[str, int])
    claimed: dict[str, None] = field(default_factory=dict[str, None])
    ready: dict[str, None] = field(default_factory=dict[str, None])


class Archivist(Thinker[Work]):
    """Archives an event of a session that has ended where the verifier let at least one of its claims pass, none waits,
    and what stands says most of it.

    What was judged by an outcome, is protected or contested, opened or closed a session, or tells of a decision stays.
    Archived is what only a deep question finds; ``release`` brings it back.
    """

    name: ClassVar[str] = "archivist"
    version: ClassVar[str] = "1"
    wakes: ClassVar[frozenset[str]] = frozenset({"record_event", "judge"})
    follows: ClassVar[frozenset[str]] = frozenset({"verifier"})
    state = Work

    def observe(self, state: Work, happening: Happening) -> Sequence[Decision]:
        """Note events, which sessions have ended, and of what something was claimed."""
        if happening.kind == "event":
            _event(state, happening)
        elif happening.kind == "claim" and happening.asserted is not None:
            for event in happening.asserted.evidence:
                if event in state.events:
                    state.claimed[event] = None
            while len(state.claimed) > EVENTS_MAX:
                del state.claimed[next(iter(state.claimed))]
        return ()

    def rest(self, state: Work) -> Sequence[Decision]:
        """Let all sessions have ended."""
        state.open.clear()
        return ()

    def asks(self, state: Work, memory: str, *, again: bool) -> Sequence[Query[Any]]:
        """Ask how the next events stand, and what was concluded from them."""
        del memory
        if not again:
            ended = [each for each in state.claimed if state.events.get(each, "") not in state.open]
            state.ready = dict.fromkeys(ended[-_LOOKED_AT_MAX:])
        found: list[Query[Any]] = []
        for event in _next(state):
            found += [AskDescribed(event), AskDependents(event, count=_DEPENDENTS, depth=1)]
        return found

    def answered(self, state: Work, answers: Sequence[Any]) -> Sequence[Decision]:
        """Put away what has done its work."""
        done: list[str] = []
        told = iter(answers)
        for event in list(_next(state)):
            described: Described | None = next(told)
            concluded: Dependents | None = next(told)
            del state.ready[event]
            if described is not None and concluded is not None and not _stays(described):
                claims = [each.memory for each in concluded.dependents if each.memory.claim is not None]
                if any(is_to_be_judged(each) for each in claims):
                    continue
                if not concluded.cut and _stands_in(claims, described.memory):
                    done.append(event)
            state.claimed.pop(event, None)
        if not done:
            return ()
        body = {"items": [{"node": each, "verdict": "archive"} for each in done], "reason": DIGESTED}
        why = f"what {len(done)} events of sessions that have ended say stands in claims that were verified"
        return [Decision("judge", body, None, {"why": why})]


def _event(state: Work, event: Happening) -> None:
    state.tick += 1
    state.open.pop(event.session, None)
    if event.boundary != "close":
        state.open[event.session] = state.tick
    if state.tick % _SWEEP_TICKS == 0:
        state.open = {name: at for name, at in state.open.items() if state.tick - at < SILENT_TICKS}
    while len(state.open) > SESSIONS_MAX:
        del state.open[next(iter(state.open))]
    decided = _DECISION in event.features or event.note == _DECISION
    if event.boundary is None and not decided:
        state.events[event.id] = event.session
    while len(state.events) > EVENTS_MAX:
        del state.events[next(iter(state.events))]


def _next(state: Work) -> Iterator[str]:
    yield from list(state.ready)[:_AT_ONCE]


def _stays(described: Described) -> bool:
    """Whether an event is none of the archivist's business."""
    event = described.memory
    return event.archived or event.protected or bool(event.outcomes) or event.status != "active"


def _stands_in(claims: Sequence[MemoryObject], event: MemoryObject) -> bool:
    """Whether claims say what an event said: one was verified, none waits, and those that stand say most of it."""
    standing = [each for each in claims if each.status in _STANDING]
    if any(each.status == "candidate" for each in claims) or not any(is_verified(each) for each in standing):
        return False
    wanted = words_of(event.text or "").stems
    said = frozenset[str]().union(*(words_of(_said(each.text, each.payload)).stems for each in standing))
    return bool(wanted) and len(wanted & said) >= COVERED_MIN * len(wanted)


def _said(text: str | None, payload: dict[str, Any] | None) -> str:
    sentence = (payload or {}).get("sentence")
    return f"{text or ''} {sentence if isinstance(sentence, str) else ''}"
