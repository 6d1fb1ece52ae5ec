"""Paragraphs of one document: what is told in one goes on in the next, which comes with it where the two are coherent.

Never in a conversation: there the answer after a question counts of itself, and what is said next is mostly no answer.
"""

from collections.abc import Sequence

from ...asks import Ask
from ...index.columns.documents import NOBODY
from ...index.sample import alikeness
from ...index.visible import Shown
from ...ranking.rankers import Parting, Recipe
from ...ranking.selection import Candidate


def with_next(shown: Shown, ask: Ask, recipe: Recipe, asking: float, order: Sequence[Candidate]) -> list[Candidate]:
    """Return candidates, best first, the next of each of the first three right behind these, where it is one of them.

    Only where somebody says how many are wanted, and more than these. ``asking``, in [0, 1]: how much of what is said
    asks something.
    """
    found = list(order)
    if not isinstance(recipe, Parting) or ask.k is None or ask.k <= recipe.next_of or asking > recipe.next_asking:
        return found
    nexts = _nexts(shown, ask, recipe, [each.hit.row for each in found[: recipe.next_of]])
    first, rest = found[: recipe.next_of], found[recipe.next_of :]
    coming = {each.hit.row: each for each in rest if each.hit.row in nexts}
    moved = [coming[row] for row in nexts if row in coming]
    return [*first, *moved, *(each for each in rest if each.hit.row not in coming)]


def _nexts(shown: Shown, ask: Ask, recipe: Parting, rows: Sequence[int]) -> list[int]:
    """Return what comes next in its session to each of ``rows``, if it is nearer to it than any two usually are."""
    vector, standing = ask.vector, shown.standing
    matrix = None if vector is None else shown.vectors.matrix(vector.model, len(vector.data))
    known = None if matrix is None else alikeness(standing, matrix, shown.postings)
    if matrix is None or known is None:
        return []
    least = known.mean + recipe.next_near * known.deviation
    found: list[int] = []
    for row in rows:
        after = int(standing.after[row])
        if after != NOBODY and row in matrix and any(near >= least for near in matrix.cosines_with(row, [after])):
            found.append(after)
    return found
