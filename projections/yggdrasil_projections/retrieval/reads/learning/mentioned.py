"""How much there is of what a question names: for one that asks for all, how many, the first, the last or the order."""

from collections.abc import Sequence
from itertools import islice
from typing import Final

import numpy as np

from yggdrasil_projections.graph.working_set import Graph

from ...answers import Mentioned
from ...asks import Ask
from ...index.columns.documents import NOBODY
from ...index.neighbours import Places
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
    things: dict[tuple[str, ...], str] = {}  # all names of each, and the one that is named
    for name in sorted(named):
        plain = name.removeprefix(NAME_TERM)
        things.setdefault(tuple(sorted({plain, *graph.called(plain)})), plain)
    found = (_of(graph, shown, name, names) for names, name in islice(things.items(), NAMED_MAX))
    return [each for each in found if each is not None]


def _of(graph: Graph, shown: Shown, name: str, names: Sequence[str]) -> Mentioned | None:
    known, standing = shown.postings.number, shown.standing
    terms = [term for each in names for mark in AS_SUCH if (term := known.get(mark + each)) is not None]
    sure = standing.rows(shown.postings.rows_of(terms)) if terms else np.empty(0, np.int64)
    rows = sure
    for each in names:
        rows = np.union1d(rows, _having_words(shown, value_of(each)))
    rows = rows[standing.for_row[rows] != NOBODY]
    if not len(rows):
        return None
    columns = shown.documents.columns
    at = columns.at[rows]
    first, last = (reference_of(graph, int(columns.number[rows[place]])) for place in (at.argmin(), at.argmax()))
    return Mentioned(name, len(rows), len(rows) == len(sure), first, last)


def _having_words(shown: Shown, value: str) -> Places:
    """Return the rows that have all words of a name."""
    known, tokenizer = shown.postings.number, shown.tokenizer
    words = [counted for word in tokenizer.split(value) if (counted := tokenizer.counted_as(word))]
    terms = [term for word in words if (term := known.get(word)) is not None]
    if not words or len(terms) < len(words):
        return np.empty(0, np.int64)
    rows = shown.standing.rows(shown.postings.rows_of_all(terms))
    return rows[shown.standing.counted[rows]]
