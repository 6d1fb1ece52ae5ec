"""Open the store of a partition that this worker was given, wherever its bytes may come from."""

import logging
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from yggdrasil_infra.kafka_log import KafkaLog
from yggdrasil_infra.metrics import WorkerMetrics
from yggdrasil_infra.rocks import MemoryBudget, StorageDamagedError
from yggdrasil_projections.graph.checkpoint_restore import restore, set_aside
from yggdrasil_projections.graph.projector import LogMismatchError, Projector
from yggdrasil_projections.graph.store import GraphStore, Pin
from yggdrasil_schemas.errors import YggdrasilError

from .committed import published_below
from .outbox import Outbox, Publisher
from .partition import OwnedPartition
from .settings import WorkerSettings

_LOGGER: Final = logging.getLogger("yggdrasil.worker")


class StoppingError(YggdrasilError):
    """The worker is to stop, and what takes long is left undone."""


class Opening:
    """What all partitions of a worker share, and how one of them is opened."""

    def __init__(self, settings: WorkerSettings, log: KafkaLog, publisher: Publisher, metrics: WorkerMetrics) -> None:
        self._settings = settings
        self._log = log
        self._publisher = publisher
        self._metrics = metrics
        self._budget = MemoryBudget.of()
        # Each partition has its share, so that a worker that is given all of them stays within the bound.
        shares = log.partitions if settings.partitions is None else len(settings.partitions)
        self._cached_records_max = max(1, settings.cached_records_max // shares)

    @property
    def topic_id(self) -> str:
        """The id of the topic that the stores are folded from."""
        return self._log.topic_id

    def open(self, partition: int, committed: tuple[int, str] | None, go_on: Callable[[], None]) -> OwnedPartition:
        """Open the store of ``partition``, verify it against the log, and return it ready to fold.

        ``committed`` is what the group says of it. ``go_on`` is called while that takes long, and may raise.

        Raises LogMismatchError, StoreError and StorageError with the remedy, and LogError when brokers are away.
        """
        pin = Pin(self._log.topic_id, self._log.partitions, partition)
        path = self._settings.directory / "graph" / f"{partition:04d}"
        with ExitStack() as failing:
            projector = self._projector(path, pin, go_on)
            failing.callback(projector.close)
            outbox = Outbox(projector.store, self._publisher, published_below(committed, self._log, partition))
            failing.pop_all()
        self._metrics.begin(partition)
        return OwnedPartition(projector, outbox, self._metrics)

    def _projector(self, path: Path, pin: Pin, go_on: Callable[[], None]) -> Projector:
        """Open what is there; what is missing, or damaged and to be recovered, comes from a checkpoint or the log."""
        if not path.exists() or not any(path.iterdir()):
            self._restore(path, pin, go_on)
        try:
            return self._opened(path, pin)
        except (StorageDamagedError, LogMismatchError) as error:
            if not self._settings.recover:
                raise
            self._replace(path, pin, go_on, error)
        return self._opened(path, pin)

    def _replace(self, path: Path, pin: Pin, go_on: Callable[[], None], refused: YggdrasilError) -> None:
        """Set a refused store aside and take a checkpoint, or nothing, in its place; or else leave it where it was.

        Nothing, and so a rebuild, is no remedy when the log has lost what the store needs: then ``refused`` is raised.
        """
        aside = set_aside(path)
        try:
            if not self._restore(path, pin, go_on) and isinstance(refused, LogMismatchError):
                raise refused
        except BaseException:
            aside.rename(path)
            raise
        _LOGGER.critical("store set aside as %s: %s", aside, refused, extra={"partition": pin.partition})

    def _opened(self, path: Path, pin: Pin) -> Projector:
        store = GraphStore(path, pin, self._budget, self._cached_records_max)
        try:
            return Projector(self._log, store)
        except BaseException:
            store.close()
            raise

    def _restore(self, path: Path, pin: Pin, go_on: Callable[[], None]) -> bool:
        """Make the store at ``path`` from the newest checkpoint that fits; return whether there was one."""
        root = self._settings.checkpoints
        if root is None:
            return False

        def progress(what: str, done: int, total: int) -> None:
            go_on()

        try:
            restored = restore(root, path, pin, self._log, self._budget, progress)
        except OSError as error:  # a file system that others share has its moods, and the log has everything
            _LOGGER.error("checkpoints cannot be read: %s", error, extra={"partition": pin.partition})
            return False
        for unfit in restored.unfit:
            _LOGGER.error("checkpoint passed over: %s", unfit.reason, extra={"partition": pin.partition})
        if restored.checkpoint is None:
            return False
        position = restored.checkpoint.manifest.position
        _LOGGER.info("started from a checkpoint", extra={"partition": pin.partition, "position": position})
        return True
