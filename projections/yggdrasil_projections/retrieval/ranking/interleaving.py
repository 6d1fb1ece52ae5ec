"""Several searches as one: those of the clauses of a question, and of all of it.

From each in turn the best that is not there yet, as in team-draft interleaving (Radlinski and others, 2008). What any
of them found is given the relevances of all in the order that this makes, so that strength and budgets weigh as in a
single search.
"""

from collections.abc import Sequence
from dataclasses import replace

from .fusion import Fusion
from .relevance import Hit


def interleaved(searches: Sequence[Fusion]) -> Fusion:
    """Return searches of one index as one, with the confidence and the gap of the first, which is the surest."""
    first = searches[0]
    if len(searches) == 1:
        return first
    matching = first.matching
    for other in searches[1:]:
        matching = matching | other.matching
    return replace(
        first,
        hits=in_turn([one.hits for one in searches]),
        nearest=in_turn([one.nearest for one in searches]),
        matching=matching,
        named=frozenset[str]().union(*(one.named for one in searches)),
        again=frozenset[int]().union(*(one.again for one in searches)),
        least=max(one.least for one in searches),
        repeated={row: each for one in searches[::-1] for row, each in one.repeated.items()},
    )


def in_turn(lists: Sequence[Sequence[Hit]]) -> list[Hit]:
    """Return the hits of several lists, each in order and each row once, from one list after the other."""
    if len(lists) == 1:
        return list(lists[0])
    best: dict[int, Hit] = {}
    for hits in lists:
        for hit in hits:
            known = best.get(hit.row)
            if known is None or hit.relevance > known.relevance:
                best[hit.row] = hit
    order: dict[int, None] = {}
    left = [iter(hits) for hits in lists]
    while left:
        for rest in list(left):
            row = next((hit.row for hit in rest if hit.row not in order), None)
            if row is None:
                left.remove(rest)
            else:
                order[row] = None
    ranked = sorted((hit.relevance for hit in best.values()), reverse=True)
    return [best[row]._replace(relevance=relevance) for row, relevance in zip(order, ranked, strict=True)]
