"""What is returned of what is relevant: no near-duplicates, and what is worth most for its tokens."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .index import MemoryIndex
from .relevance import Hit

Judged = tuple[bool, bool]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A relevant memory with its place in the order, the tokens of its text, and whether it ended well and badly."""

    number: int
    hit: Hit
    priority: float
    tokens: int
    judged: Judged = (False, False)


@dataclass(frozen=True, slots=True)
class Limits:
    """How much is wanted: ``tokens`` if there is a budget. ``alike`` and ``close`` say from which share of common
    terms, and from which cosine, on two memories are near-duplicates; ``overhead`` is what a memory takes beside its
    text, in tokens, when what it is worth is compared with what it takes.
    """

    count: int
    tokens: int | None
    alike: float
    close: float
    overhead: float


def tokens_of(chars: int) -> int:
    """Return how many tokens a text takes: one for every four characters that are begun, and one for none at all."""
    return max(1, -(-chars // 4))


def selected(index: MemoryIndex, candidates: Sequence[Candidate], limits: Limits) -> list[Candidate]:
    """Return what is chosen of ``candidates``, in order of priority.

    Within a budget the next one is that with the most priority for each token, of those that still fit.
    """
    chosen: list[Candidate] = []
    left = limits.tokens
    order = list(candidates)
    if left is not None:
        order.sort(key=lambda each: (-each.priority / (each.tokens + limits.overhead), each.number))
    for each in order:
        if len(chosen) == limits.count:
            break
        if left is not None and each.tokens > left:
            continue
        if any(near_duplicate(index, each, other, limits) for other in chosen):
            continue
        chosen.append(each)
        if left is not None:
            left -= each.tokens
    return sorted(chosen, key=lambda each: (-each.priority, each.number))


def near_duplicate(index: MemoryIndex, each: Candidate, other: Candidate, limits: Limits) -> bool:
    """Return whether ``each`` says what ``other`` says, and did not end otherwise."""
    if each.judged not in ((False, False), other.judged):
        return False
    first, _ = index.postings.terms_of(each.hit.row)
    second, _ = index.postings.terms_of(other.hit.row)
    fewer, more = sorted((len(first), len(second)))
    if fewer and fewer >= limits.alike * more:
        common = len(np.intersect1d(first, second, assume_unique=True))
        if common >= limits.alike * (fewer + more - common):
            return True
    return index.vectors.cosine(each.hit.row, other.hit.row) >= limits.close
