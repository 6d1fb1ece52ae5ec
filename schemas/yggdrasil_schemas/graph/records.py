"""The records of a memory graph: nodes, edges, sessions, recalls, identities and the memory's own header.

A value that fades (salience, weight, permanence) is stored with the tick of its last touch; nobody reads it without
saying at which tick (see ``yggdrasil_projections.graph.arithmetic``).
"""

from dataclasses import dataclass, field
from enum import IntEnum, IntFlag
from typing import Any, Final, NamedTuple

from ..limits import TRUST_MAX
from ..policy import DEFAULT, Policy
from .knowledge import Line

ORDINAL_BITS: Final = 6  # a command makes at most 1 + 32 nodes: itself and its new features
NEVER: Final = -1
NOBODY: Final = bytes(16)
WHO_BYTES: Final = 8
NO_VOICE: Final = bytes(WHO_BYTES)
SLOT_BYTES: Final = 16

EdgeKey = tuple[int, ...]
"""``(source node, EdgeKind, target node)``; tuples sort as the store's keys do.

Declared without its length: a compiled module takes a tuple of known length apart, and makes it anew for each set and
each map that it goes into.
"""


class NodeKind(IntEnum):
    """What a node stands for."""

    EVENT = 1
    OUTCOME = 2
    FEATURE = 3
    EPISODE = 4
    CONCEPT = 5
    CLAIM = 6


class EdgeKind(IntEnum):
    """What an edge says: what came next, what followed, what occurs together, what leads where, what is in it.

    Also what a claim was concluded from, and from 16 on what somebody said of how two things have to do with each
    other.
    """

    TEMPORAL = 1
    CAUSAL = 2
    ASSOCIATIVE = 3
    TRAJECTORY = 4
    CONTAINS = 5
    EVIDENCE = 6
    SUPPORTS = 16
    CONTRADICTS = 17
    SUPERSEDES = 18
    REFINES = 19
    DEPENDS_ON = 20
    EXAMPLE_OF = 21
    PART_OF = 22
    LEADS_TO = 23
    ANSWERS = 24
    APPLIES_TO = 25
    RELATED = 26


KIND_BITS: Final = [1 << kind if kind <= EdgeKind.CONTAINS else 0 for kind in range(max(EdgeKind) + 1)]
"""By which bit a node remembers that it had a kind of edge: density counts those alone that experience makes."""


class Status(IntEnum):
    """Whether a node stands; priors are claims."""

    ACTIVE = 0
    CANDIDATE = 1  # it waits until somebody else says so too, or has looked at it
    PRIOR = 2  # it is established
    CONTESTED = 3  # said against something that is trusted more, or that more speaks for
    QUARANTINED = 4
    SUPERSEDED = 5
    REJECTED = 6
    RESOLVED = 7


class NodeFlag(IntFlag):
    """What else is true of a node; the first two protect it from pruning."""

    CATASTROPHIC = 1
    PINNED = 2
    OPENING = 4  # the first event of its session: the temporal edge into it comes from another one
    CONCEPTUAL = 8  # a feature so dense that it counts as a concept
    ARCHIVED = 16  # faded out of what is found, still there by name
    PRINCIPLE = 32  # belongs into every context; the header lists them
    VECTORED = 64  # a vector was attached to it
    STALE = 128  # it says what no longer stands: of what it is made of, or all that was concluded from it
    REGARDED = 256  # used, or said, under perspectives: how strong it is under each is kept beside it
    ADJUSTED = 512  # adjusted before: how much of its bound is used up is kept beside it
    RULED = 1_024  # it has a slot, or was judged: its ruling is kept beside it


PROTECTED: Final = NodeFlag.CATASTROPHIC | NodeFlag.PINNED


@dataclass(slots=True)
class Node:
    """A node's scalars. Salience and permanence lie in [0, their cap]; half-life and ticks count events."""

    number: int
    kind: int
    tick: int
    salience: float
    half_life: float  # as of the last time it was steadied
    stability: float = 1.0  # its own factor of the half-life
    permanence: float = 0.0
    impact: float = 0.0  # signed: what outcomes and use have said of it
    valence: float = 0.0  # the outcome that it predicts, in [-10, 10]
    usage: int = 0  # times really used; for a feature, times it occurred
    candidates: int = 0  # times returned by a recall
    recalled_tick: int = NEVER
    degree: int = 0
    kinds: int = 0  # a bit for each kind of edge that it has ever had
    marks: int = 0  # a bit for each session and concept that it has met
    latest: int = 0  # for a feature: the last event that had it
    follower: int = 0  # for a feature: the leading feature that came after it last
    concept: int = 0  # for a feature: the concept that was last formed with it
    good: int = 0  # outcomes that it had a part in
    bad: int = 0
    flags: int = 0
    level: int = 0  # of consolidation, 0 to 5
    pin_permanence: float = 0.0  # what its pin gives it as long as it is pinned; it does not erode
    status: int = 0
    trust: int = TRUST_MAX  # of who said it, and at most that of what it was made of
    used_tick: int = NEVER  # of the last report of a use that did not mislead: its last access
    served: int = 0  # reports that it was used with success, helped, or prevented an error
    mentions: int = 1  # times it was said: claims confirmed, events that a concept absorbed, a feature's occurrences
    heeded: int = 0  # for a feature: its occurrences in what is trusted 1 or more, and
    witnessed: int = 0  # in what is trusted 2 or more: which edges are cut says nothing of these


@dataclass(slots=True)
class Edge:
    """An edge's scalars; ``weight`` fades as a node's salience does.

    ``made`` is the seq of the command that made it, and ``trust`` the most with which anybody has: an edge can be made
    between what others said. Edges that a command makes alike are one record until one of them is to change: that is
    what ``shared`` says.
    """

    tick: int
    weight: float
    half_life: float
    permanence: float = 0.0
    usage: int = 0
    made: int = 0
    trust: int = 0
    shared: bool = field(default=False, repr=False, compare=False)

    def own(self) -> "Edge":
        """Return a record of the same scalars that may change."""
        return Edge(self.tick, self.weight, self.half_life, self.permanence, self.usage, self.made, self.trust)


@dataclass(slots=True)
class Session:
    """One open session: its last event, the seq of that, its short-term buffer and its desk, both oldest first."""

    last: int = 0
    touched: int = 0
    leading: int = 0  # the leading feature of the last event
    episode: int = 0  # the last episode
    mark: int = 0  # the bit with which it marks what it meets
    trust: int = 0  # the most with which anything was recorded in it
    opened: int = 0  # the event that registered it
    tick: int = 0  # at which something was recorded, or noted, in it last
    ended: bool = False  # it was closed, and stays as long as there is room for what comes late
    buffer: list[int] = field(default_factory=list[int])
    desk: list[int] = field(default_factory=list[int])  # claims that are noted on it, the oldest first


class Parts(NamedTuple):
    """What an event or an episode is made of, for as long as it is there; edges may be cut, and say what is associated.

    ``carriers`` may have carried the signal of how it turned out: of an event its features in the command's order, of
    an episode what it was associated with when it was made. ``informed`` are the seqs of the recalls that led to it.
    """

    carriers: tuple[int, ...] = ()
    informed: tuple[int, ...] = ()


@dataclass(slots=True)
class Recalled:
    """A node that a recall returned, with its values as they were then, and whether it was reported as used."""

    number: int
    salience: float
    permanence: float
    used: bool = False


@dataclass(slots=True)
class Recall:
    """What a recall returned, at which ``as_of``, and the seq of the report of its use, 0 before there is one.

    ``who`` are 8 bytes that stand for whoever asked, ``trust`` is how far they were trusted, and ``least`` that of what
    they were shown that is trusted least. ``perspectives`` are the keys of those under which they asked.
    """

    as_of: int
    reported: int
    returned: list[Recalled]
    who: bytes = NO_VOICE
    trust: int = TRUST_MAX
    least: int = TRUST_MAX
    perspectives: tuple[bytes, ...] = ()


class Taint(NamedTuple):
    """At which tick a session last took in something foreign, and who said that: 8 bytes that stand for them."""

    tick: int
    root: bytes


class Relation(NamedTuple):
    """Who said how two things are related: seq and trust of each command, at most 4, the most trusted last, of equals
    the youngest.
    """

    said: tuple[tuple[int, int], ...]

    @property
    def seq(self) -> int:
        """The seq of the command whose reason is shown."""
        return self.said[-1][0]

    @property
    def trust(self) -> int:
        """The most with which it was said."""
        return self.said[-1][1]


class Given(NamedTuple):
    """What an outcome, or a report of use, gave to one node; of half-lives the factor, of all else what was added.

    ``told`` is the weight of the edge by which a feature came to foretell the kind of the outcome, ``regards`` what was
    given under each perspective of a report, in their order.
    """

    number: int
    salience: float = 0.0
    permanence: float = 0.0
    impact: float = 0.0
    valence: float = 0.0
    stability: float = 1.0
    told: float = 0.0
    good: int = 0
    bad: int = 0
    usage: int = 0
    served: int = 0
    regards: tuple[float, ...] = ()


class GivenEdge(NamedTuple):
    """What a report of use gave to one edge: the weight that was added, and the factor of its half-life."""

    key: EdgeKey
    weight: float
    half_life: float


class Account(NamedTuple):
    """What an outcome, or a report of use, gave: at which tick, with which sign, to which nodes, at most 64.

    ``kind`` is the feature of the outcome's kind, 0 of a report. ``out``: it was judged, and that was taken back: then
    ``given`` and ``edges`` are what was really taken, within the bounds; ``tick`` and ``moved``, a seq, say when. So it
    is once it was given again. ``perspectives`` are the keys of those under which something was used. The edges are
    those between what was, at most 64.
    """

    tick: int
    moved: int
    sign: int
    kind: int
    out: bool
    given: tuple[Given, ...]
    perspectives: tuple[bytes, ...] = ()
    edges: tuple[GivenEdge, ...] = ()


class Act(NamedTuple):
    """What a command did that made no node, and whether that still counts.

    ``trust`` is that of its writer. ``about`` names what it did: of claims the numbers; of a relation the key of the
    edge; of a report the seq of the recall; of a vector node and model; of an alias the name, of what it became one, of
    what it was one, and who said that. ``status`` is ACTIVE, or what a verdict gave it; ``by`` are the 16 bytes of the
    id of the verdict, ``ruled`` its trust, ``reason`` its words. ``kept``, ``lines`` (of which claims) and ``record``
    are what it takes to bring it back; of a relation ``record`` is the command's own, which says why.
    """

    trust: int
    about: tuple[Any, ...]
    status: int = 0
    ruled: int = 0
    by: bytes = NOBODY
    reason: str = ""
    kept: tuple[int, ...] = ()
    lines: tuple[tuple[int, Line], ...] = ()
    record: bytes = b""


class Adjusted(NamedTuple):
    """What adjustments have used up of a node's bounds in the window that began at ``tick``."""

    tick: int
    salience: float = 0.0  # the sum of the sizes of its changes
    permanence: float = 0.0
    half_life: float = 1.0  # the product of its factors, of each that or its inverse which is at least 1


class Ruling(NamedTuple):
    """Which slot a node is in, and what gave it its status.

    Of what is in one slot one stands. ``by`` are the 16 bytes of the id of the command that gave the status, and zeros
    where none did; ``trust`` is that of who said it: nobody who is trusted less can change it. ``instead`` is the node
    that stands in its place, or did. ``reason`` are the judge's words. ``was`` is the status that a fallen node had
    before it fell. ``self_approved``: whoever approved it is the only one who says so.
    """

    slot: bytes = b""
    by: bytes = NOBODY
    trust: int = 0
    instead: int = 0
    reason: str = ""
    was: int = 0
    self_approved: bool = False


class Scorer(NamedTuple):
    """A scorer that was proposed: with which trust, of how many samples, and the record that says all of it.

    ``adopted`` is the seq of the command that let it count, 0 where it does not: of those that do the latest is in
    force, and the one before it is what the memory goes back to.
    """

    adopted: int
    trust: int
    samples: int
    record: bytes


class Window(NamedTuple):
    """A thinker's decision of which some parts are missing; it began at the thinker's cursor."""

    cursor_to: int
    parts: int
    taken: int  # a bit for each part


class Identity(NamedTuple):
    """What became of a command: its seq (0 when refused), its place, its body hash, and 0 or its refusal's number."""

    seq: int
    offset: int
    body_hash: bytes
    kind: int
    result: int

    def is_of(self, offset: int) -> bool:
        """Whether the command was accepted, with the record at ``offset``: the same id may stand at others."""
        return not self.result and self.offset == offset


@dataclass(slots=True)
class Header:
    """A memory's counters. ``history`` chains every answer that the memory has given, and every heir that it named.

    ``cursors`` says how far each thinker has decided, by its name, and ``windows`` which decisions are not whole yet;
    ``principles`` are nodes, in order of pinning. ``slept`` is the tick of the last sleep, and ``looked`` the number of
    the last node that a sleep after a task had in its turn.
    """

    memory: str
    seq: int = 0
    tick: int = 0
    nodes: int = 0
    edges: int = 0
    attested_seq: int = 0
    episode: int = 0  # the last one of any session
    good: int = 0  # outcomes that it was told
    bad: int = 0
    predicates: int = 0  # that it defines
    aliases: int = 0
    slept: int = 0
    looked: int = 0
    heeded: int = 0  # events that are trusted more than a stranger's
    cursors: dict[str, int] = field(default_factory=dict[str, int])
    windows: dict[str, Window] = field(default_factory=dict[str, Window])
    principles: list[int] = field(default_factory=list[int])
    history: bytes = bytes(16)
    policy: Policy = DEFAULT


def node_number(seq: int, ordinal: int = 0) -> int:
    """Return the number of the node that the command at ``seq`` made; ordinals above 0 are its new features."""
    return seq << ORDINAL_BITS | ordinal


def seq_of(number: int) -> int:
    """Return the seq of the command that made a node."""
    return number >> ORDINAL_BITS


def is_feature(number: int) -> bool:
    """Whether a node is a feature: only those bear ordinals above 0."""
    return number & (1 << ORDINAL_BITS) - 1 != 0
