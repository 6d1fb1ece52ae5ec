"""Whom searches pass over: what is offered again and again and never used, and how unevenly memories are shown.

A signal for whoever keeps a memory, and no reason to prune (003, section 3.5, bias monitoring): what nobody has used
may be what nobody has asked for yet. Whole numbers, so that two hosts say the same.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt

from yggdrasil_projections.graph.arithmetic import decayed_array
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.graph.records import NodeFlag, NodeKind, Status, node_number, seq_of

from ...asks import check_count, check_seq
from ...found import Answered
from ...memories import PAGE_BYTES, MemoryObject, content_of, describe
from ...parameters import COUNT, COUNT_MAX, Count, Seq
from ...query import Read, Source, Timed

DECILES: Final = 10
_PER_MILLE: Final = 1_000
_NUMBER_MAX: Final = 2**63 - 1
_KINDS: Final = (NodeKind.EVENT, NodeKind.OUTCOME, NodeKind.EPISODE, NodeKind.CONCEPT, NodeKind.CLAIM)
_SHOWN: Final = (Status.ACTIVE, Status.PRIOR, Status.CONTESTED)


@dataclass(frozen=True, slots=True)
class NeverUsed:
    """A memory that was offered ``candidates`` times, and has been used in no answer."""

    memory: MemoryObject
    candidates: int


@dataclass(frozen=True, slots=True)
class Decile:
    """A tenth of the memories by their strength: how many, how often they were offered and used, and the ratio of use.

    ``use`` is uses for a thousand offers, None where nothing was offered.
    """

    memories: int
    candidates: int
    usage: int
    use: int | None


@dataclass(frozen=True, slots=True)
class Bias(Answered):
    """How evenly the memories that a search shows are offered, and which are offered more than ``bound`` times in vain.

    Of ``memories`` some were ``offered`` at all, and ``count`` never used though they were offered more often than the
    policy's ``bias_candidates``. ``never_used`` are these, in the order in which they were recorded; where there are
    more, ``position`` is where to go on (``since``), else None. ``gini`` says how uneven the offers are, in
    thousandths: 0 where each memory has as many, near 1,000 where one has all. ``deciles`` go from the weakest tenth to
    the strongest.
    """

    never_used: list[NeverUsed] = field(default_factory=list[NeverUsed])
    count: int = 0
    position: int | None = None
    bound: int = 0
    memories: int = 0
    offered: int = 0
    gini: int = 0
    deciles: list[Decile] = field(default_factory=list[Decile])
    as_of: int = 0


@dataclass(frozen=True, slots=True)
class Exposure:
    """What a scan finds: the nodes that were offered in vain, each with its offers, and the numbers of all."""

    numbers: npt.NDArray[np.int64]
    candidates: npt.NDArray[np.int64]
    memories: int
    offered: int
    gini: int
    deciles: list[Decile]


def exposure(graph: Graph) -> Exposure:
    """Return how often the memories that a search shows were offered and used: one scan over the scalars of nodes."""
    table, header = graph.node_table(), graph.header
    rows = table.rows
    there = np.isin(rows["kind"], _KINDS) & np.isin(rows["status"], _SHOWN)
    places = np.flatnonzero(there & ((rows["flags"] & (NodeFlag.ARCHIVED | NodeFlag.STALE)) == 0))
    numbers = table.keys[places].astype(np.int64)
    candidates, usage = (rows[name][places].astype(np.int64) for name in ("candidates", "usage"))
    elapsed = header.tick - rows["tick"][places].astype(np.float64)
    half_lives = rows["half_life"][places].astype(np.float64)
    strength = decayed_array(rows["salience"][places].astype(np.float64), elapsed, half_lives)
    order = np.lexsort((numbers, strength))
    vain = np.flatnonzero((candidates > header.policy.bias_candidates) & (usage == 0))
    tenths = [_decile(candidates[each], usage[each]) for each in np.array_split(order, DECILES) if len(each)]
    offered = int(np.count_nonzero(candidates))
    return Exposure(numbers[vain], candidates[vain], len(places), offered, gini(candidates), tenths)


def gini(counts: npt.NDArray[np.int64]) -> int:
    """Return the Gini index of counts, in thousandths, rounded down; 0 where there are none (Gini, 1912).

    (2 sum(i x_i) - (n + 1) sum(x_i)) / (n sum(x_i)) over the counts in ascending order, i from 1: in whole numbers, of
    which Python's have no bound.
    """
    values, repeated = np.unique(counts, return_counts=True)
    total = weighted = before = 0
    for value, times in zip(values.tolist(), repeated.tolist(), strict=True):
        total += value * times
        # times the sum of the places from before + 1 to before + times
        weighted += value * (times * (2 * before + times + 1) // 2)
        before += times
    if not total:
        return 0
    return (2 * weighted - (before + 1) * total) * _PER_MILLE // (before * total)


def _decile(candidates: npt.NDArray[np.int64], usage: npt.NDArray[np.int64]) -> Decile:
    offers, uses = int(candidates.sum()), int(usage.sum())
    return Decile(len(candidates), offers, uses, uses * _PER_MILLE // offers if offers else None)


@dataclass(frozen=True, slots=True)
class AskBias(Timed[Bias]):
    """Return how evenly memories are offered, and those that were offered often and never used, from ``since`` on.

    At most ``count`` of these are shown; go on with the answer's ``position`` while there is one.
    """

    since: Seq = 0
    count: Count = COUNT

    def __post_init__(self) -> None:
        """Raise InvalidAskError for what cannot be meant."""
        check_seq("since", self.since)
        check_count("count", self.count, COUNT_MAX)

    def read(self, source: Source, /) -> Bias:
        """Answer it."""
        with source.graph() as graph:
            found = exposure(graph)
            begin = int(np.searchsorted(found.numbers, min(node_number(self.since + 1), _NUMBER_MAX)))
            told = list(_told(graph, found, begin, self.count))
            last = begin + len(told)
            position = seq_of(int(found.numbers[last - 1])) if begin < last < len(found.numbers) else None
            bound, as_of = graph.header.policy.bias_candidates, graph.header.seq
            numbers = found.memories, found.offered, found.gini, found.deciles, as_of
            return Bias(told, len(found.numbers), position, bound, *numbers)


def _told(graph: Graph, found: Exposure, begin: int, count: int) -> Iterator[NeverUsed]:
    """Yield what was offered in vain from a place on: about a megabyte of texts at most."""
    read_bytes = 0
    for at in range(begin, min(begin + count, len(found.numbers))):
        if read_bytes >= PAGE_BYTES:
            return
        number = int(found.numbers[at])
        read_bytes += len(content_of(graph, number))
        yield NeverUsed(describe(graph, graph.expect(number)), int(found.candidates[at]))


BIAS: Final = Read(
    "bias",
    AskBias,
    Bias,
    "GET /bias",
    "What is offered often and never used",
    """Return what was offered more often than `bias_candidates` and never used, and how evenly memories are offered.

It is a signal to look, and no reason to prune.""",
)
