"""What the documents of a memory show of themselves: how alike any two are, how much nearer neighbours in time are, and
whether those that a model takes for alike have words in common.

Some documents, evenly spaced, are compared with each other: with what they say of this memory and of this model, a
cosine or a neighbour means the same in a memory of notes, of paragraphs or of dialogues, and whatever model it was.
Counted over what an ask is shown, in whole parts, so that equal memories give equal figures, bit for bit.
"""

from functools import lru_cache
from math import sqrt
from typing import Final

import numpy as np
import numpy.typing as npt

from .columns.documents import NOBODY
from .columns.dots import dots
from .columns.postings import Postings
from .columns.vectors import Alikeness, Matrix, ModelKey
from .visible import VisibleDocuments
from .weights import weight_of

SAMPLE_MAX: Final = 192
_SAMPLE_OF_WORDS: Final = 64  # of which each is compared in some 0.1 ms
UNIT: Final = 1 << 20  # cosines are counted in whole parts of this, so that their sums are exact
_PAIRS_FEW: Final = 8.0  # of so few neighbours the coherence counts half
_WEIGHT_UNIT: Final = 1 << 10
_LEAST: Final = 5  # documents; of fewer nothing is known
_RARE_SHARE: Final = 0.01  # Dice coefficient that any two texts have, about
_MODELS_MAX: Final = 8  # of which figures are kept
_SAMPLES_MAX: Final = 16  # of which figures are kept, beyond the standing that they were made for


def sampled(rows: npt.NDArray[np.int64], most: int) -> npt.NDArray[np.int64]:
    """Return at most ``most`` of ``rows``, evenly spaced."""
    return rows[:: max(1, -(-len(rows) // most))]


def alikeness(standing: VisibleDocuments, matrix: Matrix, postings: Postings) -> Alikeness | None:
    """Return how alike the documents are by the vectors of a model; None when there are fewer than five."""
    key: ModelKey = matrix.key
    if key not in standing.alike:
        if len(standing.alike) == _MODELS_MAX:
            standing.alike.clear()
        standing.alike[key] = _known(standing, matrix, postings)
    return standing.alike[key]


def _known(standing: VisibleDocuments, matrix: Matrix, postings: Postings) -> Alikeness | None:
    """Return what is known of the sample of an earlier standing, if this one has the same; it takes milliseconds.

    Where documents are appended it mostly has. What a row says stays the same, and so does the vector in a slot.
    """
    having = standing.having(matrix)
    rows = having.rows if isinstance(having.taken, slice) else having.rows[having.slots != NOBODY]
    rows = sampled(rows.astype(np.int64), SAMPLE_MAX)
    if len(rows) < _LEAST:
        return None
    own, after = matrix.slots_of(rows), matrix.slots_of(standing.after[rows])
    sample = matrix.key, rows.tobytes(), own.tobytes(), after.tobytes()
    if sample not in standing.samples:
        if len(standing.samples) == _SAMPLES_MAX:
            standing.samples.clear()
        standing.samples[sample] = _alikeness(standing, matrix, postings, rows)
    return standing.samples[sample]


def _alikeness(
    standing: VisibleDocuments, matrix: Matrix, postings: Postings, rows: npt.NDArray[np.int64]
) -> Alikeness:
    count = len(rows)
    vectors, lengths = matrix.measured(rows)
    units = _in_units(dots(vectors, vectors), lengths[:, None] * lengths)
    np.fill_diagonal(units, 0)
    total, squares, number = int(units.sum()) // 2, int((units * units).sum()) // 2, count * (count - 1) // 2
    mean = total / number
    deviation = max(sqrt(max(0, number * squares - total * total)) / number, 1.0)
    places, others = _most_alike(postings, rows)
    agreement = (int(units[places, others].sum()) / len(places) - mean) / deviation if len(places) else 0.0
    np.fill_diagonal(units, -2 * UNIT)
    nearest = np.sort(units.max(axis=1))[count // 10]
    after = standing.after[rows]
    paired = np.array([row != NOBODY and int(row) in matrix for row in after.tolist()], np.bool_)
    coherence = 0.0
    if paired.any():
        followers, their_lengths = matrix.measured(after[paired])
        products = np.einsum("ij,ij->i", vectors[paired], followers, dtype=np.int64)
        near = _in_units(products, lengths[paired] * their_lengths)
        nearer = (int(near.sum()) / len(near) - mean) / deviation
        coherence = min(1.0, max(0.0, nearer * (len(near) / (len(near) + _PAIRS_FEW))))
    least = (float(nearest) - mean) / deviation
    return Alikeness(matrix.key[0], mean / UNIT, deviation / UNIT, least, coherence, agreement, len(places))


def _most_alike(postings: Postings, rows: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the places of those of ``rows`` that have words in common with another, and of the other with most.

    By the Jaccard index of their words, each by its weight among these documents; of equal ones the first.
    """
    count = len(rows)
    said = postings.forward(rows)
    in_text = said.times[:, 0] > 0
    owners, terms = np.repeat(np.arange(count), said.lengths)[in_text], said.terms[in_text]
    order = np.argsort(terms, kind="stable")
    owners, terms = owners[order], terms[order]
    _, group, having = np.unique(terms, return_inverse=True, return_counts=True)
    weights = _weights(count)[having[group]]
    others_after = np.cumsum(having)[group] - np.arange(1, len(group) + 1)  # that say the same term
    first = np.repeat(np.arange(len(group)), others_after)
    second = first + 1 + np.arange(len(first)) - np.repeat(np.cumsum(others_after) - others_after, others_after)
    table = np.bincount(owners[first] * count + owners[second], weights[first], minlength=count * count)
    common = table.reshape(count, count)
    common = common + common.T
    whole = np.bincount(owners, weights, minlength=count)
    index = common / np.maximum(whole[:, None] + whole[None, :] - common, 1.0)
    others = index.argmax(axis=1)
    places = np.flatnonzero(index[np.arange(count), others] > 0.0)
    return places, others[places]


@lru_cache(maxsize=SAMPLE_MAX)
def _weights(documents: int) -> npt.NDArray[np.float64]:
    """Return the weight of a term by how many of so many documents have it: whole, so that sums of them are exact."""
    weights = np.array([0.0, *(weight_of(documents, having) for having in range(1, documents + 1))])
    whole: npt.NDArray[np.float64] = np.rint(weights * _WEIGHT_UNIT)
    return whole


def coherence(standing: VisibleDocuments, postings: Postings) -> float:
    """Return how much more the next of a session has in common with a document than any other, in [0, 1], by words."""
    if standing.coherence is None:
        standing.coherence = _coherence(standing, postings)
    return standing.coherence


def _coherence(standing: VisibleDocuments, postings: Postings) -> float:
    rows: list[int] = sampled(np.flatnonzero(standing.counted), _SAMPLE_OF_WORDS).tolist()
    said = [_words(postings, row) for row in rows]
    near = far = 0.0
    pairs = 0
    for place, row in enumerate(rows):
        after = int(standing.after[row])
        if after != NOBODY:
            pairs += 1
            near += _common(said[place], _words(postings, after))
            far += _common(said[place], said[(place + len(said) // 2) % len(said)])
    if pairs < _LEAST:
        return 0.0
    ratio = (near / pairs) / (far / pairs + _RARE_SHARE)
    return min(1.0, max(0.0, (ratio - 1.0) / 2.0 * (pairs / (pairs + _PAIRS_FEW))))


def _words(postings: Postings, row: int) -> npt.NDArray[np.int32]:
    terms, times = postings.terms_of(row)
    return terms[times[:, 0] > 0]


def _common(one: npt.NDArray[np.int32], other: npt.NDArray[np.int32]) -> float:
    """Return the Dice coefficient of two sets of terms."""
    both = len(one) + len(other)
    return 2.0 * len(np.intersect1d(one, other, assume_unique=True)) / both if both else 0.0


def _in_units(
    products: npt.NDArray[np.float64] | npt.NDArray[np.int64], lengths: npt.NDArray[np.float64]
) -> npt.NDArray[np.int64]:
    """Return cosines in whole parts of ``UNIT``: of dot products, and the product of both lengths of each."""
    return np.rint(products / lengths * UNIT).astype(np.int64)
