"""What is read of a question: its clauses, times, names, quantity, order and negation.

Whoever asks may see it in the answer, and the recall records it: a proof takes it from there, and never reads again.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final, Literal

from .clauses import CHARS_MAX, clauses
from .times import Time, times
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

VERSION: Final = "question/1"
"""What read a question; another list or pattern is another version."""
Quantity = Literal["list", "count"]
"""Whether a question asks for all that there is, or how many that are; None: for what answers it."""
Order = Literal["first", "last", "sequence"]
"""Whether a question asks for the first or the last, or in which order; None: for none of these."""
_WORD: Final = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)*")
_COUNTS: Final = re.compile(rf"\b(?:{'|'.join(map(re.escape, COUNTS))})(?!\w)|{COUNTS_RUN}", re.IGNORECASE)
_LISTS: Final = re.compile(rf"{PLURAL_WHICH}|{MANY_RUN}", re.IGNORECASE)
_SEQUENCE: Final = re.compile(rf"\b(?:{'|'.join(SEQUENCE)})|{SEQUENCE_RUN}", re.IGNORECASE)
_NAME: Final = re.compile(r"\b(?:first|last) names?\b", re.IGNORECASE)
_NAMES_OF_PEOPLE: Final = frozenset(["first", "last"])
_FIRST_RUN, _LAST_RUN, _NEGATIONS_RUN = map(re.compile, (FIRST_RUN, LAST_RUN, NEGATIONS_RUN))


@dataclass(frozen=True, slots=True)
class Understood:
    """What was read of a question, by ``version``.

    ``clauses`` are asked by themselves as well as the whole; empty where that is one. ``names`` are the features, names
    and aliases of this memory that it speaks of.
    """

    version: str = VERSION
    clauses: tuple[str, ...] = ()
    times: tuple[Time, ...] = ()
    names: tuple[str, ...] = ()
    quantity: Quantity | None = None
    order: Order | None = None
    negated: bool = False

    def given(self) -> dict[str, Any]:
        """Return what there is of it, as JSON has it."""
        said: dict[str, Any] = {"version": self.version}
        if self.times:
            said["times"] = [
                {"text": each.text, "since": each.since, "until": each.until, "certain": each.certain}
                for each in self.times
            ]
        plain: dict[str, Any] = {"clauses": list(self.clauses), "names": list(self.names), "quantity": self.quantity}
        plain |= {"order": self.order, "negated": self.negated}
        return said | {name: value for name, value in plain.items() if value}

    @classmethod
    def of(cls, said: dict[str, Any]) -> "Understood":
        """Return what ``given`` wrote. Raises KeyError, TypeError and ValueError for anything else."""
        return cls(
            said["version"],
            tuple(said.get("clauses", ())),
            tuple(map(_time, said.get("times", ()))),
            tuple(said.get("names", ())),
            said.get("quantity"),
            said.get("order"),
            bool(said.get("negated", False)),
        )


def _time(said: dict[str, Any]) -> Time:
    """Return a time as ``given`` wrote it. Raises TypeError, and ValueError for one that begins at no moment."""
    if not all(each is None or type(each) is int for each in (said.get("since"), said.get("until"))):
        raise ValueError("a time begins and ends at a moment in Unix ms")
    return Time(**said)


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
