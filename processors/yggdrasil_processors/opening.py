"""Open the store of a partition, wherever its bytes may come from: the directory, a checkpoint, or the log."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryDirectory
from typing import Final

from yggdrasil_infra.log import LogReader
from yggdrasil_infra.paths import PathError, followed, whole
from yggdrasil_infra.rocks.database import MemoryBudget, StorageDamagedError
from yggdrasil_infra.rocks.errors import OF_STORE
from yggdrasil_infra.rocks.scrubbing import read_through
from yggdrasil_projections.graph.checkpoint.restore import restore, set_aside
from yggdrasil_projections.graph.store.families import ALL
from yggdrasil_projections.graph.store.projector import LogMismatchError, Projector
from yggdrasil_projections.graph.store.store import GraphStore, Pin, View
from yggdrasil_schemas.errors import YggdrasilError

_LOGGER: Final = logging.getLogger("yggdrasil.store")


GoOn = Callable[[str], None]
"""Is told how far it is while a store is restored or read, in words without a path; may raise to end it."""


class StoppingError(YggdrasilError):
    """The host is to stop, and what takes long is left undone."""


@dataclass(frozen=True, slots=True)
class Directories:
    """Where a host keeps its stores, and where they may come from.

    ``checkpoints`` is a directory from which a missing store is started; ``recover`` reads every store to its end
    before it is used, sets a damaged one aside and does the same for it. ``views`` are told of every commit. Where
    nothing can be ``written``, stores are read where they stand, and folded on in a temporary directory if need be.
    """

    directory: Path
    checkpoints: Path | None = None
    recover: bool = False
    views: Sequence[View] = ()
    written: bool = True


class StoreOpening:
    """What all partitions of a host share, and how the store of one of them is opened."""

    def __init__(
        self, places: Directories, log: LogReader, cached_records_max: int, budget: MemoryBudget | None = None
    ) -> None:
        """Open stores that each hold at most ``cached_records_max`` records in memory."""
        checkpoints = None if places.checkpoints is None else whole(places.checkpoints)
        self._places = replace(places, directory=followed(places.directory), checkpoints=checkpoints)
        self._scratch: TemporaryDirectory[str] | None = None
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
        if not self._places.written:
            return self._unwritten(path, pin)
        if not path.exists() or not any(path.iterdir()):
            self._restore(path, pin, go_on)
        try:
            if self._places.recover and (path / "CURRENT").exists():
                read_through(path, ALL, _counting(go_on))
                return self._opened_sound(path, pin, go_on)
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

    def close(self) -> None:
        """Remove what was folded in a temporary directory, once its stores are closed. Closing twice is allowed."""
        if self._scratch is not None:
            self._scratch.cleanup()
            self._scratch = None

    def _unwritten(self, path: Path, pin: Pin) -> Projector:
        """Open what is there for reading, if it holds all of the log; or else a copy of it, which can be folded on."""
        there = sorted(path.iterdir()) if (path / "CURRENT").exists() else []
        if there:
            projector = self.read_only(pin.partition)
            if projector.store.state.position >= self._log.end_offset(pin.partition):
                return projector
            projector.store.close()
        if self._scratch is None:
            self._scratch = TemporaryDirectory(prefix="yggdrasil-folded-")
        made = Path(self._scratch.name, path.name)
        made.mkdir()
        for file in there:
            copyfile(file, made / file.name)  # without its mode, which may forbid writing here too
        return self._opened(made, pin)

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
        store = GraphStore(path, pin, self._budget, self._cached_records_max, views=self._places.views)
        try:
            return Projector(self._log, store)
        except BaseException:
            store.close()
            raise

    def _opened_sound(self, path: Path, pin: Pin, go_on: GoOn) -> Projector:
        """Open a store. Raises StorageDamagedError where a record in it is not the one that was folded."""
        projector = self._opened(path, pin)
        try:
            for what in projector.store.unsound(_counting(go_on)):
                raise StorageDamagedError(f"{path}: {what}. {OF_STORE}")
        except BaseException:
            projector.store.close()
            raise
        return projector

    def _restore(self, path: Path, pin: Pin, go_on: GoOn) -> bool:
        """Make the store at ``path`` from the newest checkpoint that fits; return whether there was one."""
        root = self._places.checkpoints
        if root is None:
            return False

        def progress(what: str, done: int, total: int) -> None:
            go_on(f"started from a checkpoint, {what.lower()}: {done:,} of {total:,}")

        try:
            restored = restore(root, path, pin, self._log, self._budget, progress)
        except (OSError, PathError) as error:  # what others share has its moods, and the log has everything
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
