"""Ids that follow from what happened, so that the same event sent twice is recorded once.

The same rule as ``yggdrasil_schemas.ids.sourced_id``, which cannot be imported here; a test holds them together.
"""

from hashlib import blake2b


def derived(source: str, *parts: str) -> str:
    """Return the UUID of version 8 that stands for ``parts`` as ``source`` has them."""
    digest = blake2b(digest_size=16, person=b"yggdrasil-id")
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "big"))
        digest.update(data)
    bits = int.from_bytes(digest.digest(), "big") & ~(0xF << 76) | 0x8 << 76
    bits = bits & ~(0b11 << 62) | 0b10 << 62
    own = blake2b(source.encode("utf-8", "surrogatepass"), digest_size=6, person=b"yggdrasil-source").digest()
    text = f"{bits & (2**80 - 1) | int.from_bytes(own, 'big') << 80:032x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def short(*parts: str) -> str:
    """Return sixteen letters that stand for ``parts``: for names of files, and where an event has no id of its own."""
    return blake2b("\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
