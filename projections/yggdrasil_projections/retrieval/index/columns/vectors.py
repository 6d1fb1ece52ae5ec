"""The vectors of one memory, one matrix for each model, compared exactly.

A vector is int8 (``Vector`` of the language), kept and compared as that. The cosine is ``dot / (|a| * |b|)``, the
lengths from their exact squares: of what is normalised and multiplied by 127, that is the cosine to two digits, and an
agent may send vectors of any length.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from .dots import dot, dots
from .growing import Growing

_BLOCK_ROWS: Final = 8_192  # a matrix grows by blocks: to copy one of 26 MB would hold up a query for 10 ms
_MATRIX_BYTES: Final = 1_200  # of one with nothing in it: the objects, and their entries
_ROW_BYTES: Final = 200  # of a document's entries: which slot is its own, and which matrices have one
ModelKey = tuple[str, int]
"""A model and the dimension of its vectors."""
SampleKey = tuple[ModelKey, bytes, bytes, bytes]
"""A sample of documents: the model, their rows, and the slots of their vectors and of those of the next of each."""


@dataclass(frozen=True, slots=True)
class Alikeness:
    """Cosines of pairs of documents by a ``model``: their ``mean``, their ``deviation``, and ``nearest``: nine of ten
    documents have another that is at least so many deviations above the mean. ``coherence``, in [0, 1]: by how many
    deviations the next of a session is nearer than any other. ``agreement``: how many deviations above the mean that
    is which has most words in common with a document, on the mean of ``agreeing`` documents that have such a one.
    """

    model: str
    mean: float
    deviation: float
    nearest: float
    coherence: float
    agreement: float
    agreeing: int


class Kept(NamedTuple):
    """One matrix as an image keeps it: int8, and the document of each of its rows."""

    rows: npt.NDArray[np.int32]
    values: npt.NDArray[np.int8]


class Matrix:
    """The vectors of one model. A slot holds one; ``rows`` says whose it is, and -1 that it is nobody's any more."""

    def __init__(self, key: ModelKey) -> None:
        self.key = key
        self._dimension = key[1]
        self._blocks: list[npt.NDArray[np.int8]] = []
        self._rows = Growing(np.empty(0, np.int32))
        self._lengths = Growing(np.empty(0, np.float64))
        self._slots: dict[int, int] = {}

    def __len__(self) -> int:
        """How many documents have a vector."""
        return len(self._slots)

    @property
    def slots(self) -> int:
        """How many slots there are, nobody's too."""
        return len(self._rows)

    @property
    def nbytes(self) -> int:
        """About how many bytes it takes."""
        arrays = sum(block.nbytes for block in self._blocks) + self._rows.nbytes + self._lengths.nbytes
        return _MATRIX_BYTES + arrays + _ROW_BYTES * len(self._slots)

    def __contains__(self, row: int) -> bool:
        return row in self._slots

    def extend(self, rows: npt.NDArray[np.int32], values: npt.NDArray[np.int8]) -> None:
        """Give vectors, shape (rows, dimension), to ``rows``, each once, which have none; a vector of zeros is none."""
        squares = np.einsum("ij,ij->i", values, values, dtype=np.int64)
        rows, values, squares = rows[squares > 0], values[squares > 0], squares[squares > 0]
        at = self.slots
        self._slots.update(zip(rows.tolist(), range(at, at + len(rows)), strict=True))
        self._rows.extend(rows)
        self._lengths.extend(np.sqrt(squares.astype(np.float64)))
        while len(values):
            block, offset = divmod(at, _BLOCK_ROWS)
            count = min(len(values), _BLOCK_ROWS - offset)
            self._room(block, offset + count)[offset : offset + count] = values[:count]
            values, at = values[count:], at + count

    def owners(self, slot: int) -> npt.NDArray[np.int32]:
        """Return whose the slots are, from ``slot`` on."""
        return self._rows.values[slot:]

    def slots_of(self, rows: npt.NDArray[np.integer[Any]]) -> npt.NDArray[np.int32]:
        """Return the slot of each document, -1 of one that has no vector. What is in a slot stays as it is."""
        return np.array([self._slots.get(row, -1) for row in rows.tolist()], np.int32)

    def forget(self, row: int) -> None:
        """Take its vector from a document that has one."""
        self._rows.values[self._slots.pop(row)] = -1

    def cosines_with(self, row: int, others: Iterable[int]) -> Iterator[float]:
        """Yield the cosine of the vector of a document that has one with that of each of ``others`` that has one."""
        blocks, lengths = self._blocks, self._lengths.values
        slot = self._slots[row]
        vector, length = blocks[slot // _BLOCK_ROWS][slot % _BLOCK_ROWS], lengths[slot]
        for other in others:
            if other not in self:
                continue
            slot = self._slots[other]
            product = dot(vector, blocks[slot // _BLOCK_ROWS][slot % _BLOCK_ROWS])
            yield product / float(length * lengths[slot])

    def cosines(self, query: npt.NDArray[np.int8]) -> npt.NDArray[np.float64]:
        """Return the cosine of ``query``, which is not zero, with every vector, nobody's too, by slot."""
        cosines, asked = np.empty(self.slots, np.float64), query[None]
        for at, block in enumerate(self._blocks):
            part = cosines[at * _BLOCK_ROWS : (at + 1) * _BLOCK_ROWS]
            dots(asked, block[: len(part)], part[None])
        cosines /= self._lengths.values * sqrt(dot(query, query))
        return cosines

    def of(self, rows: list[int]) -> npt.NDArray[np.int8]:
        """Return the vectors of documents that have one."""
        return self._taken(np.array([self._slots[row] for row in rows], np.int64))

    def measured(self, rows: npt.NDArray[np.integer[Any]]) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.float64]]:
        """Return the vectors of documents that have one, and their lengths."""
        slots = self.slots_of(rows)
        return self._taken(slots), self._lengths.values[slots]

    def kept(self) -> Kept:
        """Return the vectors of all documents that have one, by row, for an image."""
        owners = self._rows.values
        slots = np.flatnonzero(owners >= 0)
        slots = slots[np.argsort(owners[slots], kind="stable")]
        return Kept(owners[slots], self._taken(slots))

    def _taken(self, slots: npt.NDArray[np.integer[Any]]) -> npt.NDArray[np.int8]:
        values = np.empty((len(slots), self._dimension), np.int8)
        blocks, inside = np.divmod(slots, _BLOCK_ROWS)
        for at in np.unique(blocks).tolist():
            those = blocks == at
            values[those] = self._blocks[at][inside[those]]
        return values

    def _room(self, block: int, length: int) -> npt.NDArray[np.int8]:
        """Return a block that has room for ``length`` rows, by making it or by making it larger."""
        if block == len(self._blocks):
            self._blocks.append(np.zeros((0, self._dimension), np.int8))
        held = self._blocks[block]
        if length > len(held):
            # The first one begins with what there is: whoever likes may give each vector a model of its own.
            rows = _BLOCK_ROWS if block else min(_BLOCK_ROWS, max(length, 2 * len(held)))
            larger = np.zeros((rows, self._dimension), np.int8)
            larger[: len(held)] = held
            held = self._blocks[block] = larger
        return held


class Vectors:
    """The matrices of one memory.

    There may be as many models as vectors. So what is done for each question or each document, and the sums, must not
    go through all matrices: each document knows its own.
    """

    def __init__(self, kept: Mapping[ModelKey, Kept] | None = None) -> None:
        """Begin with nothing, or with what an image has kept."""
        self._matrices: dict[ModelKey, tuple[Matrix]] = {}  # a tuple, which all documents share that have no other
        self._having: dict[int, tuple[Matrix, ...]] = {}  # of each document that has vectors: where
        self._nbytes = self._count = self._slots = 0
        for key, (rows, values) in (kept or {}).items():
            self.extend(key, rows, values)

    @property
    def nbytes(self) -> int:
        """About how many bytes they take."""
        return self._nbytes

    def __len__(self) -> int:
        """How many vectors documents have."""
        return self._count

    @property
    def slots(self) -> int:
        """How many slots there are, nobody's too."""
        return self._slots

    @property
    def models(self) -> int:
        """How many models and dimensions they are of, those that nobody has any more too."""
        return len(self._matrices)

    def matrix(self, model: str, dimension: int) -> Matrix | None:
        """Return the vectors of a model, or None when there are none."""
        found = self._matrices.get((model, dimension))
        return found[0] if found else None

    def owners(self) -> npt.NDArray[np.intp]:
        """Return the rows of the documents that have a vector of any model, in no order."""
        return np.fromiter(self._having, np.intp, len(self._having))

    def near(self, row: int, others: Collection[int], cosine: float) -> bool:
        """Return whether a document has at least this cosine with any of ``others``, by any model of both."""
        return any(
            found >= cosine for matrix in self._having.get(row, ()) for found in matrix.cosines_with(row, others)
        )

    def put(self, row: int, vectors: Mapping[str, npt.NDArray[np.int8]]) -> None:
        """Let a document have these vectors, by model, and no others."""
        self.forget(row)
        for model, values in vectors.items():
            self.extend((model, len(values)), np.array([row], np.int32), values[None, :])

    def extend(self, key: ModelKey, rows: npt.NDArray[np.int32], values: npt.NDArray[np.int8]) -> None:
        """Give vectors of one model, shape (rows, dimension), to documents that have none of it."""
        if not len(rows):
            return
        alone = self._matrices.get(key)
        if alone is None:
            alone = self._matrices[key] = (Matrix(key),)
            self._nbytes += alone[0].nbytes
        matrix = alone[0]
        nbytes, count, slots = matrix.nbytes, len(matrix), matrix.slots
        matrix.extend(rows, values)
        self._nbytes += matrix.nbytes - nbytes
        self._count += len(matrix) - count
        self._slots += matrix.slots - slots
        owners: list[int] = matrix.owners(slots).tolist()
        for row in owners:
            others = self._having.get(row)
            self._having[row] = (*others, matrix) if others else alone

    def forget(self, row: int) -> None:
        """Take all vectors from a document."""
        for matrix in self._having.pop(row, ()):
            nbytes = matrix.nbytes
            matrix.forget(row)
            self._nbytes += matrix.nbytes - nbytes
            self._count -= 1

    def of(self, rows: Sequence[int]) -> Iterator[tuple[ModelKey, list[int], npt.NDArray[np.int8]]]:
        """Yield by model the places in ``rows`` of those documents that have vectors, and these."""
        grouped: dict[Matrix, list[int]] = {}
        for place, row in enumerate(rows):
            for matrix in self._having.get(row, ()):
                grouped.setdefault(matrix, []).append(place)
        for matrix, places in grouped.items():
            yield matrix.key, places, matrix.of([rows[place] for place in places])

    def kept(self) -> dict[ModelKey, Kept]:
        """Return all matrices for an image, by model, but for those that nobody has; see ``Matrix.kept``."""
        return {key: matrix.kept() for key, (matrix,) in sorted(self._matrices.items()) if len(matrix)}
