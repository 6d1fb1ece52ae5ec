"""Names in one form. A letter with an accent can be written as one code point or as two, and both look the same.

The fold compares names byte by byte: the tables of Unicode change with its versions, and a fold may not. So whoever
writes a name to the log, or asks for one, brings it to the composed form (NFC) before.
"""

import re
from hashlib import blake2b
from typing import Any, Final, cast
from unicodedata import normalize

from .anchors import anchor_in_words
from .limits import DEPTH_MAX

THING: Final = re.compile(r"[a-z][a-z0-9_-]*:(?!//)\S")
"""The name of a thing with its kind, such as "person:ana"."""
_HALF: Final = re.compile("[\ud800-\udfff]")


def composed(name: str) -> str:
    """Return ``name`` in NFC."""
    return name if name.isascii() else normalize("NFC", name)


def is_unicode(text: str) -> bool:
    """Whether a text has whole characters only; what was typed in another encoding than UTF-8, or was cut, may not."""
    return text.isascii() or _HALF.search(text) is None


def text_digest(text: str) -> str:
    """Return the digest of a text, 32 hexadecimal digits: of one that differs in case or spaces it is the same."""
    plain = " ".join(composed(text).casefold().split())
    return blake2b(plain.encode(), digest_size=16, person=b"yggdrasil-text").hexdigest()


def all_composed(value: Any, depth: int = DEPTH_MAX) -> Any:
    """Return ``value``, as JSON has it, with every text and every key in NFC; what lies deeper is refused anyway."""
    if isinstance(value, str):
        return composed(value)
    if depth and isinstance(value, list):
        return [all_composed(entry, depth - 1) for entry in cast(list[object], value)]
    if depth and isinstance(value, dict):
        return {
            all_composed(key): all_composed(entry, depth - 1) for key, entry in cast(dict[str, object], value).items()
        }
    return value


def thing(kind: str, name: str | None) -> str | None:
    """Return the name of a thing: one that names no kind is of this kind."""
    return name if not name or ":" in name else f"{kind}:{name}"


def claim_in_words(subject: str, predicate: str, in_words: str) -> str:
    """Return what a claim says, for people and for the search."""
    return f"{name_in_words(subject)} {predicate.replace('_', ' ')} {in_words}"


def object_in_words(kind: str, value: str) -> str:
    """Return an object in words, given its kind: "entity", "decimal", "flag", "anchor", or "text" as it is."""
    if kind == "anchor":
        return anchor_in_words(value)
    return value if kind == "text" else name_in_words(value)


def name_in_words(name: str) -> str:
    """Return a thing's name without its kind."""
    return name.partition(":")[2] if THING.match(name) else name
