"""How a named document is said: an event under a key, with its exact value in the payload.

Whoever writes documents says them so: the doors that frameworks use as a store, and importers of what was in one. Each
namespace that a document is in is a feature of it, so that a listing of one sees nothing else.
"""

from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Any, Final, cast
from urllib.parse import quote

import orjson

from yggdrasil_schemas.limits import FEATURES_MAX, NAME_CHARS_MAX, RECORD_BYTES_MAX, TEXT_CHARS_MAX

Path = tuple[str, ...]
"""The namespace of a document, part by part, and then its name."""

DEPTH_MAX: Final = FEATURES_MAX - 1  # each namespace above a document is a feature of it, and so is the shelf
PART_CHARS_MAX: Final = 1_024
VALUE_BYTES_MAX: Final = 160 << 10
"""So many bytes a value may have as JSON; what is searched of it takes the rest of the record."""
LANGGRAPH: Final = "langgraph"
"""The shelf on which LangGraph's store keeps its items."""
_BESIDE_BYTES: Final = 16 << 10  # of a record: the envelope, the path, the features, a vector
_KEPT: Final = "-kept"  # where what has no text is, so that no search comes to it over its neighbours
_PERSON: Final = b"yggdrasil-docs"


def fits(path: Path) -> bool:
    """Whether a path may be that of a document: 1 to 31 parts of 1 to 1,024 characters."""
    return 1 <= len(path) <= DEPTH_MAX and all(1 <= len(part) <= PART_CHARS_MAX for part in path)


def key_of(shelf: str, path: Path) -> str:
    """Return the key of a document, readable where it is short enough; no part of a path can pose as two."""
    written = f"{shelf}:" + "/".join(quote(part, safe="@:") for part in path)
    return written if len(written) <= NAME_CHARS_MAX else f"{shelf}:#{_digest(shelf, path).hex()}"


def features_of(shelf: str, path: Path) -> list[str]:
    """Return the features of the namespaces that a document is in, the nearest first and the shelf last."""
    return [namespace_feature(shelf, path[:end]) for end in reversed(range(len(path)))]


def namespace_feature(shelf: str, namespace: Path) -> str:
    """Return the feature of a namespace: of digits, which no question names and no embedder reads."""
    return f"in:{int.from_bytes(_digest(shelf, namespace), 'big'):039d}"


def session_of(shelf: str, text: str | None) -> str:
    """Return the session of a document, by what is searched of it."""
    return shelf if text else shelf + _KEPT


def payload_of(shelf: str, path: Path, value: Mapping[str, Any], created: int) -> dict[str, Any]:
    """Return the payload of a document that was first written at ``created``, in Unix ms."""
    return {"path": [shelf, *path], "value": dict(value), "created": created}


def searched(value: Mapping[str, Any], size: int) -> str | None:
    """Return what is searched of a value of ``size`` bytes where nobody says which fields are: all, a leaf a line.

    It is no longer than the record has room for.
    """
    text = "\n".join(_told(value))[:TEXT_CHARS_MAX]
    room = RECORD_BYTES_MAX - _BESIDE_BYTES - size
    while (length := len(orjson.dumps(text))) > room > 0:
        text = text[: int(len(text) * min(0.9, room / length))]
    return text or None


def _told(value: object, name: str = "") -> Iterator[str]:
    """Yield what a value says, each of its leaves in a line with its names."""
    if isinstance(value, Mapping):
        for key, entry in cast(Mapping[str, object], value).items():
            yield from _told(entry, f"{name} {key}".strip())
    elif isinstance(value, list | tuple):
        for entry in cast(Sequence[object], value):
            yield from _told(entry, name)
    elif value is not None:
        yield f"{name}: {value}" if name else str(value)


def _digest(shelf: str, path: Path) -> bytes:
    return blake2b(orjson.dumps([shelf, *path]), digest_size=16, person=_PERSON).digest()
