"""How many of an order are returned: a fixed number, what scores enough, or the first ten and some by provable chance.

Where always the first ten are returned, what stands eleventh is never used, and so never rises (003, section 3.5, the
cliff problem). A score is that of the scorer that ranks, or else the seed's linear form, in 0..4,096. What chance says
of a memory follows from the question, the seq that was read, and the node: so a proof draws the same again.
"""

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from functools import cache
from hashlib import blake2b
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.policy import Policy

from ...asks import K_DEFAULT, Ask
from ...found import Drawn, Found
from ...index.visible import Shown
from ...ranking.rankers import Recipe, Tiered
from ...ranking.scoring.scorers import LOGIT_ONE, ONE, linear
from ...ranking.selection import Candidate, Distinct, Limits
from .scored import features_among

FIXED: Final = 0
THRESHOLD: Final = 1
CHANCE: Final = 2
SELECTIONS: Final = ("fixed", "threshold/1", "chance/1")
"""What a way to select is called in a recall, by its number in the policy; of ``fixed`` a recall says nothing."""
_PERSON: Final = b"ygg-select/1"
_SHIFT: Final = 52  # of the 64 bits that are drawn, twelve are compared with a score


class Selection(NamedTuple):
    """How many are returned: which way, so many ``sure``, at most ``places`` in all, of the ranks up to ``ranks``.

    ``score`` is what is enough, of 4,096.
    """

    way: int
    sure: int
    places: int
    ranks: int
    score: float = 0.0

    def within(self, most: int) -> "Selection":
        """Return it with no more places than ``most``."""
        return self._replace(sure=min(self.sure, most), places=min(self.places, most))

    @property
    def version(self) -> dict[str, str]:
        """How a recall calls it; nothing where it is the fixed number, as it always was."""
        return {"select": SELECTIONS[self.way]} if self.way else {}


def selection_of(ask: Ask, recipe: Recipe, policy: Policy) -> Selection:
    """Return how many an ask is given, by the policy of its memory.

    Rankers from before ``hybrid/7`` know the fixed number alone. Who asks for a list has all of it surely.
    """
    way, most = policy.search_select, policy.search_select_max
    if way == FIXED or not isinstance(recipe, Tiered):
        return Selection(FIXED, ask.places, ask.places, ask.places)
    places = ask.places if ask.lists else most if ask.k is None else min(ask.k, most)
    if way == THRESHOLD:
        return Selection(THRESHOLD, places, places, places, policy.search_select_score * ONE)
    return Selection(CHANCE, places if ask.lists else min(K_DEFAULT, places), places, most)


def scores_of(graph: Graph, candidates: Sequence[Candidate], recipe: Recipe) -> list[int]:
    """Return the score of each candidate, in 0..4,096: a chance, where it is a scorer's that was fitted."""
    if isinstance(recipe, Tiered) and recipe.own is not None:
        return [min(ONE, max(0, int(each.priority * ONE))) for each in candidates]
    features = features_among(graph, candidates, recipe.under)
    scorer = recipe.scorer if isinstance(recipe, Tiered) else None
    scores = linear(features) if scorer is None else chances(scorer.logits(features))
    found: list[int] = scores.tolist()
    return found


def enough(graph: Graph, candidates: list[Candidate], recipe: Recipe, how: Selection) -> list[Candidate]:
    """Return those candidates that score enough, and the first: whether there is an answer, confidence says."""
    if how.way != THRESHOLD:
        return candidates
    scores = scores_of(graph, candidates, recipe)
    pairs = enumerate(zip(candidates, scores, strict=True))
    return [each for at, (each, score) in pairs if not at or score >= how.score]


class Lots(NamedTuple):
    """What lots are drawn among: what is chosen already, ``order``, and all candidates by rank, ``distinct``."""

    shown: Shown
    limits: Limits
    order: Sequence[Candidate]
    distinct: Sequence[Candidate]


def drawn(graph: Graph, ask: Ask, recipe: Recipe, how: Selection, among: Lots) -> list[tuple[Candidate, Drawn]]:
    """Return what chance adds of the ranks behind the sure ones, in their order, as far as the tokens reach.

    Each is drawn by itself. What is trusted more has its place and its tokens first.
    """
    if how.way != CHANCE:
        return []
    there, taken = {each.number for each in among.order}, Distinct(among.shown, among.limits)
    for each in among.order:
        taken.add(each)
    ranks = [(rank, each) for rank, each in enumerate(among.distinct[: how.ranks], 1) if rank > how.sure]
    scores = scores_of(graph, [each for _, each in ranks], recipe)
    tokens = among.limits.tokens
    left = None if tokens is None else tokens - sum(each.tokens for each in among.order)
    found: list[tuple[int, Candidate, Drawn]] = []
    by_trust = sorted(zip(ranks, scores, strict=True), key=lambda one: (-one[0][1].trust, one[0][0]))
    for (rank, each), score in by_trust:
        if len(there) == how.places or each.number in there or (left is not None and each.tokens > left):
            continue
        if not lot(ask.query, graph.header.seq, each.number, score):
            continue
        if taken.evidence_of(each) is not None or taken.repeated(each):
            continue
        taken.add(each)
        there.add(each.number)
        left = None if left is None else left - each.tokens
        found.append((rank, each, Drawn(rank, score)))
    return [(each, of_it) for _, each, of_it in sorted(found, key=lambda one: one[0])]


def marked(found: list[Found], chosen: Sequence[Candidate], lots: Sequence[tuple[Candidate, Drawn]]) -> list[Found]:
    """Return what was ``found`` of ``chosen``, with the lot of each that chance has added."""
    if not lots:
        return found
    by_number = {each.number: of_it for each, of_it in lots}
    return [replace(entry, drawn=by_number.get(each.number)) for entry, each in zip(found, chosen, strict=True)]


def lot(query: str, as_of: int, node: int, score: int) -> bool:
    """Return whether the lot of a node says yes, which it does with the chance ``score`` / 4,096.

    It is the same for the same question at the same seq, and of no other node's.
    """
    salt = as_of.to_bytes(8, "big") + node.to_bytes(8, "big")
    said = blake2b(query.encode(), digest_size=8, salt=salt, person=_PERSON).digest()
    return int.from_bytes(said, "big") >> _SHIFT < score


def chances(logits: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return the chance of each logit, in 0..4,096: the sigmoid, rounded down, in whole numbers."""
    found: npt.NDArray[np.int64] = np.searchsorted(_logits(), logits, side="right").astype(np.int64)
    return found


@cache
def _logits() -> npt.NDArray[np.int64]:
    """Return from which logit on a chance is 1, 2, ... 4,095 of 4,096: ln(c / (1 - c)), rounded up.

    The logarithm of decimal numbers is rounded correctly by definition, so it is the same on every machine.
    """
    found = ((Decimal(each) / Decimal(ONE - each)).ln() * LOGIT_ONE for each in range(1, ONE))
    return np.array([int(each.to_integral_value("ROUND_CEILING")) for each in found], np.int64)
