"""The corpus: bytes that version 1 accepts and bytes that it refuses, for every release to come.

One JSON object a line: ``name``; ``value`` as text (null: none) or ``value_base64``; ``fill``, a list of (mark, text,
times) that keeps long values short in the file; ``key`` or ``key_base64`` where it is not the memory's own; and
``partition`` where it is not the one of 16 that murmur2 gives the key. An accepted one has its ``body_hash``, a refused
one its ``reason`` and sometimes the whole ``detail``.
"""

from base64 import b64decode
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from yggdrasil_infra.log import LogRecord
from yggdrasil_schemas.codec import Decoded, decode
from yggdrasil_schemas.partitions import partition_for

PARTITIONS = 16
FOLDER = Path(__file__).parent / "v1"


@dataclass(frozen=True)
class Case:
    name: str
    value: bytes | None
    key: bytes | None
    partition: int
    body_hash: str
    reason: str
    detail: str | None

    def record(self, offset: int = 0) -> LogRecord:
        return LogRecord(self.partition, offset, self.key, self.value, 0)


def accepted() -> list[Case]:
    return _read("accepted")


def refused() -> list[Case]:
    return _read("refused")


def read_case(raw: dict[str, Any]) -> Case:
    value = _value(raw)
    key = _key(raw, value)
    partition = raw.get("partition", partition_for(key or b"", PARTITIONS))
    said = raw.get("body_hash", ""), raw.get("reason", ""), raw.get("detail")
    return Case(raw["name"], value, key, partition, *said)


def _read(name: str) -> list[Case]:
    return [read_case(orjson.loads(line)) for line in (FOLDER / f"{name}.jsonl").read_bytes().splitlines()]


def _value(raw: dict[str, Any]) -> bytes | None:
    if "value_base64" in raw:
        return b64decode(raw["value_base64"])
    if raw["value"] is None:
        return None
    text = raw["value"]
    for mark, filling, times in raw.get("fill", ()):
        text = text.replace(mark, filling * times)
    return str(text).encode()


def _key(raw: dict[str, Any], value: bytes | None) -> bytes | None:
    if "key_base64" in raw:
        return b64decode(raw["key_base64"])
    if "key" in raw:
        return None if raw["key"] is None else str(raw["key"]).encode()
    decoded = decode(value)
    return decoded.command.memory.encode() if isinstance(decoded, Decoded) else b"acme/coder"
