"""Points in time as people and programs write them, read in one way wherever one is taken."""

import re
from datetime import UTC, date, datetime, timedelta
from typing import Annotated, Final

from pydantic import Field

from .limits import TIME_MS_MAX

Moment = int | str | date
"""A point in time: Unix ms, a datetime with a time zone, a date (a day in UTC), or one of these as a text, the dates in
ISO 8601.
"""
KNOWN: Final = "a date such as 2026-01-31, a time such as 2026-01-31T12:00Z, or Unix ms"
TEXT_CHARS_MAX: Final = 64  # the longest way to write a time in ISO 8601 has 35
MomentSent = Annotated[
    int | Annotated[str, Field(min_length=1, max_length=TEXT_CHARS_MAX)],
    Field(description="Unix ms, or in ISO 8601 a date, which is a day in UTC, or a time with its time zone."),
]
"""A point in time; ``moment_ms`` reads it, and says what is wrong with it."""
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_DAY_MS: Final = 86_400_000
_DIGITS: Final = re.compile(r"-?[0-9]{1,32}")
_BASIC_DATE_DIGITS: Final = 8  # of 20260131; as Unix ms it would be an hour of 1970
_YEAR: Final = re.compile(r"(?:19|20)[0-9]{2}")  # as Unix ms it would be two seconds after 1970 began
_MONTH: Final = re.compile("[0-9]{4}-(?:0[1-9]|1[0-2])")


class NotAMomentError(ValueError):
    """What was given is no point in time; the message names the field, and says what is one."""


def moment_ms(name: str, given: object, *, end: bool = False, least: int = 0) -> int:
    """Return a point in time in Unix ms: of a date where that begins, or with ``end`` its last millisecond.

    Raises NotAMomentError, which speaks of ``name``, for anything else, for a time of day without a time zone, which
    says no moment, and for what lies before ``least`` or beyond the largest time that a record can hold.
    """
    moment = _read(name, given) if isinstance(given, str) else given
    if isinstance(moment, datetime):
        if moment.utcoffset() is None:
            said = "a time of day needs a time zone, such as 2026-01-31T12:00Z or datetime(2026, 1, 31, 12, tzinfo=UTC)"
            raise NotAMomentError(f"{name}: {said}")
        moment = (moment - _EPOCH) // timedelta(milliseconds=1)
    elif isinstance(moment, date):
        moment = (moment.toordinal() - _EPOCH.toordinal() + end) * _DAY_MS - end
    if not isinstance(moment, int) or isinstance(moment, bool):
        raise NotAMomentError(
            f"{name} takes Unix ms, a datetime or a date, and not {type(moment).__name__}; as a text it is {KNOWN}"
        )
    if least <= moment <= TIME_MS_MAX:
        return moment
    raise NotAMomentError(f"{name} must lie between {least} and {TIME_MS_MAX} Unix ms, and {moment} does not")


def _read(name: str, text: str) -> int | date:
    """Read a point in time as people write it."""
    text = text.strip()
    if _YEAR.fullmatch(text):
        raise NotAMomentError(f"{name}: {text} is a year and no point in time; write {text}-01-01 for its first day")
    if _MONTH.fullmatch(text):
        raise NotAMomentError(f"{name}: {text} is a month and no point in time; write {text}-01 for its first day")
    if _DIGITS.fullmatch(text) and len(text) != _BASIC_DATE_DIGITS:
        return int(text)
    if text.isascii() and len(text) <= TEXT_CHARS_MAX:
        for read in (date.fromisoformat, datetime.fromisoformat):
            try:
                return read(text)
            except ValueError:
                continue
    raise NotAMomentError(f"{name}: {text[:TEXT_CHARS_MAX]!r} is no point in time; write {KNOWN}")
