"""Leave a checkpoint of every partition now and then, from which another host can start when a store is lost."""

import logging
from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from threading import Event
from time import time
from typing import Final

from yggdrasil_infra.locks import DirectoryInUseError
from yggdrasil_infra.paths import PathError, whole
from yggdrasil_infra.rocks.database import StorageError
from yggdrasil_infra.signals.metrics import WorkerMetrics
from yggdrasil_projections.graph.checkpoint.manifest import CheckpointError
from yggdrasil_projections.graph.checkpoint.taking import Checkpoint, begin, place, positions

from .partition import OwnedPartition

_LOGGER: Final = logging.getLogger("yggdrasil.worker")
_RETRY_S: Final = 60.0


class Checkpoints:
    """Makes one checkpoint at a time: begun between two batches, finished on a thread of its own."""

    def __init__(self, root: Path, every_s: float, metrics: WorkerMetrics) -> None:
        self._root = whole(root)
        self._every_s = every_s
        self._metrics = metrics
        self._finishing = ThreadPoolExecutor(1, "checkpoint")
        self._under_way: tuple[int, Future[Checkpoint]] | None = None
        self._closing = Event()
        self._due: dict[int, float] = {}  # in seconds since 1970, as the files on the disk are dated
        self._last: dict[int, int] = {}

    def turn(self, partitions: Iterable[OwnedPartition]) -> None:
        """Collect what is finished, and begin the next one that is due and has something new."""
        if self._under_way is not None:
            partition, future = self._under_way
            if not future.done():
                return
            self._under_way = None
            self._finished(partition, future)
        due = [owned for owned in partitions if self._is_due(owned)]
        if due:
            self._begin(min(due, key=lambda owned: self._due[owned.number]))

    def forget(self, partition: int) -> None:
        """Let go of a partition that another worker has now; a checkpoint under way is finished all the same."""
        self._due.pop(partition, None)

    def close(self) -> None:
        """Leave the checkpoint that is under way; nothing remains of it, and the last one stands."""
        self._closing.set()
        self._finishing.shutdown()

    def _is_due(self, owned: OwnedPartition) -> bool:
        if owned.number not in self._due:
            self._look_up(owned)
        return time() >= self._due[owned.number] and owned.position != self._last.get(owned.number, 0)

    def _look_up(self, owned: OwnedPartition) -> None:
        """Find the newest checkpoint of a partition that has just come to us; one that is missing is due soon."""
        self._due[owned.number] = time() + min(self._every_s, _RETRY_S)
        try:
            for newest in positions(place(self._root, owned.store.pin))[:1]:
                self._found(owned.number, int(newest.name), newest.stat().st_mtime)
        except OSError as error:  # a file system that others share has its moods
            self._failed(owned.number, error)

    def _found(self, partition: int, position: int, made: float) -> None:
        self._due[partition], self._last[partition] = made + self._every_s, position
        self._metrics.checkpoint_position.labels(partition).set(position)
        self._metrics.checkpoint_timestamp_seconds.labels(partition).set(made)

    def _begin(self, owned: OwnedPartition) -> None:
        try:
            pending = begin(owned.store, self._root)
        except (CheckpointError, StorageError) as error:
            owned.store.check()  # a store that cannot be written to any more ends the process
            self._failed(owned.number, error)
            return
        self._under_way = owned.number, self._finishing.submit(pending.finish, progress=self._go_on)

    def _finished(self, partition: int, future: Future[Checkpoint]) -> None:
        try:
            manifest = future.result().manifest
        except (CheckpointError, StorageError, DirectoryInUseError, PathError, OSError) as error:
            self._failed(partition, error)
            return
        if partition in self._due:
            self._found(partition, manifest.position, time())
        _LOGGER.info("checkpoint made", extra={"partition": partition, "position": manifest.position})

    def _go_on(self, what: str, done: int, total: int) -> None:
        if self._closing.is_set():
            raise CheckpointError("the worker stops, and leaves the checkpoint that it was making")

    def _failed(self, partition: int, error: Exception) -> None:
        """Go on folding: a checkpoint is a convenience, and its age is watched."""
        if partition in self._due:
            self._due[partition] = time() + _RETRY_S
        _LOGGER.error("checkpoint not made: %s", error, extra={"partition": partition})
