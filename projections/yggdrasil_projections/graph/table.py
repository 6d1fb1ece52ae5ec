"""The scalars of all nodes, or all edges, of a memory as arrays in key order: what the scans of pruning rank.

A table is a cache. It is made from the store by the first scan, and brought up to date by the next ones with only
those records that have changed since: to read 250,000 edges from the store takes 0.25 s, and a memory that is full is
scanned about every 1,500 commands.

**The invariant.** What a table shows, with what it knows to be stale and then with the changes of the working set that
are not flushed yet laid over it, is the memory as it is now. Three moments keep it, and nothing else touches a table:

1. a scan (``rows``) lays both over it, so that it shows the present; the changes of the working set are still to come,
2. a flush hands every change over, once, as it is written to the store (``Tables.written``): it becomes stale,
3. the working set forgets its changes (``Tables.flushed``). A table that was not told of them before would miss them,
   so it is dropped then, and the next scan makes it anew: whoever flushes in another way has slow scans, no wrong ones.
"""

from collections.abc import Collection, Iterable
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

_STALE_SHARE: Final = 2  # a table of which half has changed is as well read anew; so what is stale is bounded
_ROWS_PER_RECORD: Final = 4  # a row takes some 50 bytes, a cached record more than 200
_MOVED_TOGETHER: Final = 1_024  # parts; a copy of so many fits into a cache
_ROOM_SHARE: Final = 16  # a column that is full grows by such a part


class Written(NamedTuple):
    """What a flush writes of nodes, or of edges: keys and their rows, and the keys of what is gone, all encoded.

    Keys have the memory's prefix before them; it has ``prefix_bytes``.
    """

    keys: list[bytes]
    rows: list[bytes]
    gone: list[bytes]
    prefix_bytes: int


class Column:
    """Encoded parts of one width, which move within the memory that they have.

    To make an array of megabytes anew takes several times as long, for the pages that it has to be given: up to 25 ms.
    """

    __slots__ = ("_held", "_length")

    def __init__(self, parts: npt.NDArray[np.bytes_]) -> None:
        self._held = parts
        self._length = len(parts)

    @property
    def values(self) -> npt.NDArray[np.bytes_]:
        """The parts: a view that is out of date once any were removed or inserted."""
        return self._held[: self._length]

    def remove(self, places: npt.NDArray[np.int64]) -> None:
        """Remove the parts at ``places``, which ascend."""
        if not len(places):
            return
        first, held = int(places[0]), self._held
        stay = np.ones(self._length - first, np.bool_)
        stay[places - first] = False
        stays = np.flatnonzero(stay) + first
        for at in range(0, len(stays), _MOVED_TOGETHER):  # towards the beginning: what is overwritten has moved before
            moved = held[stays[at : at + _MOVED_TOGETHER]]
            held[first + at : first + at + len(moved)] = moved
        self._length -= len(places)

    def insert(self, places: npt.NDArray[np.int64], parts: npt.NDArray[np.bytes_]) -> None:
        """Insert ``parts``, each before what is at its place now; ``places`` ascend."""
        if not len(places):
            return
        first, length = int(places[0]), self._length + len(places)
        self._make_room(length)
        held, added = self._held, places + np.arange(len(places))
        old = np.ones(length - first, np.bool_)
        old[added - first] = False
        to = np.flatnonzero(old) + first
        for end in range(len(to), 0, -_MOVED_TOGETHER):  # towards the end: what is overwritten has moved before
            begin = max(0, end - _MOVED_TOGETHER)
            held[to[begin:end]] = held[first + begin : first + end].copy()
        held[added] = parts
        self._length = length

    def _make_room(self, length: int) -> None:
        if length > len(self._held):
            held = np.empty(length + length // _ROOM_SHARE, self._held.dtype)
            held[: self._length] = self.values
            self._held = held


class Table:
    """Encoded keys and rows, each of one width, sorted by key; ``keys`` and ``rows`` show them by their layouts."""

    __slots__ = ("_key_layout", "_keys", "_row_layout", "_rows", "_stale")

    def __init__(
        self, stored: Collection[tuple[bytes, bytes]], key_layout: np.dtype[Any], row_layout: np.dtype[Any]
    ) -> None:
        """Take the ``stored`` pairs, which are in key order."""
        self._key_layout = key_layout
        self._row_layout = row_layout
        self._keys = Column(_encoded([key for key, _ in stored], key_layout))
        self._rows = Column(_encoded([row for _, row in stored], row_layout))
        self._stale: dict[bytes, bytes | None] = {}  # stored since the last scan; None for what was removed

    @property
    def keys(self) -> npt.NDArray[Any]:
        """The keys, ascending: a view that the next ``refresh`` changes."""
        return self._keys.values.view(self._key_layout)

    @property
    def rows(self) -> npt.NDArray[np.void]:
        """The scalars of each key: a view that the next ``refresh`` changes."""
        return self._rows.values.view(self._row_layout)

    @property
    def records(self) -> int:
        """How many cached records the table counts for."""
        return len(self._rows.values) // _ROWS_PER_RECORD

    @property
    def outdated(self) -> bool:
        """Whether so much has changed that the table is best dropped."""
        return len(self._stale) * _STALE_SHARE > len(self._rows.values)

    def written(self, changes: Written) -> None:
        """Note what is written to the store, which the table does not show yet."""
        at = changes.prefix_bytes
        self._stale.update(zip((key[at:] for key in changes.keys), changes.rows, strict=True))
        self._stale.update(dict.fromkeys(key[at:] for key in changes.gone))

    def refresh(self, fresh: dict[bytes, bytes | None]) -> None:
        """Bring the table up to date with what is stale and then with ``fresh``, which is not stored yet."""
        changed = self._stale | fresh
        keys = _encoded(changed, self._key_layout)
        rows = _encoded(filter(None, changed.values()), self._row_layout)
        live = np.fromiter(map(bool, changed.values()), np.bool_, len(changed))
        row_of = np.cumsum(live) - 1  # of integers; only live keys have a row
        order = np.argsort(keys)  # unique: they are those of a dict
        keys, live, row_of = keys[order], live[order], row_of[order]
        held = self._keys.values
        at = np.searchsorted(held, keys)
        known = at < len(held)
        known[known] = held[at[known]] == keys[known]

        self._rows.values[at[known & live]] = rows[row_of[known & live]]
        gone, added = at[known & ~live], live & ~known
        places = at[added] - np.searchsorted(gone, at[added])  # after the removal of what is gone
        for column, new in ((self._keys, keys[added]), (self._rows, rows[row_of[added]])):
            column.remove(gone)
            column.insert(places, new)
        self._stale = {}


class Tables:
    """The tables of one memory: ``nodes`` and ``edges``, each None until it is scanned. The module says what holds."""

    __slots__ = ("_told", "edges", "nodes")

    def __init__(self) -> None:
        self.nodes: Table | None = None
        self.edges: Table | None = None
        self._told = False

    @property
    def records(self) -> int:
        """How many cached records the tables count for."""
        return (self.nodes.records if self.nodes else 0) + (self.edges.records if self.edges else 0)

    def written(self, nodes: Written, edges: Written) -> None:
        """Take over all changes of the working set, as they are written; ``flushed`` has to follow."""
        if self.nodes is not None:
            self.nodes.written(nodes)
        if self.edges is not None:
            self.edges.written(edges)
        self._told = True

    def flushed(self) -> None:
        """The working set forgets its changes: drop what was not told of them, and what is best read anew."""
        if not self._told or (self.nodes is not None and self.nodes.outdated):
            self.nodes = None
        if not self._told or (self.edges is not None and self.edges.outdated):
            self.edges = None
        self._told = False

    def drop(self) -> None:
        """Give their memory back."""
        self.nodes = self.edges = None


def _encoded(parts: Iterable[bytes], layout: np.dtype[Any]) -> npt.NDArray[np.bytes_]:
    """Return keys or rows as byte strings, which numpy compares as the store does, and moves as fast as it can.

    As fields it would move them one by one: 17 ms for 250,000 rows instead of 0.5.
    """
    whole: npt.NDArray[np.bytes_] = np.frombuffer(b"".join(parts), f"S{layout.itemsize}")
    return whole.copy()  # what is made of bytes cannot be written to
