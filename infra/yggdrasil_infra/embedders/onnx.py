"""Models of the BERT family in ONNX files, run by onnxruntime in this process."""

import hashlib
import importlib
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

import numpy as np
from numpy.typing import NDArray

from yggdrasil_schemas.commands.vectors import Vector

from ..forking import stays
from .embedder import EmbedderMissingError, EmbeddingUnavailableError
from .pieces.wordpiece import tokenise, vocabulary
from .quantise import quantise

INSTALL: Final = (
    "install the extra [embeddings]: pip install 'yggdrasil-substrate[embeddings]' (make does it by itself)"
)
RUNTIME: Final = "onnxruntime"
RESULT: Final = "last_hidden_state"
_ERRORS_ONLY: Final = 3  # onnxruntime's severity; it would write warnings of its own to the error stream


@dataclass(frozen=True, slots=True)
class Recipe:
    """All that decides which numbers come of a text. Whoever changes any of it gives it another ``model``."""

    model: str
    """The name that is sealed into the vectors."""
    sha256: str
    """Of the file, in hex."""
    dimension: int
    tokens_max: int
    """What is longer is cut off at its end; both marks around the text count."""
    query_prefix: str = ""
    """What the model was taught to read before a question, and before what may answer it."""
    document_prefix: str = ""


class OneByOne(ABC):
    """Runs one model, text by text. A text's vector is the mean of its pieces' last hidden states.

    Padding would make a batch slower on the processor, and a model with dynamically quantised activations scales them
    over the whole batch: there, a text's vector would depend on its neighbours (cosines down to 0.975 were seen).
    """

    provider = "offline"

    def __init__(self, recipe: Recipe, running: Any) -> None:
        """Make vectors by a recipe with what runs it (``session``)."""
        self.recipe = recipe
        self._session = running
        stays(self, f"the model {recipe.model}")

    @property
    def model(self) -> str:
        """The name in the recipe."""
        return self.recipe.model

    @property
    def dimension(self) -> int:
        """The dimension in the recipe."""
        return self.recipe.dimension

    def embed_query(self, text: str) -> Vector:
        """Return the vector of a question. Raises EmbeddingError."""
        return self._embed(self.recipe.query_prefix + text)

    def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        """Return the vectors of ``texts``, made one by one. Raises EmbeddingError."""
        return [self._embed(self.recipe.document_prefix + text) for text in texts]

    def close(self) -> None:  # noqa: B027 - what has nothing to let go of overrides nothing
        """Nothing is held but memory."""

    @abstractmethod
    def _inputs(self, text: str) -> tuple[dict[str, NDArray[Any]], int]:
        """Return what the model is given for a text, and of how many pieces that is."""

    def _embed(self, text: str) -> Vector:
        return quantise(self.numbers(text), self.model, self.dimension)

    def numbers(self, text: str) -> NDArray[np.float64]:
        """Return what the model makes of a text, prefixes and all, shape (dimension,). Raises EmbeddingError."""
        inputs, pieces = self._inputs(text)
        try:
            states = cast(NDArray[np.float32], self._session.run([RESULT], inputs)[0])
        except Exception as error:  # onnxruntime raises what its own C++ raises; out of memory, for one
            raise EmbeddingUnavailableError(f"{self.model} failed on {pieces} pieces; try again") from error
        found: NDArray[np.float64] = states[0].mean(axis=0, dtype=np.float64)
        return found


class OnnxEmbedder(OneByOne):
    """Runs a model of the BERT family."""

    def __init__(self, recipe: Recipe, file: Path, threads: int = 1) -> None:
        """Load ``file``; each call uses ``threads`` threads of its own.

        Raises EmbedderMissingError if onnxruntime or the file is missing, or it is another file.
        """
        super().__init__(recipe, session(recipe.model, _content(recipe, file), threads))
        vocabulary()  # read now, not while somebody waits for an answer

    def _inputs(self, text: str) -> tuple[dict[str, NDArray[Any]], int]:
        pieces = np.array([tokenise(text, self.recipe.tokens_max)], dtype=np.int64)
        inputs = {
            "input_ids": pieces,
            "attention_mask": np.ones_like(pieces),
            "token_type_ids": np.zeros_like(pieces),
        }
        return inputs, pieces.size


def session(model: str, content: bytes, threads: int) -> Any:
    """Return what runs the ONNX file in ``content``. Raises EmbedderMissingError without onnxruntime."""
    try:
        runtime: Any = importlib.import_module(RUNTIME)
    except ImportError as error:
        raise EmbedderMissingError(f"{model} needs the package {RUNTIME}; {INSTALL}") from error
    options = runtime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = _ERRORS_ONLY
    return runtime.InferenceSession(content, options, providers=["CPUExecutionProvider"])


def _content(recipe: Recipe, file: Path) -> bytes:
    try:
        content = file.read_bytes()
    except OSError as error:
        raise EmbedderMissingError(f"no model {recipe.model} at {file}: {error.strerror}") from error
    check_content(recipe, file, content)
    return content


def check_content(recipe: Recipe, file: Path, content: bytes | memoryview) -> None:
    """Raise EmbedderMissingError unless a file's ``content`` is what the recipe means."""
    check_hash(recipe.model, recipe.sha256, file, content)


def check_hash(model: str, sha256: str, file: Path, content: bytes | memoryview) -> None:
    """Raise EmbedderMissingError unless ``content`` has a hash: a model under another's name spoils all comparisons."""
    found = hashlib.sha256(content).hexdigest()
    if found != sha256:
        raise EmbedderMissingError(
            f"{file} is not {model}: its SHA-256 is {found} and should be {sha256}; fetch it anew"
        )
