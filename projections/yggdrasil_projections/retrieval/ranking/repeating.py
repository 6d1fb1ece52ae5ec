"""What several memories say alike: of those with the same words in the same order the latest stands for all.

Likeness comes from the texts alone (``text.wording``): who said it, in which session and with which features is nothing
to it. Apart stay what is of another kind, sort or status, and what ended otherwise. What has not ended joins what has,
for that tells more. What is trusted more is never hidden by what is trusted less, and of those the most trusted stand.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import numpy as np

from yggdrasil_projections.graph.working_set import Graph

from ..index.neighbours import Places
from ..index.visible import Shown
from .relevance import Hit

_READ_MAX: Final = 512  # of so many that say the same it is looked at how they ended; of older ones it is not
_UNJUDGED: Final = (False, False)
_SLOTS: Final = 1 << 16


class Repeated(NamedTuple):
    """Memories that say the same: the row of the one that stands for all, the nodes of all, and the earliest time, in
    Unix ms, at which one that is trusted no less said it.
    """

    row: int
    numbers: frozenset[int]
    since: int

    @property
    def others(self) -> int:
        """How many the one stands for beside itself."""
        return len(self.numbers) - 1


@dataclass(frozen=True, slots=True)
class Once:
    """Hits of which each says something else, in order; ``by_row`` has what those stand for that do, and ``row_of``
    which row stands for another.
    """

    hits: list[Hit]
    by_row: dict[int, Repeated] = field(default_factory=dict[int, Repeated])
    row_of: dict[int, int] = field(default_factory=dict[int, int])


def said_once(graph: Graph, index: Shown, hits: Sequence[Hit]) -> Once:
    """Return each thing that is said once: by the one that stands for it, as relevant as the best that says it."""
    twins = _twins(index, [hit.row for hit in hits])
    if not twins:
        return Once(list(hits))
    stands = {row: one for rows in twins for one in _parted(graph, index, rows) for row in one[1]}
    row_of = {row: repeated.row for row, (repeated, _) in stands.items()}
    kept: dict[int, Hit] = {}
    for hit in hits:
        via = tuple(row_of.get(row, row) for row in hit.via)
        row = row_of.get(hit.row, hit.row)
        if row not in kept:
            kept[row] = hit._replace(row=row, via=via)
    by_row = {row: stands[row][0] for row in kept if row in stands and stands[row][0].others}
    return Once(list(kept.values()), by_row, row_of)


def distinct(index: Shown, rows: Places, most: int) -> int:
    """Return how many of the first ``rows`` say ``most`` different things, all of them if they say fewer."""
    sayings = index.documents.columns.saying[rows]
    told = np.where(sayings == 0, -1 - np.arange(len(sayings)), sayings)  # what has no text is like nothing else
    _, first = np.unique(told, return_index=True)
    return len(rows) if len(first) <= most else int(np.sort(first)[most])


def _twins(index: Shown, rows: Sequence[int]) -> list[list[int]]:
    """Return the rows that say what one of ``rows`` says, by kind, sort and status, where they are several."""
    columns = index.documents.columns
    wanted = np.unique(columns.saying[np.array(rows, np.int64)])
    wanted = wanted[wanted != 0]
    slots = np.zeros(_SLOTS, np.bool_)  # in one pass over all documents what is not meant is passed over
    slots[wanted & (_SLOTS - 1)] = True
    near = np.flatnonzero(slots[columns.saying & (_SLOTS - 1)] & index.standing.counted)
    near = near[np.isin(columns.saying[near], wanted)]
    if len(near) <= len(wanted):
        return []
    grouped: dict[tuple[int, ...], list[int]] = defaultdict(list)
    parts = (columns.saying, columns.kind, columns.note, columns.status)
    for row, *key in zip(near.tolist(), *(part[near].tolist() for part in parts), strict=True):
        grouped[tuple(key)].append(row)
    return [group for group in grouped.values() if len(group) > 1]


def _parted(graph: Graph, index: Shown, rows: list[int]) -> list[tuple[Repeated, list[int]]]:
    """Return those that say the same apart by how they ended, with their rows."""
    columns = index.documents.columns
    numbers = dict(zip(rows, columns.number[rows].tolist(), strict=True))
    at = dict(zip(rows, columns.at[rows].tolist(), strict=True))
    trust = dict(zip(rows, columns.trust[rows].tolist(), strict=True))
    ended: dict[tuple[bool, bool], list[int]] = defaultdict(list)
    for row in rows[-_READ_MAX:]:
        node = graph.expect(numbers[row])
        ended[node.good > 0, node.bad > 0].append(row)
    open_ended = [*rows[:-_READ_MAX], *ended.pop(_UNJUDGED, [])]
    parts = [(list(judged), list(judged)) for judged in ended.values()]
    if parts:
        latest = max(parts, key=lambda part: max((at[row], row) for row in part[0]))
        most = max(trust[row] for row in latest[0])
        latest[1].extend(row for row in open_ended if trust[row] <= most)
        open_ended = [row for row in open_ended if trust[row] > most]
    if open_ended:
        parts.append((open_ended, open_ended))
    found: list[tuple[Repeated, list[int]]] = []
    for may_stand, group in parts:
        stands = max(may_stand, key=lambda row: (trust[row], at[row], row))
        since = min(at[row] for row in group if trust[row] >= trust[stands])
        found.append((Repeated(stands, frozenset(numbers[row] for row in group), since), group))
    return found
