"""What is counted: the documents that are shown, what each of them stands for, and their places in their sessions.

An outcome stands for what it judged: whoever asks about an outage wants to know what led to it, and an event shows its
outcomes anyway. Its words are words of that. Only when that is not shown does the outcome stand for itself.
"""

from typing import Final

import numpy as np
import numpy.typing as npt
from yggdrasil_schemas.graph import NodeKind

from .documents import NOBODY, Documents

SEGMENT: Final = 64
"""So many documents of a session count as one place in it; what is said later is said elsewhere."""
_EVENT: Final = int(NodeKind.EVENT)
_OUTCOME: Final = int(NodeKind.OUTCOME)

Rows = npt.NDArray[np.int32]
Values = npt.NDArray[np.float64]


class Standing:
    """The documents as they stand. It is made anew when any of them has changed, in some milliseconds.

    ``for_row`` says for which row each row stands, ``NOBODY`` for what is not shown; ``counted`` are the rows that
    stand for themselves, and ``documents`` is their number. ``before`` and ``after`` are an event's neighbours in its
    session. ``segment`` numbers the segments of all sessions, and ``words`` counts what is said in each.
    """

    def __init__(self, documents: Documents) -> None:
        columns = documents.columns
        shown = columns.alive & ~columns.archived
        rows = np.arange(len(documents), dtype=np.int32)
        self.for_row = np.where(shown, rows, np.int32(NOBODY))
        outcomes = rows[shown & (columns.kind == _OUTCOME)]
        if len(outcomes):
            judged = columns.judged[outcomes]
            at = np.minimum(np.searchsorted(columns.number, judged), len(documents) - 1)
            known = (columns.number[at] == judged) & shown[at]
            self.for_row[outcomes[known]] = at[known]
        self.counted: npt.NDArray[np.bool_] = self.for_row == rows
        self.documents = int(np.count_nonzero(self.counted))
        self._place(columns.session, columns.kind, columns.words)
        self.asks = columns.asks
        self._at = columns.at
        self._dates: npt.NDArray[np.int64] | None = None

    @property
    def nbytes(self) -> int:
        """About how many bytes it takes."""
        dates = 0 if self._dates is None else self._dates.nbytes
        arrays = self.for_row, self.counted, self.before, self.after, self.segment, self.words
        return sum(array.nbytes for array in arrays) + dates

    @property
    def dates(self) -> npt.NDArray[np.int64]:
        """Year, month and day of each document's time, taken as UTC; shape (3, rows)."""
        if self._dates is None:
            days = self._at.astype("datetime64[ms]").astype("datetime64[D]")
            months = days.astype("datetime64[M]")
            month = months.astype(np.int64)
            day = (days - months.astype("datetime64[D]")).astype(np.int64) + 1
            self._dates = np.stack((month // 12 + 1970, month % 12 + 1, day))
        return self._dates

    def rows(self, of: npt.NDArray[np.int32]) -> Rows:
        """Return the rows that ``of``, which ascend, stand for: ascending, each once."""
        found = self.for_row[of]
        found = found[found != NOBODY]
        return found if (found[1:] > found[:-1]).all() else self._each_once(found)

    def _each_once(self, rows: Rows) -> Rows:
        marked = np.zeros(len(self.for_row), np.bool_)  # ten times as quick as to sort them
        marked[rows] = True
        return np.flatnonzero(marked).astype(np.int32)

    def _place(self, session: npt.NDArray[np.int32], kind: npt.NDArray[np.uint8], words: npt.NDArray[np.int32]) -> None:
        counted = np.flatnonzero(self.counted).astype(np.int32)
        order = counted[np.argsort(session[counted], kind="stable")]
        sessions = session[order]
        opens = np.ones(len(order), np.bool_)
        opens[1:] = sessions[1:] != sessions[:-1]
        first = np.maximum.accumulate(np.where(opens, np.arange(len(order)), 0)) if len(order) else order
        number = np.cumsum((np.arange(len(order)) - first) % SEGMENT == 0) - 1
        self.segment = np.full(len(session), NOBODY, np.int32)
        self.segment[order] = number
        said = self.for_row >= 0
        lengths = np.bincount(self.segment[self.for_row[said]], words[said])  # of whole numbers: exact
        self.words: npt.NDArray[np.float64] = lengths.astype(np.float64)

        events = order[kind[order] == _EVENT]
        sessions = session[events]
        follow = sessions[1:] == sessions[:-1]
        self.before = np.full(len(session), NOBODY, np.int32)
        self.after = self.before.copy()
        self.before[events[1:][follow]] = events[:-1][follow]
        self.after[events[:-1][follow]] = events[1:][follow]
