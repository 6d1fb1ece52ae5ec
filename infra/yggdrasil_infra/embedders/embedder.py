"""The embedder port: what the rest of the system knows of a model that makes vectors of texts.

An embedder runs outside the fold. What it makes is recorded in commands and never made again, so it may be exchanged,
may run on another processor, may fail: an old log still replays to the same memory, and a recall is proved with the
query's vector that was recorded with it.
"""

from collections.abc import Sequence
from typing import Protocol

from yggdrasil_schemas.commands.vectors import Vector
from yggdrasil_schemas.errors import YggdrasilError


class EmbeddingError(YggdrasilError):
    """No vector came of it."""


class EmbedderMissingError(EmbeddingError):
    """The embedder cannot run as it was set up; the message says what to install, to fetch or to set."""


class EmbeddingUnavailableError(EmbeddingError):
    """The model did not answer this time; the same call may succeed later."""


class WrongVectorError(EmbeddingError):
    """A vector is not what was agreed: another model, another dimension, or numbers that no unit vector has."""


class Embedder(Protocol):
    """Makes a vector of a text. Any number of threads may use one embedder at a time."""

    @property
    def provider(self) -> str:
        """Who runs the model: ``offline``, a hosted provider, or ``supplied``. Shown to people; it compares nothing."""
        ...

    @property
    def model(self) -> str:
        """The name that is sealed into every vector. Whatever changes the numbers changes the name as well."""
        ...

    @property
    def dimension(self) -> int:
        """How many numbers every vector has. One that has another number of them is an error, never a vector."""
        ...

    def embed_query(self, text: str) -> Vector:
        """Return the vector of a question, as ``quantise`` says. Raises EmbeddingError."""
        ...

    def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        """Return the vectors of ``texts``, one each, in their order. Raises EmbeddingError; then none is returned.

        A vector does not depend on what else was asked for in the same call. However many texts there are, what is
        under way at one time is bounded.
        """
        ...

    def close(self) -> None:
        """Let go of threads and connections. Closing twice does nothing."""
        ...
