"""Two histories of one memory beside each other: what is in one graph and not in the other, and what differs in both.

A command has the same seq in both, or is void in one, so a node has the same number; only features, which several
commands can make, are paired by their names. Of two forks that holds up to where they part.
"""

from collections import Counter
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from yggdrasil_projections.graph.laws.bounds.rank import permanence_array, salience_array
from yggdrasil_projections.graph.unsound import UnsoundRecordError
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_projections.retrieval.memories import describe
from yggdrasil_projections.retrieval.past.otherwise import Differs, NodeDiffers, NodeStrength
from yggdrasil_schemas.codec import decode
from yggdrasil_schemas.graph.records import NodeKind, Status, is_feature, seq_of
from yggdrasil_schemas.refusals import Refused

LISTED_MAX: Final = 20
"""So many nodes of each sort are listed; all are counted."""
_TOLD: Final = 0.01  # what has moved by less has only aged by some ticks more or less
_TEXT_CHARS: Final = 200
_Pair = tuple[int | None, int | None]
"""Where a node stands in either."""


class _Side:
    """The nodes of one graph as arrays: what each is called in both, and how strong it is."""

    def __init__(self, graph: Graph, shared: int | None = None) -> None:
        self.graph = graph
        table = graph.node_table()
        self.numbers: list[int] = table.keys.tolist()
        self.keys = [self._key(each, shared) for each in self.numbers]
        rows, tick = table.rows, graph.header.tick
        self.kinds: npt.NDArray[Any] = rows["kind"].copy()
        self.statuses: npt.NDArray[Any] = rows["status"].copy()
        salience, permanence = salience_array(rows, tick), permanence_array(graph.header.policy, rows, tick)
        self.values = np.stack([salience, permanence, rows["impact"].astype(np.float64)], axis=1)

    def _key(self, number: int, shared: int | None) -> str | int:
        """Return what a node is called in both: a feature by its name, and by its command whatever is not shared."""
        if is_feature(number):
            return self.graph.feature_name(number)
        if shared is None or seq_of(number) <= shared:
            return number
        decoded = decode(self.graph.content(number))
        return number if isinstance(decoded, Refused) else f"command:{decoded.command.id}"

    def strength(self, at: int) -> NodeStrength:
        salience, permanence, impact = self.values[at].tolist()
        return NodeStrength(salience, permanence, impact, _status(int(self.statuses[at])))

    def counted(self, places: npt.NDArray[Any] | None = None) -> dict[str, int]:
        kinds: list[int] = (self.kinds if places is None else self.kinds[places]).tolist()
        return {NodeKind(kind).name.lower(): count for kind, count in sorted(Counter(kinds).items())}

    def told(self, at: int) -> tuple[str, str, str]:
        """Return the reference of a node, its kind and its text."""
        kind = NodeKind(int(self.kinds[at])).name.lower()
        try:
            one = describe(self.graph, self.graph.expect(self.numbers[at]))
        except UnsoundRecordError:
            return "", kind, ""
        return one.ref, kind, (one.text or "")[:_TEXT_CHARS]


def beside(was: Graph, would_be: Graph, shared: int | None = None) -> Differs:
    """Return how the graph of another history differs from that of reality. Both are read only.

    Two memories are one up to the seq ``shared``, if that is given: what each was told since is paired by its command.
    """
    real, other = _Side(was, shared), _Side(would_be, shared)
    there = {key: place for place, key in enumerate(other.keys)}
    pairs = [(place, there.pop(key)) for place, key in enumerate(real.keys) if key in there]
    at, to = np.array(pairs, np.int64).reshape(-1, 2).T
    gone, new = np.delete(np.arange(len(real.keys)), at), np.array(sorted(there.values()), np.int64)
    fell = real.statuses[at] != other.statuses[to]
    statuses = Counter(zip(real.statuses[at[fell]].tolist(), other.statuses[to[fell]].tolist(), strict=True))
    moved = np.abs(real.values[at] - other.values[to]).sum(axis=1)
    only: list[_Pair] = [(place, None) for place in gone.tolist()]
    added: list[_Pair] = [(None, place) for place in new.tolist()]
    places: list[_Pair] = [*pairs, *only, *added]
    by = np.concatenate((moved + fell, np.abs(real.values[gone]).sum(axis=1), np.abs(other.values[new]).sum(axis=1)))
    first: list[int] = np.argsort(-by, kind="stable")[:LISTED_MAX].tolist()
    return Differs(
        real.counted(),
        other.counted(),
        was.header.edges,
        would_be.header.edges,
        real.counted(gone),
        other.counted(new),
        {f"{_status(a)} -> {_status(b)}": count for (a, b), count in sorted(statuses.items())},
        int(np.count_nonzero(moved >= _TOLD)),
        [_told(real, other, *places[n]) for n in first if by[n] >= _TOLD],
    )


def _told(real: _Side, other: _Side, here: int | None, there: int | None) -> NodeDiffers:
    was = None if here is None else real.strength(here)
    would_be = None if there is None else other.strength(there)
    named = real.told(here) if here is not None else other.told(there or 0)
    return NodeDiffers(*named, was, would_be)


def _status(number: int) -> str:
    return Status(number).name.lower()
