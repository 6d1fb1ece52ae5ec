"""Import the items of a LangGraph store: ``Item.dict()`` each, a line or in a list, or rows of its table as JSON.

An item is ``{"namespace": [...], "key", "value", "created_at", "updated_at"}``; a row has ``"prefix": "a.b"`` in place
of the namespace.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, cast

import orjson

from yggdrasil_schemas.canonical import canonical_json

from ...again import Named, called
from ...documents import (
    LANGGRAPH,
    VALUE_BYTES_MAX,
    features_of,
    fits,
    key_of,
    payload_of,
    searched,
    session_of,
)
from ...draft import Draft, Drafter
from ...stamps import Stamp
from ..run import Import, NotUnderstoodError, Seen, Unread, shown, unseen
from .elements import Export
from .fields import time_at
from .files import Wanted

_WANTED: Final = Wanted.such_as(r".*\.jsonl?", "file such as store.json")
_LISTS: Final = ("items",)


def import_langgraph(file: str | Path, drafter: Drafter, seen: Seen = unseen) -> Import:
    """Import the items in ``file``; ``total`` counts them.

    An item is a document: an event with its exact value, under the key of its namespace and name, as the LangGraph
    store of this project keeps it, which therefore finds it. What a later dump says of the same item takes its place.
    Raises ImporterError for what cannot be read.
    """
    export = Export(Path(file), _WANTED, _LISTS)

    def steps(unread: Unread, seen: Seen) -> Iterator[list[Draft]]:
        for element in export.elements(unread, seen):
            with unread.noting(element.place):
                draft = _item(element.fields, drafter)
                yield [draft]

    return Import.of(steps, seen)


def _item(fields: dict[str, Any], drafter: Drafter) -> Draft:
    path = _path(fields)
    value = _value(fields)
    try:
        size = len(orjson.dumps(value))
    except TypeError as error:
        raise NotUnderstoodError(f"the value cannot be kept as JSON: {error}", "nested too deeply") from error
    if size > VALUE_BYTES_MAX:
        raise NotUnderstoodError(f"a value of {size:,} bytes, where {VALUE_BYTES_MAX:,} are kept", "too long")
    text = searched(value, size)
    updated = time_at(fields, "updated_at", "created_at")
    created = time_at(fields, "created_at", "updated_at") or 0
    said = canonical_json([value, updated]).decode()
    draft = drafter.record_event(
        text,
        features=features_of(LANGGRAPH, path),
        payload=payload_of(LANGGRAPH, path, value, created),
        session=session_of(LANGGRAPH, text),
        key=key_of(LANGGRAPH, path),
        stamp=Stamp(drafter.derived_id("langgraph", *path, said), updated),
    )
    return called(draft, Named("langgraph", canonical_json(list(path)).decode()))


def _path(fields: dict[str, Any]) -> tuple[str, ...]:
    namespace, prefix, key = fields.get("namespace"), fields.get("prefix"), fields.get("key")
    parts: Sequence[object] = [None]
    if isinstance(namespace, list):
        parts = cast(list[object], namespace)
    elif isinstance(prefix, str):
        parts = prefix.split(".")
    path = tuple(part for part in (*parts, key) if isinstance(part, str))
    if len(path) != len(parts) + 1 or not fits(path):
        expected = "expected an item with 'namespace', a list of texts, and 'key', a text"
        raise NotUnderstoodError(f"{expected}; and got {shown([*parts, key])}", "no item")
    return path


def _value(fields: dict[str, Any]) -> dict[str, Any]:
    value = fields.get("value")
    if isinstance(value, str):  # as a table of SQLite has it
        try:
            value = orjson.loads(value)
        except orjson.JSONDecodeError:
            value = None
    if not isinstance(value, dict):
        raise NotUnderstoodError("expected an item with 'value', an object", "no item")
    return cast(dict[str, Any], value)
