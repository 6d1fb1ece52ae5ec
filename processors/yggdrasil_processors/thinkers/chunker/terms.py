"""What an event is about, as hashes of stems and features, and how telling each is in its memory."""

from functools import lru_cache
from math import log, sqrt
from typing import Final
from zlib import crc32

from yggdrasil_projections.retrieval.reads.experience.happened import Happening
from yggdrasil_projections.retrieval.text.said import prose_in
from yggdrasil_projections.retrieval.text.tokenizers import TOKENIZER

from .state import FREQUENCIES, ChunkerState, Held

TERMS_MAX: Final = 24
_FEATURES_MAX: Final = 8
_READ_CHARS: Final = 1_024
_COUNTED_MAX: Final = 4_096
_UNKNOWN: Final = 16  # events that might have been: of the first few every term would be as common as any
_TERM_BITS: Final = 0xFFFFF
_KNOWN_MAX: Final = 32_768  # terms, some 5 MB


def terms_of(event: Happening) -> list[int]:
    """Return the hashes of at most 24 terms: of the first features, then of the text and the prose of the payload."""
    found: dict[int, None] = {}
    for feature in event.features[:_FEATURES_MAX]:
        found[_hash("\0" + feature)] = None
    said = " ".join([(event.text or "")[:_READ_CHARS], *(each[:_READ_CHARS] for each in prose_in(event.payload)[:2])])
    for term in TOKENIZER.terms(said[: 2 * _READ_CHARS]):
        if len(found) >= TERMS_MAX:
            break
        found[_hash(term)] = None
    return list(found)


def weigh(state: ChunkerState, terms: list[int]) -> list[int]:
    """Count an event's terms, and return in hundredths how telling each is here: 0 for one that nearly all have.

    What is long ago counts half as much, and half of that again.
    """
    state.counted += 1
    frequencies = state.frequencies
    for term in terms:
        frequencies[term % FREQUENCIES] += 1
    known = state.counted + _UNKNOWN
    weights = [max(0, round(100 * log(known / (frequencies[term % FREQUENCIES] + 0.5)))) for term in terms]
    if state.counted >= _COUNTED_MAX:
        state.counted //= 2
        state.frequencies = [each // 2 for each in frequencies]
    return weights


def add(bag: dict[int, int], events: list[Held]) -> dict[int, int]:
    """Add the weighted terms of events to a bag, and return it."""
    for event in events:
        for term, weight in zip(event.terms, event.weights, strict=True):
            bag[term] = bag.get(term, 0) + weight
    return bag


def cosine(left: dict[int, int], right: dict[int, int]) -> float:
    """Return how alike two bags are, in [0, 1]."""
    dot = sum([weight * right[term] for term, weight in left.items() if term in right])
    size = sum([weight * weight for weight in left.values()]) * sum([weight * weight for weight in right.values()])
    return dot / sqrt(size) if size else 0.0


@lru_cache(_KNOWN_MAX)
def _hash(term: str) -> int:
    return crc32(term.encode("utf-8", "surrogatepass")) & _TERM_BITS
