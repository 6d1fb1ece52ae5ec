"""Open the store of a partition that this worker was given, with the refusals that wait in it."""

from contextlib import ExitStack

from yggdrasil_infra.kafka_log.log import KafkaLog
from yggdrasil_infra.signals.metrics import WorkerMetrics

from ..opening import Directories, GoOn, StoreOpening
from ..past.ladder import Ladders
from .committed import published
from .left_over import LeftOver
from .outbox import Outbox, Publisher
from .partition import OwnedPartition
from .settings import WorkerSettings


class Opening:
    """What all partitions of a worker share, and how one of them is opened."""

    def __init__(self, settings: WorkerSettings, log: KafkaLog, publisher: Publisher, metrics: WorkerMetrics) -> None:
        self._log = log
        self._publisher = publisher
        self._metrics = metrics
        self._operators = None if settings.operators is None else frozenset(settings.operators)
        # Each partition has its share, so that a worker that is given all of them stays within the bound.
        shares = log.partitions if settings.partitions is None else len(settings.partitions)
        places = Directories(settings.directory, settings.checkpoints, settings.recover)
        self._stores = StoreOpening(places, log, max(1, settings.cached_records_max // shares))
        self._ladders = Ladders(settings.directory, settings.spacing)
        keep_s = settings.keep_left_s if settings.partitions is None else 0.0
        self.left_over = LeftOver(settings.directory, self._stores, log, keep_s)

    @property
    def log(self) -> KafkaLog:
        """The log that the stores are folded from."""
        return self._log

    @property
    def topic_id(self) -> str:
        """The id of the topic that the stores are folded from."""
        return self._log.topic_id

    def open(self, partition: int, committed: tuple[int, str] | None, go_on: GoOn) -> OwnedPartition:
        """Open the store of ``partition``, verify it against the log, and return it ready to fold.

        ``committed`` is what the group says of it. ``go_on`` is told how far it is while that takes long.

        Raises LogMismatchError, StoreError and StorageError with the remedy, and LogError when brokers are away.
        """
        with ExitStack() as failing:
            projector = self._stores.projector(partition, go_on)
            failing.callback(projector.close)
            outbox = Outbox(projector.store, self._publisher, published(committed, self._log, partition))
            failing.pop_all()
        self._metrics.begin(partition)
        return OwnedPartition(projector, outbox, self._metrics, self._operators, self._ladders.passed)
