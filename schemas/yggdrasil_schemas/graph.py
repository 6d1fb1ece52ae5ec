"""The records of a memory graph: nodes, edges, sessions, recalls, identities and the memory's own header.

A value that fades (salience, weight, permanence) is stored with the tick of its last touch; nobody reads it without
saying at which tick (see ``yggdrasil_projections.graph.arithmetic``).
"""

from dataclasses import dataclass, field
from enum import IntEnum, IntFlag
from typing import Final

from .policy import DEFAULT, Policy

ORDINAL_BITS: Final = 6  # a command makes at most 1 + 32 nodes: itself and its new features
NEVER: Final = -1

EdgeKey = tuple[int, int, int]
"""``(source node, EdgeKind, target node)``; tuples sort as the store's keys do."""


class NodeKind(IntEnum):
    """What a node stands for."""

    EVENT = 1
    OUTCOME = 2
    FEATURE = 3
    EPISODE = 4
    CONCEPT = 5


class EdgeKind(IntEnum):
    """What an edge says: what came next, what followed, what occurs together, what leads where, what is in it."""

    TEMPORAL = 1
    CAUSAL = 2
    ASSOCIATIVE = 3
    TRAJECTORY = 4
    CONTAINS = 5


class NodeFlag(IntFlag):
    """Why a node is protected from pruning beyond its permanence."""

    CATASTROPHIC = 1
    PINNED = 2


class CommandKind(IntEnum):
    """The commands that get an identity, as stored."""

    RECORD_EVENT = 1
    LOG_OUTCOME = 2
    RECORD_RECALL = 3
    REPORT_USE = 4
    SET_POLICY = 5
    ATTEST = 6


@dataclass(slots=True)
class Node:
    """A node's scalars. Salience and permanence lie in [0, their cap]; half-life and ticks count events."""

    number: int
    kind: int
    tick: int
    salience: float
    half_life: float
    permanence: float = 0.0
    impact: float = 0.0  # signed: what outcomes and use have said of it
    usage: int = 0  # times really used; for a feature, times it occurred
    candidates: int = 0  # times returned by a recall
    recalled_tick: int = NEVER
    degree: int = 0
    latest: int = 0  # for a feature: the last event that had it
    flags: int = 0


@dataclass(slots=True)
class Edge:
    """An edge's scalars; ``weight`` fades as a node's salience does."""

    tick: int
    weight: float
    half_life: float
    permanence: float = 0.0
    usage: int = 0


@dataclass(slots=True)
class Session:
    """One open session: its last event, the seq of its last command, and its short-term buffer, oldest first."""

    last: int = 0
    touched: int = 0
    buffer: list[int] = field(default_factory=list[int])


@dataclass(slots=True)
class Recalled:
    """A node that a recall returned, with its values as they were then."""

    number: int
    salience: float
    permanence: float


@dataclass(slots=True)
class Recall:
    """What a recall returned, at which ``as_of``, and whether its use has been reported."""

    as_of: int
    reported: bool
    returned: list[Recalled]


@dataclass(frozen=True, slots=True)
class Identity:
    """What became of a command: its seq (0 when refused), its place, its body hash, and 0 or its refusal's number."""

    seq: int
    offset: int
    body_hash: bytes
    kind: int
    result: int


@dataclass(slots=True)
class Header:
    """A memory's counters. ``history`` chains the identities of every command that the memory has answered."""

    memory: str
    seq: int = 0
    tick: int = 0
    nodes: int = 0
    edges: int = 0
    attested_seq: int = 0
    history: bytes = bytes(16)
    policy: Policy = DEFAULT


def node_number(seq: int, ordinal: int = 0) -> int:
    """Return the number of the node that the command at ``seq`` made; ordinals above 0 are its new features."""
    return seq << ORDINAL_BITS | ordinal


def seq_of(number: int) -> int:
    """Return the seq of the command that made a node."""
    return number >> ORDINAL_BITS
