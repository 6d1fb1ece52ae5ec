"""Which documents have which terms, how often, and in which field: an inverted index, and the forward one beside it.

A document is a row; rows are only ever appended. Nothing in here knows which rows are still alive: what a score depends
on is counted over those that are, when it is asked. So a term's statistics never have to be kept up to date.
"""

from collections import OrderedDict
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from .growing import Growing

FIELDS: Final = 3
"""What is counted apart: a document's text, the words of its features, and the features themselves."""
_TIMES_MAX: Final = 255  # a term that occurs so often says nothing more by occurring again
_BULK_MIN: Final = 32_768  # postings that come at once; a document has some 20
_RECENT_MAX: Final = 4_096  # postings that a search goes through: in 4 us for each of its terms
_JOINED_MIN: Final = 256  # documents that have a term; fewer are quickly put together
_JOINED_MAX: Final = 32  # terms of which all is kept together

_ENTRY: Final = np.dtype([("row", np.int32), ("times", np.uint8, FIELDS), ("unused", np.uint8)])

Rows = npt.NDArray[np.int32]
Times = npt.NDArray[np.uint8]
Occurrences = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]
"""Which document says which term: two arrays of one length, a pair for each time that it does."""


class Posting(NamedTuple):
    """The documents that have a term: ``rows`` ascending, and ``times``, shape (rows, FIELDS)."""

    rows: Rows
    times: Times


class Forward(NamedTuple):
    """What some documents say: how many different terms each of them has, these, and how often in which field."""

    lengths: npt.NDArray[np.int64]
    terms: npt.NDArray[np.int32]
    times: Times


class Joined(NamedTuple):
    """What there was of a term in all three places ``up_to`` some place in the forward index, put together."""

    up_to: int
    rows: Growing[np.int32]
    times: Growing[np.uint8]


class Arrays(NamedTuple):
    """All that postings consist of, as arrays: what an image keeps beside the lexicon."""

    starts: npt.NDArray[np.int64]  # of each row in ``terms`` and ``times``, and the end
    terms: npt.NDArray[np.int32]  # of all rows, ascending within a row
    times: Times
    heads: npt.NDArray[np.int64]  # of each term in ``rows`` and ``counts``, and the end
    rows: Rows  # of all terms, ascending within a term
    counts: Times


class Postings:
    """The postings of one memory.

    They are in three places, so that nothing that is appended moves what is there: what came in bulk, as arrays; what
    came later, a string of entries for each term; and what came last, in the forward index alone. Of terms that were
    asked for lately, and that many documents have, all is kept together as well.
    """

    def __init__(self, lexicon: Sequence[str] = (), arrays: Arrays | None = None) -> None:
        """Begin with nothing, or with what ``arrays`` says of the terms in ``lexicon``."""
        kept = arrays or Arrays(*_nothing(), *_nothing())
        self.lexicon: list[str] = list(lexicon)
        self.number: dict[str, int] = {term: at for at, term in enumerate(self.lexicon)}
        self._starts = Growing(kept.starts)
        self._terms = Growing(kept.terms)
        self._times = Growing(kept.times)
        self._heads, self._rows, self._counts = kept.heads, kept.rows, kept.counts
        self._merged = self._sorted = len(self._terms)  # up to where the terms are in the arrays, and in the strings
        self._later: dict[int, bytearray] = {}
        self._joined: OrderedDict[int, Joined] = OrderedDict()

    def __len__(self) -> int:
        """How many rows there are."""
        return len(self._starts) - 1

    @property
    def nbytes(self) -> int:
        """About how many bytes it takes."""
        arrays = sum(each.nbytes for each in (self._starts, self._terms, self._times))
        arrays += self._heads.nbytes + self._rows.nbytes + self._counts.nbytes
        later = 9 * (self._sorted - self._merged) + 130 * len(self._later)
        joined = sum(each.rows.nbytes + each.times.nbytes for each in self._joined.values())
        return arrays + 160 * len(self.lexicon) + later + joined  # of each term its text and its entry

    def term(self, text: str) -> int:
        """Return the number of a term, a new one when it has none."""
        number = self.number.get(text)
        if number is None:
            number = self.number[text] = len(self.lexicon)
            self.lexicon.append(text)
        return number

    def extend(self, rows: int, said: Sequence[Occurrences]) -> None:
        """Append ``rows`` rows. ``said`` holds for each field which of the new rows have which term, once a time."""
        keys, times = np.unique(
            np.concatenate([(of << 34) | (terms << 2) | field for field, (of, terms) in enumerate(said)]),
            return_counts=True,
        )
        pairs, first = np.unique(keys >> 2, return_index=True)
        table = np.zeros((len(pairs), FIELDS), np.uint8)
        entry = np.searchsorted(first, np.arange(len(keys)), side="right") - 1
        table[entry, keys & 3] = np.minimum(times, _TIMES_MAX)
        lengths, terms = np.bincount(pairs >> 32, minlength=rows), pairs & 0xFFFFFFFF
        self._append(Forward(lengths, terms.astype(np.int32), table))

    def append(self, forward: Forward) -> None:
        """Append rows that say what ``forward`` says, with each document's terms in any order."""
        of = np.repeat(np.arange(len(forward.lengths)), forward.lengths)
        order = np.lexsort((forward.terms, of))
        self._append(Forward(forward.lengths, forward.terms[order], forward.times[order]))

    def _append(self, forward: Forward) -> None:
        self._starts.extend(len(self._terms) + np.cumsum(forward.lengths))
        self._terms.extend(forward.terms)
        self._times.extend(forward.times)
        if len(forward.terms) > max(_BULK_MIN, self._merged // 8):
            self._merge()
        elif len(self._terms) - self._sorted > _RECENT_MAX:
            self._sort()

    def posting(self, term: int) -> Posting:
        """Return the documents that have a term, dead ones too."""
        joined = self._joined.get(term)
        if joined is not None:
            self._joined.move_to_end(term)
            return self._extended(term, joined)
        rows, times = self._rows[:0], self._counts[:0]
        if term + 1 < len(self._heads):
            begin, end = self._heads[term], self._heads[term + 1]
            rows, times = self._rows[begin:end], self._counts[begin:end]
        later = self._later.get(term)
        if later is not None:
            entries = np.frombuffer(later, _ENTRY)  # copied below: a string that is looked at cannot grow
            rows, times = np.concatenate((rows, entries["row"])), np.concatenate((times, entries["times"]))
        last = self._last(term, self._sorted)
        if len(last):
            rows, times = np.concatenate((rows, self._of(last))), np.concatenate((times, self._times.values[last]))
        if len(rows) >= _JOINED_MIN and rows.base is None:
            self._joined[term] = Joined(len(self._terms), Growing(rows), Growing(times))
            if len(self._joined) > _JOINED_MAX:
                self._joined.popitem(last=False)
        return Posting(rows, times)

    def _extended(self, term: int, joined: Joined) -> Posting:
        """Return what is kept together, with what came since."""
        if joined.up_to < len(self._terms):
            last = self._last(term, joined.up_to)
            joined.rows.extend(self._of(last))
            joined.times.extend(self._times.values[last])
            self._joined[term] = joined._replace(up_to=len(self._terms))
        return Posting(joined.rows.values, joined.times.values)

    def _last(self, term: int, begin: int) -> npt.NDArray[np.int64]:
        """Return the places of a term in the forward index from ``begin`` on."""
        found = np.flatnonzero(self._terms.values[begin:] == term)
        return found + begin if len(found) else found

    def rows_of(self, terms: Sequence[int]) -> Rows:
        """Return the documents that have any of some terms, dead ones too, ascending, each once."""
        found = [self.posting(term).rows for term in terms]
        if not found:  # as of a name of a thing that nothing was ever said of
            return np.empty(0, np.int32)
        return found[0] if len(found) == 1 else np.unique(np.concatenate(found))

    def rows_of_all(self, terms: Sequence[int]) -> Rows:
        """Return the documents that have all of some terms, at least one, dead ones too, ascending, each once."""
        first, *others = sorted((self.posting(term).rows for term in terms), key=len)
        for each in others:
            first = first[np.isin(first, each)]
        return first

    def terms_of(self, row: int) -> tuple[npt.NDArray[np.int32], Times]:
        """Return the terms of a document, ascending by number, and how often each occurs in each field."""
        begin, end = self._starts.values[row], self._starts.values[row + 1]
        return self._terms.values[begin:end], self._times.values[begin:end]

    def forward(self, rows: npt.NDArray[np.int64]) -> Forward:
        """Return what some documents say."""
        begin = self._starts.values[rows]
        lengths = self._starts.values[rows + 1] - begin
        places: npt.NDArray[np.int64] = np.arange(int(lengths.sum())) + np.repeat(begin - _started(lengths), lengths)
        return Forward(lengths, self._terms.values[places], self._times.values[places])

    def arrays(self) -> Arrays:
        """Return all arrays, merged."""
        self._merge()
        forward = self._starts.values, self._terms.values, self._times.values
        return Arrays(*forward, self._heads, self._rows, self._counts)

    def _of(self, places: npt.NDArray[np.int64]) -> Rows:
        """Return whose the places in the forward index are."""
        return (np.searchsorted(self._starts.values, places, side="right") - 1).astype(np.int32)

    def _sort(self) -> None:
        """Append what came last to the strings of its terms."""
        begin = self._sorted
        terms = self._terms.values[begin:]
        order = np.argsort(terms, kind="stable")
        entries = np.zeros(len(order), _ENTRY)
        entries["row"] = self._of(begin + order)
        entries["times"] = self._times.values[begin:][order]
        data, each = entries.tobytes(), terms[order]
        ends = np.append(np.flatnonzero(each[1:] != each[:-1]) + 1, len(each))
        later, at = self._later, 0
        for number, end in zip(each[ends - 1].tolist(), (ends * _ENTRY.itemsize).tolist(), strict=True):
            held = later.get(number)
            if held is None:
                later[number] = bytearray(data[at:end])
            else:
                held += data[at:end]
            at = end
        self._sorted = begin + len(terms)

    def _merge(self) -> None:
        """Move all into the arrays."""
        begin = self._merged
        terms = self._terms.values[begin:].astype(np.int64)
        count = len(self.lexicon)
        if not len(terms) and len(self._heads) == count + 1:
            return
        order = np.argsort(terms, kind="stable")
        before = np.zeros(count, np.int64)
        before[: len(self._heads) - 1] = np.diff(self._heads)
        added = np.bincount(terms, minlength=count)
        heads = np.concatenate((np.zeros(1, np.int64), np.cumsum(before + added)))
        rows = np.empty(heads[-1], np.int32)
        counts = np.empty((heads[-1], FIELDS), np.uint8)
        old = np.arange(len(self._rows)) + np.repeat((heads[:-1] - _started(before)), before)
        rows[old], counts[old] = self._rows, self._counts
        new = np.arange(len(terms)) + np.repeat(heads[:-1] + before - _started(added), added)
        rows[new] = self._of(begin + order)
        counts[new] = self._times.values[begin:][order]
        self._heads, self._rows, self._counts = heads, rows, counts
        self._merged = self._sorted = len(self._terms)
        self._later = {}
        self._joined.clear()


def _started(lengths: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return where each of consecutive runs of these lengths starts."""
    return np.cumsum(lengths) - lengths


def _nothing() -> tuple[npt.NDArray[np.int64], Rows, Times]:
    return np.zeros(1, np.int64), np.empty(0, np.int32), np.empty((0, FIELDS), np.uint8)
