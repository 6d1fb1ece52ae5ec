"""The vectors of pieces of long documents: of each document as many as it has pieces, by model.

A piece has a row of its own, made of its document's row and its place in it.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from yggdrasil_schemas.limits import PIECES_MAX

from .vectors import Kept, ModelKey, Vectors


class Pieces:
    """The pieces' vectors of one memory."""

    def __init__(self, kept: Mapping[ModelKey, Kept] | None = None) -> None:
        """Begin with nothing, or with what an image has kept."""
        self._vectors = Vectors(kept)
        self._counts: dict[int, int] = {}
        for rows, _ in (kept or {}).values():
            self._count(rows)

    def __len__(self) -> int:
        """How many pieces have a vector."""
        return len(self._vectors)

    @property
    def nbytes(self) -> int:
        """About how many bytes they take."""
        return self._vectors.nbytes + 100 * len(self._counts)

    @property
    def slots(self) -> int:
        """How many slots there are, nobody's too."""
        return self._vectors.slots

    def cosines(
        self, model: str, question: npt.NDArray[np.int8]
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]] | None:
        """Return the rows of documents with pieces, one for each piece, and the cosines; None where there are none."""
        matrix = self._vectors.matrix(model, len(question))
        if matrix is None or not len(matrix):
            return None
        owners = matrix.owners(0)
        living = owners >= 0
        return owners[living].astype(np.int64) // PIECES_MAX, matrix.cosines(question)[living]

    def rows(self, model: str, dimension: int) -> npt.NDArray[np.int64]:
        """Return the rows of documents with pieces of a model, one for each piece."""
        matrix = self._vectors.matrix(model, dimension)
        owners = np.empty(0, np.int32) if matrix is None else matrix.owners(0)
        return owners[owners >= 0].astype(np.int64) // PIECES_MAX

    def put(self, row: int, pieces: Mapping[str, npt.NDArray[np.int8]]) -> None:
        """Let a document have these pieces, by model, each array of shape (pieces, dimension), and no others."""
        for at in range(self._counts.pop(row, 0)):
            self._vectors.forget(row * PIECES_MAX + at)
        for model, values in pieces.items():
            if len(values):
                self.extend((model, values.shape[1]), np.arange(len(values)) + row * PIECES_MAX, values)

    def extend(self, key: ModelKey, rows: npt.NDArray[np.integer[Any]], values: npt.NDArray[np.int8]) -> None:
        """Give vectors of one model to pieces, by their own rows."""
        self._vectors.extend(key, rows.astype(np.int32), values)
        self._count(rows)

    def move(self, rows: Sequence[int], into: "Pieces", begin: int) -> None:
        """Give the pieces of documents to others, which begin with the row ``begin``."""
        own = [row * PIECES_MAX + at for row in rows for at in range(self._counts.get(row, 0))]
        places = {row: place for place, row in enumerate(rows)}
        moved = np.array([(begin + places[each // PIECES_MAX]) * PIECES_MAX + each % PIECES_MAX for each in own])
        for key, at, values in self._vectors.of(own):
            into.extend(key, moved[at], values)

    def kept(self) -> dict[ModelKey, Kept]:
        """Return all matrices for an image."""
        return self._vectors.kept()

    def _count(self, rows: npt.NDArray[np.integer[Any]]) -> None:
        for each in rows.tolist():
            row, at = divmod(each, PIECES_MAX)
            self._counts[row] = max(self._counts.get(row, 0), at + 1)
