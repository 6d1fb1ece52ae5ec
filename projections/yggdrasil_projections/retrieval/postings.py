"""Which documents have which terms, how often, and in which field: an inverted index, and the forward one beside it.

A document is a row; rows are only ever appended. Nothing in here knows which rows are still alive: what a score depends
on is counted over those that are, when it is asked. So a term's statistics never have to be kept up to date.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from .growing import Growing

FIELDS: Final = 3
"""What is counted apart: a document's text, the words of its features, and the features themselves."""
_TIMES_MAX: Final = 255  # a term that occurs so often says nothing more by occurring again
_TAIL_MIN: Final = 32_768  # postings; to merge them takes some milliseconds, and a document has some 20

Rows = npt.NDArray[np.int32]
Times = npt.NDArray[np.uint8]
Occurrences = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]
"""Which document says which term: two arrays of one length, a pair for each time that it does."""


class Posting(NamedTuple):
    """The documents that have a term: ``rows`` ascending, and ``times``, shape (rows, FIELDS)."""

    rows: Rows
    times: Times


class Arrays(NamedTuple):
    """All that postings consist of, as arrays: what an image keeps beside the lexicon."""

    starts: npt.NDArray[np.int64]  # of each row in ``terms`` and ``times``, and the end
    terms: npt.NDArray[np.int32]  # of all rows, ascending within a row
    times: Times
    heads: npt.NDArray[np.int64]  # of each term in ``rows`` and ``counts``, and the end
    rows: Rows  # of all terms, ascending within a term
    counts: Times


class Postings:
    """The postings of one memory."""

    def __init__(self, lexicon: Sequence[str] = (), arrays: Arrays | None = None) -> None:
        """Begin with nothing, or with what ``arrays`` says of the terms in ``lexicon``."""
        kept = arrays or Arrays(*_nothing(), *_nothing())
        self.lexicon: list[str] = list(lexicon)
        self.number: dict[str, int] = {term: at for at, term in enumerate(self.lexicon)}
        self._starts = Growing(kept.starts)
        self._terms = Growing(kept.terms)
        self._times = Growing(kept.times)
        self._heads, self._rows, self._counts = kept.heads, kept.rows, kept.counts
        self._merged = len(self._terms)
        self._tail: dict[int, list[int]] = {}  # of each term in what is not merged: places in the forward index

    def __len__(self) -> int:
        """How many rows there are."""
        return len(self._starts) - 1

    @property
    def nbytes(self) -> int:
        """About how many bytes it takes."""
        arrays = sum(each.nbytes for each in (self._starts, self._terms, self._times))
        arrays += self._heads.nbytes + self._rows.nbytes + self._counts.nbytes
        return arrays + 160 * len(self.lexicon) + 40 * (len(self._terms) - self._merged)  # texts, entries, integers

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
        begin, terms = len(self._terms), pairs & 0xFFFFFFFF
        self._starts.extend(begin + np.cumsum(np.bincount(pairs >> 32, minlength=rows)))
        self._terms.extend(terms)
        self._times.extend(table)
        if len(self._terms) - self._merged > max(_TAIL_MIN, self._merged // 8):
            self._merge()
            return
        for at, number in enumerate(terms.tolist(), begin):
            self._tail.setdefault(number, []).append(at)

    def posting(self, term: int) -> Posting:
        """Return the documents that have a term, dead ones too."""
        rows, counts = self._rows[:0], self._counts[:0]
        if term + 1 < len(self._heads):
            begin, end = self._heads[term], self._heads[term + 1]
            rows, counts = self._rows[begin:end], self._counts[begin:end]
        tail = self._tail.get(term)
        if tail is None:
            return Posting(rows, counts)
        places = np.array(tail, np.int64)
        later = (np.searchsorted(self._starts.values, places, side="right") - 1).astype(np.int32)
        return Posting(np.concatenate((rows, later)), np.concatenate((counts, self._times.values[places])))

    def rows_of(self, terms: Sequence[int]) -> Rows:
        """Return the documents that have any of some terms, dead ones too, ascending, each once."""
        found = [self.posting(term).rows for term in terms]
        return found[0] if len(found) == 1 else np.unique(np.concatenate(found))

    def terms_of(self, row: int) -> tuple[npt.NDArray[np.int32], Times]:
        """Return the terms of a document, ascending by number, and how often each occurs in each field."""
        begin, end = self._starts.values[row], self._starts.values[row + 1]
        return self._terms.values[begin:end], self._times.values[begin:end]

    def arrays(self) -> Arrays:
        """Return all arrays, merged."""
        self._merge()
        forward = self._starts.values, self._terms.values, self._times.values
        return Arrays(*forward, self._heads, self._rows, self._counts)

    def kept(self, rows: npt.NDArray[np.bool_]) -> "Postings":
        """Return the postings of the marked ``rows`` alone; they and the terms that they have are numbered anew."""
        lengths = np.diff(self._starts.values)
        places = np.repeat(rows, lengths)
        terms = self._terms.values[places]
        used = np.unique(terms)
        starts = np.concatenate((np.zeros(1, np.int64), np.cumsum(lengths[rows])))
        forward = starts, np.searchsorted(used, terms).astype(np.int32), self._times.values[places]
        numbers: list[int] = used.tolist()
        anew = Postings([self.lexicon[number] for number in numbers], Arrays(*forward, *_nothing()))
        anew._merged = 0
        anew._merge()
        return anew

    def _merge(self) -> None:
        """Move what is not merged into the inverted index."""
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
        rows[new] = np.searchsorted(self._starts.values, begin + order, side="right") - 1
        counts[new] = self._times.values[begin:][order]
        self._heads, self._rows, self._counts = heads, rows, counts
        self._merged = len(self._terms)
        self._tail.clear()


def _started(lengths: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return where each of consecutive runs of these lengths starts."""
    return np.cumsum(lengths) - lengths


def _nothing() -> tuple[npt.NDArray[np.int64], Rows, Times]:
    return np.zeros(1, np.int64), np.empty(0, np.int32), np.empty((0, FIELDS), np.uint8)
