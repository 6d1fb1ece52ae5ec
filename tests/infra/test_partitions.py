"""Our partitioner is Kafka's: two implementations must agree on every key."""

import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yggdrasil_schemas.partitions import murmur2, partition_for

with warnings.catch_warnings():  # kafka-python reads its own files in a deprecated way
    warnings.simplefilter("ignore", DeprecationWarning)
    from kafka.partitioner.default import murmur2 as kafka_murmur2


@given(st.binary(max_size=64))
def test_the_hash_is_that_of_kafka_python(key: bytes) -> None:
    assert murmur2(key) == kafka_murmur2(key) & 0xFFFFFFFF


@given(st.binary(max_size=64), st.integers(1, 1_000))
def test_the_partition_is_that_of_kafka_python(key: bytes, partitions: int) -> None:
    assert partition_for(key, partitions) == (kafka_murmur2(key) & 0x7FFFFFFF) % partitions


@pytest.mark.parametrize(
    ("key", "expected"),
    [  # from the tests of Kafka's Java client, whose ints are signed
        (b"21", -973932308),
        (b"foobar", -790332482),
        (b"a-little-bit-long-string", -985981536),
        (b"a-little-bit-longer-string", -1486304829),
        (b"lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", -58897971),
        (b"abc", 479470107),
    ],
)
def test_the_hash_is_that_of_the_java_client(key: bytes, expected: int) -> None:
    assert murmur2(key) == expected & 0xFFFFFFFF
