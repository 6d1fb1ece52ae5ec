"""The query host: a thread that polls and folds in slices, and what others ask of it meanwhile.

It is a plain consumer of fixed partitions with stores of its own, and its stores' positions decide what is applied, as
in a worker (decision 6). It publishes nothing: what it refuses, the workers refuse too, and they tell.
"""

import logging
from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from threading import Event, Thread
from time import monotonic
from typing import Final, Self

from yggdrasil_infra.forking import stays
from yggdrasil_infra.kafka_log.consumer import PartitionConsumer
from yggdrasil_infra.locks import DirectoryLock
from yggdrasil_infra.log import CommandLog, LogError, LogReader, Receipt
from yggdrasil_infra.paths import followed
from yggdrasil_infra.rocks.database import StorageDamagedError
from yggdrasil_infra.running.turns import Turns
from yggdrasil_infra.swap import settle
from yggdrasil_projections.graph.fold import Answer
from yggdrasil_projections.graph.store.projector import LogMismatchError
from yggdrasil_projections.retrieval.errors import NotHereError, NotReadyError
from yggdrasil_projections.retrieval.index.view import RetrievalView
from yggdrasil_projections.service.reads import Lag
from yggdrasil_schemas.partitions import partition_for

from ..auditing.rebuilding import VIEWS
from ..damage import Damage, damaged_among
from ..hosted import once_in_the_log
from ..opening import Directories, StoppingError, StoreOpening
from ..partitions import check_partitions, open_log, reached
from ..past.ladder import Ladders
from ..resting import Resting
from ..scrubbing import scrubbed
from ..watch import BAD_LOG, UNFIT, Watch, halt_wrong
from .building import Building, in_words
from .clock import Clock
from .partition import HostedPartition, close_all
from .settings import HostSettings

_LOGGER: Final = logging.getLogger("yggdrasil.query")
_POLL_S: Final = 0.5  # what is read wakes it; only a host that is to end is waited for so long
_POLL_RECORDS_MAX: Final = 2_000
_AWAY_S: Final = 15.0  # the time of a leader election is nobody's concern
_RETRY_S: Final = 10.0
_REPORT_S: Final = 1.0
_TAKEN_S: Final = 5.0  # within which the brokers are to have a command, unless its caller has another deadline
_TAKEN_S_MIN: Final = 1.0  # who does not wait for the fold gives no time to the brokers either, and they need some
# Whoever asks is told no more, since errors name files and brokers: our log has the cause.
_FAILED: Final = "this host folds no more and has to be started again"
_STOPS: Final = "this host stops; ask another one, or try again in a moment"
_COMMITTED: Final = "folded by a query host, which publishes no refusals"  # a worker believes other words


class QueryHost:
    """Folds from ``__enter__`` to ``__exit__``, on a thread of its own; everything else is for any thread."""

    def __init__(self, settings: HostSettings, on_failure: Callable[[Exception], None] | None = None) -> None:
        """``on_failure`` is called, on the host's thread, with what ended it: the process had better end too."""
        self.settings = settings = replace(settings, directory=followed(settings.directory))  # once, for all of it
        self.turns = Turns()
        self.view = RetrievalView(settings.directory / VIEWS, settings.index_bytes_max)
        self.ladders = Ladders(settings.directory, settings.spacing, settings.ladders_of)
        self.failure: Exception | None = None
        self._on_failure = on_failure
        self._held = ExitStack()
        self._stopping = Event()
        self._partitions: dict[int, HostedPartition] = {}  # replaced and never changed: other threads read it
        self._given: dict[int, float] = {}  # not opened yet; and when to try
        self._reached: dict[int, int] = {}  # replaced and never changed: the watch reads it
        self.damage = Damage()
        self.resting = Resting(settings.directory, settings.room_bytes)
        self.clock = Clock()
        self._reported = 0.0
        self._ends: dict[int, int] = {}  # where the log ended when it was last seen; replaced as well
        self._building = Building()
        stays(self, f"a host of the topic {settings.topic}")

    def __enter__(self) -> Self:
        """Lock the directory, verify the topic, and begin.

        Raises DirectoryInUseError, TopicError and UnknownPartitionsError with the remedy, SettingsError and LogError.
        """
        it = self.settings
        with ExitStack() as stack:
            stack.enter_context(DirectoryLock(it.directory))
            settle(it.directory)
            self._log = stack.enter_context(open_log(it.kafka, it.topic, it.profile, it.directory))
            check_partitions(it.partitions, self._log)
            self.partitions = tuple(range(self._log.partitions)) if it.partitions is None else it.partitions
            stack.callback(self.view.close)
            stack.callback(self._close_partitions)
            stack.enter_context(scrubbed(it.directory, lambda: self._partitions, it.scrub))
            watched = open_log(it.kafka, it.topic, it.profile, it.directory)
            self._watch = stack.enter_context(Watch(it, watched, self._stand, self._stopping))
            self._consumer = stack.enter_context(PartitionConsumer(it.kafka, it.topic, it.group, self.partitions))
            places = Directories(it.directory, it.checkpoints, it.recover, (self.view,))
            self._opening = StoreOpening(places, self._log, max(1, it.cached_records_max // len(self.partitions)))
            self._building.begin(self.partitions)
            thread = Thread(target=self._run, name="query-host", daemon=True)
            thread.start()
            stack.callback(thread.join)
            stack.callback(self._stopping.set)
            self._held = stack.pop_all()
        _LOGGER.info("started", extra={"topic": it.topic, "topic_id": self._log.topic_id, "group": it.group})
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Finish the slice at hand, and let go of everything. Closing twice is allowed."""
        self._held.close()

    # For any thread

    @property
    def log(self) -> LogReader:
        """The log that is folded."""
        return self._log

    def partition(self, memory: str) -> int:
        """Return the partition of ``memory``."""
        return partition_for(memory.encode(), self._log.partitions)

    def hosted(self, memory: str) -> HostedPartition:
        """Return the partition of ``memory``. Raises NotHereError, and NotReadyError with what to do."""
        partition = self.partition(memory)
        if partition not in self.partitions:
            raise NotHereError(memory, partition, self.partitions)
        if self.failure is not None:
            raise NotReadyError(_FAILED)
        self.damage.check_store(partition)
        hosted = self._partitions.get(partition)
        if hosted is None:
            why = "halted here" if partition in self.damage.partitions else "not open here yet; try again in a moment"
            raise NotReadyError(f"partition {partition} is {why}")
        return hosted

    def all_hosted(self) -> list[HostedPartition]:
        """Return all partitions of this host. Raises NotReadyError while one is not open."""
        if self.failure is not None:
            raise NotReadyError(_FAILED)
        self.damage.check_store(*self.partitions)
        if missing := sorted(set(self.partitions) - self._partitions.keys()):
            raise NotReadyError(f"{len(missing)} partitions are not open here yet; try again in a moment")
        return [self._partitions[partition] for partition in self.partitions]

    def append(
        self, commands: Sequence[tuple[str, bytes]], deadline_s: float | None, taken_s: float | None = None
    ) -> list[tuple[Receipt, Answer | None]]:
        """Append commands, each with its memory, and return where each stands and what the fold said of it here.

        What is not folded here within ``deadline_s`` has no answer; with None nothing is waited for. Raises
        NotHereError, NotReadyError and DiskFullError before anything is appended; LogError if unacknowledged: by
        ``taken_s``, or by the deadline, which leaves a second at least and five seconds where there is none; and
        NotFoldedError when this host folds no more, or not here, once all is in the log. What was given up so may yet
        be taken; sent again, with the same id, it counts once.
        """
        until = monotonic() + (deadline_s or 0.0)
        if taken_s is None:
            taken_s = _TAKEN_S if deadline_s is None else max(_TAKEN_S_MIN, deadline_s)
        hosts = {memory: self.hosted(memory) for memory, _ in commands}
        self.resting.room.check()
        for hosted in hosts.values():
            hosted.check_folding()
        try:
            receipts = self._log.append_many(((memory.encode(), value) for memory, value in commands), taken_s)
        except LogError as error:
            self.clock.refused(error)
            raise
        self.clock.taken()
        with once_in_the_log([value for _, value in commands]):
            return [
                (receipt, hosts[memory].answer(memory, value, receipt, max(0.0, until - monotonic())))
                for (memory, value), receipt in zip(commands, receipts, strict=True)
            ]

    @contextmanager
    def copying(self, memory: str) -> Generator[CommandLog]:
        """Open the topic for whoever appends to ``memory`` what was accepted of another one, and reads it meanwhile.

        Raises NotHereError, NotReadyError and DiskFullError where nothing would be appended, LogMismatchError for a
        topic that was re-created, and LogError.
        """
        self.resting.room.check()
        self.hosted(memory).check_folding()
        it = self.settings
        with open_log(it.kafka, it.topic, it.profile, it.directory) as log:
            if log.topic_id != self._log.topic_id:
                raise LogMismatchError(f"topic {it.topic} was re-created")
            yield log

    def lags(self) -> list[Lag]:
        """Return how far every open partition is, and where its log ended when a broker last said so, if one has."""
        ends = self._ends | self._seen_ends()
        return [
            hosted.lag(self._reached.get(number, 0), ends[number])
            for number, hosted in sorted(self._partitions.items())
            if number in ends
        ]

    def live(self) -> str | None:
        """Return why this process should be ended, or None."""
        if self.failure is not None:
            return _FAILED
        since_s = self._watch.since_beat_s()
        return f"the query host has taken no turn for {since_s:.0f} s" if since_s > self.settings.watchdog_s else None

    def stale(self) -> str | None:
        """Return since when no broker has answered, or None: this host answers on, as of the last record that came."""
        away = self._watch.away_s()
        return f"no broker has answered for {away:.0f} s; answers are as of then" if away > _AWAY_S else None

    def unfit(self) -> str | None:
        """Return that the topic may lose records by its settings, or None: all goes on as it does."""
        return UNFIT if self._watch.unfit is not None else None

    def ready(self) -> str | None:
        """Return why this host does not answer as it should, or None. One that is only stale does."""
        if self._stopping.is_set() or self.failure is not None:
            return "stopping" if self.failure is None else _FAILED
        if why := self.resting.why or self.clock.why():
            return why
        if missing := set(self.partitions) - self._partitions.keys() - self.damage.partitions:
            return self._building.missing(missing)
        halted = {at: one.halted for at, one in self._partitions.items() if one.halted is not None}
        reached, ends = self._stand(), self._seen_ends()
        behind = [
            at
            for at in self._building.behind - self.damage.partitions - halted.keys()
            if at not in ends or reached.get(at, 0) < ends[at]
        ]
        if behind:
            return in_words(self._building.built(behind, reached, ends), len(behind))
        return "; ".join(filter(None, (self.damage.told(), *halted.values()))) or None

    # The host's own thread

    def _run(self) -> None:
        try:
            while not self._stopping.is_set():
                try:
                    self._turn()
                except BAD_LOG:
                    if not halt_wrong(self._watch, self._log, self._partitions.values(), self._consumer.pause):
                        raise
        except Exception as error:  # whatever it is, nothing is folded any more, and that must not go unnoticed
            self._fail(error)

    def _turn(self) -> None:
        """Take one turn: poll, open what is not open, fold in slices, and now and then say how far we are."""
        polled = self._consumer.poll(_POLL_S, _POLL_RECORDS_MAX)
        self._watch.beat()
        if self._consumer.topic_id not in {None, self._log.topic_id}:
            raise LogMismatchError(f"topic {self.settings.topic} was re-created")
        self._given |= dict.fromkeys(polled.assigned, 0.0)
        due = sorted(at for at, when in self._given.items() if when <= monotonic())
        for partition in filter(self.resting.opens, due):
            self._open(partition)
        rests = self.resting.rests(self._partitions, self._consumer, self._watch.forget)
        for partition, records in polled.records.items() if not rests else ():
            if (hosted := self._partitions.get(partition)) is None:  # it was found damaged a moment ago
                continue
            try:
                hosted.fold(records, self._go_on)
            except LogError as error:
                if type(error) is not LogError:
                    raise
                _LOGGER.warning("partition not folded yet: %s", error, extra={"partition": partition})
                self._consumer.start(partition, hosted.position)  # have it again
            except StoppingError:
                return
            except StorageDamagedError as error:
                self._damaged(partition, error)
            if hosted.halted is not None:
                self._consumer.pause(partition)
        if monotonic() - self._reported > _REPORT_S or self._building.behind:
            for partition, why in damaged_among({at: one.store for at, one in self._partitions.items()}).items():
                self._damaged(partition, why)  # met by somebody who asked
            self._report()

    def _open(self, partition: int) -> None:
        try:
            projector = self._opening.projector(partition, partial(self._opens, partition))
        except (StorageDamagedError, *BAD_LOG) as error:
            return self._damaged(partition, error)
        except LogError as error:
            if type(error) is not LogError:  # the topic itself is not what it was
                raise
            _LOGGER.warning("partition not opened yet: %s", error, extra={"partition": partition})
            self._given[partition] = monotonic() + _RETRY_S
            return
        except StoppingError:
            return
        finally:
            self._building.opened()
        del self._given[partition]
        projector.store.drop_outbox_below(projector.store.state.position)  # of a worker's checkpoint, or of a rebuild
        hosted = HostedPartition(projector, self.turns, self.settings.operators, self.ladders.passed)
        self._partitions = {**self._partitions, partition: hosted}
        self._consumer.start(partition, hosted.position)
        _LOGGER.info("partition opened", extra={"partition": partition, "position": hosted.position})

    def _damaged(self, partition: int, error: Exception) -> None:
        """Let go of a partition whose store or log is damaged, or open the store anew if we are to ``recover`` it."""
        hosted = self._partitions.get(partition)
        self._partitions = {at: one for at, one in self._partitions.items() if at != partition}
        self._consumer.pause(partition)
        if hosted is not None and isinstance(error, StorageDamagedError):
            hosted.let_go(error)
        if hosted is not None and self.settings.recover:
            self._building.begin([partition])
            self._given[partition] = 0.0
            return
        self._given.pop(partition, None)
        _LOGGER.critical("partition halted: %s", error, extra={"partition": partition})
        self.damage.met(partition, error)

    def _stand(self) -> dict[int, int]:
        """Return where every partition that folds stands at this moment, for the watch; from any thread."""
        partitions = self._partitions
        return {at: max(to, partitions[at].position) for at, to in self._reached.items() if at in partitions}

    def _go_on(self) -> None:
        """Beat between two slices. Raises StoppingError when what takes long is not to be finished."""
        self._watch.beat()
        if self._stopping.is_set():
            raise StoppingError("the query host stops")

    def _opens(self, partition: int, what: str) -> None:
        """Beat while a store is opened, as ``_go_on``: nothing is folded meanwhile, which is no fault."""
        self._watch.went_on()
        self._building.opens(partition, what)
        self._go_on()

    def _seen_ends(self) -> dict[int, int]:
        """Return where the logs end, as far as brokers have said so within the last seconds."""
        return {number: edges.end for number, edges in self._watch.edges.items()}

    def _report(self) -> None:
        """Tell the watch, and whoever looks at the group, how far every partition is."""
        self._reached = {} if self.resting.why else reached(self._partitions, self._consumer.position)
        self._ends = self._ends | (ends := self._seen_ends())
        self._building.look(self._reached, ends)
        if monotonic() - self._reported <= _REPORT_S:
            return
        self._reported = monotonic()
        moved = {at: (one.position, _COMMITTED) for at, one in self._partitions.items()}
        if news := {at: to for at, to in moved.items() if to[0] != self._consumer.acknowledged(at)}:
            self._consumer.commit(news)

    def _fail(self, error: Exception) -> None:
        self.failure = error
        _LOGGER.critical("the query host ends: %s", error)
        for hosted in self._partitions.values():
            hosted.end(NotReadyError(_FAILED))
        if self._on_failure is not None:
            self._on_failure(error)

    def _close_partitions(self) -> None:
        partitions, self._partitions = list(self._partitions.values()), {}
        close_all(partitions, NotReadyError(_STOPS), self.turns)
