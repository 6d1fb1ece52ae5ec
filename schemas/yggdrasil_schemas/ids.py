"""Ids: of commands, UUIDv7 for what happens now, UUIDv8 derived from content for what is imported; of keys, in records.

Time and randomness enter as arguments, so that everything behind them stays a plain function.
"""

from hashlib import blake2b

_HEX_GROUPS = (8, 12, 16, 20)
_SERVICE = "yggdrasil-serve"


def uuid7(now_ms: int, entropy: bytes) -> str:
    """Return a version 7 UUID (RFC 9562, section 5.7) in canonical lower case.

    ``now_ms`` is Unix time in milliseconds (48 bits); ``entropy`` is at least 10 random bytes.
    """
    random_bits = int.from_bytes(entropy[:10], "big")
    high = (now_ms & (2**48 - 1)) << 80 | 0x7 << 76 | (random_bits >> 68 & 0xFFF) << 64
    return _canonical(high | 0b10 << 62 | random_bits & (2**62 - 1))


def tenant_of(memory: str) -> str:
    """Return whose a memory is, by its id: all before the first slash, all of it where there is none."""
    return memory.partition("/")[0]


def derived_id(*parts: str) -> str:
    """Return the version 8 UUID (RFC 9562, section 5.8) that stands for ``parts`` and for nothing else.

    The parts are hashed with their lengths, so ``("ab", "c")`` and ``("a", "bc")`` differ. The same content
    imported twice therefore gets the same id, and the fold recognises it.
    """
    digest = blake2b(digest_size=16, person=b"yggdrasil-id")
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "big"))
        digest.update(data)
    bits = int.from_bytes(digest.digest(), "big")
    bits = bits & ~(0xF << 76) | 0x8 << 76
    return _canonical(bits & ~(0b11 << 62) | 0b10 << 62)


def sourced_id(source: str, *parts: str) -> str:
    """Return the version 8 UUID that stands for ``parts`` as ``source`` has them: the first 48 bits are the source's.

    So whoever sees an id can tell whether it is of a source, and no other one can take it first. 74 bits are left for
    the parts: of a hundred million commands in one memory two collide with a probability below one in a million.
    """
    own = _source_bits(source) << 80
    return _canonical(int.from_bytes(id_bytes(derived_id(*parts)), "big") & (2**80 - 1) | own)


def is_derived(command_id: str) -> bool:
    """Return whether a canonical UUID is of version 8: derived, and not made of time and chance."""
    return command_id[14] == "8"


def is_of(source: str, command_id: str) -> bool:
    """Return whether ``sourced_id`` can have made a derived id for ``source``."""
    return int.from_bytes(id_bytes(command_id)[:6], "big") == _source_bits(source)


def id_bytes(command_id: str) -> bytes:
    """Return the 16 bytes of a canonical UUID string."""
    return bytes.fromhex(command_id.replace("-", ""))


def id_text(data: bytes) -> str:
    """Return the canonical UUID string of 16 bytes."""
    return _canonical(int.from_bytes(data, "big"))


def _source_bits(source: str) -> int:
    data = source.encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(data, digest_size=6, person=b"yggdrasil-source").digest(), "big")


def _canonical(bits: int) -> str:
    text = f"{bits:032x}"
    a, b, c, d = _HEX_GROUPS
    return f"{text[:a]}-{text[a:b]}-{text[b:c]}-{text[c:d]}-{text[d:]}"


def keyed_process(key_id: str) -> str:
    """Return the process of what comes over HTTP: the service that took it in, and the id of the key it came with."""
    return f"{_SERVICE}/{key_id}"


def key_in(process: str) -> str | None:
    """Return the id of the key with which a record came over HTTP; None for one that came in another way."""
    service, _, key_id = process.partition("/")
    return key_id if service == _SERVICE and key_id else None
