"""What digestion remembers of a memory: the latest claims, in which session each was said, and which of those ended.

A session has ended when it was closed, when 64 events came in others since its last one, or when the memory rests. What
a thinker claims comes when its session has ended, and need not wait.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from yggdrasil_projections.retrieval.reads.experience.happened import Happening

from ..thinker import Decision, Thinker

CLAIMS_MAX: Final = 600
EVENTS_MAX: Final = 1_000
SESSIONS_MAX: Final = 64
OPEN_MAX: Final = 128
"""Of each open session so many claims wait for its end, the latest."""
WAITING_MAX: Final = 512
SILENT_TICKS: Final = 64
"""After so many events of other sessions a session is taken for ended, as the chunker has it."""
_SWEEP_TICKS: Final = 8
_CHARS_MAX: Final = 240
_EVIDENCE_MAX: Final = 8
_DESK: Final = "desk"
_ELSEWHERE: Final = ("cartographer",)
"""What it claims follows from where places are, and from no sentence that it could be held against."""


@dataclass(slots=True)
class Claimed:
    """A claim: the session that its evidence is of, or its own; what it says, and the ids of its evidence.

    ``thinker`` is who decided it, empty where it was none.
    """

    session: str
    subject: str
    predicate: str
    object: str
    sort: str
    thinker: str
    evidence: list[str]
    condenses: list[str] = field(default_factory=list[str])
    about: str = ""
    """Its sentence, or its object where it has none: what is compared of lessons."""


@dataclass(slots=True)
class Talk:
    """A session that has not ended: the tick of its last event, and the claims that were made in it, by id."""

    tick: int = 0
    claims: list[str] = field(default_factory=list[str])


@dataclass(slots=True)
class Digests:
    """What is remembered of one memory, some 3.5 MB at the very most: of letters that take four bytes each.

    ``events`` says of the latest events which session they are of.
    ``claims`` are the latest by id, ``ready`` those of sessions that have ended and which were not looked at, ``later``
    those that were, and wait to be decided; each in the order in which they came.
    """

    tick: int = 0
    events: dict[str, str] = field(default_factory=dict[str, str])
    claims: dict[str, Claimed] = field(default_factory=dict[str, Claimed])
    talks: dict[str, Talk] = field(default_factory=dict[str, Talk])
    ready: dict[str, None] = field(default_factory=dict[str, None])
    later: dict[str, None] = field(default_factory=dict[str, None])
    counted: dict[str, int] = field(default_factory=dict[str, int])
    """By session: how much was decided of it."""


class OfSessions(Thinker[Digests]):
    """A thinker that looks at the claims of sessions which have ended."""

    state = Digests

    def observe(self, state: Digests, happening: Happening) -> Sequence[Decision]:
        """Take in a claim, or that a session has ended."""
        take_in(state, happening)
        return ()

    def rest(self, state: Digests) -> Sequence[Decision]:
        """Let all sessions have ended."""
        end_all(state)
        return ()


def take_in(state: Digests, happening: Happening) -> None:
    """Take in that something happened: a claim, or an event, with which sessions may end."""
    if happening.kind == "claim":
        _claim(state, happening)
    elif happening.kind == "event":
        state.tick += 1
        state.events[happening.id] = happening.session
        if len(state.events) > EVENTS_MAX:
            del state.events[next(iter(state.events))]
        talk = state.talks.pop(happening.session, None) or Talk()
        talk.tick = state.tick
        state.talks[happening.session] = talk
        if happening.boundary == "close":
            end(state, happening.session)
        if state.tick % _SWEEP_TICKS == 0:
            for name in [name for name, one in state.talks.items() if state.tick - one.tick >= SILENT_TICKS]:
                end(state, name)
        while len(state.talks) > SESSIONS_MAX:
            end(state, next(iter(state.talks)))


def end(state: Digests, session: str) -> None:
    """Let a session have ended: its claims are ready to be looked at."""
    talk = state.talks.pop(session, None)
    for claim in talk.claims if talk else ():
        make_ready(state, claim)


def end_all(state: Digests) -> None:
    """Let all sessions have ended, since nothing happens for a while."""
    for session in list(state.talks):
        end(state, session)


def make_ready(state: Digests, claim: str) -> None:
    """Let a claim be looked at; of too many, what has waited longest is let go."""
    state.ready[claim] = None
    while len(state.ready) > WAITING_MAX:
        del state.ready[next(iter(state.ready))]


def take_again(state: Digests, waiting_max: int) -> None:
    """Let what waits to be decided be looked at again, the latest so many of it, before what is new."""
    again = list(state.later)[-waiting_max:]
    state.ready = dict.fromkeys([*again, *state.ready])
    state.later = {}


def counts(state: Digests, session: str, most: int) -> bool:
    """Whether one more may be decided of a session; it is counted."""
    times = state.counted.pop(session, 0)
    state.counted[session] = min(times + 1, most)
    while len(state.counted) > 4 * SESSIONS_MAX:
        del state.counted[next(iter(state.counted))]
    return times < most


def _claim(state: Digests, claim: Happening) -> None:
    said = claim.asserted
    if said is None or said.object is None or said.sort == _DESK or claim.thinker in _ELSEWHERE:
        return
    sentence = (claim.payload or {}).get("sentence")
    about = sentence if isinstance(sentence, str) else ""
    session = next((state.events[each] for each in said.evidence if each in state.events), claim.session)
    state.claims[claim.id] = Claimed(
        session,
        said.subject,
        said.predicate,
        _line(said.object),
        said.sort,
        claim.thinker or "",
        said.evidence[:_EVIDENCE_MAX],
        said.condenses[:_EVIDENCE_MAX],
        _line(about),
    )
    while len(state.claims) > CLAIMS_MAX:
        del state.claims[next(iter(state.claims))]
    talk = state.talks.get(session)
    if claim.thinker is not None or talk is None:
        make_ready(state, claim.id)
    else:
        talk.claims = [*talk.claims, claim.id][-OPEN_MAX:]


def _line(text: str) -> str:
    """Return the beginning of a text on one line, without what cannot be printed."""
    line = " ".join(text[: 2 * _CHARS_MAX].split())
    return "".join(filter(str.isprintable, line))[:_CHARS_MAX]
