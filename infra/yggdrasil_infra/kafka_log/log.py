# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownParameterType=false
# pyright: reportUnknownArgumentType=false, reportAttributeAccessIssue=false
# kafka-python has no types; what it returns is named as soon as it arrives.
"""The log on Apache Kafka: the same port as the local log, on a topic that is verified to be fit for it."""

from collections import deque
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from threading import Lock
from time import monotonic
from typing import Any, Final, Self

from kafka import errors
from kafka.errors import CorruptRecordError, KafkaError, KafkaTimeoutError, UnsupportedCodecError
from kafka.structs import TopicPartition

from yggdrasil_schemas.partitions import partition_for
from yggdrasil_schemas.topics import COMMANDS, Profile

from ..forking import stays
from ..log import LogDamagedError, LogError, LogRecord, OffsetOutOfRangeError, Receipt, check_entry
from ..tracing import TRACE, trace_in
from .client import PackedError, open_consumer, reading_options
from .sender import Delivery, DeliveryError, KafkaSender, Line
from .settings import KafkaSettings
from .topics import Topic, describe_topic, verify_topic

_CHUNK_RECORDS_MAX: Final = 1_000  # of append_many: drawn, and checked, before the first of them is sent
_CHUNK_BYTES_MAX: Final = 4 << 20
_EDGE_S: Final = 5.0  # a partition without a leader has no answer, and its caller has other ones
_EDGE_TRY_MS: Final = 500
_POLL_MS: Final = 200
_TURN_S: Final = 10.0  # twice what the question of another reader may take
_CLOSE_S: Final = 5.0
_READ_S: Final = 30.0  # a broker that has records and does not hand them over for so long is not well

_Dated = tuple[bytes, bytes, int | None]  # key, value, and a timestamp unless it is now


class KafkaLog:
    """A CommandLog on one topic. Safe to use from several threads; a context manager."""

    def __init__(self, settings: KafkaSettings, topic: str = COMMANDS, profile: Profile | None = "production") -> None:
        """Verify the topic, unless ``profile`` is None: for whoever has to read it, be it fit or not.

        Raises TopicError, with the remedy, when it cannot be trusted, and LogError.
        """
        self.topic: Topic = describe_topic(settings, topic)
        if profile is not None:
            verify_topic(self.topic, profile)
        self._settings = settings
        self._sender = KafkaSender(settings)  # a log that is only read never connects it
        self._reading = Lock()  # a consumer of kafka-python belongs to one thread at a time
        self._consumer: Any = None
        self._assigned: TopicPartition | None = None
        self._ends: dict[int, int] = {}
        self._following: dict[int, int] = {}  # where the next read of a partition goes on
        self._ahead: dict[int, deque[LogRecord]] = {}  # and what has been fetched from there on
        self._closed = False
        stays(self, f"the topic {topic}")

    @property
    def topic_id(self) -> str:
        """The id that the cluster gave the topic when it was created."""
        return self.topic.topic_id

    @property
    def partitions(self) -> int:
        """How many partitions the topic has."""
        return self.topic.partitions

    def append(self, key: bytes, value: bytes) -> Receipt:
        """Append one record and return once all replicas in sync have it. Raises LogError."""
        return self.append_to(partition_for(key, self.partitions), key, value)

    def append_to(self, partition: int, key: bytes, value: bytes) -> Receipt:
        """Append one record to a named partition. Raises LogError."""
        return self._send(partition, key, value).result()

    def append_many(self, records: Iterable[tuple[bytes, bytes]], deadline_s: float | None = None) -> list[Receipt]:
        """Append in order, in chunks of at most 1,000 records and 4 MiB; see the port. Raises LogError.

        With ``deadline_s`` it is waited no longer than that, for all of them: then DeliveryError says whether the first
        that was not acknowledged may be taken yet.
        """
        until = None if deadline_s is None else monotonic() + deadline_s
        return self._append(((key, value, None) for key, value in records), until)

    def append_dated(self, records: Iterable[tuple[bytes, bytes, int]]) -> list[Receipt]:
        """Append what was in another log, in order and in chunks, with its timestamps in ms; see the port."""
        return self._append((key, value, at if at >= 0 else None) for key, value, at in records)

    def _append(self, records: Iterable[_Dated], until: float | None = None) -> list[Receipt]:
        receipts: list[Receipt] = []
        sent: deque[Delivery] = deque()
        line = Line()
        for chunk in _chunks(records):
            for key, value, at in chunk:
                try:
                    sent.append(self._send(partition_for(key, self.partitions), key, value, until, at, line))
                except DeliveryError:  # it was not written; one before it may not have been acknowledged, and may be
                    for delivery in sent:
                        delivery.result(until)
                    raise
            while sent and sent[0].done():
                receipts.append(sent.popleft().result())
        receipts += [delivery.result(until) for delivery in sent]
        return receipts

    def start_offset(self, partition: int) -> int:
        """Return the first offset that can still be read."""
        with self._reader_turn():
            return self._edge("beginning_offsets", partition)

    def end_offset(self, partition: int) -> int:
        """Return the offset after the last committed record; what was fetched ahead is let go of, and read anew."""
        with self._reader_turn():
            self._following.pop(partition, None)
            return self._edge("end_offsets", partition)

    def edges(self, partitions: Sequence[int]) -> dict[int, tuple[int, int]]:
        """Return start and end of each of ``partitions``, for whoever only looks: two questions to each leader."""
        with self._reader_turn():
            starts, ends = (self._edges(method, partitions) for method in ("beginning_offsets", "end_offsets"))
            return {partition: (starts[partition], ends[partition]) for partition in partitions}

    def read(self, partition: int, offset: int, records_max: int) -> Sequence[LogRecord]:
        """Return up to ``records_max`` committed records from ``offset`` on.

        Raises OffsetOutOfRangeError, LogDamagedError when the broker's files were altered, which the checksum of each
        batch shows, and LogError when the broker has records and does not hand them over.
        """
        with self._reader_turn():
            self._check(partition)
            if self._following.get(partition) != offset:
                self._ahead[partition] = deque()
                self._ends.pop(partition, None)
            ahead = self._ahead[partition]
            if not ahead:
                ahead.extend(self._fetch(partition, offset))
            records = [ahead.popleft() for _ in range(min(records_max, len(ahead)))]
            self._following[partition] = records[-1].offset + 1 if records else offset
            return records

    def _fetch(self, partition: int, offset: int) -> list[LogRecord]:
        """Return what one fetch brings from ``offset`` on; brokers are asked for the end only when it may be there."""
        end = self._ends.get(partition)
        if end is None or offset >= end:
            start, end = self._edge("beginning_offsets", partition), self._edge("end_offsets", partition)
            if not start <= offset <= end:
                raise OffsetOutOfRangeError(
                    f"partition {partition} of {self.topic.name} holds offsets {start} to {end}, not {offset}"
                )
            self._ends[partition] = end
        if offset == end:
            return []
        deadline = monotonic() + _READ_S
        with self._in_words():
            consumer, place = self._assign(partition, offset)
            while monotonic() < deadline:
                if found := self._poll(consumer, place, offset):
                    return self._in_order([to_record(record) for record in found], offset, end)
                if consumer.position(place) >= end:
                    return []  # only control records were left
        raise LogError(
            f"partition {partition} of {self.topic.name} ends at {end}, and no broker handed over offset {offset} "
            f"within {_READ_S:g} s; look at the brokers"
        )

    def _poll(self, consumer: Any, place: TopicPartition, offset: int) -> list[Any]:
        try:
            return consumer.poll(timeout_ms=_POLL_MS).get(place) or []
        except KafkaError as error:
            self._discard_reader()  # it would stand there for ever, and not repeat what it has found
            if isinstance(error, CorruptRecordError):
                raise self._damaged(place.partition, offset, str(error.args[0] if error.args else error)) from error
            if isinstance(error, UnsupportedCodecError):
                raise PackedError(self.topic.name, f"{error}, partition {place.partition}, from {offset} on") from error
            if isinstance(error, (errors.OffsetOutOfRangeError, errors.LogTruncationError)):
                raise OffsetOutOfRangeError(
                    f"partition {place.partition} of {self.topic.name} does not hold offset {offset} any more: {error}"
                ) from error
            raise

    def _in_order(self, records: list[LogRecord], offset: int, end: int) -> list[LogRecord]:
        """Return ``records`` if their offsets rise from ``offset`` on within the log; no checksum covers an offset."""
        partition, last = records[0].partition, offset - 1
        for record in records:
            if record.offset <= last:
                raise self._damaged(partition, offset, f"offset {record.offset} comes after offset {last}")
            last = record.offset
        if last >= end and last >= self._edge("end_offsets", partition):
            raise self._damaged(partition, offset, f"offset {last} lies past the end of the partition")
        return records

    def _damaged(self, partition: int, offset: int, why: str) -> LogDamagedError:
        return LogDamagedError(
            f"partition {partition} of {self.topic.name} is not as it was written, from offset {offset} on: {why}. "
            "Everything from there on is in doubt; restore the partition from another replica."
        )

    def close(self) -> None:
        """Leave within some 20 s. Closing twice is allowed.

        What is under way has five seconds, and the rest fails; whoever waited for a receipt hears of it.
        """
        self._closed = True
        self._sender.close(_CLOSE_S)
        if not self._reading.acquire(timeout=_CLOSE_S):
            return  # its thread waits for a broker that does not answer, and leaves no more than a socket
        try:
            consumer, self._consumer = self._consumer, None
            if consumer is not None:
                consumer.close(timeout_ms=int(_CLOSE_S * 1_000))
        finally:
            self._reading.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _send(
        self,
        partition: int,
        key: bytes,
        value: bytes,
        until: float | None = None,
        at: int | None = None,
        line: Line | None = None,
    ) -> Delivery:
        self._check(partition)
        trace = TRACE.get()
        headers = [] if trace is None else trace.headers()
        return self._sender.send(self.topic.name, partition, key, value, until, at, headers, line=line)

    @contextmanager
    def _reader_turn(self) -> Generator[None]:
        """Hold the consumer. Whoever waits for others that wait for brokers is told so. Raises LogError."""
        if not self._reading.acquire(timeout=_TURN_S):
            raise LogError(
                f"others have waited {_TURN_S:g} s for the brokers of {self.topic.name}, which do not answer"
            )
        try:
            yield
        finally:
            self._reading.release()

    def _assign(self, partition: int, offset: int) -> tuple[Any, TopicPartition]:
        """Point the consumer at ``offset``; where it stands there already, what it has fetched ahead is kept."""
        self._check(partition)
        consumer = self._reader()
        place = TopicPartition(self.topic.name, partition)
        if self._assigned != place:
            consumer.assign([place])
            self._assigned = place
            consumer.seek(place, offset)
        elif consumer.position(place) != offset:
            consumer.seek(place, offset)
        return consumer, place

    def _edge(self, method: str, partition: int) -> int:
        return self._edges(method, [partition])[partition]

    def _edges(self, method: str, partitions: Sequence[int]) -> dict[int, int]:
        for partition in partitions:
            self._check(partition)
        places = [TopicPartition(self.topic.name, partition) for partition in partitions]
        deadline = monotonic() + _EDGE_S
        with self._in_words():
            while True:
                try:
                    found: dict[Any, int] = getattr(self._reader(), method)(places, timeout_ms=_EDGE_TRY_MS)
                    return {place.partition: found[place] for place in places}
                except KafkaTimeoutError:
                    # kafka-python 3.0.12 asks a leader that is none any more again and again, for minutes.
                    if monotonic() > deadline:
                        self._discard_reader()
                        raise
                    self._reader()._cluster.request_update()

    def _reader(self) -> Any:
        if self._consumer is None:
            self._consumer = open_consumer(reading_options(self._settings))
        return self._consumer

    def _discard_reader(self) -> None:
        """Close the consumer; the next one begins anew."""
        consumer, self._consumer, self._assigned = self._consumer, None, None
        if consumer is not None:  # it may never have come about: bootstrapping has a timeout too
            consumer.close()

    def _check(self, partition: int) -> None:
        if not 0 <= partition < self.partitions:
            raise LogError(f"{self.topic.name} has partitions 0 to {self.partitions - 1}, not {partition}")
        if self._closed:
            raise LogError(f"the log {self.topic.name} is closed")

    @contextmanager
    def _in_words(self) -> Generator[None]:
        try:
            yield
        except KafkaError as error:
            raise LogError(f"Kafka, topic {self.topic.name}: {error}") from error


def _chunks(records: Iterable[_Dated]) -> Iterator[list[_Dated]]:
    chunk: list[_Dated] = []
    size = 0
    for key, value, at in records:
        check_entry(key, value)
        added = len(key) + len(value)
        if chunk and (len(chunk) == _CHUNK_RECORDS_MAX or size + added > _CHUNK_BYTES_MAX):
            yield chunk
            chunk, size = [], 0
        chunk.append((key, value, at))
        size += added
    if chunk:
        yield chunk


def to_record(record: Any) -> LogRecord:
    """Return what the log port says of a record; of its headers that is what names a request."""
    trace = trace_in(record.headers) if record.headers else None
    return LogRecord(record.partition, record.offset, record.key, record.value, record.timestamp, trace)
