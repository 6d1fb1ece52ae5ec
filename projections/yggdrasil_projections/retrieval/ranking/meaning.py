"""How alike a question and the documents of a memory are by meaning: their vectors, compared."""

from dataclasses import dataclass
from math import sqrt
from typing import Final

import numpy as np
import numpy.typing as npt

from yggdrasil_projections.graph.arithmetic import log2

from ..asks import QueryVector
from ..index.columns.documents import NOBODY
from ..index.sample import UNIT
from ..index.standing import Rows, Shown, Values
from .rankers import Recipe

_LN_2: Final = 0.6931471805599453
_LN_4_PI: Final = 2.5310242469692907


@dataclass(frozen=True, slots=True)
class Dense:
    """Cosines of all documents, their z-scores, the greatest of each segment, and which are alike by meaning alone.

    ``units`` are the cosines in whole parts, less than any of one that has no vector; ``closeness`` is the mean of the
    best, ``mean`` that of all. ``beyond``: by how many deviations the closest is closer than the closest of so many
    would be by chance.
    """

    units: npt.NDArray[np.int64]
    z: Values
    best: Values
    alike: Rows
    closeness: float
    mean: float
    beyond: float

    def cosines(self, rows: npt.NDArray[np.int64]) -> Values:
        """Return the cosines of some documents, 0 of one that has no vector."""
        units = self.units[rows]
        return np.where(units >= -UNIT, units, 0) / float(UNIT)


def compared(index: Shown, vector: QueryVector, recipe: Recipe) -> Dense | None:
    """Compare the vectors of the question's model with the question; None when there are none."""
    values = np.frombuffer(vector.data, np.int8).astype(np.float32)
    matrix = index.vectors.matrix(vector.model, len(values))
    if matrix is None or not len(matrix) or not values.any():
        return None
    standing = index.standing
    documents = len(standing.for_row)
    owners, cosines = matrix.cosines(values)
    cosines *= UNIT
    whole = np.rint(cosines, out=cosines).astype(np.int64)
    stands = np.where(owners != NOBODY, standing.for_row[owners], NOBODY)
    alone, shown = stands == owners, stands != NOBODY
    units = np.full(documents, -2 * UNIT, np.int64)
    own, others = np.flatnonzero(alone & shown), np.flatnonzero(shown & ~alone)
    units[owners[own]] = whole[own]  # each has one vector of a model
    np.maximum.at(units, stands[others], whole[others])
    rows = np.flatnonzero(units >= -UNIT).astype(np.int32)
    if not len(rows):
        return None
    kept = units[rows]
    count, total, squares = len(rows), int(kept.sum()), int((kept * kept).sum())  # of whole numbers
    deviation = sqrt((count * squares - total * total) / (count * count))
    shrunk = count / (count + recipe.dense_few)
    scores: Values = kept.astype(np.float64)
    scores -= total / count
    scores /= max(deviation, 1e-9 * UNIT)
    scores *= shrunk
    z = np.zeros(documents)
    z[rows] = scores
    of_segment = np.full(len(standing.words), -np.inf)
    np.maximum.at(of_segment, standing.segment[rows], scores)
    of_segment[of_segment == -np.inf] = 0.0
    alike = rows[best(scores, recipe.dense_alone_max)]
    nearest = kept[best(scores, min(recipe.cosines, 1 + count // recipe.cosines_of))]
    closeness = int(nearest.sum()) / len(nearest) / UNIT
    mean = total / count / UNIT
    beyond = float(scores.max()) / shrunk - _greatest_by_chance(count)
    return Dense(units, z, of_segment, alike[z[alike] > recipe.dense_least], closeness, mean, beyond)


def _greatest_by_chance(count: int) -> float:
    """Return about how many deviations the greatest of ``count`` normal numbers lies above their mean.

    David and Nagaraja, "Order Statistics" (2003), section 10.5; 0 of one number.
    """
    if count == 1:
        return 0.0
    wide = 2.0 * _LN_2 * log2(float(count))
    return sqrt(wide) - (_LN_2 * log2(wide / 2.0) + _LN_4_PI) / (2.0 * sqrt(wide))


def best(scores: Values, count: int) -> npt.NDArray[np.int64]:
    """Return the places of the ``count`` greatest scores, greatest first; of equal ones the first."""
    if len(scores) > count:
        least = np.partition(scores, len(scores) - count)[len(scores) - count]
        places = np.flatnonzero(scores >= least)
    else:
        places = np.arange(len(scores))
    return places[np.argsort(-scores[places], kind="stable")][:count]
