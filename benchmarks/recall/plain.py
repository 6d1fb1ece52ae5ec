"""The textbook's searches, which share nothing with ours: BM25, vectors, and their reciprocal-rank fusion."""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt

from yggdrasil_infra.embedders import Embedder
from yggdrasil_projections.retrieval.text.tokenizers import TOKENIZER

_K1, _B = 1.2, 0.75  # BM25's usual constants
_FUSION: Final = 60  # as in Cormack and others, "Reciprocal Rank Fusion" (2009)

_TERMS_KEPT: Final = 1 << 13  # texts: who searches the same ones again and again need not split them each time

Order = npt.NDArray[np.int64]
Search = Callable[[str], Order]
"""Gives the places of the texts that it finds, best first."""


def searches(texts: Sequence[str], model: Embedder | None) -> dict[str, Search]:
    """Return the searches of ``texts`` by name; without a model it is BM25 alone."""
    by_words = _bm25([_terms(text) for text in texts])

    def lexical(question: str) -> Order:
        scores = by_words(TOKENIZER.terms(question))
        return np.argsort(-scores, kind="stable")[: np.count_nonzero(scores)]

    if model is None:
        return {"bm25": lexical}
    made = model.embed_documents(texts)
    matrix = np.array([np.frombuffer(one.values, np.int8) for one in made], np.int32)
    lengths = np.sqrt((matrix * matrix).sum(axis=1))

    def vectors(question: str) -> Order:
        query = np.frombuffer(model.embed_query(question).values, np.int8).astype(np.int32)
        return np.argsort(-(matrix @ query) / lengths, kind="stable")

    def fused(question: str) -> Order:
        score = np.zeros(len(texts))
        for order in (lexical(question), vectors(question)):
            score[order] += 1 / (_FUSION + 1 + np.arange(len(order)))
        return np.argsort(-score, kind="stable")

    return {"bm25": lexical, "vectors": vectors, "fusion": fused}


@lru_cache(_TERMS_KEPT)
def _terms(text: str) -> list[str]:
    return TOKENIZER.terms(text)


def _bm25(documents: Sequence[list[str]]) -> Callable[[list[str]], npt.NDArray[np.float64]]:
    """Return the textbook's BM25 over ``documents`` (Robertson and Zaragoza, 2009), which shares nothing with ours."""
    counts = [Counter(words) for words in documents]
    lengths = np.array([len(words) for words in documents], float)
    norm = _K1 * (1 - _B + _B * lengths / max(1.0, float(lengths.mean())))
    frequency = Counter(word for count in counts for word in count)

    def score(query: list[str]) -> npt.NDArray[np.float64]:
        total = np.zeros(len(documents))
        for word in query:
            held = np.array([count[word] for count in counts], float)
            idf = math.log(1 + (len(documents) - frequency[word] + 0.5) / (frequency[word] + 0.5))
            total += idf * held * (_K1 + 1) / (held + norm)
        return total

    return score
