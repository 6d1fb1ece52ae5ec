"""Open the store of a partition that this worker was given, wherever its bytes may come from."""

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Final

from yggdrasil_infra.kafka_log import KafkaLog
from yggdrasil_infra.kafka_sender import KafkaSender
from yggdrasil_infra.kafka_topics import Topic
from yggdrasil_infra.metrics import WorkerMetrics
from yggdrasil_infra.rocks import MemoryBudget, StorageDamagedError
from yggdrasil_projections.graph.checkpoint_restore import restore, set_aside
from yggdrasil_projections.graph.projector import LogMismatchError, Projector
from yggdrasil_projections.graph.store import GraphStore, Pin
from yggdrasil_schemas.errors import YggdrasilError

from .outbox import Outbox
from .partition import OwnedPartition
from .settings import WorkerSettings

_LOGGER: Final = logging.getLogger("yggdrasil.worker")


class Opening:
    """What all partitions of a worker share, and how one of them is opened."""

    def __init__(
        self, settings: WorkerSettings, log: KafkaLog, sender: KafkaSender, refused: Topic, metrics: WorkerMetrics
    ) -> None:
        self._settings = settings
        self._log = log
        self._sender = sender
        self._refused = refused
        self._metrics = metrics
        self._budget = MemoryBudget.of()
        # Each partition has its share, so that a worker that is given all of them stays within the bound.
        shares = log.partitions if settings.partitions is None else len(settings.partitions)
        self._cached_records_max = max(1, settings.cached_records_max // shares)

    def open(self, partition: int, published_below: int, beat: Callable[[], None]) -> OwnedPartition:
        """Open the store of ``partition``, verify it against the log, and return it ready to fold.

        Refusals below offset ``published_below`` have been published by whoever folded them first.

        Raises LogMismatchError, StoreError and StorageError with the remedy, and LogError when brokers are away.
        """
        pin = Pin(self._log.topic_id, self._log.partitions, partition)
        path = self._settings.directory / "graph" / f"{partition:04d}"
        projector = self._projector(path, pin, beat)
        if published_below > self._log.end_offset(partition):
            published_below = 0  # of a group that somebody has moved: it knows of records that do not exist
        refused_at = partition % self._refused.partitions
        outbox = Outbox(projector.store, self._sender, self._refused.name, refused_at, published_below)
        self._metrics.begin(partition)
        return OwnedPartition(projector, outbox, self._metrics)

    def _projector(self, path: Path, pin: Pin, beat: Callable[[], None]) -> Projector:
        """Open what is there; what is missing, or damaged and to be recovered, comes from a checkpoint or the log."""
        if not path.exists():
            self._restore(path, pin, beat)
        try:
            return self._opened(path, pin)
        except (StorageDamagedError, LogMismatchError) as error:
            if not self._settings.recover:
                raise
            self._replace(path, pin, beat, error)
        return self._opened(path, pin)

    def _replace(self, path: Path, pin: Pin, beat: Callable[[], None], refused: YggdrasilError) -> None:
        """Set a refused store aside and take a checkpoint, or nothing, in its place; or else leave it where it was.

        Nothing, and so a rebuild, is no remedy when the log has lost what the store needs: then ``refused`` is raised.
        """
        aside = set_aside(path)
        try:
            if not self._restore(path, pin, beat) and isinstance(refused, LogMismatchError):
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

    def _restore(self, path: Path, pin: Pin, beat: Callable[[], None]) -> bool:
        """Make the store at ``path`` from the newest checkpoint that fits; return whether there was one."""
        root = self._settings.checkpoints
        if root is None:
            return False

        def go_on(what: str, done: int, total: int) -> None:
            beat()

        restored = restore(root, path, pin, self._log, self._budget, go_on)
        for unfit in restored.unfit:
            _LOGGER.error("checkpoint passed over: %s", unfit.reason, extra={"partition": pin.partition})
        if restored.checkpoint is None:
            return False
        position = restored.checkpoint.manifest.position
        _LOGGER.info("started from a checkpoint", extra={"partition": pin.partition, "position": position})
        return True
