"""The log chain: a hash over every record of a partition in order, so that a changed record can be named."""

from hashlib import blake2b
from struct import Struct
from typing import Final

from yggdrasil_infra.log import LogRecord

HASH_BYTES: Final = 32
CHAIN_START: Final = bytes(HASH_BYTES)
_SIZE: Final = Struct(">Q").pack
_ABSENT: Final = 2**64 - 1  # no record is that long, so an absent key or value differs from an empty one


def record_hash(record: LogRecord) -> bytes:
    """Return the 32-byte hash of what a record says: its key and value, not where or when it was written."""
    return hash_of(record.key, record.value)


def hash_of(key: bytes | None, value: bytes | None) -> bytes:
    """Return the 32-byte hash of a record with this key and value."""
    key_size = _SIZE(_ABSENT if key is None else len(key))
    value_size = _SIZE(_ABSENT if value is None else len(value))
    return blake2b(b"".join((key_size, key or b"", value_size, value or b"")), digest_size=32).digest()


def chained(chain: bytes, of_record: bytes) -> bytes:
    """Return the chain after one more record: ``h(n) = blake2b(h(n-1) || record hash)``."""
    return blake2b(chain + of_record, digest_size=32).digest()
