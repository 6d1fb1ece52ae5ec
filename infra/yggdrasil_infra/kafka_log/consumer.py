# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownParameterType=false
# pyright: reportUnknownArgumentType=false, reportMissingTypeStubs=false, reportAttributeAccessIssue=false
# kafka-python has no types; what it returns is named as soon as it arrives.
"""Read partitions of a topic for as long as a group, or a fixed choice, says so; every position is the caller's.

kafka-python runs rebalance listeners on the loop that sends its heartbeats, so they only note what changed here, and
the caller opens and closes its stores between polls. Until the caller has said where a partition is to be read from,
nothing of it is fetched: a position that comes from the group or from a reset policy never decides what is applied.
"""

import logging
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, Final, Self

from kafka import ConsumerRebalanceListener, errors
from kafka.coordinator.assignors.cooperative_sticky import CooperativeStickyAssignor
from kafka.errors import KafkaError
from kafka.structs import OffsetAndMetadata, TopicPartition

from ..forking import stays
from ..log import LogDamagedError, LogError, LogRecord, OffsetOutOfRangeError
from .client import PackedError, open_consumer, reading_options
from .log import to_record
from .settings import KafkaSettings, SettingsError

_LOGGER: Final = logging.getLogger("yggdrasil.kafka")
_COMMIT_S: Final = 5.0
_JOINING_S: Final = 1.0
_HEARTBEAT_MS_MAX: Final = 2_000  # by its heartbeat a member learns that others come and go, however long its session
_POLL_INTERVAL_S: Final = 300.0  # a store may take long to open or to come from a checkpoint; the heartbeats go on


@dataclass(slots=True)
class Polled:
    """What one poll brought: partitions that are no longer ours, ones that are newly ours, and records to fold.

    A partition may be in both sets: it was lost and given back, and must be started again. ``lost`` are those of
    ``revoked`` that the group took without asking.
    """

    revoked: set[int] = field(default_factory=set[int])
    lost: set[int] = field(default_factory=set[int])
    assigned: set[int] = field(default_factory=set[int])
    records: dict[int, list[LogRecord]] = field(default_factory=dict[int, list[LogRecord]])


class PartitionConsumer:
    """A member of a consumer group, or the reader of fixed partitions. For one thread; a context manager."""

    def __init__(
        self,
        settings: KafkaSettings,
        topic: str,
        group: str,
        partitions: Sequence[int] | None = None,
        session_timeout_s: float = 6.0,
    ) -> None:
        """Join ``group``, or read ``partitions`` for good and only commit in the group's name. Raises LogError."""
        self._topic = topic
        self._changes = Polled()
        self._changing = Lock()
        self._started: set[int] = set()
        self._acknowledged: dict[int, int] = {}
        self._assignor: Any = CooperativeStickyAssignor()
        self._fixed = partitions is not None
        self._settled = False
        try:
            self._consumer: Any = open_consumer(_options(settings, group, session_timeout_s, self._assignor))
            if partitions is None:
                self._consumer.subscribe([topic], listener=_Listener(self))
                self._consumer.topics()  # partitions known before the first assignment, or there would be a second one
            else:
                places = [TopicPartition(topic, partition) for partition in partitions]
                self._consumer.assign(places)
                self.assigned(places)
        except KafkaError as error:
            raise LogError(f"no Kafka broker answers at {settings.bootstrap_servers}: {error}") from error
        stays(self, f"a consumer of the topic {topic}")

    @property
    def joined(self) -> bool:
        """Whether the group has taken us in and told us what is ours, be it nothing; fixed partitions need no group.

        In later rebalances we stay a member, and one that stands by is not unready by turns.
        """
        if self._consumer.group_metadata().generation_id < 0:
            self._settled = False
        elif not self._consumer._coordinator.rejoining:
            self._settled = True
        return self._fixed or (self._settled and not self._changes.assigned)

    @property
    def topic_id(self) -> str | None:
        """The id of the topic that is read, or None while the brokers do not say; a re-created one has another."""
        found = self._consumer._cluster.topic_id(self._topic)
        return None if found is None else str(found)

    def poll(self, timeout_s: float, records_max: int) -> Polled:
        """Wait up to ``timeout_s`` for records or for a change of the partitions, and return both.

        Raises OffsetOutOfRangeError when the log no longer has what comes next, and LogError for what no waiting
        mends; brokers that are away are waited for.
        """
        if self._rejoining():
            timeout_s = max(timeout_s, _JOINING_S)
        try:
            fetched: Mapping[Any, Any] = self._consumer.poll(timeout_ms=int(timeout_s * 1_000), max_records=records_max)
        except (errors.OffsetOutOfRangeError, errors.LogTruncationError) as error:
            raise OffsetOutOfRangeError(
                f"topic {self._topic} does not hold what was to be read next: {error}"
            ) from error
        except errors.CorruptRecordError as error:
            raise LogDamagedError(
                f"topic {self._topic} holds a record that does not match its checksum: {error}"
            ) from error
        except errors.UnsupportedCodecError as error:
            raise PackedError(self._topic, str(error)) from error
        except errors.InvalidSessionTimeoutError as error:
            raise SettingsError(
                "the brokers do not take this session timeout (--session-timeout-s); it has to lie between their "
                "group.min.session.timeout.ms and group.max.session.timeout.ms"
            ) from error
        except errors.NoOffsetForPartitionError:
            fetched = {}  # assigned this instant; the listener is about to say so
        except KafkaError as error:
            if not error.retriable:
                raise LogError(f"Kafka, topic {self._topic}: {error}") from error
            _LOGGER.warning("Kafka cannot be read at the moment: %s", error)
            fetched = {}
        with self._changing:
            polled, self._changes = self._changes, Polled()
        for place, records in fetched.items():
            if place.partition in self._started:
                polled.records[place.partition] = [to_record(record) for record in records]
        return polled

    def _rejoining(self) -> bool:
        """Whether a rebalance is under way, which only a poll that waits for its end completes.

        kafka-python 3.0.12 forgets one that was asked for by new metadata and ended between two polls: it then sends
        no heartbeats any more, and does not notice that the group has gone on without it. So it is asked for again.
        """
        coordinator = self._consumer._coordinator
        if not coordinator.rejoining:
            return False
        if not coordinator.need_rejoin():
            coordinator.request_rejoin()
        return True

    def start(self, partition: int, offset: int) -> None:
        """Read ``partition`` from ``offset`` on."""
        place = TopicPartition(self._topic, partition)
        if place in self._consumer.assignment():  # or it was taken away a moment ago, which the next poll says
            self._consumer.seek(place, offset)
            self._consumer.resume(place)
            self._started.add(partition)

    def position(self, partition: int) -> int | None:
        """Return the offset after everything that was polled of ``partition``, or None before it was started."""
        place = TopicPartition(self._topic, partition)
        if partition not in self._started or place not in self._consumer.assignment():
            return None
        try:
            position: int | None = self._consumer.position(place, timeout_ms=0)
        except KafkaError:  # it was taken away this instant
            return None
        return position

    def pause(self, partition: int) -> None:
        """Keep ``partition`` and read no more of it."""
        place = TopicPartition(self._topic, partition)
        if place in self._consumer.assignment():
            self._consumer.pause(place)

    def committed(self, partition: int) -> tuple[int, str] | None:
        """Return what the group says of ``partition``: an offset, and the words that it was committed with."""
        place = TopicPartition(self._topic, partition)
        try:
            found = self._consumer.committed(place, metadata=True, timeout_ms=int(_COMMIT_S * 1_000))
        except KafkaError as error:
            raise LogError(f"Kafka does not say what the group has committed of {self._topic}: {error}") from error
        return None if found is None or found.offset < 0 else (found.offset, found.metadata or "")

    def acknowledged(self, partition: int) -> int | None:
        """Return the offset that was last committed for ``partition`` since it became ours, or None."""
        return self._acknowledged.get(partition)

    def forget_acknowledged(self) -> None:
        """Forget what was committed, so that it will be committed anew."""
        self._acknowledged.clear()

    def commit(self, offsets: Mapping[int, tuple[int, str]], *, wait: bool = False) -> None:
        """Tell the group how far we are, partition by partition: an offset, and words that say more of it.

        It fails in every rebalance, which is only noted: ``acknowledged`` says what has arrived, and the caller commits
        again.
        """
        places = {
            TopicPartition(self._topic, at): OffsetAndMetadata(offset, words, -1)
            for at, (offset, words) in offsets.items()
        }
        try:
            if wait:
                self._consumer.commit(places, timeout_ms=int(_COMMIT_S * 1_000))
            else:
                self._consumer.commit_async(places, self._committed)
        except KafkaError as error:
            _LOGGER.info("the group's offsets were not committed: %s", error)

    def close(self) -> None:
        """Leave the group, so that others take over at once. Closing twice is allowed."""
        with suppress(KafkaError):  # a broker that is away learns of it when the session ends
            self._consumer.close(autocommit=False, timeout_ms=int(_COMMIT_S * 1_000))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _committed(self, places: Mapping[Any, Any], answer: object) -> None:
        """Note what became of a commit; called by a later poll, or by a later commit."""
        if isinstance(answer, Exception):
            _LOGGER.debug("the group's offsets were not committed: %s", answer)
            return
        for place, committed in places.items():
            if place in self._consumer.assignment():
                self._acknowledged[place.partition] = committed.offset

    # Called by the listener, on kafka-python's own thread

    def assigned(self, places: Iterable[Any]) -> None:
        """Note partitions that are newly ours, and hold them back until they are started."""
        with self._changing:
            for place in places:
                self._consumer.pause(place)
                self._consumer.seek(place, 0)  # any position will do: without one, poll would look for the group's
                self._changes.assigned.add(place.partition)

    def revoked(self, places: Iterable[Any], *, lost: bool) -> None:
        """Note partitions that are no longer ours."""
        with self._changing:
            for place in places:
                self._started.discard(place.partition)
                self._acknowledged.pop(place.partition, None)
                self._changes.assigned.discard(place.partition)
                self._changes.revoked.add(place.partition)
                if lost:
                    self._changes.lost.add(place.partition)
        if lost:
            # kafka-python 3.0.12 goes on to claim what it has lost. A leader that gives it to another member then waits
            # until we let go of it, which we have done: until some later rebalance nobody would have it.
            self._assignor.member_assignment = None


class _Listener(ConsumerRebalanceListener):  # type: ignore[misc]  # untyped
    def __init__(self, consumer: PartitionConsumer) -> None:
        self._consumer = consumer

    def on_partitions_assigned(self, assigned: Iterable[Any]) -> None:
        self._consumer.assigned(assigned)

    def on_partitions_revoked(self, revoked: Iterable[Any]) -> None:
        self._consumer.revoked(revoked, lost=False)

    def on_partitions_lost(self, lost: Iterable[Any]) -> None:
        self._consumer.revoked(lost, lost=True)


def _options(settings: KafkaSettings, group: str, session_timeout_s: float, assignor: Any) -> dict[str, Any]:
    session_ms = int(session_timeout_s * 1_000)
    return {
        **reading_options(settings),
        "client_id": "yggdrasil-worker",
        "group_id": group,
        "session_timeout_ms": session_ms,
        "heartbeat_interval_ms": min(session_ms // 3, _HEARTBEAT_MS_MAX),
        "max_poll_interval_ms": int(_POLL_INTERVAL_S * 1_000),
        "partition_assignment_strategy": (assignor,),
        "max_partition_fetch_bytes": 2 << 20,  # times the partitions: what waits in memory to be folded
        # A record ends the wait at once, since each fetch asks for all that is read here. A partition that was just
        # started waits for the fetch before it, so this is no longer than nobody minds.
        "fetch_max_wait_ms": 500,
    }
