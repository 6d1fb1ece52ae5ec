"""Roles, their perspectives, and how a node is regarded under each: records and their stored form (003, 3.2, 3.4)."""

from hashlib import blake2b
from struct import Struct
from typing import Any, Final, NamedTuple

import orjson

from ..canonical import canonical_json

PERSPECTIVE_BYTES: Final = 8
_REGARD: Final = Struct(">8sBQddI")


class Perspective(NamedTuple):
    """What an agent of a role cares about: its name, and the words that it looks for beside those of a question.

    ``key`` are 8 bytes that stand for it: those of its first name, which it keeps when it is renamed.
    """

    key: bytes
    name: str
    keywords: tuple[str, ...] = ()


class Role(NamedTuple):
    """What an agent is, by its at most 8 perspectives."""

    perspectives: tuple[Perspective, ...]


class Regard(NamedTuple):
    """How strong a node is under one perspective: ``value`` at ``tick``, fading with ``half_life``, as salience does.

    ``trust`` is the most with which somebody gave it something, and ``uses`` how often it was used under that.
    """

    key: bytes
    trust: int
    tick: int
    value: float
    half_life: float
    uses: int


def perspective_key(name: str) -> bytes:
    """Return the 8 bytes that stand for a perspective, by its first name."""
    return blake2b(name.encode(), digest_size=PERSPECTIVE_BYTES, person=b"yggdrasil-view").digest()


def encode_role(role: Role) -> bytes:
    """Return the canonical bytes of a role; its name is the key."""
    return canonical_json([[each.key.hex(), each.name, list(each.keywords)] for each in role.perspectives])


def decode_role(data: bytes) -> Role:
    """Return the role that ``encode_role`` wrote."""
    said: list[Any] = orjson.loads(data)
    return Role(tuple([Perspective(bytes.fromhex(key), name, tuple(words)) for key, name, words in said]))


def encode_regards(regards: tuple[Regard, ...]) -> bytes:
    """Return the bytes of how a node is regarded, in order of the perspectives' keys; its number is the key."""
    return b"".join([_REGARD.pack(*each) for each in regards])


def decode_regards(data: bytes) -> tuple[Regard, ...]:
    """Return what ``encode_regards`` wrote."""
    return tuple([Regard(*each) for each in _REGARD.iter_unpack(data)])
