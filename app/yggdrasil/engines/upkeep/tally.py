"""How many bytes of the log each tenant has taken, in all and today: counted behind the fold, and kept in a file."""

import logging
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from time import monotonic
from typing import Final, Protocol

from pydantic import BaseModel, ValidationError

from yggdrasil_infra.clock import now_ms
from yggdrasil_infra.log import LogError, LogReader
from yggdrasil_infra.private import replace_private
from yggdrasil_infra.rocks.database import StorageError
from yggdrasil_infra.running.periodic import Periodic
from yggdrasil_projections.retrieval.errors import NotReadyError
from yggdrasil_projections.service.reads import Lag

FILE: Final = "tally.json"
_DAY_MS: Final = 86_400_000
_EVERY_S: Final = 1.0
_SAVE_S: Final = 30.0
_RECORDS_MAX: Final = 1_000  # of one read of the log
_LOGGER: Final = logging.getLogger("yggdrasil.tally")


class Folded(Protocol):
    """Whoever folds a log."""

    @property
    def records(self) -> LogReader:
        """The log."""
        ...

    def lags(self) -> list[Lag]:
        """Return how far every partition is."""
        ...


class _Kept(BaseModel):
    """The file: up to where each partition is counted, and what that came to."""

    topic: str
    positions: dict[int, int]
    tenants: dict[str, tuple[int, int, int]]


@dataclass(slots=True)
class _Taken:
    """Bytes of one tenant: in all, and on its last ``day`` since 1970; ``ahead`` are let in and not counted yet."""

    total: int = 0
    day: int = 0
    today: int = 0
    ahead: int = 0


@dataclass(slots=True)
class _Counts:
    positions: dict[int, int] = field(default_factory=dict[int, int])
    tenants: dict[str, _Taken] = field(default_factory=dict[str, _Taken])


class Tally(Periodic):
    """Counts what ``engine`` has folded, on a thread of its own while the context is open. For any thread.

    The records themselves are counted, keys and values, whoever appended them; a day is that of the log's clock, UTC.
    ``file`` keeps the counts, so that a restart reads only what came since; without it, or when it is of another log,
    all of the log is read again. There are as many tenants as the keys and the direct writers of a host have made.
    """

    def __init__(self, engine: Folded, file: Path | None) -> None:
        super().__init__("tally", self._count_on)
        self._engine = engine
        self._file = file
        self._lock = Lock()
        self._counts = _Counts()
        self._loaded = self._whole = False
        self._saved = monotonic()

    def ready(self) -> str | None:
        """Return why it is not known yet what tenants have taken, or None."""
        return None if self._whole else "what each tenant has taken of its quota is being counted"

    def taken(self, tenant: str) -> tuple[int, int]:
        """Return the bytes of a tenant: in all, and today."""
        with self._lock:
            found = self._counts.tenants.get(tenant)
            if found is None:
                return 0, 0
            today = found.today if found.day == now_ms() // _DAY_MS else 0
            return found.total + found.ahead, today + found.ahead

    def let_in(self, tenant: str, size: int) -> None:
        """Note bytes that are about to be appended: they count until the next look at the log."""
        with self._lock:
            self._counts.tenants.setdefault(tenant, _Taken()).ahead += size

    def follow(self) -> None:
        """Count what has been folded since. Raises LogError and NotReadyError."""
        log = self._engine.records
        if not self._loaded:
            self._load(log.topic_id)
        with self._lock:
            for taken in self._counts.tenants.values():
                taken.ahead = 0
        for lag in self._engine.lags():
            at = max(self._counts.positions.get(lag.partition, 0), log.start_offset(lag.partition))
            while at < lag.position and not self._ended.is_set():
                records = log.read(lag.partition, at, _RECORDS_MAX)
                records = [record for record in records if record.offset < lag.position]
                with self._lock:
                    for record in records:
                        self._count(record.key or b"", len(record.value or b""), record.timestamp_ms // _DAY_MS)
                    at = records[-1].offset + 1 if records else lag.position
                    self._counts.positions[lag.partition] = at
        self._whole = self._whole or not self._ended.is_set()
        if monotonic() - self._saved > _SAVE_S:
            self._save()

    def close(self) -> None:
        """Count no more, and keep what was counted."""
        super().close()
        self._save()

    def _count_on(self) -> float:
        try:
            self.follow()
        except (LogError, NotReadyError, StorageError, OSError) as error:
            _LOGGER.warning("what tenants have taken is not counted just now: %s", error)
        return _EVERY_S

    def _count(self, key: bytes, size: int, day: int) -> None:
        tenant = key.partition(b"/")[0].decode(errors="replace")
        taken = self._counts.tenants.setdefault(tenant, _Taken())
        taken.total += len(key) + size
        if day > taken.day:
            taken.day, taken.today = day, 0
        if day == taken.day:
            taken.today += len(key) + size

    def _load(self, topic: str) -> None:
        self._loaded = True
        if self._file is None or not self._file.exists():
            return
        try:
            kept = _Kept.model_validate_json(self._file.read_bytes())
        except (ValidationError, OSError) as error:
            _LOGGER.warning(
                "counting all of the log again: %s cannot be read (%s)", self._file.name, type(error).__name__
            )
            return
        if kept.topic != topic:
            _LOGGER.warning("counting all of the log again: %s is of another one", self._file.name)
            return
        with self._lock:
            tenants = {name: _Taken(*figures) for name, figures in kept.tenants.items()}
            self._counts = _Counts(dict(kept.positions), tenants)

    def _save(self) -> None:
        """Replace the file, so that nobody reads half of it. What cannot be kept is counted again."""
        self._saved = monotonic()
        if self._file is None or not self._loaded:
            return
        with self._lock:
            tenants = {name: (one.total, one.day, one.today) for name, one in self._counts.tenants.items() if one.total}
            kept = _Kept(topic=self._engine.records.topic_id, positions=self._counts.positions, tenants=tenants)
        try:
            replace_private(self._file, kept.model_dump_json().encode())
        except OSError as error:
            _LOGGER.warning("what tenants have taken cannot be kept: %s", error.strerror)
