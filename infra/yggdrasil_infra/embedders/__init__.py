"""Embedders: models that make vectors of texts, outside the fold, behind one port.

Room for another model or provider. What is heavy to import is imported when a model is opened.
"""

from .choice import open_embedder
from .embedder import Embedder, EmbedderMissingError, EmbeddingError, EmbeddingUnavailableError, WrongVectorError
from .hosted import HostedEmbedder
from .lazy import LazyEmbedder
from .offline import e5_small, minilm, multilingual, pair
from .quantise import quantise, similarity
from .supplied import SuppliedVectors, admit

__all__ = [
    "Embedder",
    "EmbedderMissingError",
    "EmbeddingError",
    "EmbeddingUnavailableError",
    "HostedEmbedder",
    "LazyEmbedder",
    "SuppliedVectors",
    "WrongVectorError",
    "admit",
    "e5_small",
    "minilm",
    "multilingual",
    "open_embedder",
    "pair",
    "quantise",
    "similarity",
]
