"""The worker's main loop: poll, fold, publish, again; and how it begins and ends.

One thread does all of it, so a store has one writer and a batch one order. What must not wait for that thread (the
heartbeats, the watch over topic and progress, the digests of attests, the finishing of checkpoints) has its own.
"""

import logging
from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from dataclasses import replace
from threading import Event
from time import monotonic
from typing import Final

from yggdrasil_infra.forking import stays
from yggdrasil_infra.kafka_log.consumer import PartitionConsumer
from yggdrasil_infra.kafka_log.sender import KafkaSender
from yggdrasil_infra.kafka_log.topics import describe_topic, verify_topic
from yggdrasil_infra.locks import DirectoryLock
from yggdrasil_infra.log import LogError, LogRecord
from yggdrasil_infra.paths import followed
from yggdrasil_infra.rocks.database import StorageDamagedError, StorageError
from yggdrasil_infra.signals.metrics import WorkerMetrics
from yggdrasil_infra.swap import settle
from yggdrasil_projections.graph.store.projector import LogMismatchError
from yggdrasil_schemas.topics import refused_topic

from ..damage import Damage, damaged_among
from ..opening import StoppingError
from ..partitions import check_partitions, open_log, reached
from ..resting import Resting
from ..scrubbing import scrubbed
from ..watch import BAD_LOG, UNFIT, Watch, halt_wrong
from .checkpoints import Checkpoints
from .opening import Opening
from .outbox import Publisher
from .partition import OwnedPartition, catching_up, close_all, publish_all, published, unready
from .settings import WorkerSettings

_LOGGER: Final = logging.getLogger("yggdrasil.worker")
_POLL_S: Final = 0.5  # what is read wakes it; only a host that is to end is waited for so long
_POLL_RECORDS_MAX: Final = 10_000  # half a second's; what a fetch brought of a partition is then seldom parted
_AWAY_S: Final = 15.0  # the time of a leader election is nobody's concern
_OPENING_S: Final = 1.0
_RETRY_S: Final = 10.0
_REPORT_S: Final = 1.0
_SIZE_EVERY: Final = 15  # reports
_TOLD_EVERY: Final = 10  # reports
_FAREWELL_S: Final = 5.0  # for the last refusals to be acknowledged
_COMMIT_ANEW_S: Final = 6 * 3_600.0


class GraphWorker:
    """One worker process. ``run`` until ``stop``; ``live`` and ``ready`` answer probes from any thread."""

    def __init__(
        self,
        settings: WorkerSettings,
        metrics: WorkerMetrics,
        folding: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> None:
        """``folding`` surrounds the folds of each turn: whoever owns the process may collect garbage elsewhere."""
        # Followed once: what looks after all stores of a directory, and deletes some, would find another worker's.
        self._settings = settings = replace(settings, directory=followed(settings.directory))
        self._metrics = metrics
        self._folding = folding
        self._stopping = Event()
        self._partitions: dict[int, OwnedPartition] = {}
        self._given: dict[int, float] = {}  # by the group, and not opened yet; and when to try
        self._opening: str | None = None  # how far the store is that is being opened
        self._damage = Damage()
        self._resting = Resting(settings.directory, settings.room_bytes)
        metrics.room_bytes.set_function(self._resting.room.spare_bytes)
        self._reached: dict[int, int] = {}  # replaced and never changed: the watch reads it
        self._watch: Watch | None = None
        self._checkpoints: Checkpoints | None = None
        self._joined = False
        self._reported = 0.0
        self._reports = 0
        stays(self, f"a worker of the topic {settings.topic}")
        self._committed_anew = monotonic()

    def stop(self) -> None:
        """Finish the batch at hand and leave; safe in a signal handler."""
        self._stopping.set()

    def live(self) -> str | None:
        """Return why this process should be ended, or None."""
        if self._watch is not None and self._watch.since_beat_s() > self._settings.watchdog_s:
            return f"the main loop has taken no turn for {self._watch.since_beat_s():.0f} s"
        return None

    def unfit(self) -> str | None:
        """Return that the topic may lose records by its settings, or None: it is folded all the same."""
        return UNFIT if self._watch is not None and self._watch.unfit is not None else None

    def ready(self) -> str | None:
        """Return why this worker does not do its part, or None."""
        if self._stopping.is_set():
            return "stopping"
        if not self._joined:
            return "not a member of the group yet"
        if self._watch is not None and (away_s := self._watch.away_s()) > _AWAY_S:
            return f"no broker has answered for {away_s:.0f} s"
        if self._resting.why is not None:
            return self._resting.why
        if self._given:
            opening = f"; the first of them: {self._opening}" if self._opening else ""
            return f"{len(self._given)} partitions are not open yet{opening}"
        return unready(list(self._partitions.values()), self._damage)

    def run(self) -> None:
        """Fold until ``stop``.

        Raises DirectoryInUseError, TopicError and LogMismatchError with the remedy, LogError when the brokers refuse
        us, StorageError and BrokenInvariantError; everything folded so far is durable, and the next run goes on there.
        """
        with self._equipped() as (opening, consumer):
            while not self._stopping.is_set():
                try:
                    self._turn(opening, consumer)
                except BAD_LOG:
                    if not halt_wrong(self._watch, opening.log, self._partitions.values(), consumer.pause):
                        raise
            _LOGGER.info("stopping", extra={"partitions": sorted(self._partitions)})
            self._farewell(consumer)
        _LOGGER.info("stopped")

    @contextmanager
    def _equipped(self) -> Generator[tuple[Opening, PartitionConsumer]]:
        """Lock the directory, verify both topics, and open what reads, writes and watches."""
        it = self._settings
        with ExitStack() as stack:
            stack.enter_context(DirectoryLock(it.directory))
            settle(it.directory)
            log = stack.enter_context(open_log(it.kafka, it.topic, it.profile, it.directory))
            self._metrics.topic_partitions.set(log.partitions)
            refused = describe_topic(it.kafka, refused_topic(it.topic))
            verify_topic(refused, it.profile)
            check_partitions(it.partitions, log)
            watched = open_log(it.kafka, it.topic, it.profile, it.directory)
            self._watch = stack.enter_context(Watch(it, watched, self._stand, self._stopping))
            sender = KafkaSender(it.kafka)
            stack.callback(sender.close, 0.0)  # what is not acknowledged by now waits in an outbox
            publisher = Publisher(sender, refused)
            stack.callback(publisher.close)
            stack.callback(close_all, self._partitions)
            stack.enter_context(scrubbed(it.directory, lambda: self._partitions, it.scrub))
            if it.checkpoints is not None:
                self._checkpoints = Checkpoints(it.checkpoints, it.checkpoint_every_s, self._metrics)
                stack.callback(self._checkpoints.close)
            consumer = stack.enter_context(
                PartitionConsumer(it.kafka, it.topic, it.group, it.partitions, it.session_timeout_s)
            )
            _LOGGER.info("started", extra=it.in_words() | {"topic_id": log.topic_id})
            yield Opening(it, log, publisher, self._metrics), consumer

    def _turn(self, opening: Opening, consumer: PartitionConsumer) -> None:
        """Take one turn.

        1. Poll; what the group took away is closed, and what it gave is opened and read from its store's position.
        2. Fold what came, each batch durable before the next.
        3. Move refusals out.
        4. Now and then, say how far we are, begin a checkpoint, and delete what was left to others for good.
        """
        polled = consumer.poll(_POLL_S, _POLL_RECORDS_MAX)  # 1
        self._beat()
        if consumer.topic_id not in {None, opening.topic_id}:
            raise LogMismatchError(f"topic {self._settings.topic} was re-created")
        for partition in sorted(polled.revoked):
            self._leave(partition, lost=partition in polled.lost)
        self._given = {at: when for at, when in self._given.items() if at not in polled.revoked}
        self._given |= dict.fromkeys(polled.assigned, 0.0)
        resting = self._resting.rests(self._partitions, consumer, self._look_anew)
        self._take_given(opening, consumer)
        if polled.records and not resting:
            with self._folding():
                for partition, records in polled.records.items():  # 2
                    self._fold(consumer, partition, records)
        try:
            for owned in self._partitions.values():  # 3
                owned.publish()
            if monotonic() - self._reported > _REPORT_S:  # 4
                self._report(consumer)
                ours = {*self._partitions, *self._given, *self._damage.partitions, *self._settings.set_aside}
                if self._joined:
                    opening.left_over.turn(ours, consumer.committed)
        except StorageDamagedError:
            for partition, why in damaged_among({at: owned.store for at, owned in self._partitions.items()}).items():
                self._damaged(consumer, partition, why)

    def _fold(self, consumer: PartitionConsumer, partition: int, records: Sequence[LogRecord]) -> None:
        owned = self._partitions.get(partition)
        if owned is None or owned.halted is not None:
            return
        try:
            owned.fold(records, self._beat)
        except LogError as error:
            if type(error) is not LogError:
                raise
            _LOGGER.warning("partition not folded yet: %s", error, extra={"partition": partition})
            consumer.start(partition, owned.position)  # have it again
        except StorageDamagedError as error:
            self._damaged(consumer, partition, error)
        if owned.halted is not None:
            consumer.pause(partition)

    def _take_given(self, opening: Opening, consumer: PartitionConsumer) -> None:
        """Open what the group gave, for as long as those that are open can wait; the rest in the next turns."""
        until = monotonic() + _OPENING_S
        while (now := monotonic()) < until:
            ready = [at for at, when in self._given.items() if when <= now and self._resting.opens(at)]
            if not ready:
                return
            self._take(opening, consumer, min(ready))

    def _take(self, opening: Opening, consumer: PartitionConsumer, partition: int) -> None:
        """Open the store of ``partition`` and read from its position on; when brokers are away, try again later."""
        if partition in self._settings.set_aside:
            del self._given[partition]
            self._metrics.set_aside.labels(partition).set(1)
            _LOGGER.warning("partition set aside (--set-aside)", extra={"partition": partition})
            return
        self._reached = {}  # nothing is folded meanwhile, which is not to be taken for a fault
        self._look_anew(partition)  # it may have been ours a moment ago, and the log has gone on since
        try:
            owned = opening.open(partition, consumer.committed(partition), self._go_on)
        except (StorageDamagedError, *BAD_LOG) as error:
            return self._damaged(consumer, partition, error)
        except LogError as error:
            if type(error) is not LogError:  # the topic itself is not what it was
                raise
            _LOGGER.warning("partition not opened yet: %s", error, extra={"partition": partition})
            self._given[partition] = monotonic() + _RETRY_S
            return
        except StoppingError:
            self._given.clear()
            return
        finally:
            self._opening = None
        del self._given[partition]
        self._partitions[partition] = owned
        self._metrics.rebalances.labels("assigned").inc()
        consumer.start(partition, owned.position)
        _LOGGER.info("partition taken", extra={"partition": partition, "position": owned.position})

    def _damaged(self, consumer: PartitionConsumer, partition: int, error: Exception) -> None:
        """Let go of a partition whose store or log is damaged, or open the store anew if we are to ``recover`` it."""
        if (owned := self._partitions.pop(partition, None)) is not None:
            with suppress(StorageError):
                owned.close()
            if self._settings.recover:
                self._given[partition] = 0.0
                return
        _LOGGER.critical("partition halted: %s", error, extra={"partition": partition})
        self._given.pop(partition, None)
        self._damage.met(partition, error)
        self._metrics.halted.labels(partition).set(1)
        consumer.pause(partition)

    def _leave(self, partition: int, *, lost: bool) -> None:
        self._metrics.rebalances.labels(why := "lost" if lost else "revoked").inc()
        self._damage.forget(partition)
        owned = self._partitions.pop(partition, None)
        if self._checkpoints is not None:
            self._checkpoints.forget(partition)
        self._look_anew(partition)
        self._metrics.forget(partition)
        if owned is not None:
            owned.close()
            _LOGGER.info("partition left", extra={"partition": partition, "position": owned.position, "why": why})

    def _look_anew(self, partition: int) -> None:
        if self._watch is not None:
            self._watch.forget(partition)

    def _farewell(self, consumer: PartitionConsumer) -> None:
        """Give the last refusals a moment to arrive, and say how far we are."""
        publish_all(list(self._partitions.values()), min(_FAREWELL_S, self._settings.grace_s / 2))
        consumer.commit(published(self._partitions, consumer.acknowledged), wait=True)

    def _stand(self) -> dict[int, int]:
        """Return where every partition that folds stands at this moment, for the watch; from any thread."""
        partitions = dict(self._partitions)
        return {at: max(to, partitions[at].position) for at, to in self._reached.items() if at in partitions}

    def _go_on(self, what: str) -> None:
        """Beat while a store is opened, as nothing is folded meanwhile. Raises StoppingError when it is to be left."""
        self._opening = what
        self._beat()
        if self._watch is not None:
            self._watch.went_on()
        if self._stopping.is_set():
            raise StoppingError("the worker stops")

    def _beat(self) -> None:
        self._metrics.progress_timestamp_seconds.set_to_current_time()
        if self._watch is not None:
            self._watch.beat()

    def _report(self, consumer: PartitionConsumer) -> None:
        """Tell the group, the watch and the metrics how far every partition is."""
        self._reported = monotonic()
        self._joined = consumer.joined
        self._metrics.topic_unfit.set(self._watch is not None and self._watch.unfit is not None)
        if self._reported - self._committed_anew > _COMMIT_ANEW_S:
            self._committed_anew = self._reported
            consumer.forget_acknowledged()  # a group without members forgets an offset a week after its last commit
        if offsets := published(self._partitions, consumer.acknowledged):
            consumer.commit(offsets)
        self._reached = {} if self._resting.why else reached(self._partitions, consumer.position)
        for number, owned in self._partitions.items():
            edges = self._watch.edges.get(number) if self._watch is not None else None
            owned.report(self._reached.get(number, owned.position), edges)
            if self._reports % _SIZE_EVERY == 0:
                owned.report_size()
        self._reports += 1
        if self._reports % _TOLD_EVERY == 0 and (told := catching_up(self._partitions.values())):
            _LOGGER.info("building: %s", told)
        if self._checkpoints is not None:
            self._checkpoints.turn(self._partitions.values())
