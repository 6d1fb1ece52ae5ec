"""What the cartographer remembers of a memory: some 3.5 megabytes at most, whatever is told of places."""

from dataclasses import dataclass, field
from typing import Final, TypeVar

T = TypeVar("T")

PLACES_MAX: Final = 3_000
WAITING_MAX: Final = 4_000
NAME_BYTES_MAX: Final = 100
"""A place with a longer name, as JSON, is not looked at: so few take no room from the others."""
GONE_MAX: Final = 1_000
VILLAGES_MAX: Final = 48
MEMBERS_MAX: Final = 64
"""Of a larger village the members are told that are trusted most, and of these those nearest to its centre."""
PATHS_MAX: Final = 1_000
SESSIONS_MAX: Final = 32
REMEMBERED_MAX: Final = 1_000
"""Of so many names it is known that they were joined."""
PAIRED_MAX: Final = PLACES_MAX // 2
"""Of so many pairs it is known that they were looked at: as many as there are at once."""
CREDIT_MAX: Final = 128
_CREDIT: Final = 64


@dataclass(slots=True)
class Place:
    """Where a place is, by the claim that counts, how far that is trusted, and the ``event`` that it rests on."""

    anchor: str
    trust: int
    claim: str
    event: str = ""


@dataclass(slots=True)
class Village:
    """A village that was told: where it is, how far it reaches, and its members, each with the id of its claim.

    What was told and has not come back from the log has no id yet: whoever reads a history finds it at its end.
    A member's are its own, and that which it rests on; ``evidence`` is what the village rests on. ``waiting`` are those
    of its claims that do not stand yet, ``told`` is how often a place had been told when the latest of them came back.
    ``stands``: it was found again. ``over``: somebody said that it is none. ``trust`` is that of its places.
    """

    is_a: str = ""
    at: str = ""
    at_claim: str = ""
    radius: int = -1
    radius_claim: str = ""
    members: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    evidence: list[str] = field(default_factory=list[str])
    waiting: list[str] = field(default_factory=list[str])
    told: int = 0
    stands: bool = False
    over: bool = False
    trust: int = 0


@dataclass(slots=True)
class Path:
    """A path: its claim, the event with which it was walked or told last, by number; and what makes it unsure.

    ``checked``: it is known how it stands. ``trust`` is that of who told it.
    """

    claim: str
    tick: int
    why: str = ""
    checked: bool = False
    trust: int = 1


@dataclass(slots=True)
class Atlas:
    """All of it. ``tick`` counts events, ``told`` how often a place came to stand that is new or has moved, ``looked``
    was that count at the last look at all places. ``credit`` is how much may be decided.

    ``places`` are by name, the one that was asked about longest ago first; ``gone`` had a place, and have none now.
    ``wanted`` is what is to be asked, ``checked`` whether all was asked that a look needs. ``paths`` are by both names,
    the one that was walked longest ago first, ``asked`` the last of them that was asked about; ``sessions`` are open,
    each with the subject of its desk; ``noted`` are paths, with the session on whose desk they are;
    ``paired`` were looked at as two names of one place, each with how far that was trusted.
    """

    tick: int = 0
    told: int = 0
    looked: int = 0
    credit: int = _CREDIT
    resting: bool = False
    unfinished: bool = False
    checked: bool = False
    places: dict[str, Place] = field(default_factory=dict[str, Place])
    gone: dict[str, None] = field(default_factory=dict[str, None])
    wanted: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    villages: dict[str, Village] = field(default_factory=dict[str, Village])
    paired: dict[str, int] = field(default_factory=dict[str, int])
    merged: dict[str, None] = field(default_factory=dict[str, None])
    paths: dict[str, Path] = field(default_factory=dict[str, Path])
    asked: str = ""
    sessions: dict[str, str] = field(default_factory=dict[str, str])
    noted: dict[str, str] = field(default_factory=dict[str, str])


def bounded(table: dict[str, T], most: int) -> None:
    """Let the entries that came first make room."""
    while len(table) > most:
        del table[next(iter(table))]
