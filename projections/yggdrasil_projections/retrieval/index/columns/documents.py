"""The documents of one memory: what is searched, in order of their nodes' numbers, and which of them still live.

A document is a row. Rows are only ever appended; what is forgotten or archived is marked.
"""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from yggdrasil_schemas.graph.records import Node, NodeFlag

from .growing import Growing

NOBODY: Final = -1
_ARCHIVED: Final = int(NodeFlag.ARCHIVED)
_STALE: Final = int(NodeFlag.STALE)


Array = npt.NDArray[Any]


class Columns(NamedTuple):
    """What is known of each document, as arrays of one length.

    ``number`` is its node's, ``judged`` that of what an outcome is about (0 for others), ``at`` the producer's time,
    ``session`` and ``speaker`` (a source and an origin) numbers of this index, ``words`` how many there are in what it
    says, ``chars`` how long its text is, and ``asks`` whether that ends with a question. ``note`` is the number of what
    sort of note it is (``lens.NOTES``, of claims ``lens.CLASSES``), 0 of none, ``saying`` a hash of what its text says
    (``wording``), 0 without one. The rest may change, with its node: whether it is ``alive``, ``archived``, ``stale``,
    its ``status``, and its ``trust``, which rises when somebody who is trusted more confirms it.
    """

    number: Array
    kind: Array
    session: Array
    speaker: Array
    at: Array
    judged: Array
    words: Array
    chars: Array
    asks: Array
    note: Array
    saying: Array
    trust: Array
    alive: Array
    archived: Array
    status: Array
    stale: Array

    def taken(self, places: Array | slice) -> "Columns":
        """Return these at some places."""
        return Columns(*(column[places] for column in self))

    def having(self, rows: npt.NDArray[np.void]) -> "Columns":
        """Return these with what has become of their nodes by now, of ``rows`` (NODE_ROWS)."""
        return self._replace(**Marks.of(rows)._asdict())


class Marks(NamedTuple):
    """What may change of documents, as arrays of one length."""

    alive: Array
    archived: Array
    status: Array
    stale: Array
    trust: Array

    @classmethod
    def of(cls, rows: npt.NDArray[np.void]) -> "Marks":
        """Return those of live nodes, of which ``rows`` are the scalars (layout NODE_ROWS)."""
        flags = rows["flags"]
        alive = np.ones(len(rows), np.bool_)
        archived, stale = (flags & _ARCHIVED) != 0, (flags & _STALE) != 0
        return cls(alive, archived, rows["status"].astype(np.uint8), stale, rows["trust"].astype(np.uint8))

    def at(self, places: Array) -> "Marks":
        """Return those at some places."""
        return Marks(*(column[places] for column in self))


_TYPES: Final = {
    "number": np.int64, "kind": np.uint8, "session": np.int32, "speaker": np.int32, "at": np.int64,
    "judged": np.int64, "words": np.int32, "chars": np.int32, "asks": np.bool_, "note": np.uint8, "saying": np.int64,
    "trust": np.uint8, "alive": np.bool_, "archived": np.bool_, "status": np.uint8, "stale": np.bool_,
}  # fmt: skip


def mark_of(node: Node | None) -> tuple[bool, bool, int, bool, int]:
    """Return what ``Marks`` has of a node; None for one that was forgotten."""
    if node is None:
        return False, False, 0, False, 0
    return True, node.flags & _ARCHIVED > 0, node.status, node.flags & _STALE > 0, node.trust


class Documents:
    """The rows of one memory. ``changes`` counts up whenever a row is appended or marked otherwise.

    ``marked`` counts the latter alone.
    """

    def __init__(self, columns: Columns | None = None) -> None:
        """Begin with nothing, or with ``columns``."""
        kept: Sequence[Array] = columns or [np.empty(0, of) for of in _TYPES.values()]
        self._columns: list[Growing[Any]] = [Growing(np.asarray(column)) for column in kept]
        self._views: Columns | None = None
        self._dates = Growing(np.empty((0, 3), np.int32))
        self.changes = self.marked = 0

    def __len__(self) -> int:
        return len(self._columns[0])

    @property
    def columns(self) -> Columns:
        """All columns, as views that are out of date once rows were appended."""
        if self._views is None:
            self._views = Columns(*(column.values for column in self._columns))
        return self._views

    @property
    def nbytes(self) -> int:
        """About how many bytes they take."""
        return sum(column.nbytes for column in self._columns) + self._dates.nbytes

    @property
    def dates(self) -> npt.NDArray[np.int32]:
        """Year, month and day of each document's time, taken as UTC; shape (3, rows). What is asked for is kept."""
        at = self.columns.at[len(self._dates) :]
        if len(at):
            days = at.astype("datetime64[ms]").astype("datetime64[D]")
            months = days.astype("datetime64[M]")
            month = months.astype(np.int64)
            day = (days - months.astype("datetime64[D]")).astype(np.int64) + 1
            self._dates.extend(np.stack((month // 12 + 1970, month % 12 + 1, day), axis=1))
        return self._dates.values.T

    @property
    def dead(self) -> int:
        """How many documents have been forgotten."""
        return len(self) - int(np.count_nonzero(self.columns.alive))

    def row(self, number: int) -> int | None:
        """Return the document of a node, dead or alive; None when it has none."""
        numbers = self.columns.number
        at = int(np.searchsorted(numbers, number))
        return at if at < len(numbers) and numbers[at] == number else None

    def rows(self, numbers: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return the document of each node, ``NOBODY`` for one that has none."""
        known = self.columns.number
        at = np.searchsorted(known, numbers)
        found = at < len(known)
        found[found] = known[at[found]] == numbers[found]
        return np.where(found, at, NOBODY)

    def extend(self, columns: Columns) -> None:
        """Append documents, whose numbers are greater than all before."""
        for held, column in zip(self._columns, columns, strict=True):
            held.extend(column)
        self._views = None
        self.changes += 1

    def mark(self, rows: npt.NDArray[np.int64], marks: Marks) -> None:
        """Note what has become of some documents."""
        held = self._marks()
        if any((ours[rows] != theirs).any() for ours, theirs in zip(held, marks, strict=True)):
            for ours, theirs in zip(held, marks, strict=True):
                ours[rows] = theirs
            self.changes += 1
            self.marked += 1

    def mark_all(self, marks: Marks) -> None:
        """Note what has become of all documents."""
        for ours, theirs in zip(self._marks(), marks, strict=True):
            ours[:] = theirs
        self.changes += 1
        self.marked += 1

    def _marks(self) -> Marks:
        columns = self.columns
        return Marks(columns.alive, columns.archived, columns.status, columns.stale, columns.trust)
