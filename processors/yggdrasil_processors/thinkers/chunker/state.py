"""What the chunker remembers of one memory: the events that are in no episode yet, and what it has learnt of cues.

All of it is bounded: 64 sessions of 64 events, each with at most 24 terms and 200 bytes of text; and so many counters.
"""

from dataclasses import dataclass, field
from typing import Final

SESSIONS_MAX: Final = 64
EVENTS_MAX: Final = 64
FREQUENCIES: Final = 4_096
"""Counters of terms; terms that share one are taken for equally frequent."""
GAP_STEPS: Final = 112
"""Counters of gaps in ``at``: two for each doubling."""


@dataclass(slots=True)
class Held:
    """An event that is in no episode yet.

    ``terms`` are hashes of the stems of its text and of its features, each once, and ``weights`` says in hundredths how
    telling each was when it came; ``shown`` is the beginning of its text, at most 200 bytes. ``value`` is the outcome
    of the greatest size that it had, 0 for none. ``likeness`` is that of what stands before it to what follows it, in
    [0, 1]; -1 where it was not looked at. ``signature`` is that of the place before it.
    """

    id: str
    seq: int
    terms: list[int]
    weights: list[int]
    shown: str = ""
    value: float = 0.0
    likeness: float = -1.0
    signature: str = ""


@dataclass(slots=True)
class Stretch:
    """The events of a session since its last episode.

    ``tick`` is the memory's count of events when its last one came, ``at`` when that was; ``goal`` the goal that was
    named last, ``greeted`` the tick of the last greeting. ``verdicts`` counts the outcomes of its events since the last
    event, ``acted`` is an event whose outcome awaits a response. ``kinds`` are those of the last event's features, and
    stay when it has gone; ``ended``: an episode ended with it.
    """

    events: list[Held] = field(default_factory=list[Held])
    tick: int = 0
    at: int = 0
    goal: str = ""
    greeted: int = -1_000
    verdicts: int = 0
    acted: str = ""
    kinds: str = ""
    ended: bool = False


@dataclass(slots=True)
class Pattern:
    """How many places had a signature, and at how many of them an episode ended for another reason; ``seen`` last."""

    places: int = 0
    ended: int = 0
    seen: int = 0


@dataclass(slots=True)
class ChunkerState:
    """What the chunker remembers of one memory, some 2 MB at the most.

    ``tick`` counts events, ``frequencies`` the terms of ``counted`` ones, ``gaps`` the times between two of a session;
    ``likeness`` is the sum of ``likened`` comparisons. ``told`` counts how often each cue was there, of ``places``.
    """

    tick: int = 0
    sessions: dict[str, Stretch] = field(default_factory=dict[str, Stretch])
    frequencies: list[int] = field(default_factory=lambda: [0] * FREQUENCIES)
    counted: int = 0
    gaps: list[int] = field(default_factory=lambda: [0] * GAP_STEPS)
    likeness: float = 0.0
    likened: float = 0.0
    places: float = 0.0
    told: dict[str, float] = field(default_factory=dict[str, float])
    patterns: dict[str, Pattern] = field(default_factory=dict[str, Pattern])
