"""How much a term weighs."""

from typing import Final

from yggdrasil_projections.graph.arithmetic import log2

_OTHERS: Final = 24


def weight_of(documents: int, having: int) -> float:
    """Return the weight of a term that ``having`` of ``documents`` have (Robertson and Zaragoza 2009, section 3.4).

    Some others that have none of the terms are taken for granted: of a memory that holds one thing, each word of that
    would be as good as a stop word, and a question with one word more would hardly be about it.
    """
    return log2(1.0 + (documents + _OTHERS - having + 0.5) / (having + 0.5))
