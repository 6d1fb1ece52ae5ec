"""The OpenAPI document as the framework writes it, mended where it does not say what is so."""

from collections.abc import Iterator
from typing import Any, Final, cast

from yggdrasil_schemas.limits import SEQ_MAX, TIME_MS_MAX

from .problems import Problem

_EXACT: Final = {float(bound): bound for bound in (SEQ_MAX, TIME_MS_MAX)}
_SHAPE: Final = "#/components/schemas/"


def mended(schema: dict[str, Any], *, keys: bool) -> dict[str, Any]:
    """Take out what is not so here: the framework's own shape of errors, keys if none is needed, and doubt.

    An answer has all of its fields, be they null: only what is sent may leave some out.
    """
    components: dict[str, Any] = schema.setdefault("components", {}).setdefault("schemas", {})
    for name in ("HTTPValidationError", "ValidationError"):
        components.pop(name, None)
    for path in schema["paths"].values():
        for operation in path.values():
            if not keys:
                operation.pop("security", None)
            entry = operation["responses"].get("422", {})
            if "HTTPValidationError" in str(entry):
                del operation["responses"]["422"]
    bodies = [operation.get("requestBody") for path in schema["paths"].values() for operation in path.values()]
    sent = _reached(components, bodies)
    for name, shape in components.items():
        if name not in sent and "properties" in shape:
            shape["required"] = list(shape["properties"])
    components["Problem"] = Problem.model_json_schema()  # as it is: what has no reason says none
    _restore_bounds(schema)
    return schema


def _reached(components: dict[str, Any], part: object) -> set[str]:
    """Return the names of the shapes that a part of the document refers to, and those that these refer to."""
    found: set[str] = set()
    waiting = list(_references(part))
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += _references(components[name])
    return found


def _references(part: object) -> Iterator[str]:
    if isinstance(part, dict):
        for key, value in cast(dict[str, Any], part).items():
            if key == "$ref":
                yield value.removeprefix(_SHAPE)
            else:
                yield from _references(value)
    elif isinstance(part, list):
        for one in cast(list[object], part):
            yield from _references(one)


def _restore_bounds(part: object) -> None:
    """Give bounds of integers back the last digits that the framework has rounded off."""
    if isinstance(part, dict):
        fields = cast(dict[str, Any], part)
        if isinstance(bound := fields.get("maximum"), float):
            fields["maximum"] = _EXACT.get(bound, bound)
        for value in fields.values():
            _restore_bounds(value)
    elif isinstance(part, list):
        for one in cast(list[object], part):
            _restore_bounds(one)
