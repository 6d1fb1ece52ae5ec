"""The stored form of what is known, and of what stands: a part of format 5 (``codec``)."""

from struct import Struct
from typing import Final

import orjson

from ..canonical import canonical_json
from .codec import NUMBER
from .knowledge import Claim, Definition, Line, Names
from .records import Act, Ruling

_RULING: Final = Struct(">16sBBQB")  # the second byte: 3 bits of a status, and 1 where it is self-approved
_CLAIM: Final = Struct(">B16sqqqQQHQB")
_ACT: Final = Struct(">BBB16sHB")
_LINE: Final = Struct(">8s8sBHqQ")


def encode_claim(claim: Claim) -> bytes:
    """Return the bytes of a claim, at most 670; its node's number is the key."""
    sort, predicate, value, begins, ends, closed, confirmed, before, lines, named, seen, sighted = claim
    fixed = _CLAIM.pack(sort, value, begins, ends, closed, confirmed, before, seen, sighted, len(lines))
    words = "\0".join((predicate, *named) if any(named) else (predicate,))
    return fixed + b"".join([_LINE.pack(*line) for line in lines]) + words.encode()


def decode_claim(data: bytes) -> Claim:
    """Return the claim that ``encode_claim`` wrote."""
    sort, value, begins, ends, closed, confirmed, before, seen, sighted, count = _CLAIM.unpack_from(data)
    predicate_at = _CLAIM.size + count * _LINE.size
    lines = tuple([Line(*each) for each in _LINE.iter_unpack(data[_CLAIM.size : predicate_at])])
    predicate, *named = data[predicate_at:].decode().split("\0")  # no name has that in it
    subject, other = named or ("", "")
    words = (subject, other)
    return Claim(sort, predicate, value, begins, ends, closed, confirmed, before, lines, words, seen, sighted)


def encode_act(act: Act) -> bytes:
    """Return the bytes of what a command did that made no node; its seq is the key."""
    trust, about, status, ruled, by, reason, kept, lines, record = act
    told = canonical_json([list(about), reason, list(kept)])
    words = b"".join([NUMBER.pack(number) + _LINE.pack(*line) for number, line in lines])
    return _ACT.pack(trust, status, ruled, by, len(told), len(lines)) + told + words + record


def decode_act(data: bytes) -> Act:
    """Return what ``encode_act`` wrote."""
    trust, status, ruled, by, size, count = _ACT.unpack_from(data)
    about, reason, kept = orjson.loads(data[_ACT.size :][:size])
    at, lines = _ACT.size + size, list[tuple[int, Line]]()
    for _ in range(count):
        lines.append((NUMBER.unpack_from(data, at)[0], Line(*_LINE.unpack_from(data, at + NUMBER.size))))
        at += NUMBER.size + _LINE.size
    return Act(trust, tuple(about), status, ruled, by, reason, tuple(kept), tuple(lines), data[at:])


def trust_of_act(data: bytes) -> int:
    """Return the trust in what ``encode_act`` wrote."""
    return data[0]


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
    given = tuple([(name, trust) for name, trust in aliases])
    return Names(canonical, given, tuple([(name, trust, seq) for name, trust, seq in said]))


def encode_ruling(ruling: Ruling) -> bytes:
    """Return the bytes of a ruling; its node's number is the key."""
    slot, by, trust, instead, reason, was, self_approved = ruling
    return _RULING.pack(by, trust, was | self_approved << 3, instead, len(slot)) + slot + reason.encode()


def decode_ruling(data: bytes) -> Ruling:
    """Return the ruling that ``encode_ruling`` wrote."""
    by, trust, bits, instead, size = _RULING.unpack_from(data)
    slot, reason = data[_RULING.size :][:size], data[_RULING.size + size :]
    return Ruling(slot, by, trust, instead, reason.decode(), bits & 7, bool(bits >> 3))
