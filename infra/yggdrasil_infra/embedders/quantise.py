"""Quantisation: how the numbers of a model become a vector of int8 that is the same everywhere, and compared exactly.

The definition, which every vector in a log follows:

1. normalise and scale: ``v[i] * 127 / |v|``, with ``|v| = sqrt(v[0]^2 + v[1]^2 + ...)``, in float64, the sum rounded
   once;
2. round to the nearest integer, halves to the even one;
3. clip to [-127, 127].

So the same numbers give the same bytes on every machine; what a model makes of a text may differ between processors.

The similarity of two vectors is the dot product of their integers, which is exact; over 127^2 = 16,129 it is about the
cosine. Each ``q[i]`` is off by at most 1/2, so a vector is off by at most ``sqrt(dimension) / 2`` (of a length of 127).
"""

import math
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray
from pydantic import ValidationError

from yggdrasil_schemas.commands.vectors import Vector
from yggdrasil_schemas.commands.wording import placed

from .embedder import WrongVectorError

SCALE: Final = 127


def quantise(numbers: Sequence[float] | NDArray[np.floating], model: str, dimension: int) -> Vector:
    """Return what a model made of a text as a vector that is sealed with ``model`` and ``dimension``.

    Raises WrongVectorError for another count of numbers, for one that is not finite, and for nothing but zeros.
    """
    v = np.asarray(numbers, dtype=np.float64)
    if v.shape != (dimension,):
        raise WrongVectorError(
            f"{model} was to make vectors of {dimension} numbers and made one of shape {v.shape}: nothing is kept; "
            "set the dimension that the model really has"
        )
    largest = float(np.abs(v).max())
    if not 0 < largest < math.inf:  # not a number is not less than anything either
        raise WrongVectorError(f"{model} made a vector with no direction (zeros, infinite or no numbers): ask it again")
    v = np.ldexp(v, -math.frexp(largest)[1])  # by a power of two, which is exact: no square overflows or vanishes
    scaled = v * SCALE / math.sqrt(math.fsum((v * v).tolist()))
    return seal(np.clip(np.rint(scaled), -SCALE, SCALE).astype(np.int8).tobytes(), model)


def seal(values: bytes, model: str) -> Vector:
    """Return ``values``, one signed byte for each dimension, with the name of their model. Raises WrongVectorError."""
    try:
        return Vector.of(model, values)
    except ValidationError as error:
        said = "; ".join(map(placed, error.errors()))
        raise WrongVectorError(f"no vector of {model!r} with {len(values)} numbers: {said}") from error


def similarity(one: Vector, other: Vector) -> int:
    """Return the integer dot product of two vectors, from -16,129 to 16,129 but for rounding.

    Raises WrongVectorError for vectors of two models, whose numbers have nothing to do with each other.
    """
    if (one.model, one.dimension) != (other.model, other.dimension):
        raise WrongVectorError(
            f"vectors of {one.model} ({one.dimension}) and {other.model} ({other.dimension}) cannot be compared: "
            "embed both with the same model"
        )
    return int(integers(one) @ integers(other))


def integers(vector: Vector) -> NDArray[np.int64]:
    """Return the numbers of a vector, wide enough for sums of their products."""
    return np.frombuffer(vector.values, dtype=np.int8).astype(np.int64)
