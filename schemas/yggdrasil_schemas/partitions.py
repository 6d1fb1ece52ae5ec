"""Which partition holds a memory: Kafka's default partitioner for keyed records."""

from functools import lru_cache

_SEED = 0x9747B28C
_M = 0x5BD1E995
_MASK = 0xFFFFFFFF


def murmur2(data: bytes) -> int:
    """Return the 32-bit unsigned murmur2 hash of ``data``, as Kafka's Java client computes it."""
    length = len(data)
    h = _SEED ^ length
    whole = length - length % 4
    for i in range(0, whole, 4):
        k = int.from_bytes(data[i : i + 4], "little") * _M & _MASK
        k ^= k >> 24
        h = h * _M & _MASK ^ k * _M & _MASK
    if whole < length:
        h ^= int.from_bytes(data[whole:], "little")
        h = h * _M & _MASK
    h ^= h >> 13
    h = h * _M & _MASK
    return h ^ h >> 15


@lru_cache(maxsize=65_536)  # hashing a key in Python takes microseconds, and a partition sees the same keys again
def partition_for(key: bytes, partitions: int) -> int:
    """Return the partition of ``key`` among ``partitions``, as every murmur2 client of Kafka does."""
    return (murmur2(key) & 0x7FFFFFFF) % partitions
