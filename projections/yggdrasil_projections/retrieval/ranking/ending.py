"""Where an answer ends: with what has much less relevance than the best, or, asked for closely, adds nothing to it.

Where nobody says how much is wanted, each memory has to earn its place: it must be about as relevant as the best of
those that have what that has of what is named, beyond being of it; or be the first of something else that is named; or
say much of what was asked and is said by none before it. So one thing asked is answered by one, and three by three.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import NamedTuple

from .question import Question
from .rankers import Fused
from .relevance import Hit


class Falls(NamedTuple):
    """What is less than ``share`` of the best's relevance, and less by ``clearly`` at least, ends an answer."""

    share: float
    clearly: float


@dataclass(frozen=True, slots=True)
class Earned:
    """What the places in an answer are earned by: the question, what it ``weighs``, and the relevance of documents by
    their rows without what they gain by what the question names (``bare``).
    """

    question: Question
    weighs: float
    bare: dict[int, float]


class _Kept(NamedTuple):
    names: frozenset[int]
    bare: float


def ended(hits: Sequence[Hit], earned: Earned | None, recipe: Fused, documents: int, reliable: float) -> list[Hit]:
    """Return the first of ``hits``, which are in order: those before relevance falls off in a memory of so many
    documents; or, with what places are ``earned`` by, those that earn one, since nobody has said how many are wanted.
    """
    falls = falls_off(recipe, documents, reliable, closely=earned is not None)
    return cut(hits, falls) if earned is None else closely(hits, earned, falls, recipe)


def falls_off(recipe: Fused, documents: int, reliable: float, *, closely: bool) -> Falls:
    """Return where relevance falls off.

    Where somebody says how much is wanted that is later the less ``reliable`` cosines are. Of an answer that is asked
    for ``closely`` it is soon in a memory of few ``documents``, where ten would be a third of all that there is.
    """
    if not closely:
        return Falls(recipe.falls_untold + reliable * (recipe.falls - recipe.falls_untold), recipe.falls_clearly)
    few, many = recipe.close_up_to, recipe.close_until
    share = min(max((documents - few) / (many - few), 0.0), 1.0)
    falls = recipe.close_falls + share * (recipe.close_falls_late - recipe.close_falls)
    return Falls(falls, recipe.close_clearly + share * (recipe.falls_clearly - recipe.close_clearly))


def cut(hits: Sequence[Hit], falls: Falls) -> list[Hit]:
    """Return the first of ``hits``, which are in order: those before relevance falls off.

    What is relevant as a cause or an effect alone stays with what it was reached by.
    """
    kept: list[Hit] = []
    for hit in hits:
        if hit.linked:
            continue
        if kept and _fallen(hit.relevance, kept[0].relevance, falls):
            break
        kept.append(hit)
    return _with_linked(hits, kept)


def closely(hits: Sequence[Hit], earned: Earned, falls: Falls, recipe: Fused) -> list[Hit]:
    """Return those of the first hits that earn a place, in their order, with causes and effects as ``cut`` does.

    With ``close_further`` what is about as relevant as the best is looked for among all.
    """
    unlinked = [hit for hit in hits if not hit.linked]
    first = unlinked[: recipe.close_places]
    said = _said(earned.question, first)
    names = _names(earned.question, first)
    kept: list[Hit] = []
    leaders: list[_Kept] = []
    covered: set[int] = set()
    for at, hit in enumerate(first):
        bare = earned.bare.get(hit.row, hit.relevance)
        if (
            not kept
            or _near(hit, kept[0], bare, leaders, names[at], falls, recipe)
            or (
                hit.relevance >= recipe.close_other * kept[0].relevance
                and (
                    _names_another(names[at], leaders)
                    or ((names[at] or not leaders[0].names) and _says_more(earned, said[at], covered, recipe))
                )
            )
        ):
            kept.append(hit)
            leaders.append(_Kept(names[at], bare))
            covered |= said[at]
    if recipe.close_further and kept:
        kept += _further(unlinked[recipe.close_places :], kept[0], earned, leaders, falls, recipe)
    return _with_linked(hits, kept)


def _further(
    hits: Sequence[Hit], best: Hit, earned: Earned, leaders: list[_Kept], falls: Falls, recipe: Fused
) -> list[Hit]:
    """Return those of later hits that are about as relevant as the best."""
    later = list(takewhile(lambda hit: not _fallen(hit.relevance, best.relevance, falls), hits))
    kept: list[Hit] = []
    for hit, names in zip(later, _names(earned.question, later), strict=True):
        bare = earned.bare.get(hit.row, hit.relevance)
        if _near(hit, best, bare, leaders, names, falls, recipe):
            kept.append(hit)
            leaders.append(_Kept(names, bare))
    return kept


def _near(
    hit: Hit, best: Hit, bare: float, leaders: list[_Kept], names: frozenset[int], falls: Falls, recipe: Fused
) -> bool:
    if _fallen(hit.relevance, best.relevance, falls):
        return False
    leader = next((each for each in leaders if each.names == names), None)
    return leader is None or not _fallen(bare, leader.bare, Falls(falls.share, falls.clearly * recipe.close_bare))


def _names_another(names: frozenset[int], leaders: list[_Kept]) -> bool:
    """Whether it has something that is named, and that none before it has."""
    return any(all(name not in each.names for each in leaders) for name in names)


def _says_more(earned: Earned, said: set[int], covered: set[int], recipe: Fused) -> bool:
    """Whether it says much of what was asked and is said by none before it, where that says much of it itself."""
    weights = {term.number: term.weight for term in earned.question.terms}
    before = sum(weight for number, weight in weights.items() if number in covered)
    more = sum(weight for number, weight in weights.items() if number in said and number not in covered)
    left = earned.weighs - before
    return (
        before >= recipe.close_covered * earned.weighs
        and more >= recipe.close_more * earned.weighs
        and more >= recipe.close_left * left
    )


def _said(question: Question, hits: Sequence[Hit]) -> list[set[int]]:
    """Return which terms of the question each hit has."""
    having = [(term.number, frozenset(term.rows.tolist())) for term in question.terms]
    return [{number for number, rows in having if hit.row in rows} for hit in hits]


def _names(question: Question, hits: Sequence[Hit]) -> list[frozenset[int]]:
    """Return which of the things that are named each hit has, by their places in the question."""
    having = [frozenset(named.rows.tolist()) for named in question.named]
    return [frozenset(at for at, rows in enumerate(having) if hit.row in rows) for hit in hits]


def reaches(best: float, falls: Falls) -> float:
    """Return the relevance from which on something belongs to an answer whose best has ``best``."""
    return min(falls.share * best, best - falls.clearly)


def _fallen(relevance: float, best: float, falls: Falls) -> bool:
    return relevance < reaches(best, falls)


def _with_linked(hits: Sequence[Hit], kept: Sequence[Hit]) -> list[Hit]:
    rows = {hit.row for hit in kept}
    return [hit for hit in hits if hit.row in rows or (hit.linked and hit.via[0] in rows)]
