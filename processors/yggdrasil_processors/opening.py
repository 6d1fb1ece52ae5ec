"""Open the store of a partition, wherever its bytes may come from: the directory, a checkpoint, or the log."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from yggdrasil_infra.log import LogReader
from yggdrasil_infra.rocks.database import MemoryBudget, StorageDamagedError
from yggdrasil_infra.rocks.scrubbing import read_through
from yggdrasil_projections.graph.checkpoint.restore import restore, set_aside
from yggdrasil_projections.graph.store.families import ALL
from yggdrasil_projections.graph.store.projector import LogMismatchError, Projector
from yggdrasil_projections.graph.store.store import CommitObserver, GraphStore, Pin
from yggdrasil_schemas.errors import YggdrasilError

_LOGGER: Final = logging.getLogger("yggdrasil.store")


GoOn = Callable[[str], None]
"""Is told how far it is while a store is restored or read, in words without a path; may raise to end it."""


class StoppingError(YggdrasilError):
    """The host is to stop, and what takes long is left undone."""


@dataclass(frozen=True, slots=True)
class Places:
    """Where a host keeps its stores, and where they may come from.

    ``checkpoints`` is a directory from which a missing store is started; ``recover`` reads every store to its end
    before it is used, sets a damaged one aside and does the same for it. ``observer`` is told of every commit.
    """

    directory: Path
    checkpoints: Path | None = None
    recover: bool = False
    observer: CommitObserver | None = None


class StoreOpening:
    """What all partitions of a host share, and how the store of one of them is opened."""

    def __init__(
        self, places: Places, log: LogReader, cached_records_max: int, budget: MemoryBudget | None = None
    ) -> None:
        """Open stores that each hold at most ``cached_records_max`` records in memory."""
        self._places = places
        self._log = log
        self._budget = budget or MemoryBudget.of()
        self._cached_records_max = cached_records_max

    def projector(self, partition: int, go_on: GoOn) -> Projector:
        """Open what is there; what is missing, or damaged and to be recovered, comes from a checkpoint or the log.

        ``go_on`` is told how far it is while that takes long. Raises LogMismatchError, StoreError and StorageError
        with the remedy, and LogError when brokers are away.
        """
        go_on("its store is opened")
        pin = Pin(self._log.topic_id, self._log.partitions, partition)
        path = self._places.directory / "graph" / f"{partition:04d}"
        if not path.exists() or not any(path.iterdir()):
            self._restore(path, pin, go_on)
        try:
            if self._places.recover and (path / "CURRENT").exists():
                read_through(path, ALL, _counting(go_on))
            return self._opened(path, pin)
        except (StorageDamagedError, LogMismatchError) as error:
            if not self._places.recover:
                raise
            self._replace(path, pin, go_on, error)
        return self._opened(path, pin)

    def read_only(self, partition: int) -> Projector:
        """Open what is there for reading alone. Raises as ``projector``, and StorageError when nothing is there."""
        pin = Pin(self._log.topic_id, self._log.partitions, partition)
        path = self._places.directory / "graph" / f"{partition:04d}"
        store = GraphStore(path, pin, self._budget, self._cached_records_max, read_only=True)
        try:
            return Projector(self._log, store)
        except BaseException:
            store.close()
            raise

    def _replace(self, path: Path, pin: Pin, go_on: GoOn, refused: YggdrasilError) -> None:
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
        _LOGGER.warning("store set aside as %s: %s", aside, refused, extra={"partition": pin.partition})

    def _opened(self, path: Path, pin: Pin) -> Projector:
        store = GraphStore(path, pin, self._budget, self._cached_records_max, observer=self._places.observer)
        try:
            return Projector(self._log, store)
        except BaseException:
            store.close()
            raise

    def _restore(self, path: Path, pin: Pin, go_on: GoOn) -> bool:
        """Make the store at ``path`` from the newest checkpoint that fits; return whether there was one."""
        root = self._places.checkpoints
        if root is None:
            return False

        def progress(what: str, done: int, total: int) -> None:
            go_on(f"started from a checkpoint, {what.lower()}: {done:,} of {total:,}")

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


def _counting(go_on: GoOn) -> Callable[[int], None]:
    """Return what is told of each piece that is read, and tells of all of them."""
    done = 0

    def read(size: int) -> None:
        nonlocal done
        done += size
        go_on(f"read for damage, {done:,} bytes by now")

    return read
