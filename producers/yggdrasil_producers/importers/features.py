"""Names from the outside world as features: printable, bounded, and the same everywhere."""

import re
from hashlib import blake2b
from typing import Final

from yggdrasil_schemas.limits import FEATURE_CHARS_MAX

_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_CONTROL_IN_PROSE: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_UNKNOWN: Final = "\ufffd"  # what Unicode itself puts in the place of bytes that mean nothing


def plain(data: bytes) -> str:
    """Return ``data`` as one printable line: broken UTF-8 and control characters become U+FFFD."""
    return _CONTROL.sub(_UNKNOWN, data.decode("utf-8", "replace"))


def prose(data: bytes) -> str:
    """Return ``data`` as text of many lines: like ``plain``, but line feeds and tabs stay."""
    return _CONTROL_IN_PROSE.sub(_UNKNOWN, data.decode("utf-8", "replace").replace("\r\n", "\n"))


def cut(text: str, chars_max: int) -> str:
    """Return ``text`` when it is at most ``chars_max`` characters long, else its beginning and an ellipsis."""
    return text if len(text) <= chars_max else text[: chars_max - 1] + "…"


def feature(kind: str, name: bytes) -> str:
    """Return the feature ``kind:name``, at most 128 characters.

    A name that cannot be kept whole (too long, or with bytes that cannot be shown) keeps its tail, which tells files
    apart better than the top folder does, and gains a hash of all its bytes, so that two names never become one.
    """
    text = plain(name)
    whole = f"{kind}:{text}"
    if len(whole) <= FEATURE_CHARS_MAX and text.encode() == name:
        return whole
    mark = "#" + blake2b(name, digest_size=4).hexdigest()
    room = FEATURE_CHARS_MAX - len(kind) - 1 - len(mark)
    if len(text) > room:
        text = "…" + text[len(text) - room + 1 :]
    return f"{kind}:{text}{mark}"
