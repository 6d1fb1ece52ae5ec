"""The embedder that the benchmarks use: e5 if it was fetched, which reads dialogues best, else the default one."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from yggdrasil_infra.embedders import Embedder, e5_small, minilm, pair
from yggdrasil_infra.embedders.offline import E5_SMALL_FILE
from yggdrasil_schemas.commands.vectors import Vector

from ..measure import say

FETCHED: Final = Path(__file__).parent.parent.parent / "infra" / "embedders" / "model"


@contextmanager
def embedder() -> Iterator[Embedder]:
    """Open the embedder, and say which one it is."""
    model = e5_small(FETCHED) if (FETCHED / E5_SMALL_FILE).exists() else pair()
    say(f"  vectors by {model.model}")
    try:
        yield model
    finally:
        model.close()


@contextmanager
def offline() -> Iterator[Sequence[Embedder]]:
    """Open the offline embedder that is there by default, and another beside it: e5 if it was fetched."""
    models: list[Embedder] = [pair(), e5_small(FETCHED) if (FETCHED / E5_SMALL_FILE).exists() else minilm()]
    try:
        yield models
    finally:
        for model in models:
            model.close()


class Cached:
    """An embedder that makes no vector of a text twice, since several searches are given the same texts."""

    def __init__(self, model: Embedder) -> None:
        self.provider = model.provider
        self.model = model.model
        self.dimension = model.dimension
        self._made_by = model
        self._questions: dict[str, Vector] = {}
        self._documents: dict[str, Vector] = {}

    def embed_query(self, text: str) -> Vector:
        """Return the vector of a question."""
        if text not in self._questions:
            self._questions[text] = self._made_by.embed_query(text)
        return self._questions[text]

    def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        """Return the vectors of texts."""
        new = [text for text in dict.fromkeys(texts) if text not in self._documents]
        self._documents.update(zip(new, self._made_by.embed_documents(new), strict=True))
        return [self._documents[text] for text in texts]

    def close(self) -> None:
        """Leave the model to whoever opened it."""
