"""An index without its dead documents, made beside the one in use, a few rows at a time."""

from collections.abc import Hashable
from itertools import islice
from typing import Final, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from .columns.documents import Columns
from .columns.links import UNKNOWN
from .held import Held

_UNKNOWN: Final = -1
_NameT = TypeVar("_NameT", bound=Hashable)


class Renewal:
    """Moves what lives of ``old`` into ``held``, in order; sessions, speakers and terms are numbered anew.

    Meanwhile ``old`` is asked, and grows; what becomes of its documents is told to both.
    """

    def __init__(self, old: Held) -> None:
        self.held = Held(feature_names=old.feature_names, tokenizer=old.tokenizer)  # names do without documents
        self.held.moments, self.held.things = old.moments, old.things
        self._old = old
        self._row = 0
        self._session = _Renumbering(old.sessions, self.held.sessions)
        self._speaker = _Renumbering(old.speakers, self.held.speakers)
        self._words = _Renumbering(old.links.words, self.held.links.words)
        self._link_at = 0
        self._terms: npt.NDArray[np.int32] = np.empty(0, np.int32)  # what is the number of each term now

    def step(self, rows: int) -> bool:
        """Look at the next ``rows`` rows; return whether these were the last."""
        old, held = self._old, self.held
        columns = old.documents.columns
        begin, end = self._row, min(len(old.documents), self._row + rows)
        alive = np.flatnonzero(columns.alive[begin:end]) + begin
        self._row = end
        if len(alive):
            moved = len(held.documents)
            taken = Columns(*(column[alive] for column in columns))
            session, speaker = self._session.of(taken.session), self._speaker.of(taken.speaker)
            held.documents.extend(taken._replace(session=session, speaker=speaker))
            forward = old.postings.forward(alive)
            held.postings.append(forward._replace(terms=self._known(forward.terms)))
            for key, places, values in old.vectors.of(alive.tolist()):
                held.vectors.extend(key, np.array(places, np.int32) + np.int32(moved), values)
            old.pieces.move(alive.tolist(), held.pieces, moved)
            self._link(alive, moved)
            _ = held.names  # so that they need not be read all at once
        return end == len(old.documents)

    def _link(self, alive: npt.NDArray[np.int64], moved: int) -> None:
        """Move the links of some documents, which are the next that live and from now on begin at row ``moved``."""
        columns = self._old.links.columns
        rows: npt.NDArray[np.int32] = columns.row
        first: int = alive[0].item()
        last: int = alive[-1].item()
        begin, end = self._link_at + np.searchsorted(rows[self._link_at :], [first, last + 1])
        self._link_at = end
        columns, rows = columns.taken(slice(begin, end)), rows[begin:end]
        at = np.searchsorted(alive, rows)
        living = alive[at] == rows
        columns = columns.taken(living)
        joined, valued = columns.object != UNKNOWN, columns.value != UNKNOWN
        others, values = columns.object.copy(), columns.value.copy()
        others[joined] = self._known(others[joined])
        values[valued] = self._words.of(values[valued])
        self.held.links.extend(
            columns._replace(
                row=at[living] + moved,
                subject=self._known(columns.subject),
                predicate=self._words.of(columns.predicate),
                object=others,
                value=values,
            )
        )

    def _known(self, terms: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
        lexicon = self._old.postings.lexicon
        if len(self._terms) < len(lexicon):
            more = len(lexicon) + len(lexicon) // 8 - len(self._terms)
            self._terms = np.concatenate((self._terms, np.full(more, _UNKNOWN, np.int32)))
        new = np.unique(terms[self._terms[terms] == _UNKNOWN])
        numbers: list[int] = new.tolist()
        term = self.held.postings.term
        self._terms[new] = [term(lexicon[number]) for number in numbers]
        return self._terms[terms]


class _Renumbering(Generic[_NameT]):
    """Gives what ``old`` numbers, and goes on to number, its numbers in ``new``: those that are still in use."""

    def __init__(self, old: dict[_NameT, int], new: dict[_NameT, int]) -> None:
        self._old = old
        self._new = new
        self._names: list[_NameT] = []

    def of(self, numbers: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
        self._names.extend(islice(self._old, len(self._names), None))
        used, at = np.unique(numbers, return_inverse=True)
        known = self._new
        each: list[int] = used.tolist()
        anew = [known.setdefault(self._names[number], len(known)) for number in each]
        return np.array(anew, np.int32)[at]
