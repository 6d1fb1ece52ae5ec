# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownParameterType=false
# pyright: reportUnknownArgumentType=false
# kafka-python has no types; what it returns is named as soon as it arrives.
"""Send records to Kafka: idempotent, acknowledged by all replicas in sync, and bounded in number, bytes and time."""

import logging
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from threading import Thread
from time import monotonic
from typing import Any, Final, Self

from kafka import KafkaProducer
from kafka.errors import (
    BrokerResponseError,
    IllegalStateError,
    KafkaError,
    KafkaTimeoutError,
)

from ..forking import in_child, stays
from ..log import LogError, Receipt, Rejection, check_entry
from .reach import reach
from .rejections import rejection_of
from .settings import KafkaSettings

_LOGGER: Final = logging.getLogger("yggdrasil.kafka")
DELIVERY_S: Final = 30.0  # as long as an append may take before its caller hears that it failed
# kafka-python bounds neither: while no broker takes anything, its queue grows for as long as callers send. It keeps
# about 1 KiB beside the bytes of a record, and half a second's worth of records is enough to keep it busy.
RECORDS_MAX: Final = 10_000
BYTES_MAX: Final = 32 << 20
_GRACE_S: Final = 1.0  # in which kafka-python itself should have given up, and it knows better why
_CONNECT_S: Final = 10.0  # to find a broker, and then the leaders of a topic
_JOIN_S: Final = 5.0


class DeliveryError(LogError):
    """A record was not acknowledged. ``uncertain`` says whether it may be in the log all the same.

    ``rejection`` is why the brokers will never take it as it is, where that is so; nothing is uncertain then.
    """

    def __init__(
        self, topic: str, partition: int, why: str, *, uncertain: bool, rejection: Rejection | None = None
    ) -> None:
        known = "The record may have been written all the same" if uncertain else "The record was not appended"
        again = "sending the same command again is safe, since its id is taken once"
        if rejection is not None:
            again = f"once that is mended, {again}. {rejection.remedy}"
        super().__init__(f"{topic}, partition {partition}: {why}. {known}; {again}.")
        self.topic = topic
        self.partition = partition
        self.uncertain = uncertain
        self.rejection = rejection


class Delivery:
    """A record on its way. Whoever sent it asks for the result: nobody else hears of a failure."""

    __slots__ = ("_deadline", "_future", "_give_up", "_partition", "_topic")

    def __init__(self, topic: str, partition: int, future: Any, deadline: float, give_up: Callable[[], None]) -> None:
        """``give_up`` is called when kafka-python has not answered by the ``deadline``, as it should have."""
        self._topic = topic
        self._partition = partition
        self._future = future
        self._deadline = deadline
        self._give_up = give_up

    def done(self) -> bool:
        """Whether ``result`` answers at once."""
        return self._future.is_done or monotonic() >= self._deadline

    def result(self, until: float | None = None) -> Receipt:
        """Wait until all replicas in sync have the record.

        Raises DeliveryError, soon after the delivery timeout; or at the moment ``until`` (of ``monotonic``), if that
        comes first: then the record stays on its way, and may be taken after all.
        """
        ours = self._deadline if until is None else min(until, self._deadline)
        try:
            metadata = self._future.get(timeout=max(0.0, ours - monotonic()))
        except Exception as error:  # whatever kafka-python's thread gave up with
            why = str(error)
            if not self._future.is_done and ours == self._deadline:
                self._give_up()
            if isinstance(error, KafkaTimeoutError):
                why = "no broker has acknowledged the record in time"
            elif isinstance(error, IllegalStateError):
                why = "sending began anew, since another record could not be delivered"
            rejection = rejection_of(error)
            if rejection is not None:
                why = f"{rejection.why} ({why})"
            uncertain = rejection is None
            raise DeliveryError(self._topic, self._partition, why, uncertain=uncertain, rejection=rejection) from error
        if metadata.offset < 0:  # a broker that has it already may have forgotten where
            raise DeliveryError(self._topic, self._partition, "the broker does not say where it is", uncertain=True)
        return Receipt(metadata.partition, metadata.offset)


class Line:
    """Records of one caller that stand behind each other: once one has failed, those behind it are not sent.

    Another producer would write them, without the one that has failed; and sent again, that one would come last.
    """

    __slots__ = ("broken",)

    def __init__(self) -> None:
        self.broken = False


class KafkaSender:
    """Sends to any topic. Safe to use from several threads; a context manager. Connects when the first record comes.

    Records of one partition are written in the order in which one thread sends them, unless one of them fails: in one
    line, nothing is written behind that.
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
        self._bytes_max = bytes_max
        self._turn = threading.Condition()
        self._records = 0
        self._bytes = 0
        self._producer: Any = None
        self._spent = True  # the producer is to be replaced before anything is sent: there is none, or it is broken
        self._renewing = False
        self._renewals = 0
        self._unreached: tuple[int, str] = (0, "")  # the renewal that failed last, and why
        self._closed = False
        stays(self, f"a producer for {settings.bootstrap_servers}")

    @property
    def under_way(self) -> int:
        """How many records are held until they are acknowledged or given up; never more than ``records_max``."""
        return self._records

    def send(
        self,
        topic: str,
        partition: int,
        key: bytes,
        value: bytes,
        until: float | None = None,
        timestamp_ms: int | None = None,
        headers: Sequence[tuple[str, bytes]] = (),
        *,
        line: Line | None = None,
    ) -> Delivery:
        """Hand over one record; waits for room while too many are under way, and for a broker while none answers.

        It waits until the moment ``until`` (of ``monotonic``), and no longer than a delivery may take. Raises LogError
        when it is too large, and DeliveryError when it could not be handed over by then, there is no such partition, or
        one before it in its ``line`` has failed; nothing was written then.
        """
        check_entry(key, value)
        size = len(key) + len(value)
        latest = monotonic() + self._delivery_s
        line = line or Line()
        try:
            producer, future = self._hand_over(
                topic, partition, key, value, min(until or latest, latest), timestamp_ms, headers, line=line
            )
        except (LogError, KafkaError, ValueError) as error:  # ValueError: there is no such partition
            rejection = rejection_of(error)
            raise DeliveryError(topic, partition, str(error), uncertain=False, rejection=rejection) from error
        future.add_callback(self._give_room, size)
        future.add_errback(self._failed, producer, size, line)
        deadline = monotonic() + self._delivery_s + _GRACE_S
        return Delivery(topic, partition, future, deadline, partial(self._spend, producer))

    def close(self, wait_s: float | None = None) -> None:
        """Wait for what is under way, ``wait_s`` or as long as a delivery may take; the rest fails.

        Closing twice is allowed.
        """
        patience = self._delivery_s + _GRACE_S if wait_s is None else wait_s
        with self._turn:
            self._closed = True
            self._turn.notify_all()
            self._turn.wait_for(lambda: not self._records, patience)
            self._turn.wait_for(lambda: not self._renewing, min(patience, _CONNECT_S + 2 * _JOIN_S))
            producer, self._producer = self._producer, None
        _end(producer)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _hand_over(
        self,
        topic: str,
        partition: int,
        key: bytes,
        value: bytes,
        until: float,
        at: int | None,
        headers: Sequence[tuple[str, bytes]],
        *,
        line: Line,
    ) -> tuple[Any, Any]:
        size = len(key) + len(value)
        while True:
            producer = self._take_room(topic, size, until)
            try:
                if line.broken:  # asked once we have a producer: it is a new one only after all that the old one had
                    raise LogError("a record that was to stand before it has failed")
                said: dict[str, Any] = {"partition": partition, "timestamp_ms": at, "headers": list(headers)}
                return producer, producer.send(topic, key=key, value=value, **said)
            except IllegalStateError:
                self._give_room(size)  # it was closed meanwhile, since another record failed: take the next one
            except BaseException:
                self._give_room(size)
                raise

    def _take_room(self, topic: str, size: int, until: float) -> Any:
        """Return a producer that knows ``topic`` and may be given ``size`` bytes. Raises LogError."""
        begun = monotonic()
        with self._turn:
            asked = 0  # the renewal that we wait for
            while not self._closed:
                if not self._must_wait(size):
                    if asked and self._unreached[0] >= asked:
                        raise LogError(self._unreached[1])
                    # Once we have looked for the topic, sending says what is wrong with it.
                    if not self._spent and (asked or self._producer._metadata.partitions_for_topic(topic) is not None):
                        self._records += 1
                        self._bytes += size
                        return self._producer
                    asked = self._begin_renewal(topic)
                if not self._turn.wait(until - monotonic()):
                    waiting = f"{self._records} records wait already" if self._records else "no broker answers"
                    raise LogError(f"{waiting}, and it could not be handed over within {until - begun:.1f} s")
            raise LogError("the sender is closed")

    def _begin_renewal(self, topic: str) -> int:
        """Look for a broker, and for the leaders of ``topic``, in a thread: whoever waits has a deadline of its own.

        Returns the number of the renewal. The lock is held.
        """
        self._renewing = True
        self._renewals += 1
        Thread(target=self._renew, args=(topic, self._renewals), name="kafka-renewal", daemon=True).start()
        return self._renewals

    def _must_wait(self, size: int) -> bool:
        if self._renewing:
            return True
        if self._spent:  # the old producer first ends what it has, or a later record might overtake an earlier one
            return self._records > 0
        return self._records >= self._records_max or (self._records > 0 and self._bytes + size > self._bytes_max)

    def _renew(self, topic: str, number: int) -> None:
        producer, spent, why = self._producer, self._spent, ""
        try:
            if spent:
                producer = None
                _end(self._producer)
                reach(self._settings, min(_CONNECT_S, self._delivery_s))
                producer = KafkaProducer(**_options(self._settings, self._delivery_s))
                in_child(producer, _not_closed_at_exit)
            with suppress(BrokerResponseError):  # of a topic that is not there, sending says so
                producer.partitions_for(topic)
        except (LogError, KafkaError) as error:
            why = str(error) if isinstance(error, LogError) else self._no_broker(error)
        except Exception as error:
            why = self._no_broker(error)
            _LOGGER.exception("no producer could be made")
        with self._turn:
            self._producer = producer
            self._spent = producer is None or (self._spent and not spent)
            self._renewing = False
            if why:
                self._unreached = number, why
            if self._closed:  # nobody waited for us
                self._producer, self._spent = None, True
            self._turn.notify_all()
            if not self._closed:
                return
        _end(producer)

    def _no_broker(self, error: Exception) -> str:
        return f"no Kafka broker answers at {self._settings.bootstrap_servers}: {error}"

    def _failed(self, producer: Any, size: int, line: Line, _: object) -> None:
        line.broken = True  # before there is room: whoever waits for that sees it
        self._spend(producer)
        self._give_room(size)

    def _spend(self, producer: Any) -> None:
        """Let go of a producer of which one delivery has failed; what else it holds fails too, and at once.

        kafka-python 3.0.12 does not recover: an error that it does not retry makes it refuse everything from then on,
        and after a record that was sent has timed out it never asks for a new producer id, so that what comes later
        is neither sent nor given up.
        """
        with self._turn:
            self._spent = self._spent or producer is self._producer
        if producer._sender.is_alive():
            producer._sender.force_close()

    def _give_room(self, size: int, _: object = None) -> None:
        with self._turn:
            self._records -= 1
            self._bytes -= size
            self._turn.notify_all()


def _not_closed_at_exit(producer: Any) -> None:
    """Keep a process forked from ours from waiting, as it ends, for a thread of kafka-python that is here."""
    producer._unregister_cleanup()


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
        "linger_ms": 0,  # what comes while a batch of its partition is under way shares the next one: nobody waits
        "batch_size": 65_536,
        "delivery_timeout_ms": int(delivery_s * 1_000),
        "request_timeout_ms": int(min(10.0, delivery_s / 2) * 1_000),
        "max_block_ms": int(min(_CONNECT_S, delivery_s) * 1_000),
        "bootstrap_timeout_ms": int(min(_CONNECT_S, delivery_s) * 1_000),
    }
