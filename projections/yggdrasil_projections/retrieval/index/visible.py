"""What is counted: the documents that are shown, what each of them stands for, and their places in their sessions.

What is archived is shown to a deep ask alone, what no longer stands, and open questions, to one that wants them, and
nothing but what a filter admits: to any other ask it is not there, so that it sways no count either.

An outcome stands for what it judged: whoever asks about an outage wants to know what led to it, and an event shows its
outcomes anyway. Its words are words of that. Only when that is not shown does the outcome stand for itself. So a filter
asks of an outcome who said it and when, and of what it judged the rest.
"""

from collections import OrderedDict
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from yggdrasil_schemas.graph.records import NodeKind

from ..asks import Where
from ..lens import admitted, answering
from ..text.tokenizers import Tokenizer
from .admission import Admission
from .columns.documents import NOBODY, Columns, Documents
from .columns.growing import Growing
from .columns.having import Having, having, state_of
from .columns.pieces import Pieces
from .columns.postings import Postings
from .columns.vectors import Alikeness, Matrix, ModelKey, SampleKey, Vectors
from .held import Held
from .names import Names
from .neighbours import Line, Neighbours, Places

SEGMENT: Final = 64
"""So many documents of a session count as one place in it; what is said later is said elsewhere."""
_ADDED_MAX: Final = 512  # documents; with more, a standing is as quickly made anew
_FILTERED_MAX: Final = 6  # standings that are kept for filters and tiers: of 50,000 documents each takes 1 MB
_EVENT: Final = int(NodeKind.EVENT)
_OUTCOME: Final = int(NodeKind.OUTCOME)

Rows = npt.NDArray[np.int32]
Values = npt.NDArray[np.float64]


class Dialogue(NamedTuple):
    """The rows that ask something and have one after them, these, and all that state nothing: they ask, or are not
    counted.
    """

    asking: Places
    replies: Places
    silent: Places


class Segments(NamedTuple):
    """The segment of each row, and how many words are said in each segment."""

    of: Rows
    words: Values


class VisibleDocuments:
    """The documents as they stand. What is appended it takes in; when another has changed it is made anew.

    ``for_row`` says for which row each row stands, ``NOBODY`` for what is not shown; ``counted`` are the rows that
    stand for themselves, and ``documents`` is their number. ``before`` and ``after`` are an event's neighbours in its
    session, and ``line`` has them all. ``said`` counts the words of what each row stands for, and ``said_in_all`` those
    of all. ``filtered`` says whether a filter hides something.
    """

    def __init__(self, documents: Documents, *, deep: bool = False, admission: Admission | None = None) -> None:
        """Let what lives be shown, only with ``deep`` what is archived, and with ``admission`` what that admits."""
        self._deep = deep
        self.filtered = admission is not None and admission.where.hides
        self._for_row, self._counted = Growing(np.empty(0, np.int32)), Growing(np.empty(0, np.bool_))
        self._said = Growing(np.empty(0, np.float64))  # of whole numbers: exact
        self.documents = self.said_in_all = 0
        columns = documents.columns
        self._take_in(columns, admission)
        events = self._sorted()
        events = events[columns.kind.take(events) == _EVENT]
        self._neighbours = Neighbours(self.counted, events, columns.session.take(events))
        self.alike: dict[ModelKey, Alikeness | None] = {}  # what a sample of the documents shows (``sample``)
        self.samples: dict[SampleKey, Alikeness] = {}
        self.coherence: float | None = None
        self._having: Having | None = None
        self._dialogue: Dialogue | None = None
        self._segments: Segments | None = None

    @property
    def nbytes(self) -> int:
        """About how many bytes it takes."""
        arrays = self._for_row, self._counted, self._said
        having = self._having.nbytes if self._having else 0
        segments = sum(int(array.nbytes) for array in self._segments) if self._segments else 0
        having += sum(int(array.nbytes) for array in self._dialogue) if self._dialogue else 0
        return self._neighbours.nbytes + having + segments + sum(array.nbytes for array in arrays)

    @property
    def line(self) -> Line:
        """All neighbours in time."""
        return self._neighbours.line

    @property
    def before(self) -> Rows:
        """The event before each in its session."""
        return self._neighbours.before

    @property
    def after(self) -> Rows:
        """The event after each in its session."""
        return self._neighbours.after

    @property
    def segment(self) -> Rows:
        """The segment of each row, ``NOBODY`` for one that is not counted."""
        return self._segmented().of

    @property
    def words(self) -> Values:
        """How many words are said in each segment."""
        return self._segmented().words

    @property
    def dialogue(self) -> Dialogue:
        """Who asks, and who replies."""
        if self._dialogue is None:
            asking = np.flatnonzero(self.asks & (self.after != NOBODY))
            silent = np.flatnonzero(self.asks | ~self.counted)
            self._dialogue = Dialogue(asking, self.after[asking].astype(np.int64), silent)
        return self._dialogue

    def having(self, matrix: Matrix) -> Having:
        """Return which rows have a vector of a model. That of the last one is kept: a memory mostly has one."""
        if self._having is None or self._having.of != state_of(matrix):
            self._having = having(matrix, self.for_row, self._having)
        return self._having

    def rows(self, of: Rows) -> Places:
        """Return the rows that ``of``, which ascend, stand for: ascending, each once."""
        rows = of.astype(np.int64)
        found = self.for_row.take(rows)
        if (found == of).all():  # as mostly: to pick some of an array takes much longer
            return rows
        found = found[found != NOBODY]
        return found.astype(np.int64) if (found[1:] > found[:-1]).all() else self._each_once(found)

    def few(self, of: Rows, most: int) -> list[int] | None:
        """Return the rows that ``of``, which ascend, stand for; None when they are more than ``most``."""
        if len(of) > most and len(self.rows(of[: 2 * most])) > most:  # the first of them mostly tell
            return None
        rows = self.rows(of)
        return None if len(rows) > most else rows.tolist()

    def tallied(self, of: Rows, times: npt.NDArray[np.int32]) -> tuple[Places, npt.NDArray[np.int32]]:
        """Return the rows that ``of``, which ascend, stand for, ascending, each once, and the sum of its ``times``."""
        rows = of.astype(np.int64)
        found = self.for_row.take(rows)
        if (found == of).all():
            return rows, times
        stand = found != NOBODY
        found, times = found[stand].astype(np.int64), times[stand]
        if (found[1:] > found[:-1]).all():
            return found, times
        rows, places = np.unique(found, return_inverse=True)
        sums = np.zeros(len(rows), np.int32)
        np.add.at(sums, places, times)
        return rows, sums

    def _each_once(self, rows: Rows) -> Places:
        marked = np.zeros(len(self.for_row), np.bool_)  # ten times as quick as to sort them
        marked[rows] = True
        return np.flatnonzero(marked)

    def grow(self, documents: Documents) -> bool:
        """Take in what was appended, where nothing else has changed; return False if it is to be made anew.

        It has no filter. After that it is of no use, and may have taken in a part.
        """
        count = len(documents) - len(self.for_row)
        if count > _ADDED_MAX:
            return False
        columns = documents.columns
        counted = self._take_in(columns)
        self.alike, self.coherence, self._dialogue, self._segments = {}, None, None, None
        happened = columns.kind[counted] == _EVENT
        events = counted[happened]
        return self._neighbours.grow(count, counted[~happened], events, columns.session[events])

    def _take_in(self, columns: Columns, admission: Admission | None = None) -> Places:
        """Let the documents that are new in ``columns`` stand, and count them; return those that are counted."""
        begin, where = len(self._for_row), admission.where if admission is not None else None
        new = columns.taken(slice(begin, None))
        standing = _standing(where, new)
        shown = new.alive if self._deep else new.alive & ~new.archived
        if admission is not None:
            standing = admission.held_then(standing)
            shown = shown & admission.said()
        shown = shown & standing
        rows = np.arange(begin, len(columns.number), dtype=np.int32)
        self._for_row.extend(np.where(shown, rows, np.int32(NOBODY)))
        stands = self.for_row = self._for_row.values
        outcomes = rows[shown & (new.kind == _OUTCOME)]
        judged = columns.judged[outcomes]
        at = np.minimum(np.searchsorted(columns.number, judged), max(0, len(stands) - 1))
        known = columns.number[at] == judged
        stood = _standing(where, columns.taken(at)) if begin else standing[at]
        stands[outcomes[known & columns.alive[at] & ~stood]] = NOBODY  # what it judged stands no more, or is open
        known &= stands[at] != NOBODY
        outcomes, at = outcomes[known], at[known]
        if admission is not None:
            belongs = admission.belongs(outcomes, at)
            stands[~belongs] = NOBODY
            outcomes, at = outcomes[belongs[at]], at[belongs[at]]
        stands[outcomes] = at
        own = stands[begin:] == rows
        self._counted.extend(own)
        self._said.extend(new.words * own)
        self.counted, self.said = self._counted.values, self._said.values
        np.add.at(self.said, at, columns.words[outcomes])
        self.said_in_all += int(new.words[own].sum()) + int(columns.words[outcomes].sum())
        self.documents += int(np.count_nonzero(own))
        self._columns, self.asks = columns, columns.asks
        return np.flatnonzero(own) + begin

    def _sorted(self) -> Places:
        """Return what is counted by session, and in each by time."""
        counted = np.flatnonzero(self.counted)
        of = self._columns.session.take(counted)
        return counted if (of[1:] >= of[:-1]).all() else counted.take(np.argsort(of, kind="stable"))

    def _segmented(self) -> Segments:
        """Return the segments, made when they are asked for, which ``hybrid/1`` alone does."""
        if self._segments is None:
            order, words = self._sorted(), self._columns.words
            sessions = self._columns.session[order]
            places = np.arange(len(order), dtype=np.int32)
            opens = np.ones(len(order), np.bool_)
            opens[1:] = sessions[1:] != sessions[:-1]
            begins = (places - np.maximum.accumulate(np.where(opens, places, np.int32(0)))) % SEGMENT == 0
            segment = np.full(len(self.counted), NOBODY, np.int32)
            segment[order] = np.cumsum(begins, dtype=np.int32) - 1
            lengths = np.zeros(np.count_nonzero(begins), np.float64)  # of whole numbers: exact
            np.add.at(lengths, segment[self.for_row[self.for_row != NOBODY]], words[self.for_row != NOBODY])
            self._segments = Segments(segment, lengths)
        return self._segments


def _standing(where: Where | None, columns: Columns) -> npt.NDArray[np.bool_]:
    """Return which documents stand, as far as a filter needs to know nothing but these columns."""
    return admitted(where, columns.status, columns.stale, columns.trust) & answering(where, columns.note)


class Standings:
    """The standings of an index by what an ask sees, made when they are asked for; few of those with a filter."""

    def __init__(self) -> None:
        self._made: OrderedDict[tuple[bool, Where | None], VisibleDocuments] = OrderedDict()
        self._of = self._marked = -1
        self._samples: dict[SampleKey, Alikeness] = {}  # of a kilobyte or two each

    @property
    def nbytes(self) -> int:
        """About how many bytes they take."""
        return sum(standing.nbytes for standing in self._made.values())

    def of(self, held: Held, *, deep: bool, where: Where | None) -> VisibleDocuments:
        """Return how the documents of ``held``, which is always the same, stand now."""
        documents = held.documents
        if self._of != documents.changes:
            appended = self._marked == documents.marked
            kept = self._made.items() if appended else ()
            self._made = OrderedDict((seen, one) for seen, one in kept if seen[1] is None and one.grow(documents))
            self._of, self._marked = documents.changes, documents.marked
        seen = deep, where
        if seen not in self._made:
            filtered = [kept for kept in self._made if kept[1] is not None]
            if where is not None and len(filtered) == _FILTERED_MAX:
                del self._made[filtered[0]]  # the one that was asked longest ago
            admission = None if where is None else Admission(held, where)
            made = self._made[seen] = VisibleDocuments(held.documents, deep=deep, admission=admission)
            made.samples = self._samples
        self._made.move_to_end(seen)
        return self._made[seen]


class Shown(NamedTuple):
    """An index as one ask sees it: ``standing`` says which of the documents are there at all.

    Names of things that somebody has joined who is trusted less than ``joined_by`` are none.
    """

    documents: Documents
    postings: Postings
    vectors: Vectors
    names: Names
    standing: VisibleDocuments
    tokenizer: Tokenizer
    pieces: Pieces
    joined_by: int = 0

    def shows(self, number: int) -> bool:
        """Whether a node is there as a document of its own, or in what stands for it."""
        row = self.documents.row(number)
        return row is not None and bool(self.standing.for_row[row] != NOBODY)
