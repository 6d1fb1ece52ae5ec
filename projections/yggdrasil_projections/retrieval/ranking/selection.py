"""What is returned of what is relevant: nothing twice, and what is worth most for its tokens."""

from collections.abc import Sequence
from typing import NamedTuple

from ..index.visible import Shown
from .relevance import Hit

Judged = tuple[bool, bool]


class Candidate(NamedTuple):
    """A relevant memory with its place in the order, the tokens of its text, whether it ended well and badly, the
    nodes that it is a claim from, and how far whoever said it is trusted.
    """

    number: int
    hit: Hit
    priority: float
    tokens: int
    judged: Judged = (False, False)
    evidence: frozenset[int] = frozenset()
    trust: int = 0


class Limits(NamedTuple):
    """How much is wanted: ``tokens`` if there is a budget. ``alike`` and ``close`` say from which share of common
    terms, and from which cosine, on two memories are near-duplicates; more than 1 where that is not asked. ``overhead``
    is what a memory takes beside its text, in tokens, when what it is worth is compared with what it takes.
    """

    places: int
    tokens: int | None
    alike: float
    close: float
    overhead: float


def tokens_of(chars: int) -> int:
    """Return how many tokens a text takes: one for every four characters that are begun, and one for none at all."""
    return max(1, -(-chars // 4))


def selected(index: Shown, candidates: Sequence[Candidate], limits: Limits) -> list[Candidate]:
    """Return what is chosen of ``candidates``, which are in order of priority, and in that order.

    If the first of them do not fit into the budget, the next one is always that which is worth most for its tokens.
    """
    chosen = _fitting(index, candidates, limits._replace(tokens=None))
    if limits.tokens is None or sum(each.tokens for each in chosen) <= limits.tokens:
        return chosen
    order = sorted(candidates, key=lambda each: (-_worth(each.priority) / (each.tokens + limits.overhead), each.number))
    return sorted(_fitting(index, order, limits), key=lambda each: (-each.priority, each.number))


def _fitting(index: Shown, order: Sequence[Candidate], limits: Limits) -> list[Candidate]:
    distinct = Distinct(index, limits)
    left = limits.tokens
    for each in order:
        at = distinct.evidence_of(each)
        if at is not None:
            more = each.tokens - distinct.chosen[at].tokens
            if left is None or more <= left:
                distinct.put(at, each)
                left = None if left is None else left - more
            continue
        if len(distinct.chosen) == limits.places:  # what follows may still take the place of its evidence
            continue
        if left is not None and each.tokens > left:
            continue
        if not distinct.repeated(each):
            distinct.add(each)
            left = None if left is None else left - each.tokens
    return distinct.chosen


def _worth(priority: float) -> float:
    """Return what a memory of this priority is worth, which grows much faster than the priority itself.

    The chance that a memory is what was needed falls steeply along the order. Measured on conversations, the eighth
    power loses nothing against the order itself, where the priority as it is takes many short ones that say little.
    """
    second = max(0.0, priority) * max(0.0, priority)
    fourth = second * second
    return fourth * fourth


class Distinct:
    """Memories of which none says what another of them says, unless they ended differently."""

    def __init__(self, index: Shown, limits: Limits) -> None:
        """Begin with none; ``limits`` says what is a near-duplicate in ``index``."""
        self.chosen: list[Candidate] = []
        self._index = index
        self._limits = limits
        self._terms: list[frozenset[int]] = []  # of each that was chosen

    def add(self, each: Candidate) -> None:
        """Take in a memory that does not repeat another."""
        self.chosen.append(each)
        self._terms.append(self._terms_of(each))

    def put(self, at: int, claim: Candidate) -> None:
        """Let a claim take the place, and the priority, of the chosen one that it is a claim from."""
        self.chosen[at] = claim._replace(priority=max(claim.priority, self.chosen[at].priority))
        self._terms[at] = self._terms_of(claim)

    def evidence_of(self, each: Candidate) -> int | None:
        """Return the place of the chosen one that ``each`` is a claim from, if that says no more, is trusted no more,
        and nothing else came of it; None without one. Of the two the claim has a validity, a confidence, and rivals.
        """
        if not each.evidence:
            return None
        own = self._terms_of(each)
        for at, (other, terms) in enumerate(zip(self.chosen, self._terms, strict=True)):
            said = other.number in each.evidence and other.judged == each.judged and terms <= own
            if said and other.trust <= each.trust:
                return at
        return None

    def repeated(self, each: Candidate) -> bool:
        """Return whether ``each`` says what one of the chosen says, is trusted no more, and did not end otherwise."""
        alike, own = self._limits.alike, self._terms_of(each)
        others: list[int] = []
        for other, terms in zip(self.chosen, self._terms, strict=True):
            if each.trust > other.trust:  # else whoever repeats a word with another number would take its place
                continue
            if each.number in other.evidence and each.judged == other.judged and own <= terms:
                return True
            if each.judged not in ((False, False), other.judged):
                continue
            others.append(other.hit.row)
            fewer, more = sorted((len(own), len(terms)))
            if fewer and fewer >= alike * more:
                common = len(own & terms)
                if common >= alike * (fewer + more - common):
                    return True
        return self._limits.close <= 1.0 and self._index.vectors.near(each.hit.row, others, self._limits.close)

    def _terms_of(self, each: Candidate) -> frozenset[int]:
        terms, _ = self._index.postings.terms_of(each.hit.row)
        return frozenset(terms.tolist())
