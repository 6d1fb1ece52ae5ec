"""Batches of records byte for byte, and a request that hands them to a broker: what no client library would send."""

import socket
import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final
from zlib import crc32

from crc32c import crc32c

from yggdrasil_infra.kafka_log.settings import KafkaSettings

NOW_MS: Final = 1_795_000_000_000
_REQUEST: Final = struct.Struct(">hhi")  # which request, of which version, and its number
COVERED: Final = 21
"""Where what the checksum of a batch covers begins."""
_PRODUCE, _VERSION = 0, 7
_WAIT_MS: Final = 30_000


@dataclass(frozen=True)
class Raw:
    """A record of format version 2. Names of headers are bytes; ``header_count`` may be another than there are."""

    key: bytes | None
    value: bytes | None
    headers: Sequence[tuple[bytes | None, bytes | None]] = ()
    header_count: int | None = None
    later_ms: int = 0


def varint(number: int) -> bytes:
    """A whole number as records have it: zigzag, seven bits at a time."""
    left = (number << 1) ^ (number >> 63)
    found = bytearray()
    while left > 0x7F:
        found.append(left & 0x7F | 0x80)
        left >>= 7
    return bytes([*found, left])


def _sized(said: bytes | None) -> bytes:
    return varint(-1) if said is None else varint(len(said)) + said


def written(record: Raw, at: int) -> bytes:
    """A record in place ``at`` of its batch, before anything is compressed."""
    named = b"".join(_sized(name) + _sized(value) for name, value in record.headers)
    count = len(record.headers) if record.header_count is None else record.header_count
    body = b"\0" + varint(record.later_ms) + varint(at) + _sized(record.key) + _sized(record.value)
    body += varint(count) + named
    return varint(len(body)) + body


def batch(records: Iterable[Raw], *, attributes: int = 0, first_ms: int = NOW_MS, packed: bytes | None = None) -> bytes:
    """A batch with a checksum that is right. ``packed`` stands in the place of the records that it says it has."""
    those = list(records)
    body = b"".join(written(record, at) for at, record in enumerate(those)) if packed is None else packed
    last_ms = first_ms + max(record.later_ms for record in those)
    covered = struct.pack(">hiqqqhii", attributes, len(those) - 1, first_ms, last_ms, -1, -1, -1, len(those)) + body
    rest = struct.pack(">ibI", -1, 2, crc32c(covered)) + covered
    return struct.pack(">qi", 0, len(rest)) + rest


def old(form: int, key: bytes, value: bytes) -> bytes:
    """A record of format 0 or 1, as brokers before 0.11 had them."""
    at = struct.pack(">q", NOW_MS) if form else b""
    covered = struct.pack(">bb", form, 0) + at + b"".join(struct.pack(">i", len(each)) + each for each in (key, value))
    return struct.pack(">qiI", 0, len(covered) + 4, crc32(covered)) + covered


def produce(kafka: KafkaSettings, topic: str, partition: int, records: bytes) -> tuple[int, int]:
    """Hand ``records`` to the broker as they are; return its error code (0 for none) and the offset of the first."""
    name = topic.encode()
    body = struct.pack(">hhi", -1, -1, _WAIT_MS) + struct.pack(">ih", 1, len(name)) + name
    body += struct.pack(">iii", 1, partition, len(records)) + records
    request = _REQUEST.pack(_PRODUCE, _VERSION, 1) + struct.pack(">h", -1) + body
    host, port = kafka.bootstrap_servers.split(",")[0].rsplit(":", 1)
    with socket.create_connection((host, int(port)), timeout=60) as connection:
        connection.sendall(struct.pack(">i", len(request)) + request)
        answer = connection.makefile("rb")
        (size,) = struct.unpack(">i", answer.read(4))
        said = answer.read(size)
    # its number, then one topic, its name, one partition
    at = 4 + 4 + 2 + len(name) + 4
    _, code, offset = struct.unpack_from(">ihq", said, at)
    return code, offset
