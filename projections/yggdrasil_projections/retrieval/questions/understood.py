"""What is read of a question, as a value: its clauses, times, names, quantity, order and negation.

Whoever asks may see it in the answer, and the recall records it: a proof takes it from there, and never reads again.
The lists and patterns that read a question are apart, for whoever asks one.
"""

from dataclasses import dataclass
from typing import Any, Final, Literal

VERSION: Final = "question/1"
"""What read a question; another list or pattern is another version."""
Quantity = Literal["list", "count"]
"""Whether a question asks for all that there is, or how many that are; None: for what answers it."""
Order = Literal["first", "last", "sequence"]
"""Whether a question asks for the first or the last, or in which order; None: for none of these."""
CLAUSES_MAX: Final = 3
"""So many are asked by themselves, the last ones: each costs another search."""
CHARS_MAX: Final = 8_192
"""A longer text is no question with something beside it but a page, and is asked as a whole alone."""
CLAUSE_CHARS_MAX: Final = 1_000
DAY_MS: Final = 86_400_000
FOREVER_MS: Final = 1 << 62
"""Later than anything."""


@dataclass(frozen=True, slots=True)
class Time:
    """A time that a question speaks of, as ``text``: from ``since`` to ``until``, both in Unix ms and within it.

    Either is None where it is open. ``certain``: it can mean nothing else.
    """

    text: str
    since: int | None = None
    until: int | None = None
    certain: bool = False


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
