"""When something was said, and under which id: given, or made on the spot."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from yggdrasil_schemas.errors import InvalidCommandError
from yggdrasil_schemas.refusals import Refusal

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Stamp:
    """The id of a command and its time in Unix ms; what is None is made on the spot: a new UUIDv7, the present."""

    command_id: str | None = None
    at: int | None = None


NOW: Final = Stamp()


def time_ms(at: int | datetime) -> int:
    """Return when something happened, given as Unix ms or as a datetime with a time zone, in Unix ms.

    Raises InvalidCommandError for a datetime without a time zone, which says no moment.
    """
    if not isinstance(at, datetime):
        return at
    if at.utcoffset() is None:
        said = "at: a datetime needs a time zone, such as datetime(2026, 1, 31, 12, 0, tzinfo=UTC)"
        raise InvalidCommandError(Refusal.INVALID_ENVELOPE.code, said)
    return (at - _EPOCH) // timedelta(milliseconds=1)


def stamp(at: int | datetime | None) -> Stamp:
    """Return the stamp of what happened at a time, as ``time_ms`` takes it; of what happens now without one."""
    return NOW if at is None else Stamp(at=time_ms(at))
