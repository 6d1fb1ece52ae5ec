"""How alike a question and the documents of a memory are by meaning: their vectors, compared."""

from dataclasses import dataclass
from math import sqrt
from typing import Final

import numpy as np
import numpy.typing as npt

from yggdrasil_projections.graph.arithmetic import log2

from ..asks import QueryVector
from ..index.columns.documents import NOBODY
from ..index.neighbours import Places
from ..index.sample import UNIT
from ..index.visible import Rows, Shown, Values, VisibleDocuments
from .rankers import Parting, Reading, Recipe

NONE: Final = np.empty(0, np.int64)
_LN_2: Final = 0.6931471805599453
_LN_4_PI: Final = 2.5310242469692907


@dataclass(frozen=True, slots=True)
class Dense:
    """The documents that have a vector, their cosines in whole ``units``, and which are ``alike`` by meaning alone.

    ``z`` are the z-scores of all documents, 0 of one that has no vector, and ``mean`` is the mean of the cosines.
    ``beyond``: by how many deviations the closest is closer than the closest of so many would be by chance.
    """

    rows: Rows
    units: npt.NDArray[np.int64]
    z: Values
    alike: Rows
    mean: float
    beyond: float

    @property
    def greatest(self) -> float:
        """The cosine of the closest."""
        return float(self.units.max()) / UNIT

    def cosines(self, rows: npt.NDArray[np.int64]) -> Values:
        """Return the cosines of some documents, 0 of one that has no vector."""
        at = np.minimum(np.searchsorted(self.rows, rows), len(self.rows) - 1)
        return np.where(self.rows[at] == rows, self.units[at], 0) / float(UNIT)

    def closeness(self, recipe: Recipe) -> float:
        """Return the mean of the best cosines."""
        nearest = self.units[best(self.units, min(recipe.cosines, 1 + len(self.units) // recipe.cosines_of))]
        return int(nearest.sum()) / len(nearest) / UNIT

    def of_segments(self, standing: VisibleDocuments) -> Values:
        """Return the greatest z-score of each segment, 0 of one that has no vector."""
        found = np.full(len(standing.words), -np.inf)
        np.maximum.at(found, standing.segment[self.rows], self.z[self.rows])
        found[found == -np.inf] = 0.0
        return found


def compared(
    index: Shown, vector: QueryVector, recipe: Recipe, without: Rows | Places = NONE, *, closely: bool = True
) -> Dense | None:
    """Compare the vectors of the question's model with the question; None when there are none.

    The rows ``without`` are taken to be as close as the others are on the mean, and sway nothing. Unless it is asked
    ``closely``, ``hybrid/4`` takes for alike what is no farther than chance brings.
    """
    values = np.frombuffer(vector.data, np.int8)
    matrix = index.vectors.matrix(vector.model, len(values))
    if matrix is None or not len(matrix) or not values.any():
        return None
    standing = index.standing
    having = standing.having(matrix)
    rows, others = having.rows, having.others
    if not len(rows):
        return None
    cosines = matrix.cosines(values)
    cosines *= UNIT
    whole = np.rint(cosines, out=cosines)
    units = whole[having.taken].astype(np.int64)
    if len(others):
        units[having.slots == NOBODY] = -2 * UNIT  # less than any
        np.maximum.at(units, having.places, whole[others].astype(np.int64))
    if isinstance(recipe, Parting) and (parts := index.pieces.cosines(vector.model, values)) is not None:
        _by_pieces(units, rows, standing, *parts)
    if len(without):
        left_out = np.isin(rows, without)
        if left_out.all():
            return None
        units[left_out] = round(float(units[~left_out].mean()))
    count, total, squares = len(rows), int(units.sum()), int(np.dot(units, units))  # of whole numbers
    deviation = sqrt((count * squares - total * total) / (count * count))
    shrunk = count / (count + recipe.dense_few)
    scores: Values = units.astype(np.float64)
    scores -= total / count
    scores /= max(deviation, 1e-9 * UNIT)
    scores *= shrunk
    beyond = float(scores.max()) / shrunk - _greatest_by_chance(count)
    benefit = recipe.dense_benefit * (1.0 - shrunk) * (1.0 - shrunk)
    scores += benefit
    least = recipe.dense_least
    if isinstance(recipe, Reading) and not closely:
        least = recipe.chance * shrunk + benefit
    z = np.zeros(len(standing.for_row))
    z[having.given] = scores
    close = np.flatnonzero(scores > least)
    alike = rows[close[best(scores[close], recipe.dense_alone_max)]]
    return Dense(rows, units, z, alike, total / count / UNIT, beyond)


def _by_pieces(
    units: npt.NDArray[np.int64], rows: Rows, standing: VisibleDocuments, owners: Places, cosines: Values
) -> None:
    """Let each of ``rows`` be as close as the closest of its pieces, where one of these is closer than the whole.

    Dai and Callan, "Deeper Text Understanding for IR with Contextual Neural Language Modeling" (2019): MaxP.
    """
    of = standing.for_row.take(owners)
    at = np.minimum(np.searchsorted(rows, of), len(rows) - 1)
    shown = rows[at] == of
    np.maximum.at(units, at[shown], np.rint(cosines[shown] * UNIT).astype(np.int64))


def _greatest_by_chance(count: int) -> float:
    """Return about how many deviations the greatest of ``count`` normal numbers lies above their mean.

    David and Nagaraja, "Order Statistics" (2003), section 10.5; 0 of one number.
    """
    if count == 1:
        return 0.0
    wide = 2.0 * _LN_2 * log2(float(count))
    return sqrt(wide) - (_LN_2 * log2(wide / 2.0) + _LN_4_PI) / (2.0 * sqrt(wide))


def best(scores: npt.NDArray[np.float64] | npt.NDArray[np.int64], count: int) -> npt.NDArray[np.int64]:
    """Return the places of the ``count`` greatest scores, greatest first; of equal ones the first."""
    if len(scores) > count:
        least = np.partition(scores, len(scores) - count)[len(scores) - count]
        places = np.flatnonzero(scores >= least)
    else:
        places = np.arange(len(scores))
    return places[np.argsort(-scores[places], kind="stable")][:count]
