"""What the reducer remembers of one memory: what open sessions have said, and whom it has met. All is bounded."""

from dataclasses import dataclass, field
from typing import Final

from .grammar.said import Said

SESSIONS_MAX: Final = 64
"""Sessions that are open at once; beyond it the one that is silent longest is taken for ended."""
FOUND_MAX: Final = 28
"""Claims that wait for the ends of their sessions; beyond it the session with the most is not waited for.

With what one event says there are never more than 64, which is all that may be decided at once."""
IN_HAND: Final = 192
"""How many claims may be made beyond one for each event on the mean; the frame allows no flood."""
KNOWN_MAX: Final = 2_000


@dataclass(slots=True)
class Found:
    """What was said, the ``events`` that said so, the first first, and a ``sentence`` that did; ``by`` a model."""

    said: Said
    events: list[str]
    sentence: str
    by: str = ""


@dataclass(slots=True)
class Talk:
    """A session: the ``tick`` of its last event, what it is ``about``, the kind of its last failure, what was found."""

    tick: int = 0
    about: str = ""
    failed: str = ""
    found: list[Found] = field(default_factory=list[Found])


@dataclass(slots=True)
class ReducerState:
    """``tick`` counts events, and ``in_hand`` the claims that may still be made: one more with each event.

    ``known`` are the names that were met, as subjects; ``first`` the events that first said something, by a digest of
    it and of who recorded that; the latest last, and at most 2,000 of each.
    """

    tick: int = 0
    in_hand: int = IN_HAND
    sessions: dict[str, Talk] = field(default_factory=dict[str, Talk])
    known: dict[str, None] = field(default_factory=dict[str, None])
    first: dict[str, str] = field(default_factory=dict[str, str])
