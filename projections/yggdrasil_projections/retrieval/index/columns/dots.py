"""Dot products of int8 vectors, exact: whole numbers, by whatever instructions the processor has for them.

NumKong adds the products up in 32 bits, so the order of the additions does not matter, and the result is the same on
every machine; NumPy has nothing for int8. It lets go of the interpreter meanwhile, and starts no thread.
"""

from typing import cast

import numkong
import numpy as np
import numpy.typing as npt

Bytes = npt.NDArray[np.int8]
Whole = npt.NDArray[np.float64]


def dot(one: Bytes, other: Bytes) -> int:
    """Return the dot product of two vectors."""
    return int(cast(float, numkong.dot(one, other)))  # of two vectors it is a number


def dots(some: Bytes, others: Bytes, out: Whole | None = None) -> Whole:
    """Return the dot products of each of ``some`` with each of ``others``, shape (some, others); ``out`` may take them.

    As float64, which NumKong asks its kernel for two vectors for, one pair after the other. For int32 it would first
    copy ``others`` into an order of its own, which takes three times as long as to compare them with one vector.
    """
    found = np.empty((len(some), len(others)), np.float64) if out is None else out
    if found.size:  # NumKong takes nothing that is empty
        numkong.cdist(some, others, "dot", out=found)
    return found
