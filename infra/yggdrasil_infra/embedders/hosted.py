"""Hosted models, and whatever else Pydantic AI can embed with: its ``Embedder`` behind our port."""

import asyncio
import importlib
import threading
from collections.abc import Coroutine, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeVar

from yggdrasil_schemas.commands.vectors import Vector

from ..forking import stays
from .embedder import EmbedderMissingError, EmbeddingUnavailableError, WrongVectorError
from .quantise import quantise, seal

if TYPE_CHECKING:
    from pydantic_ai.embeddings import EmbeddingModel, EmbeddingResult, EmbeddingSettings

# Providers take 96 to 2,048 texts and about 300,000 tokens in a request; a character is at most about one token.
BATCH_TEXTS_MAX: Final = 64
BATCH_CHARS_MAX: Final = 200_000
TEXT_CHARS_MAX: Final = 8_000  # most models read 8,192 tokens, and refuse a text that has more
_T = TypeVar("_T")


class HostedEmbedder:
    """An embedding model of Pydantic AI. Its requests run on one event loop in a thread of this embedder's own.

    So its connections outlive a call, and it can be called with or without an event loop around.
    """

    def __init__(
        self,
        model: "str | EmbeddingModel",
        dimension: int,
        *,
        settings: "EmbeddingSettings | None" = None,
        answers_as: str | None = None,
        timeout_s: float = 30.0,
    ) -> None:
        """Use ``model``, such as ``openai:text-embedding-3-small``, or a model object of Pydantic AI.

        ``dimension`` (1 to 1,024) is asked of the model as a setting, which models of one fixed dimension pass over;
        ``settings`` are Pydantic AI's, and go before it. ``answers_as`` is the name that the model calls itself in its
        answers, where that is another than it is asked by. ``timeout_s`` bounds each request.

        Raises EmbedderMissingError if Pydantic AI, the provider's package or its key is missing, and WrongVectorError
        for a dimension that vectors cannot have.
        """
        try:
            library: Any = importlib.import_module("pydantic_ai.embeddings")
        except ImportError as error:
            raise EmbedderMissingError(
                "a hosted embedder needs Pydantic AI: install the extra [pydantic-ai], "
                "pip install 'yggdrasil-substrate[pydantic-ai]', and pydantic-ai-slim with the extra of your provider"
            ) from error
        try:
            found: EmbeddingModel = library.infer_embedding_model(model)
        except Exception as error:  # an unknown name, a package or a key that is missing: each provider has its own
            raise EmbedderMissingError(f"Pydantic AI cannot use {model!r}: {error}") from error
        self.provider: str = found.system
        self._answers_as = answers_as or found.model_name
        # Cut to another dimension, the same model makes numbers that must not be compared with those before.
        self.model = f"{self.provider}:{self._answers_as}@{dimension}"
        self.dimension = dimension
        seal(bytes(max(dimension, 0)), self.model)
        self._settings: EmbeddingSettings = {"dimensions": dimension, **(settings or {})}
        self._embedder = library.Embedder(found)
        self._timeout_s = timeout_s
        self._closing = threading.Lock()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="embeddings", daemon=True)
        self._thread.start()
        stays(self, f"the embedder {self.model}")

    def embed_query(self, text: str) -> Vector:
        """Return the vector of a question; what is longer than 8,000 characters is cut off. Raises EmbeddingError."""
        texts = [text[:TEXT_CHARS_MAX]]
        return self._vectors(self._run(self._embedder.embed_query(texts, settings=self._settings)), texts)[0]

    def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        """Return the vectors of ``texts``, each cut as above, asked for in bounded batches. Raises EmbeddingError."""
        vectors: list[Vector] = []
        for batch in batches(texts):
            vectors += self._vectors(self._run(self._embedder.embed_documents(batch, settings=self._settings)), batch)
        return vectors

    def close(self) -> None:
        """End the thread. A request that is under way in another thread ends as unavailable."""
        with self._closing:
            if self._loop.is_closed():
                return
            asyncio.run_coroutine_threadsafe(_cancel_others(), self._loop).result()
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()

    def _run(self, request: Coroutine[Any, Any, _T]) -> _T:
        try:
            waiting = asyncio.run_coroutine_threadsafe(request, self._loop)
        except RuntimeError as error:
            request.close()
            raise EmbeddingUnavailableError(f"the embedder {self.model} is closed: open another one") from error
        try:
            return waiting.result(self._timeout_s)
        except TimeoutError as error:
            waiting.cancel()
            raise EmbeddingUnavailableError(
                f"{self.model} gave no answer within {self._timeout_s:g} s: try again, or allow it more time"
            ) from error
        except Exception as error:
            # The provider's own words may repeat a text or a key; they stay in the cause.
            status = getattr(error, "status_code", None)
            what = type(error).__name__ if status is None else f"{type(error).__name__}, status {status}"
            raise EmbeddingUnavailableError(f"{self.model} refused or failed ({what}); see the cause") from error

    def _vectors(self, result: "EmbeddingResult", texts: Sequence[str]) -> list[Vector]:
        if result.model_name != self._answers_as:
            raise WrongVectorError(
                f"asked for vectors of {self._answers_as}, and {result.model_name} answered: nothing is kept of it; "
                f"if that is the same model for good, say answers_as={result.model_name!r}"
            )
        if len(result.embeddings) != len(texts):
            raise WrongVectorError(
                f"{self.model} made {len(result.embeddings)} vectors of {len(texts)} texts: ask again"
            )
        return [quantise(numbers, self.model, self.dimension) for numbers in result.embeddings]


async def _cancel_others() -> None:
    """End what is under way on this loop, so that nobody waits for an answer that will not come."""
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)


def batches(texts: Sequence[str]) -> Iterator[list[str]]:
    """Yield ``texts``, each cut to 8,000 characters, in order, as many at a time as one request may hold."""
    batch: list[str] = []
    size = 0
    for text in texts:
        cut = text[:TEXT_CHARS_MAX]
        if batch and (len(batch) == BATCH_TEXTS_MAX or size + len(cut) > BATCH_CHARS_MAX):
            yield batch
            batch, size = [], 0
        batch.append(cut)
        size += len(cut)
    if batch:
        yield batch
