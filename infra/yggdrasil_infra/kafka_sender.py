# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownParameterType=false
# pyright: reportUnknownArgumentType=false
# kafka-python has no types; what it returns is named as soon as it arrives.
"""Send records to Kafka: idempotent, acknowledged by all replicas in sync, and bounded in number, bytes and time."""

import threading
from contextlib import suppress
from time import monotonic
from typing import Any, Final, Self

from kafka import KafkaProducer
from kafka.errors import KafkaError, MessageSizeTooLargeError, RecordListTooLargeError

from .kafka_settings import KafkaSettings
from .log import LogError, Receipt, check_entry

DELIVERY_S: Final = 30.0  # as long as an append may take before its caller hears that it failed
# kafka-python bounds neither: while no broker takes anything, its queue grows for as long as callers send. It keeps
# about 1 KiB beside the bytes of a record, and half a second's worth of records is enough to keep it busy.
RECORDS_MAX: Final = 10_000
BYTES_MAX: Final = 32 << 20
_GRACE_S: Final = 1.0  # kafka-python looks for what has timed out about once a second, and knows better why
_TOPIC_S: Final = 10.0  # the first record to a topic waits for its brokers to be known
_JOIN_S: Final = 5.0
_REFUSED: Final = (MessageSizeTooLargeError, RecordListTooLargeError)  # whatever became of earlier attempts


class DeliveryError(LogError):
    """A record was not acknowledged. ``uncertain`` says whether it may be in the log all the same."""

    def __init__(self, topic: str, partition: int, why: str, *, uncertain: bool) -> None:
        known = "The record may have been written all the same" if uncertain else "The record was not written"
        super().__init__(
            f"{topic}, partition {partition}: {why}. {known}; sending the same command again is safe, since its id is "
            "taken once."
        )
        self.topic = topic
        self.partition = partition
        self.uncertain = uncertain


class Delivery:
    """A record on its way. Whoever sent it asks for the result: nobody else hears of a failure."""

    __slots__ = ("_deadline", "_future", "_partition", "_topic")

    def __init__(self, topic: str, partition: int, future: Any, deadline: float) -> None:
        self._topic = topic
        self._partition = partition
        self._future = future
        self._deadline = deadline

    def done(self) -> bool:
        """Whether ``result`` answers at once."""
        return self._future.is_done or monotonic() >= self._deadline

    def result(self) -> Receipt:
        """Wait until all replicas in sync have the record. Raises DeliveryError, by the delivery's deadline."""
        try:
            metadata = self._future.get(timeout=max(0.0, self._deadline - monotonic()))
        except Exception as error:  # whatever kafka-python's thread gave up with
            why = str(error) if self._future.is_done else "no broker has acknowledged the record in time"
            uncertain = not isinstance(error, _REFUSED)
            raise DeliveryError(self._topic, self._partition, why, uncertain=uncertain) from error
        if metadata.offset < 0:  # a broker that has it already may have forgotten where
            raise DeliveryError(self._topic, self._partition, "the broker does not say where it is", uncertain=True)
        return Receipt(metadata.partition, metadata.offset)


class KafkaSender:
    """Sends to any topic. Safe to use from several threads; a context manager. Connects when the first record comes.

    Records of one partition are written in the order in which one thread sends them, unless one of them fails.
    """

    def __init__(
        self,
        settings: KafkaSettings,
        delivery_s: float = DELIVERY_S,
        records_max: int = RECORDS_MAX,
        bytes_max: int = BYTES_MAX,
    ) -> None:
        """Bound what is under way by ``records_max`` and ``bytes_max``, and each delivery by ``delivery_s`` (>= 1)."""
        self._settings = settings
        self._delivery_s = delivery_s
        self._records_max = records_max
        self._bytes_max = max(bytes_max, 1)
        self._turn = threading.Condition()
        self._records = 0
        self._bytes = 0
        self._producer: Any = None
        self._spent = True  # the producer is to be replaced before anything is sent: there is none, or it is broken
        self._renewing = False
        self._closed = False

    @property
    def under_way(self) -> int:
        """How many records are held until they are acknowledged or given up; never more than ``records_max``."""
        return self._records

    def send(self, topic: str, partition: int, key: bytes, value: bytes) -> Delivery:
        """Hand over one record; waits for room while too many are under way.

        Raises LogError when it is too large, and DeliveryError when there is no room by the deadline, or no such
        partition; nothing was written then.
        """
        check_entry(key, value)
        deadline = monotonic() + self._delivery_s
        size = len(key) + len(value)
        try:
            producer = self._take_room(size, deadline)
        except KafkaError as error:
            why = f"no Kafka broker answers at {self._settings.bootstrap_servers}: {error}"
            raise DeliveryError(topic, partition, why, uncertain=False) from error
        except LogError as error:
            raise DeliveryError(topic, partition, str(error), uncertain=False) from error
        try:
            future = producer.send(topic, key=key, value=value, partition=partition)
        except BaseException as error:
            self._give_room(size)
            if isinstance(error, KafkaError | ValueError):  # ValueError: no such partition
                raise DeliveryError(topic, partition, str(error), uncertain=False) from error
            raise
        future.add_callback(self._give_room, size)
        future.add_errback(self._failed, size)
        return Delivery(topic, partition, future, deadline + _GRACE_S)

    def close(self) -> None:
        """Wait for what is under way, as long as a delivery may take; the rest fails. Closing twice is allowed."""
        with self._turn:
            self._closed = True
            self._turn.notify_all()
            self._turn.wait_for(lambda: not self._records and not self._renewing, self._delivery_s + _GRACE_S)
            producer, self._producer = self._producer, None
        _end(producer)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _take_room(self, size: int, deadline: float) -> Any:
        """Return a producer that may be given ``size`` bytes. Raises LogError, and KafkaError when none connects."""
        while True:
            with self._turn:
                while not self._closed and self._must_wait(size):
                    if not self._turn.wait(deadline - monotonic()):
                        raise LogError(f"{self._records} records wait for the brokers, and there is no room for more")
                if self._closed:
                    raise LogError("the sender is closed")
                if not self._spent:
                    self._records += 1
                    self._bytes += size
                    return self._producer
                self._renewing = True
            self._renew()

    def _must_wait(self, size: int) -> bool:
        if self._spent:  # the old producer first ends what it has, or a later record might overtake an earlier one
            return self._renewing or self._records > 0
        return self._records >= self._records_max or (self._records > 0 and self._bytes + size > self._bytes_max)

    def _renew(self) -> None:
        producer = None
        try:
            _end(self._producer)
            producer = KafkaProducer(**_options(self._settings, self._delivery_s))
        finally:
            with self._turn:
                self._producer = producer
                self._spent = producer is None
                self._renewing = False
                self._turn.notify_all()

    def _failed(self, size: int, error: object) -> None:
        with self._turn:
            # After an error that waiting does not mend, be it of one record, kafka-python fails all that comes later.
            self._spent = self._spent or not getattr(error, "retriable", False)
        self._give_room(size)

    def _give_room(self, size: int, _: object = None) -> None:
        with self._turn:
            self._records -= 1
            self._bytes -= size
            self._turn.notify_all()


def _end(producer: Any) -> None:
    """Stop a producer's thread; what it still holds fails. Its own close leaves the thread when anything is held."""
    if producer is not None:
        producer._sender.force_close()
        producer._sender.join(_JOIN_S)
        with suppress(KafkaError):
            producer.close(timeout=_JOIN_S)


def _options(settings: KafkaSettings, delivery_s: float) -> dict[str, Any]:
    return {
        **settings.options("yggdrasil-writer"),
        "acks": "all",
        "enable_idempotence": True,
        "allow_auto_create_topics": False,
        "linger_ms": 5,
        "batch_size": 65_536,
        "delivery_timeout_ms": int(delivery_s * 1_000),
        "request_timeout_ms": int(min(10.0, delivery_s / 2) * 1_000),
        "max_block_ms": int(min(_TOPIC_S, delivery_s) * 1_000),
    }
