"""Delete the stores of partitions that the group has given to others for good: they take disk, and are soon of no use.

A store is deleted only when nothing can be lost by it: the log holds every record from offset 0 on, among them the very
ones that this store was folded from, and another worker has folded and published more than is in it.
"""

import logging
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path
from time import monotonic, time
from typing import Final

from yggdrasil_infra.log import LogError, LogReader
from yggdrasil_infra.rocks.database import StorageError
from yggdrasil_infra.swap import discard
from yggdrasil_projections.graph.store.store import StoreError

from ..opening import StoreOpening
from ..past.ladder import LADDER
from .committed import published

_LOGGER: Final = logging.getLogger("yggdrasil.worker")
_LOOK_S: Final = 600.0


class LeftOver:
    """Looks after the stores in ``directory`` that are not ours to fold. Of the worker's main loop."""

    def __init__(self, directory: Path, stores: StoreOpening, log: LogReader, keep_s: float) -> None:
        """Keep each for ``keep_s`` after it was left, since partitions come back; 0: delete none."""
        self._directory = directory
        self._stores = stores
        self._log = log
        self._keep_s = keep_s
        self._look_at = 0.0

    def turn(self, ours: Iterable[int], committed: Callable[[int], tuple[int, str] | None]) -> None:
        """Delete one store, if it is time to look and there is one; ``committed`` says what the group knows."""
        if not self._keep_s or monotonic() < self._look_at:
            return
        self._look_at = monotonic() + min(_LOOK_S, self._keep_s)
        ours = set(ours)
        for path in sorted((self._directory / "graph").glob("[0-9][0-9][0-9][0-9]")):
            partition = int(path.name)
            if partition not in ours and self._is_old(path) and self._is_of_no_use(partition, committed):
                shutil.rmtree(
                    self._directory / LADDER / path.name, ignore_errors=True
                )  # which holds its tables as well
                discard(self._directory, path)
                _LOGGER.info("left-over store deleted: others have folded it on", extra={"partition": partition})
                return

    def _is_old(self, path: Path) -> bool:
        """Whether nothing was written for long enough, but for the notes that RocksDB makes of every opening."""
        try:
            written = [one.stat().st_mtime for one in path.iterdir() if not one.name.startswith("LOG")]
        except OSError:
            return False
        return bool(written) and time() - max(written) > self._keep_s

    def _is_of_no_use(self, partition: int, committed: Callable[[int], tuple[int, str] | None]) -> bool:
        """Whether the log has all of it, and the group has gone on from it. What cannot be said for sure keeps it."""
        try:
            if partition >= self._log.partitions or self._log.start_offset(partition) != 0:
                return False
            below = published(committed(partition), self._log, partition).below
            projector = self._stores.read_only(partition)  # raises unless it is the fold of a prefix of this log
            try:
                return projector.store.state.position < below
            finally:
                projector.close()
        except (LogError, StoreError, StorageError) as error:
            _LOGGER.info("left-over store kept: %s", error, extra={"partition": partition})
            return False
