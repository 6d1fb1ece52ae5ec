"""The log chain: a hash over every record of a partition in order, so that a changed record can be named."""

from hashlib import blake2b
from typing import Final

from yggdrasil_infra.log import LogRecord

CHAIN_START: Final = bytes(32)
_ABSENT: Final = 2**64 - 1  # no record is that long, so an absent key or value differs from an empty one


def record_hash(record: LogRecord) -> bytes:
    """Return the 32-byte hash of what a record says: its key and value, not where or when it was written."""
    digest = blake2b(digest_size=32)
    for part in (record.key, record.value):
        digest.update((_ABSENT if part is None else len(part)).to_bytes(8, "big"))
        digest.update(part or b"")
    return digest.digest()


def chained(chain: bytes, of_record: bytes) -> bytes:
    """Return the chain after one more record: ``h(n) = blake2b(h(n-1) || record hash)``."""
    return blake2b(chain + of_record, digest_size=32).digest()
