"""Which rows have a vector of a model, and in which of its slots: what a comparison takes of a matrix."""

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from .documents import NOBODY
from .vectors import Matrix, ModelKey

_ADDED_MAX: Final = 512  # slots; of more it is as quick to look at all

Rows = npt.NDArray[np.int32]
Places = npt.NDArray[np.int64]


class Having(NamedTuple):
    """The rows that have a vector of a model, ascending, and of each the slot of its own, ``NOBODY`` if it has none.

    Those of what stands for another are apart: ``others`` are their slots, and ``places`` those in ``rows`` of whom
    they stand for. ``taken`` and ``given`` are the slots and the rows again, as slices where one follows the other.
    ``of`` is the matrix as it was then: its slots only become more, and in as many slots only fewer.
    """

    of: tuple[ModelKey, int, int]
    rows: Rows
    slots: Rows
    others: Places
    places: Places
    taken: Places | slice
    given: Places | slice

    @property
    def nbytes(self) -> int:
        """About how many bytes it takes."""
        return sum(array.nbytes for array in self if isinstance(array, np.ndarray))


def state_of(matrix: Matrix) -> tuple[ModelKey, int, int]:
    """Return what tells a matrix from itself at another time."""
    return matrix.key, matrix.slots, len(matrix)


def having(matrix: Matrix, for_row: Rows, before: Having | None) -> Having:
    """Return which rows have a vector, where ``for_row`` says for which row each stands.

    ``before``, if given, is of the same rows and perhaps fewer: they stand as they did then.
    """
    if before is not None:
        more = _grown(matrix, for_row, before)
        if more is not None:
            return more
    owners = matrix.owners(0).astype(np.int64)
    stands = np.where(owners != NOBODY, for_row.take(owners), NOBODY)
    shown, alone = stands != NOBODY, stands == owners
    own, others = np.flatnonzero(shown & alone), np.flatnonzero(shown & ~alone)
    slots = np.full(len(for_row), NOBODY, np.int32)
    slots[owners.take(own)] = own  # each has one vector of a model
    has = slots != NOBODY
    has[stands[others]] = True
    rows = np.flatnonzero(has).astype(np.int32)
    places, slots = np.searchsorted(rows, stands[others]), slots[rows]
    return Having(state_of(matrix), rows, slots, others, places, _sliced(slots), _sliced(rows))


def _grown(matrix: Matrix, for_row: Rows, before: Having) -> Having | None:
    """Return ``before`` with the slots that were added since; None where more has changed."""
    key, slots, having_one = before.of
    added = matrix.slots - slots
    if key != matrix.key or not 0 <= added <= _ADDED_MAX or len(matrix) - having_one != added:
        return None
    owners = matrix.owners(slots)
    shown = np.flatnonzero(for_row.take(owners) != NOBODY)
    rows = owners.take(shown)
    last = before.rows[-1] if len(before.rows) else NOBODY
    if not len(before.rows) or (for_row.take(rows) != rows).any() or (np.diff(rows, prepend=last) <= 0).any():
        return None
    given = shown.astype(np.int32) + np.int32(slots)
    return before._replace(
        of=state_of(matrix),
        rows=np.concatenate((before.rows, rows)),
        slots=np.concatenate((before.slots, given)),
        taken=_joined(before.taken, given),
        given=_joined(before.given, rows),
    )


def _joined(before: Places | slice, more: Rows) -> Places | slice:
    if not len(more):
        return before
    if isinstance(before, slice):
        after = _sliced(more)
        if isinstance(after, slice) and after.start == before.stop:
            return slice(before.start, after.stop)
        before = np.arange(before.start, before.stop, dtype=np.int64)
    return np.concatenate((before, more.astype(np.int64)))


def _sliced(places: Rows) -> Places | slice:
    """Return places for an index: as a slice, which is much quicker, where each follows the one before it."""
    if len(places) and places[0] >= 0 and (np.diff(places) == 1).all():
        return slice(int(places[0]), int(places[-1]) + 1)
    return places.astype(np.int64)
