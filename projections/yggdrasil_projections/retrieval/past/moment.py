"""A moment of a memory's past, which a read may be of: after a seq, after a record, at a time of the log, or named.

The log's time is the timestamp of its records, as their running maximum over the records of the memory. Who appends to
a topic without a service can give any timestamp; ``at``, which whoever records gives, says when a thing happened, and
moves no moment.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from difflib import get_close_matches
from typing import Any, Final, Self

from pydantic import TypeAdapter, ValidationError

from yggdrasil_infra.clock import now_ms
from yggdrasil_infra.log import Receipt
from yggdrasil_schemas.commands.wire import SnapshotName
from yggdrasil_schemas.errors import YggdrasilError
from yggdrasil_schemas.limits import SEQ_MAX
from yggdrasil_schemas.moments import NotAMomentError, moment_ms
from yggdrasil_schemas.problems import ExitCode, Kind

from ..errors import InvalidAskError

UNNAMED: Final = "a seq such as 1200, a receipt such as 3-1250, a date such as 2026-01-31, or a time with its zone"
WRITTEN: Final = (
    "a seq such as 1200, a receipt such as 3-1250, a date such as 2026-01-31, a time with its zone, "
    "or a snapshot's name"
)
WRITTEN_CHARS_MAX: Final = 64
_SEQ: Final = re.compile(r"[0-9]{1,18}")
_RECEIPT: Final = re.compile(r"[0-9]{1,9}-[0-9]{1,18}")
_NEAREST: Final = 5  # names that an error tells
_NAME: Final = TypeAdapter[str](SnapshotName)


class NoSuchMomentError(YggdrasilError):
    """A memory has no such moment: it began later, that lies ahead, or the log no longer tells of it."""

    kind = Kind(
        "no_such_moment",
        404,
        "No such moment",
        "Ask for a moment between the first command of the memory and now; `timeline` says when things were recorded.",
        ExitCode.NOT_FOUND,
        by_caller=True,
    )

    def __init__(self, memory: str, why: str) -> None:
        super().__init__(f"{memory}: {why}")
        self.memory = memory
        self.why = why

    def arguments(self) -> dict[str, Any]:
        """Return the memory, and why it has no such moment."""
        return {"memory": self.memory, "why": self.why}

    @classmethod
    def received(cls, told: str, arguments: Mapping[str, Any]) -> Self:
        """Return one that a service has told of."""
        return cls(arguments["memory"], arguments["why"])


class BeingBuiltError(YggdrasilError):
    """The past that was asked for is being built; ask again. ``done`` of ``total`` records have been read."""

    kind = Kind(
        "past_being_built",
        503,
        "The past is being built",
        "Ask the same again: what was built by then is kept.",
        again_s=1.0,
    )

    def __init__(self, memory: str, written: str, done: int, total: int) -> None:
        super().__init__(f"{memory} as of {written} is being built: {done:,} of {total:,} records are read; ask again")
        self.memory = memory
        self.written = written
        self.done = done
        self.total = total

    def arguments(self) -> dict[str, Any]:
        """Return the memory, the moment, and how far it is."""
        return {"memory": self.memory, "as_of": self.written, "done": self.done, "total": self.total}

    @classmethod
    def received(cls, told: str, arguments: Mapping[str, Any]) -> Self:
        """Return one that a service has told of."""
        return cls(arguments["memory"], arguments["as_of"], arguments["done"], arguments["total"])


@dataclass(frozen=True, slots=True)
class AsOf:
    """One of four: after the command ``seq``, after the record at ``receipt``, at ``ms``, Unix time of the log, or
    right after the command that gave the moment the name ``snapshot``.
    """

    seq: int | None = None
    receipt: Receipt | None = None
    ms: int | None = None
    snapshot: str | None = None

    @classmethod
    def of(cls, given: object) -> Self:
        """Return what is meant by an int (a seq), a Receipt, a datetime, a date, or one of them as a text.

        A date is the end of that day in UTC, and of today the present. A text that begins with a letter is the name of
        a snapshot, which the memory may have or not. Raises InvalidAskError.
        """
        if isinstance(given, cls):
            return given
        if isinstance(given, Receipt):
            return cls(receipt=given)
        text = given.strip() if isinstance(given, str) else ""
        if _SEQ.fullmatch(text):
            given = int(text)
        elif _RECEIPT.fullmatch(text):
            return cls(receipt=Receipt.parsed(text))
        elif _is_name(text):
            return cls(snapshot=text)
        if isinstance(given, int) and not isinstance(given, bool):
            if not 1 <= given <= SEQ_MAX:
                raise InvalidAskError(f"as_of takes a seq from 1 to {SEQ_MAX}, and not {given}; a time is {WRITTEN}")
            return cls(seq=given)
        if not isinstance(given, str | date):
            raise InvalidAskError(f"as_of takes {WRITTEN}, and not {type(given).__name__}")
        try:
            begins, ends = moment_ms("as_of", given), moment_ms("as_of", given, end=True)
        except NotAMomentError as error:
            raise InvalidAskError(
                f"{error}. A seq such as 1200 and a receipt such as 3-1250 are moments too"
            ) from error
        return cls(ms=min(ends, max(begins, now_ms())))

    @property
    def written(self) -> str:
        """It as requests have it."""
        if self.snapshot is not None:
            return self.snapshot
        if self.seq is not None:
            return str(self.seq)
        if self.receipt is not None:
            return self.receipt.written
        return datetime.fromtimestamp((self.ms or 0) / 1000, UTC).isoformat(timespec="milliseconds")


def _is_name(text: str) -> bool:
    """Whether a text may be the name of a snapshot, which no other moment is written like."""
    try:
        return bool(_NAME.validate_python(text))
    except ValidationError:
        return False


def no_snapshot(name: str, kept: Iterable[str]) -> str:
    """Return, in words, that a memory has no snapshot of that name, and which it has that look most like it."""
    names = sorted(kept)
    nearest = get_close_matches(name, names, _NEAREST, 0.0)
    told = f"it has {', '.join(nearest)}" if nearest else "it has none"
    more = f" and {len(names) - len(nearest)} more" if len(names) > len(nearest) else ""
    return f"it has no snapshot called {name}; {told}{more}. A moment is {WRITTEN}"
