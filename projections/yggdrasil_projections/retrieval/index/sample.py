"""What the documents of a memory show of themselves: how alike any two are, how much nearer neighbours in time are, and
whether those that a model takes for alike have words in common.

Some documents, evenly spaced, are compared with each other: with what they say of this memory and of this model, a
cosine or a neighbour means the same in a memory of notes, of paragraphs or of dialogues, and whatever model it was.
Counted over what an ask is shown, in whole parts, so that equal memories give equal figures, bit for bit.
"""

from math import sqrt
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from .columns.documents import NOBODY
from .columns.postings import Postings
from .columns.vectors import Matrix, ModelKey
from .standing import Alikeness, Standing
from .weights import weight_of

SAMPLE_MAX: Final = 192
_SAMPLE_OF_WORDS: Final = 64  # of which each is compared in some 0.1 ms
UNIT: Final = 1 << 20  # cosines are counted in whole parts of this, so that their sums are exact
_PAIRS_FEW: Final = 8.0  # of so few neighbours the coherence counts half
_WEIGHT_UNIT: Final = 1 << 10
_LEAST: Final = 5  # documents; of fewer nothing is known
_RARE_SHARE: Final = 0.01  # Dice coefficient that any two texts have, about
_MODELS_MAX: Final = 8  # of which figures are kept


def sampled(rows: npt.NDArray[np.int64], most: int) -> npt.NDArray[np.int64]:
    """Return at most ``most`` of ``rows``, evenly spaced."""
    return rows[:: max(1, -(-len(rows) // most))]


def alikeness(standing: Standing, matrix: Matrix, postings: Postings) -> Alikeness | None:
    """Return how alike the documents are by the vectors of a model; None when there are fewer than five."""
    key: ModelKey = matrix.key
    if key not in standing.alike:
        if len(standing.alike) == _MODELS_MAX:
            standing.alike.clear()
        standing.alike[key] = _alikeness(standing, matrix, postings)
    return standing.alike[key]


def _alikeness(standing: Standing, matrix: Matrix, postings: Postings) -> Alikeness | None:
    owners = matrix.owners(0)
    having = np.zeros(len(standing.counted), np.bool_)
    having[owners[owners != NOBODY]] = True
    rows = sampled(np.flatnonzero(having & standing.counted), SAMPLE_MAX)
    count = len(rows)
    if count < _LEAST:
        return None
    vectors = _vectors(matrix, rows)
    units = _units(vectors[:, None, :], vectors[None, :, :])
    pairs = units[np.triu_indices(count, 1)]
    total, squares, number = int(pairs.sum()), int((pairs * pairs).sum()), len(pairs)
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
        near = _units(vectors[paired], _vectors(matrix, after[paired]))
        nearer = (int(near.sum()) / len(near) - mean) / deviation
        coherence = min(1.0, max(0.0, nearer * (len(near) / (len(near) + _PAIRS_FEW))))
    least = (float(nearest) - mean) / deviation
    return Alikeness(matrix.key[0], mean / UNIT, deviation / UNIT, least, coherence, agreement, len(places))


def _most_alike(postings: Postings, rows: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the places of those of ``rows`` that have words in common with another, and of the other with most.

    By the Jaccard index of their words, each by its weight among these documents; of equal ones the first.
    """
    count = len(rows)
    said = [_words(postings, row) for row in rows.tolist()]
    owners = np.repeat(np.arange(count), [len(words) for words in said])
    terms = np.concatenate(said)
    order = np.argsort(terms, kind="stable")
    owners, terms = owners[order], terms[order]
    _, group, having = np.unique(terms, return_inverse=True, return_counts=True)
    by_count = np.array([0.0, *(weight_of(count, number) for number in range(1, count + 1))])
    weights = np.rint(by_count * _WEIGHT_UNIT)[having[group]]  # whole numbers, so that their sums are exact
    pairs: list[npt.NDArray[np.int64]] = []
    shared: list[npt.NDArray[np.float64]] = []
    for apart in range(1, int(having.max(initial=0))):
        same = np.flatnonzero(group[apart:] == group[:-apart])
        pairs.append(owners[same] * count + owners[same + apart])
        shared.append(weights[same])
    if not pairs:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    table = np.bincount(np.concatenate(pairs), np.concatenate(shared), minlength=count * count).reshape(count, count)
    common = table + table.T
    whole = np.bincount(owners, weights, minlength=count)
    index = common / np.maximum(whole[:, None] + whole[None, :] - common, 1.0)
    others = index.argmax(axis=1)
    places = np.flatnonzero(index[np.arange(count), others] > 0.0)
    return places, others[places]


def coherence(standing: Standing, postings: Postings) -> float:
    """Return how much more the next of a session has in common with a document than any other, in [0, 1], by words."""
    if standing.coherence is None:
        standing.coherence = _coherence(standing, postings)
    return standing.coherence


def _coherence(standing: Standing, postings: Postings) -> float:
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


def _vectors(matrix: Matrix, rows: npt.NDArray[np.integer[Any]]) -> npt.NDArray[np.float32]:
    return matrix.of(rows.tolist()).astype(np.float32)


def _units(first: npt.NDArray[np.float32], second: npt.NDArray[np.float32]) -> npt.NDArray[np.int64]:
    """Return the cosines along the last axis, in whole parts of ``UNIT``; every dot product is whole, and exact.

    One by one: a product of matrices starts threads, which on a busy machine wait for each other.
    """
    dots: npt.NDArray[np.float64] = np.vecdot(first, second).astype(np.float64)
    return np.rint(dots / (_lengths(first) * _lengths(second)) * UNIT).astype(np.int64)


def _lengths(vectors: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
    lengths: npt.NDArray[np.float64] = np.sqrt(np.vecdot(vectors, vectors).astype(np.float64))
    return lengths
