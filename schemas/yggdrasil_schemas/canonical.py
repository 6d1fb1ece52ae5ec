"""JSON whose bytes are the same under every release of every library: what hashes and digests are taken over."""

from typing import Any

import orjson


def canonical_json(value: Any) -> bytes:
    """Return ``value`` as JSON with sorted keys, and with floats as Python's ``repr`` writes them.

    The JSON writer's own floats changed between two releases, from ``1e16`` to ``1e+16``: the same command would have
    had another hash, and the same memory another digest.
    """
    return sorted_json(_written_out(value))


def sorted_json(value: Any) -> bytes:
    """Return what ``canonical_json`` does of a ``value`` without floats, in a tenth of the time."""
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


def _written_out(value: Any) -> Any:
    """Most of what is in a command is text, and asking for that costs less than a call."""
    if isinstance(value, float):
        return orjson.Fragment(repr(value))
    fields: dict[str, Any] = value
    items: list[Any] = value
    if isinstance(value, dict):
        return {name: item if type(item) is str else _written_out(item) for name, item in fields.items()}
    if isinstance(value, (list, tuple)):
        return [item if type(item) is str else _written_out(item) for item in items]
    return value
