"""The stored form of what is known, and of what stands: a part of format 5 (``codec``)."""

from collections.abc import Iterable
from struct import Struct
from typing import Final

import orjson

from ..canonical import canonical_json
from .codec import NUMBER
from .knowledge import Claim, Definition, Line, Names
from .records import Ruling

_RULING: Final = Struct(">16sBQB")
_CLAIM: Final = Struct(">B16sqqqQQB")
_LINE: Final = Struct(">8s8sBHqQ")


def encode_claim(claim: Claim) -> bytes:
    """Return the bytes of a claim, at most 660; its node's number is the key."""
    sort, predicate, value, begins, ends, closed, confirmed, before, lines, named = claim
    fixed = _CLAIM.pack(sort, value, begins, ends, closed, confirmed, before, len(lines))
    words = "\0".join((predicate, *named) if any(named) else (predicate,))
    return fixed + b"".join([_LINE.pack(*line) for line in lines]) + words.encode()


def decode_claim(data: bytes) -> Claim:
    """Return the claim that ``encode_claim`` wrote."""
    sort, value, begins, ends, closed, confirmed, before, count = _CLAIM.unpack_from(data)
    predicate_at = _CLAIM.size + count * _LINE.size
    lines = tuple([Line(*each) for each in _LINE.iter_unpack(data[_CLAIM.size : predicate_at])])
    predicate, *named = data[predicate_at:].decode().split("\0")  # no name has that in it
    subject, other = named or ("", "")
    return Claim(sort, predicate, value, begins, ends, closed, confirmed, before, lines, (subject, other))


def encode_words(words: Iterable[tuple[int, Line]]) -> bytes:
    """Return the bytes of what sources said for claims: the number of the claim's node, and the line."""
    return b"".join([NUMBER.pack(number) + _LINE.pack(*line) for number, line in words])


def decode_words(data: bytes) -> list[tuple[int, Line]]:
    """Return what ``encode_words`` wrote."""
    size = NUMBER.size + _LINE.size
    parts = [data[at : at + size] for at in range(0, len(data), size)]
    return [(NUMBER.unpack_from(each)[0], Line(*_LINE.unpack_from(each, NUMBER.size))) for each in parts]


def encode_definition(definition: Definition) -> bytes:
    """Return the canonical bytes of what a predicate means; its name is the key."""
    return canonical_json(list(definition))


def decode_definition(data: bytes) -> Definition:
    """Return the definition that ``encode_definition`` wrote."""
    return Definition(*orjson.loads(data))


def encode_names(names: Names) -> bytes:
    """Return the canonical bytes of a thing's names; each of them is a key."""
    return canonical_json([names.canonical, list(map(list, names.aliases)), list(map(list, names.said))])


def decode_names(data: bytes) -> Names:
    """Return the names that ``encode_names`` wrote."""
    canonical, aliases, said = orjson.loads(data)
    return Names(canonical, tuple(map(tuple, aliases)), tuple(map(tuple, said)))


def encode_ruling(ruling: Ruling) -> bytes:
    """Return the bytes of a ruling; its node's number is the key."""
    slot, by, trust, instead, reason = ruling
    return _RULING.pack(by, trust, instead, len(slot)) + slot + reason.encode()


def decode_ruling(data: bytes) -> Ruling:
    """Return the ruling that ``encode_ruling`` wrote."""
    by, trust, instead, size = _RULING.unpack_from(data)
    slot, reason = data[_RULING.size :][:size], data[_RULING.size + size :]
    return Ruling(slot, by, trust, instead, reason.decode())
