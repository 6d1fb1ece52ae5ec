"""How much there is of what a question names: for one that asks for all, how many, the first, the last or the order."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from yggdrasil_projections.graph.working_set import Graph

from ...answers import Mentioned
from ...asks import Ask
from ...index.columns.documents import NOBODY
from ...index.visible import Shown
from ...index.vocabulary import AS_SUCH, NAME_TERM
from ...memories import reference_of
from ...text.said import value_of

NAMED_MAX: Final = 3


def mentioned(graph: Graph, shown: Shown, ask: Ask, named: Sequence[str]) -> list[Mentioned]:
    """Return how much there is of the first three of what is ``named``, where the question asks for that.

    By what the index knows of what the ask sees; the read ``mentions`` looks at the texts, and has them all.
    """
    read = ask.understood
    if read is None or (read.quantity is None and read.order is None):
        return []
    found = (_of(graph, shown, name.removeprefix(NAME_TERM)) for name in sorted(named)[:NAMED_MAX])
    return [each for each in found if each is not None]


def _of(graph: Graph, shown: Shown, name: str) -> Mentioned | None:
    postings, standing, tokenizer = shown.postings, shown.standing, shown.tokenizer
    known = postings.number
    terms = [term for mark in AS_SUCH if (term := known.get(mark + name)) is not None]
    sure = standing.rows(postings.rows_of(terms)) if terms else np.empty(0, np.int64)
    words = [known.get(counted) for word in tokenizer.split(value_of(name)) if (counted := tokenizer.counted_as(word))]
    likely = np.flatnonzero(standing.counted) if words and None not in words else np.empty(0, np.int64)
    for term in words:
        if term is not None and len(likely):
            likely = np.intersect1d(likely, standing.rows(postings.posting(term).rows))
    rows = np.union1d(sure, likely)
    rows = rows[standing.for_row[rows] != NOBODY]
    if not len(rows):
        return None
    columns = shown.documents.columns
    at = columns.at[rows]
    first, last = (reference_of(graph, int(columns.number[rows[place]])) for place in (at.argmin(), at.argmax()))
    return Mentioned(name, len(rows), len(rows) == len(sure), first, last)
