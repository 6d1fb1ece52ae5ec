"""A model that is loaded when it is first given a text."""

from collections.abc import Callable, Sequence
from threading import Lock

from yggdrasil_schemas.commands.vectors import Vector

from ..forking import in_child
from .embedder import Embedder


class LazyEmbedder:
    """An offline model, known by its name before it is in memory: to open a memory must not cost what a model does.

    That its files are there should be known beforehand; that they are what they should be is found while they are
    loaded, and raises EmbedderMissingError from the first call.
    """

    provider = "offline"

    def __init__(self, model: str, dimension: int, load: Callable[[], Embedder]) -> None:
        """Take the place of what ``load`` returns, which has the name ``model`` and the ``dimension``."""
        self.model = model
        self.dimension = dimension
        self._load = load
        self._loading = Lock()
        self._loaded: Embedder | None = None
        in_child(self, LazyEmbedder._anew)

    def load(self) -> Embedder:
        """Return the model, loaded now if it is not yet; threads wait for one another. Raises EmbedderMissingError."""
        with self._loading:
            if self._loaded is None:
                self._loaded = self._load()
            return self._loaded

    def _anew(self) -> None:
        """Load it anew in a forked process: one that is loaded belongs to the parent, with its threads."""
        self._loading = Lock()
        self._loaded = None

    def embed_query(self, text: str) -> Vector:
        """Return the vector of a question. Raises EmbeddingError."""
        return self.load().embed_query(text)

    def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        """Return the vectors of ``texts``. Raises EmbeddingError."""
        return self.load().embed_documents(texts) if texts else []

    def close(self) -> None:
        """Close the model if it was loaded."""
        with self._loading:
            if self._loaded is not None:
                self._loaded.close()
