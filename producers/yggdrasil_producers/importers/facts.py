"""Facts as they stand in files: ``[subject, predicate, object]``, or an object with these and more."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final, cast

from yggdrasil_schemas.limits import TIME_MS_MAX

from ..claims import Claimed, Object
from ..observing import Told
from .run import NotUnderstoodError, shown

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_PARTS: Final = 3
_FIELDS: Final = (
    "subject", "predicate", "object", "text", "confidence", "valid_from", "valid_to", "qualifiers", "sort",
)  # fmt: skip
EXPECTED: Final = f'a fact is ["subject", "predicate", object], or an object with some of {", ".join(_FIELDS)}'


class NotAFactError(NotUnderstoodError):
    """What stands in a file is no fact; the message says what is expected."""

    reason = "no claim"


def told(given: Any, at: int | None) -> Told:
    """Read a fact. It holds from ``at`` on, when it was told, unless it says since when. Raises NotAFactError."""
    if isinstance(given, list) and len(cast(list[object], given)) == _PARTS:
        given = dict(zip(_FIELDS, cast(list[object], given), strict=False))
    if not isinstance(given, dict):
        raise NotAFactError(f"{EXPECTED}, and not {shown(given)}")
    fields = cast(dict[str, Any], given)
    if unknown := sorted(fields.keys() - set(_FIELDS)):
        raise NotAFactError(f"{EXPECTED}, and not {shown(unknown[0])}")
    claimed: Claimed = {"valid_from": moment("valid_from", fields.get("valid_from")) if "valid_from" in fields else at}
    claimed["valid_to"] = moment("valid_to", fields.get("valid_to"))
    claimed["confidence"] = percent(fields.get("confidence"))
    if (qualifiers := fields.get("qualifiers")) is not None:
        claimed["qualifiers"] = qualifiers
    if (sort := fields.get("sort")) is not None:
        claimed["sort"] = sort
    text = fields.get("text")
    if text is not None and not isinstance(text, str):
        raise NotAFactError(f"'text' must be a text, and not {shown(text)}")
    return Told(named("subject", fields), named("predicate", fields), _object(fields.get("object")), text, claimed)


def named(name: str, fields: Mapping[str, Any]) -> str:
    """Return a field that must be a text with something in it. Raises NotAFactError."""
    value = fields.get(name)
    if not isinstance(value, str) or not value.strip():
        raise NotAFactError(
            f"'{name}' must be a text, " + (f"and not {shown(value)}" if value else "and there is none")
        )
    return value


def percent(value: Any) -> int:
    """Return how sure somebody is: a share from 0 to 1, or whole percent above that; 70 if nobody says."""
    if value is None:
        return 70
    if isinstance(value, int | float) and not isinstance(value, bool):
        if 0 <= value <= 1:
            return round(value * 100)
        if 1 < value <= 100 and value == int(value):
            return int(value)
    raise NotAFactError(f"'confidence' must lie between 0 and 1, or be whole percent up to 100, and not {shown(value)}")


def moment(name: str, value: Any) -> int | None:
    """Read a whole number of Unix ms, or ISO 8601 (UTC if it names no zone), before 1970 too. Raises NotAFactError."""
    if value is None:
        return None
    if isinstance(value, str):
        try:
            found = datetime.fromisoformat(value)
        except ValueError:
            found = None
        if found is not None:
            return ((found if found.tzinfo else found.replace(tzinfo=UTC)) - _EPOCH) // timedelta(milliseconds=1)
    if type(value) is int and abs(value) <= TIME_MS_MAX:
        return value
    raise NotAFactError(f"'{name}' takes Unix ms or ISO 8601, and not {shown(value)}")


def _object(value: Any) -> Object:
    if isinstance(value, str | int | float | dict) and value != "":
        return cast(Object, value)
    raise NotAFactError(f"'object' must be a text, a number, true or false, or such as {{\"entity\": \"Oslo\"}}; "
                        f"it is {shown(value)}")  # fmt: skip
