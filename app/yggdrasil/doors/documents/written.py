"""What a document may be: its path, its value as JSON, and the text by which it is found."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any, Final, cast

import orjson

from yggdrasil_schemas.errors import YggdrasilError
from yggdrasil_schemas.limits import DEPTH_MAX as RECORD_DEPTH_MAX
from yggdrasil_schemas.limits import FEATURES_MAX, RECORD_BYTES_MAX, TEXT_CHARS_MAX

Path = tuple[str, ...]
"""The namespace of a document, part by part, and then its name."""

DEPTH_MAX: Final = FEATURES_MAX - 1  # each namespace above a document is a feature of it, and so is the shelf
PART_CHARS_MAX: Final = 1_024
VALUE_BYTES_MAX: Final = 160 << 10
"""So many bytes a value may have as JSON; what is searched of it takes the rest of the record."""
VALUE_DEPTH_MAX: Final = RECORD_DEPTH_MAX - 3  # the record, its content and its payload are around it
_BESIDE_BYTES: Final = 16 << 10  # of a record: the envelope, the path, the features, a vector
_HALF: Final = re.compile("[\ud800-\udfff]")  # of a character beyond 16 bits: nothing can write it as UTF-8


class DocumentError(YggdrasilError, ValueError):
    """A document cannot be as it is given, or may not be changed; the message says what to do."""


def checked(path: Path) -> Path:
    """Return ``path``. Raises DocumentError for what is no path."""
    if not 1 <= len(path) <= DEPTH_MAX:
        raise DocumentError(
            f"a path has 1 to {DEPTH_MAX} parts, and this one has {len(path)}: put less into each other"
        )
    for part in path:
        if not 1 <= len(part) <= PART_CHARS_MAX:
            raise DocumentError(f"each part of a path has 1 to {PART_CHARS_MAX} characters, and one has {len(part)}")
        if _HALF.search(part):
            raise DocumentError(f"a part of a path holds half of a character: {part[:80]!r}")
    return path


def written(path: Path, value: Mapping[str, Any], text: str | None) -> tuple[dict[str, Any], str | None]:
    """Return a value as JSON has it, and as much of ``text`` as the record holds beside it: the rest is not searched.

    Raises DocumentError for a value that is no object, that JSON does not have, or that is too large.
    """
    if not isinstance(cast(object, value), Mapping):  # not everybody checks types
        kind = type(value).__name__
        raise DocumentError(f"the value of {shown(path)} is an object with names (a dict), and this is of type {kind}")
    try:
        plain: dict[str, Any] = _plain(value, VALUE_DEPTH_MAX)
        size = len(orjson.dumps(plain))
        searched = _cut(text, RECORD_BYTES_MAX - _BESIDE_BYTES - size) if text else None
    except (TypeError, ValueError) as error:  # orjson's own error is a TypeError
        raise DocumentError(f"the value of {shown(path)} cannot be kept as JSON: {error}") from error
    if size > VALUE_BYTES_MAX:
        said = f"a value has at most {VALUE_BYTES_MAX} bytes as JSON, and {shown(path)} has {size}"
        raise DocumentError(f"{said}: split it into several documents")
    return plain, searched


def shown(path: Path) -> str:
    """Return a path as messages show it."""
    return "/".join(path)[:200]


def _plain(value: object, depth: int) -> Any:
    """Return a value of nothing but what JSON has. Raises TypeError for what would come back as something else."""
    if isinstance(value, float) and not isfinite(value):
        raise TypeError("a number in it is not finite")
    if value is None or isinstance(value, str | int | float):
        return value
    if not depth:
        raise TypeError(f"it nests more than {VALUE_DEPTH_MAX} lists and objects; make it flatter")
    if isinstance(value, Mapping):
        return {key: _plain(entry, depth - 1) for key, entry in cast(Mapping[str, object], value).items()}
    if isinstance(value, list | tuple):
        return [_plain(entry, depth - 1) for entry in cast(Sequence[object], value)]
    raise TypeError(f"JSON has no {type(value).__name__}; write it as a text, a number, a list or an object")


def _cut(text: str, bytes_max: int) -> str:
    """Return as much of the beginning of ``text`` as takes so many bytes in JSON."""
    text = text[:TEXT_CHARS_MAX]
    while (size := len(orjson.dumps(text))) > bytes_max > 0:
        text = text[: int(len(text) * min(0.9, bytes_max / size))]
    return text
