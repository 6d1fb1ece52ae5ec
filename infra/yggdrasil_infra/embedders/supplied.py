"""Vectors that agents supply themselves: passed through, once they are what was agreed."""

import math
from collections.abc import Sequence

from yggdrasil_schemas.commands.vectors import Vector

from .embedder import EmbedderMissingError, WrongVectorError
from .quantise import SCALE, integers, seal


def admit(vector: Vector, model: str, dimension: int) -> Vector:
    """Return ``vector`` if it is one of ``model``, of ``dimension``, and as long as a quantised unit vector is.

    The length counts, since similarity is a dot product: a vector of 127s would be nearer to everything than anything.
    Rounding moves a unit vector by no more than ``sqrt(dimension) / 2``, and its length by no more than that.

    Raises WrongVectorError.
    """
    if (vector.model, vector.dimension) != (model, dimension):
        raise WrongVectorError(
            f"expected a vector of {model} with {dimension} numbers, got {vector.dimension} of {vector.model}: vectors "
            "of two models are never compared, so send one of the model that this memory uses"
        )
    numbers = integers(vector)
    length = math.sqrt(int(numbers @ numbers))
    if abs(length - SCALE) > math.sqrt(dimension) / 2:
        raise WrongVectorError(
            f"the vector has a length of {length:.1f} instead of {SCALE}: divide it by its length, "
            f"multiply it by {SCALE} and round it, halves to even"
        )
    return vector


class SuppliedVectors:
    """No model at all: every vector comes from the agent, with the command or the question that it belongs to."""

    provider = "supplied"

    def __init__(self, model: str, dimension: int) -> None:
        """Agree on the name that agents seal their vectors with, and on the dimension. Raises WrongVectorError."""
        seal(bytes(dimension), model)  # a name or a dimension that no vector could have is said at once
        self.model = model
        self.dimension = dimension

    def admit(self, vector: Vector) -> Vector:
        """Return ``vector`` if it is what was agreed. Raises WrongVectorError."""
        return admit(vector, self.model, self.dimension)

    def embed_query(self, text: str) -> Vector:
        """Raise EmbedderMissingError: there is no model here to ask."""
        raise EmbedderMissingError(_nobody_embeds(self.model))

    def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        """Return nothing for no texts. Raises EmbedderMissingError for any: there is no model here to ask."""
        if texts:
            raise EmbedderMissingError(_nobody_embeds(self.model))
        return []

    def close(self) -> None:
        """Nothing is held."""


def _nobody_embeds(model: str) -> str:
    return f"vectors of {model} are supplied by agents: send one along with the text, or set up an embedder"
