"""What is published while workers are in trouble, sound and broken, and a note of what the brokers acknowledged."""

from collections.abc import Iterable, Iterator, Sequence
from random import Random
from types import TracebackType
from typing import Any, NamedTuple, Self

from kafka import KafkaProducer

from tests.faults.local.load import AT, POLICIES
from tests.faults.records.fuzz import Fuzzer, corpus_values, valid_commands
from yggdrasil_infra.kafka_log.settings import KafkaSettings
from yggdrasil_producers.draft import Drafter
from yggdrasil_producers.stamps import Stamp
from yggdrasil_schemas.codec import Decoded, decode
from yggdrasil_schemas.commands import EnableVersion
from yggdrasil_schemas.ids import derived_id
from yggdrasil_schemas.partitions import partition_for

Acknowledged = set[tuple[str, str]]
"""Memory and command id of what must be found again."""

BUSY = 20  # memories that are spoken to most, so that some grow old while others have hardly begun
KINDS = {"valid": 74, "again": 8, "broken": 8, "reused": 2, "unknown": 2, "attest": 3, "policy": 2, "elsewhere": 1}


class Outgoing(NamedTuple):
    """A record as a producer hands it over; without a partition, its key decides."""

    key: bytes | None
    value: bytes | None
    partition: int | None = None
    headers: Sequence[tuple[str, bytes]] = ()


class Mix:
    """An endless load: commands of every kind to many memories, duplicates, refusals of every sort, and noise."""

    def __init__(self, seed: str, partitions: int, memories: int = 200) -> None:
        self._rng = Random(seed)
        self._seed = seed
        self._partitions = partitions
        self.memories = [f"acme/agent-{number}" for number in range(memories)]
        self._waiting: dict[str, Iterator[bytes]] = {}
        self._sent: list[Outgoing] = []
        self._fuzzer = Fuzzer(self._rng.getrandbits(32), {name: corpus_values(name) for name in self.memories[:3]})
        self._numbers = 0

    def take(self, count: int) -> list[Outgoing]:
        """Return the next ``count`` records."""
        taken: list[Outgoing] = []
        while len(taken) < count:
            record = self._next()
            if not halts(record):
                taken.append(record)
        return taken

    def _next(self) -> Outgoing:
        (kind,) = self._rng.choices(list(KINDS), list(KINDS.values()))
        memory = self._rng.choice(self.memories[:BUSY] if self._rng.random() < 0.7 else self.memories)
        match kind:
            case "again" if self._sent:
                return self._rng.choice(self._sent)
            case "reused" if self._sent:
                value = self._rng.choice(self._sent).value or b""
                return self._noted(Outgoing(memory.encode(), value.replace(b"file:", b"files:")))
            case "broken":
                return self._sendable(*self._fuzzer.broken())
            case "unknown":
                body = {"event": derived_id("nobody", str(self._numbers)), "value": 1.0}
                return self._noted(self._draft(memory, "log_outcome", body))
            case "attest":
                return self._noted(self._draft(memory, "attest", {}))
            case "policy":
                return self._noted(self._draft(memory, "set_policy", {"changes": self._rng.choice(POLICIES)}))
            case "elsewhere":
                record = self._draft(memory, "attest", {})
                return record._replace(partition=self._rng.randrange(self._partitions))
            case _:
                return self._noted(Outgoing(memory.encode(), self._valid(memory)))

    def _valid(self, memory: str) -> bytes:
        if (value := next(self._waiting.get(memory, iter(())), None)) is not None:
            return value
        batch = len(self._sent)
        self._waiting[memory] = valid_commands(self._rng.getrandbits(32) + batch, memory, 120)
        return next(self._waiting[memory])

    def _draft(self, memory: str, kind: str, body: dict[str, Any]) -> Outgoing:
        self._numbers += 1
        stamp = Stamp(derived_id(self._seed, str(self._numbers)), AT)
        draft = Drafter(memory, "faults", self._seed).draft(kind, body, stamp=stamp)
        return Outgoing(draft.key, draft.value)

    def _sendable(self, key: bytes | None, value: bytes | None) -> Outgoing:
        partition = None if key is not None and self._rng.random() < 0.8 else self._rng.randrange(self._partitions)
        return Outgoing(b"" if key is None and value is None else key, value, partition)

    def _noted(self, record: Outgoing) -> Outgoing:
        self._sent = [*self._sent[-300:], record]
        return record


def halts(record: Outgoing) -> bool:
    """Whether a record enables a version that would halt its partition."""
    decoded = decode(record.value)
    if not (isinstance(decoded, Decoded) and isinstance(decoded.command, EnableVersion)):
        return False
    return max(decoded.command.body.schema_version, decoded.command.body.rules_version) > 1


class Publisher:
    """A producer of the test's own, for what our sender would not take as well; a context manager."""

    def __init__(self, kafka: KafkaSettings, topic: str, partitions: int, **options: Any) -> None:
        self._topic = topic
        self._partitions = partitions
        settings = {"acks": "all", "linger_ms": 5, "max_request_size": 2_000_000, **options}
        self._producer: Any = KafkaProducer(**kafka.options("yggdrasil-test"), **settings)
        self._under_way: list[tuple[Outgoing, Any]] = []
        self.acknowledged: Acknowledged = set()
        self.places: list[tuple[Outgoing, int]] = []
        """Everything that was acknowledged, with its partition and its offset."""

    def send(self, records: Iterable[Outgoing]) -> None:
        """Hand records over, in this order."""
        for record in records:
            partition = record.partition
            if partition is None:
                partition = partition_for(record.key or b"", self._partitions)
            future = self._producer.send(self._topic, record.value, record.key, list(record.headers), partition)
            self._under_way.append((record._replace(partition=partition), future))

    def settle(self) -> Acknowledged:
        """Wait until everything is acknowledged, and return what must be found again."""
        for record, future in self._under_way:
            self.places.append((record, future.get(timeout=240).offset))
            if (name := must_be_known(record, self._partitions)) is not None:
                self.acknowledged.add(name)
        self._under_way.clear()
        return self.acknowledged

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._producer.close(timeout=5)


def must_be_known(record: Outgoing, partitions: int) -> tuple[str, str] | None:
    """Return memory and command id of a record that the identity index must hold: sound, and in its place."""
    decoded = decode(record.value)
    if not isinstance(decoded, Decoded) or isinstance(decoded.command, EnableVersion):
        return None
    memory = decoded.command.memory
    if memory.startswith("_") or record.key != memory.encode() or partition_for(record.key, partitions) != record[2]:
        return None
    return memory, decoded.command.id
