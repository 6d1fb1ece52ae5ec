"""Valid commands, and broken ones made out of the accepted corpus. The same seed always makes the same ones."""

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import orjson

from tests.corpus.cases import accepted
from yggdrasil_schemas.codec import encode
from yggdrasil_schemas.ids import uuid7

MARK = "zq-marked-zq"
"""Stands in many broken records, and may never be seen in a refusal."""

NODES_MAX = 300  # of the memory of the valid commands: few enough that it is pruned many times

Pair = tuple[bytes | None, bytes | None]

_TOKENS = [b"{", b"}", b"[", b"]", b",", b":", b'"', b"null", b"true", b"NaN", b"-Infinity", b"1e999", b"\\ud800"]
_TOKENS += [
    b"\x00",
    b"\xff",
    b"\xef\xbb\xbf",
    b"\\",
    b"-",
    b"1e",
    b"9" * 400,
    b"[" * 2_000,
    b'{"a":' * 600,
    b"{}",
    b"//",
]
_VALUES: list[Any] = [
    None,
    True,
    False,
    0,
    -1,
    1,
    1.0,
    2**63,
    2**64 - 1,
    1e308,
    -0.0,
    0.1,
    "",
    "\x00",
    "\x1b[0m",
    "\x9b",
]
_VALUES += [MARK, "x" * 300, [], {}, [[]], {MARK: 1}, [MARK] * 60, {f"k{n}": MARK for n in range(100)}, "feature:", "1"]
_LONG_MAX = 5_000  # of the longest examples there are few; mutating them again and again would only take time


class Fuzzer:
    """``broken`` gives one broken record after the other, each a (key, value)."""

    def __init__(self, seed: int, targets: dict[str, list[bytes]]) -> None:
        """``targets``: for each memory to aim at, valid values that belong to it."""
        self._random = Random(seed)
        self._targets = targets
        self._of_bytes: list[Callable[[bytes], bytes]] = [
            self._flip,
            self._truncate,
            self._repeat,
            self._insert,
            self._cut,
            self._noise,
            self._wrap,
        ]
        self._of_fields: list[Callable[[dict[str, Any]], Any]] = [
            self._swap,
            self._swap,
            self._delete,
            self._rename,
            self._add,
            self._nest,
            self._version,
            self._elsewhere,
        ]

    def broken(self) -> Pair:
        memory = self._random.choice(list(self._targets))
        value = self._random.choice(self._targets[memory])
        for _ in range(self._random.choice((1, 1, 1, 2, 3))):
            value = self._mutated(value)
        return self._key(memory, value)

    def _mutated(self, value: bytes) -> bytes:
        if self._random.random() < 0.45:
            return self._random.choice(self._of_bytes)(value)
        try:
            fields = orjson.loads(value)
            changed = self._random.choice(self._of_fields)(fields) if isinstance(fields, dict) else [fields]
            return changed if isinstance(changed, bytes) else orjson.dumps(changed)
        except (orjson.JSONDecodeError, orjson.JSONEncodeError):  # broken already, or nested too deep to be written
            return self._random.choice(self._of_bytes)(value)

    def _key(self, memory: str, value: bytes) -> Pair:
        try:
            memory = orjson.loads(value)["memory"]
            key: bytes | None = memory.encode()
        except (orjson.JSONDecodeError, KeyError, TypeError, AttributeError, IndexError):
            key = memory.encode() if isinstance(memory, str) else b""
        dice = self._random.random()
        if dice < 0.01:
            return key, None
        if dice < 0.02:
            return key, b""
        if dice < 0.03:
            return key, b'{"memory":"' + b"x" * self._random.randrange(262_100, 262_300) + b'"}'
        if dice < 0.06:
            others = (None, b"", self._random.randbytes(9), MARK.encode(), b"k" * 3_000, (key or b"").upper())
            key = self._random.choice([*others, *(other.encode() for other in self._targets)])
        return key, value

    # Bytes

    def _place(self, value: bytes) -> int:
        return self._random.randrange(len(value) + 1)

    def _flip(self, value: bytes) -> bytes:
        data = bytearray(value or b"x")
        for _ in range(self._random.choice((1, 1, 2, 8))):
            data[self._random.randrange(len(data))] ^= 1 << self._random.randrange(8)
        return bytes(data)

    def _truncate(self, value: bytes) -> bytes:
        return value[: self._place(value)]

    def _repeat(self, value: bytes) -> bytes:
        first, last = sorted((self._place(value), self._place(value)))
        return value[:last] + value[first:]

    def _cut(self, value: bytes) -> bytes:
        first, last = sorted((self._place(value), self._place(value)))
        return value[:first] + value[last:]

    def _insert(self, value: bytes) -> bytes:
        at = self._place(value)
        return value[:at] + self._random.choice(_TOKENS) + value[at:]

    def _noise(self, value: bytes) -> bytes:
        return self._random.randbytes(self._random.randrange(200))

    def _wrap(self, value: bytes) -> bytes:
        return self._random.choice((b"[" + value + b"]", b"0", b'"' + MARK.encode() + b'"', b"null"))

    # Fields

    def _somewhere(self, fields: dict[str, Any]) -> tuple[dict[str, Any], str]:
        """A random object within ``fields`` that is not empty, and one of its keys."""
        inner = [item for item in fields.values() if isinstance(item, dict) and item]
        holder = self._random.choice([fields, *inner]) if fields else {"": 0}
        return holder, self._random.choice(list(holder))

    def _swap(self, fields: dict[str, Any]) -> Any:
        holder, name = self._somewhere(fields)
        holder[name] = self._random.choice(_VALUES)
        return fields

    def _delete(self, fields: dict[str, Any]) -> Any:
        holder, name = self._somewhere(fields)
        del holder[name]
        return fields

    def _rename(self, fields: dict[str, Any]) -> Any:
        holder, name = self._somewhere(fields)
        holder[self._random.choice((MARK, name.upper(), name + "s", "", "body", "type"))] = holder.pop(name)
        return fields

    def _add(self, fields: dict[str, Any]) -> Any:
        holder, _ = self._somewhere(fields)
        holder[self._random.choice((MARK, "catastrophic", "content", "parameters", "seq"))] = self._random.choice(
            _VALUES
        )
        return fields

    def _nest(self, fields: dict[str, Any]) -> bytes:
        depth = self._random.choice((3, 12, 13, 14, 17, 250, 1_000, 1_030, 20_000))
        fields["content"] = {"payload": {"x": 0}}
        return orjson.dumps(fields).replace(b'{"x":0}', b'{"x":' * depth + b"0" + b"}" * depth)

    def _version(self, fields: dict[str, Any]) -> bytes:
        version = self._random.choice((b"2", b"3", b"2147483648", b"1208925819614629174706176", b"-1", b"true", b"1.0"))
        fields["version"] = 1
        return orjson.dumps(fields).replace(b'"version":1', b'"version":' + version)

    def _elsewhere(self, fields: dict[str, Any]) -> Any:
        """Another memory: mostly in another partition, sometimes the system's own."""
        number = self._random.randrange(40)
        fields["memory"] = self._random.choice((f"acme/else-{number}", "_yggdrasil/partition-0", "_acme/x"))
        return fields


def corpus_values(memory: str) -> list[bytes]:
    """The accepted corpus as it would be said to ``memory``."""
    quoted = memory.encode()
    values = [case.value for case in accepted() if case.value and len(case.value) <= _LONG_MAX]
    return [value.replace(b"acme/coder", quoted) for value in values]


def valid_commands(seed: int, memory: str, count: int) -> Iterator[bytes]:
    """``count`` commands of every kind, each made when asked; all get accepted when they are folded in this order."""
    random = Random(seed)
    events: list[str] = []
    recalls: list[tuple[str, list[str]]] = []
    for number in range(count):
        command = uuid7(1_730_000_000_000 + number, random.randbytes(10))
        kind, body = _said(random, number, events, recalls)
        if kind == "record_event":
            events.append(command)
        elif kind == "record_recall":
            recalls.append((command, body["returned"]))
        said = {"version": 1, "id": command, "memory": memory, "at": number, "source": "fuzz", "process": "valid"}
        said |= {"session": f"s{random.randrange(3)}", "origin": "agent", "type": kind, "body": body}
        said["content"] = {"text": f"command {number}", "payload": {"n": number}} if number % 3 else None
        yield encode(said)


def _said(
    random: Random, number: int, events: list[str], recalls: list[tuple[str, list[str]]]
) -> tuple[str, dict[str, Any]]:
    if number == 0:
        return "set_policy", {"changes": {"nodes_max": NODES_MAX, "sessions_open_max": 4}}
    if number % 100 == 99:
        return "attest", {}
    recent = events[-5:]  # still in a buffer, so that pruning passes them by
    dice = random.random()
    if dice < 0.6 or len(recent) < 5:
        features = sorted({f"file:{random.randrange(40)}" for _ in range(random.randrange(6))})
        return "record_event", {"features": features, "informed_by": [recall for recall, _ in recalls[-1:]]}
    if dice < 0.8:
        value = random.choice((-10, -2.5, -1, 0, 0.1, 1, 7.25))
        catastrophic = value < -5 and random.random() < 0.5
        return "log_outcome", {"event": random.choice(recent), "value": value, "catastrophic": catastrophic}
    if dice < 0.93 or not recalls:
        body = {"purpose": "context", "as_of": number, "returned": random.sample(recent, 5), "ranker": "r1"}
        return "record_recall", body | {"tokenizer": "t1", "index": "i1", "parameters": {"depth": 2, "floor": 0.1}}
    recall, returned = recalls.pop()
    return "report_use", {"recall": recall, "used": returned[:2], "result": random.choice(("success", "failure"))}
