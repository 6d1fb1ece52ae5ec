"""When something was said, and under which id: given, or made on the spot."""

from dataclasses import dataclass
from typing import Final

from yggdrasil_schemas.errors import InvalidCommandError
from yggdrasil_schemas.limits import TIME_MS_MAX
from yggdrasil_schemas.moments import Moment, NotAMomentError, moment_ms
from yggdrasil_schemas.refusals import Refusal


@dataclass(frozen=True, slots=True)
class Stamp:
    """The id of a command and its time in Unix ms; what is None is made on the spot: a new UUIDv7, the present."""

    command_id: str | None = None
    at: int | None = None


NOW: Final = Stamp()


def time_ms(at: Moment) -> int:
    """Return when something happened, in Unix ms: of a date where that begins.

    Raises InvalidCommandError for what is no point in time, such as a time of day without a time zone.
    """
    return _ms("at", at, Refusal.INVALID_ENVELOPE, 0)


def valid_ms(name: str, moment: Moment) -> int:
    """Return since or until when something holds, before 1970 too, as ``time_ms``; ``name`` is the field of a body."""
    return _ms(f"body.{name}", moment, Refusal.INVALID_BODY, -TIME_MS_MAX)


def stamp(at: Moment | None) -> Stamp:
    """Return the stamp of what happened at a time, as ``time_ms`` takes it; of what happens now without one."""
    return NOW if at is None else Stamp(at=time_ms(at))


def _ms(name: str, moment: Moment, refusal: Refusal, least: int) -> int:
    try:
        return moment_ms(name, moment, least=least)
    except NotAMomentError as error:
        raise InvalidCommandError(refusal.code, str(error)) from None
