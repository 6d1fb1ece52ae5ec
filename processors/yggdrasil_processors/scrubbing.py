"""Read everything again, slowly and in the background, so that damage shows before a question meets it.

A pass reads the log, if it is in the directory, and every store, at a bounded number of bytes per second, from files
that are opened beside those in use: a block that is held in memory says nothing of the disk.
"""

import logging
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic, time
from typing import Final, Protocol

from yggdrasil_infra.local_log.log import LocalLog
from yggdrasil_infra.local_log.losses import Lost, readable
from yggdrasil_infra.log import LogDamagedError
from yggdrasil_infra.paths import whole
from yggdrasil_infra.rocks.database import StorageDamagedError, StorageError
from yggdrasil_infra.rocks.errors import OF_STORE
from yggdrasil_infra.rocks.scrubbing import read_through, small_budget
from yggdrasil_infra.running.periodic import Periodic
from yggdrasil_infra.signals.metrics import ScrubMetrics
from yggdrasil_projections.graph.store.families import ALL
from yggdrasil_projections.graph.store.store import GraphStore, StoreError
from yggdrasil_schemas.errors import YggdrasilError

from .auditing.beside import store_beside
from .auditing.rebuilding import partitions_in

_LOGGER: Final = logging.getLogger("yggdrasil.scrub")
BYTES_PER_SECOND_DEFAULT: Final = 2 << 20  # little of any disk, and ten gigabytes in an hour and a half
EVERY_S_DEFAULT: Final = 24 * 3_600.0
_FIRST_S: Final = 60.0  # whoever starts has enough to read


@dataclass(frozen=True, slots=True)
class ScrubSettings:
    """How fast it reads, how long after a pass has begun the next one begins, and who counts. Times are in seconds."""

    bytes_per_second: int = BYTES_PER_SECOND_DEFAULT
    every_s: float = EVERY_S_DEFAULT
    first_s: float = _FIRST_S
    metrics: ScrubMetrics = field(default_factory=ScrubMetrics)


class HasStore(Protocol):
    """A partition of a host."""

    @property
    def store(self) -> GraphStore:
        """Its store."""
        ...


class Concerned(Protocol):
    """Whom damage concerns: it is told on the scrub's thread, with the partition and what was found."""

    def store_damaged(self, partition: int, error: StorageDamagedError) -> None:
        """Take notice of damage to a store."""
        ...

    def log_damaged(self, partition: int, error: LogDamagedError) -> None:
        """Take notice of damage to the log."""
        ...


@dataclass(frozen=True, slots=True)
class _Open:
    """The partitions that a host has open, and whose log is elsewhere."""

    partitions: Callable[[], Mapping[int, HasStore]]

    def store_damaged(self, partition: int, error: StorageDamagedError) -> None:
        one = self.partitions().get(partition)
        if one is not None:  # others were left by somebody, and are refused when they are opened
            one.store.damaged(str(error))

    def log_damaged(self, partition: int, error: LogDamagedError) -> None:
        raise error


def scrubbed(
    directory: Path, partitions: Callable[[], Mapping[int, HasStore]], settings: ScrubSettings | None
) -> AbstractContextManager[object]:
    """Return what reads the stores in ``directory`` while its context is open; those in use learn what it finds."""
    return nullcontext() if settings is None else Scrub(directory, _Open(partitions), settings)


class _Stopping(YggdrasilError):
    """The process ends, and what is left is read by the next one."""


class Scrub(Periodic):
    """Reads all of ``directory`` again and again, from ``__enter__`` to ``__exit__``, on a thread of its own."""

    def __init__(self, directory: Path, concerned: Concerned, settings: ScrubSettings) -> None:
        super().__init__("scrub", self._pass, settings.first_s)
        self._directory = whole(directory)
        self._concerned = concerned
        self._settings = settings
        self._metrics = settings.metrics
        self._known: set[str] = set()

    def _pass(self) -> float | None:
        begun = monotonic()
        try:
            self.once()
        except _Stopping:
            return None
        except (YggdrasilError, OSError) as error:
            _LOGGER.warning("not everything could be read just now: %s", error)
        return max(0.0, self._settings.every_s - (monotonic() - begun))

    def once(self) -> None:
        """Read everything once."""
        if (self._directory / "log").is_dir():
            self._log(self._directory / "log")
        for partition in partitions_in(self._directory):
            path = self._directory / "graph" / f"{partition:04d}"
            try:
                read_through(path, ALL, self._read)
                self._known.discard(str(path))  # it is another by now, if it was known
                with store_beside(path) as store:
                    for what in store.unsound(self._read):  # answers leave these out, and go on
                        self._tell("record", partition, f"{path} {what}", f"{path}: {what}. {OF_STORE}")
            except StorageDamagedError as error:
                if not (path / "CURRENT").exists():  # it was deleted meanwhile, or set aside
                    continue
                self._tell("store", partition, str(path), str(error))
                self._concerned.store_damaged(partition, error)
            except (StorageError, StoreError) as error:  # a store that is being set aside, or made
                _LOGGER.info("store not read: %s", error, extra={"partition": partition})
        self._metrics.passed_timestamp_seconds.set(time())

    def _log(self, path: Path) -> None:
        try:
            log = LocalLog.open_read_only(path, small_budget())
        except LogDamagedError as error:  # it is in use, and would not be opened again
            self._tell("log", 0, str(path), str(error))
            self._concerned.log_damaged(0, error)
            return
        with closing(log):
            for partition in range(log.partitions):
                for one in readable(log, partition, read=self._read):
                    if isinstance(one, Lost):
                        self._tell("log", partition, f"{partition} {one.first}", str(one))
                        self._concerned.log_damaged(partition, LogDamagedError(str(one)))

    def _tell(self, what: str, partition: int, place: str, said: str) -> None:
        """Count a damaged place, and tell of it, when it is met for the first time."""
        if place not in self._known:
            self._known.add(place)
            self._metrics.damage.labels(what, partition).inc()
            _LOGGER.critical("damage was found: %s", said, extra={"partition": partition})

    def _read(self, size: int) -> None:
        """Wait as long as ``size`` bytes may take."""
        self._metrics.bytes_read.inc(size)
        if self._ended.wait(size / self._settings.bytes_per_second):
            raise _Stopping("the process ends")
