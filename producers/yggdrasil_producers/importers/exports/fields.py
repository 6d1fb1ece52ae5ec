"""Fields of objects that others wrote: read if they are what is expected, and never trusted to be."""

from typing import Any, Final, cast

from yggdrasil_schemas.limits import TIME_MS_MAX

from ..facts import NotAFactError, moment
from ..run import NotUnderstoodError

_SECOND_MS: Final = 1_000


def text_at(fields: dict[str, Any], *names: str) -> str | None:
    """Return the first of some fields that is a text with something in it."""
    values = (fields.get(name) for name in names)
    return next((value for value in values if isinstance(value, str) and value.strip()), None)


def objects_at(fields: dict[str, Any], name: str) -> list[dict[str, Any]]:
    """Return the objects of a list; an empty list where there is none."""
    value = fields.get(name)
    listed = cast(list[object], value) if isinstance(value, list) else []
    return [cast(dict[str, Any], each) for each in listed if isinstance(each, dict)]


def fields_at(fields: dict[str, Any], name: str) -> dict[str, Any]:
    """Return a field that is an object; an empty one where there is none."""
    value = fields.get(name)
    return cast(dict[str, Any], value) if isinstance(value, dict) else {}


def time_at(fields: dict[str, Any], *names: str) -> int | None:
    """Return the first of some times in Unix ms, from ISO 8601 or from seconds; None where none can be read."""
    for name in names:
        value = fields.get(name)
        at = _moment(value)
        if at is not None and 0 <= at <= TIME_MS_MAX:
            return at
    return None


def _moment(value: Any) -> int | None:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return round(value * _SECOND_MS) if abs(value) <= TIME_MS_MAX / _SECOND_MS else None
    try:
        return moment("time", value) if isinstance(value, str) else None
    except NotAFactError:
        return None


def needed(fields: dict[str, Any], what: str, *names: str) -> str:
    """Return the first of some fields that is a text. Raises NotUnderstoodError, which says what is not there."""
    value = text_at(fields, *names)
    if value is None:
        raise NotUnderstoodError(
            f"expected {what} with {' or '.join(map(repr, names))}, a text", f"no {what.removeprefix('a ')}"
        )
    return value
