"""What the concept former remembers of a memory: two megabytes at most, whatever is recorded."""

from dataclasses import dataclass, field
from typing import Final

from .counting import Counts

RECENT_MAX: Final = 512  # events
EPISODES_MAX: Final = 64
CONCEPTS_MAX: Final = 64
CANDIDATES_MAX: Final = 64


@dataclass(slots=True)
class Seen:
    """A recent event: its place among all, its features by number, its session, and how it was judged."""

    id: str
    at: int
    session: str
    features: list[int]
    good: int = 0
    bad: int = 0
    outcome: str | None = None


@dataclass(slots=True)
class Episode:
    """A recent episode and its events."""

    id: str
    events: list[str]


@dataclass(slots=True)
class Candidate:
    """Features, by number, that have been a community in so many passes in a row."""

    features: list[int]
    passes: int


@dataclass(slots=True)
class Concept:
    """A concept that exists: its id (None until it has come back from the log) and features.

    ``own``: this thinker has formed it. ``fed``: the event that last had two of its features. ``strong``: the one with
    which it was formed, or that had nearly all of its features, and so was absorbed by it. ``loose``: in how many
    passes in a row it has not held together.
    """

    features: list[str]
    fed: int
    strong: int
    id: str | None = None
    own: bool = True
    loose: int = 0


@dataclass(slots=True)
class Remembered:
    """All of it; ``events`` is how many there have been."""

    events: int = 0
    counts: Counts = field(default_factory=Counts)
    recent: list[Seen] = field(default_factory=list[Seen])
    episodes: list[Episode] = field(default_factory=list[Episode])
    candidates: list[Candidate] = field(default_factory=list[Candidate])
    concepts: list[Concept] = field(default_factory=list[Concept])
