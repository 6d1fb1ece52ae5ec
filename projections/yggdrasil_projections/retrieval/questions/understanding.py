"""Read a question: its clauses and times, whether it asks for a list or a count, for a first or a last, or for none."""

import re
from collections.abc import Iterable
from typing import Final

from .clauses import clauses
from .times import times
from .understood import CHARS_MAX, VERSION, Order, Quantity, Understood
from .words import (
    COUNTS,
    COUNTS_RUN,
    FIRST,
    FIRST_RUN,
    LAST,
    LAST_RUN,
    MANY,
    MANY_RUN,
    NEGATIONS,
    NEGATIONS_RUN,
    PLURAL_WHICH,
    SEQUENCE,
    SEQUENCE_RUN,
    TELLING_LISTS,
)

_WORD: Final = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)*")
_COUNTS: Final = re.compile(rf"\b(?:{'|'.join(map(re.escape, COUNTS))})(?!\w)|{COUNTS_RUN}", re.IGNORECASE)
_LISTS: Final = re.compile(rf"{PLURAL_WHICH}|{MANY_RUN}", re.IGNORECASE)
_SEQUENCE: Final = re.compile(rf"\b(?:{'|'.join(SEQUENCE)})|{SEQUENCE_RUN}", re.IGNORECASE)
_NAME: Final = re.compile(r"\b(?:first|last) names?\b", re.IGNORECASE)
_NAMES_OF_PEOPLE: Final = frozenset(["first", "last"])
_FIRST_RUN, _LAST_RUN, _NEGATIONS_RUN = map(re.compile, (FIRST_RUN, LAST_RUN, NEGATIONS_RUN))


def understand(text: str, at_ms: int, asked: Iterable[str] | None = None) -> Understood:
    """Read a question that is put at a moment, in Unix ms; ``asked`` are its clauses, where these have been read."""
    read = text[:CHARS_MAX]
    spoken = times(read, at_ms)
    for each in spoken:  # "last week" asks for no last one
        read = read.replace(each.text, " ")
    words = frozenset(word.lower().replace("\u2019", "'") for word in _WORD.findall(read))
    return Understood(
        VERSION,
        tuple(clauses(text) if asked is None else asked),
        spoken,
        quantity=_quantity(read, words),
        order=_order(read, words),
        negated=not NEGATIONS.isdisjoint(words) or bool(_NEGATIONS_RUN.search(read)),
    )


def _quantity(text: str, words: frozenset[str]) -> Quantity | None:
    if _COUNTS.search(text):
        return "count"
    begin = text.lstrip().lower()
    lists = begin.startswith(TELLING_LISTS) or not MANY.isdisjoint(words) or _LISTS.search(text)
    return "list" if lists else None


def _order(text: str, words: frozenset[str]) -> Order | None:
    if _SEQUENCE.search(text):
        return "sequence"
    words -= _NAMES_OF_PEOPLE if _NAME.search(text) else frozenset()
    if not FIRST.isdisjoint(words) or _FIRST_RUN.search(text):
        return "first"
    return "last" if not LAST.isdisjoint(words) or _LAST_RUN.search(text) else None
