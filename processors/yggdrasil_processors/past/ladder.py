"""The ladder of a partition: states of its store from which a past is begun, close together lately, apart before.

A rung is a directory of links to the tables of the store, as they stood, which cost little until the store has made
others. Rungs are by count, one for every so many commands among the last so many, and by time: one for each hour of a
day, each day of a week, each of eight weeks, and each month before. They are a convenience: what is missing or damaged
is passed over, and the log has everything. In no digest, and safe to delete.
"""

import logging
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from shutil import copyfile, rmtree
from typing import Any, Final, NamedTuple, Self, cast

import orjson

from yggdrasil_infra.clock import now_ms
from yggdrasil_infra.log import LogReader
from yggdrasil_infra.paths import PathError
from yggdrasil_infra.private import make_directory
from yggdrasil_infra.rocks.database import MemoryBudget, StorageError
from yggdrasil_projections.graph.store.store import GraphStore, Pin
from yggdrasil_projections.retrieval.past.moment import AsOf
from yggdrasil_schemas.errors import YggdrasilError
from yggdrasil_schemas.problems import ExitCode, local

from .building import Reached, records_in

_LOG: Final = logging.getLogger("yggdrasil.past")
LADDER: Final = "ladder"
"""Where in a host's directory its ladders are."""
VARIABLE: Final = "YGGDRASIL_LADDER"
"""Says how ladders are spaced, as ``Spacing.of`` reads it."""
_PARTS: Final = ("every", "among", "bytes_max")
_NUMBER: Final = re.compile(r"[0-9]{1,12}")
_SAYS: Final = "rung.json"
_UNFINISHED: Final = "unfinished-"
_HOUR_MS: Final = 3_600_000
_DAY_MS: Final = 24 * _HOUR_MS
_WEEK_MS: Final = 7 * _DAY_MS
_EVERY_MIN: Final = 1_000
_SLICE_MAX: Final = 500  # records that one commit may have, so that rungs are no further apart than asked
_TIMED_SHARE: Final = 10  # of so few commands that folding them takes no time there is no rung by the hour
_CACHE_BYTES: Final = 4 << 20


class LadderError(YggdrasilError):
    """What is to say how a ladder is spaced says no such thing."""

    kind = local("invalid_ladder", ExitCode.USAGE)


@dataclass(frozen=True, slots=True)
class Spacing:
    """How a ladder is spaced: a rung for ``every`` so many commands ``among`` the last so many; 0: none at all.

    By time for each of the last ``hours``, ``days`` and ``weeks``, and for each month before. All rungs of a partition
    take ``bytes_max`` on the disk at most, beyond what they share with the store; the oldest go first.
    """

    every: int = 10_000
    among: int = 100_000
    hours: int = 24
    days: int = 7
    weeks: int = 8
    bytes_max: int = 4 << 30

    @classmethod
    def of(cls, text: str) -> Self:
        """Read ``EVERY``, ``EVERY/AMONG`` or ``EVERY/AMONG/MIB``, such as 10000/100000/4096; 0 is none at all.

        Raises LadderError.
        """
        parts = text.split("/")
        if len(parts) > len(_PARTS) or not all(_NUMBER.fullmatch(part) for part in parts):
            raise LadderError(
                f"{text[:40]!r} spaces no ladder: write EVERY/AMONG/MIB, such as 10000/100000/4096 (a state for every "
                "10,000 commands among the last 100,000, in 4,096 MiB), or 0 for none"
            )
        if 0 < int(parts[0]) < _EVERY_MIN:
            raise LadderError(f"a ladder has a state for every {_EVERY_MIN:,} commands or more, and not {parts[0]}")
        given = dict(zip(_PARTS, map(int, parts), strict=False))
        if "bytes_max" in given:
            given["bytes_max"] <<= 20
        return cls(**given)

    def kept(self, rungs: list["Rung"], end: int, now: int) -> set[int]:
        """Return which rungs stay, by position, where a partition stands at ``end`` and it is ``now``, in Unix ms."""
        kept, seen = set[int](), set[tuple[str, int]]()
        for rung in sorted(rungs, reverse=True):
            if end - rung.position <= self.among + self.every:
                kept.add(rung.position)
            age = now - rung.ms
            for unit, length, most in (
                ("hour", _HOUR_MS, self.hours * _HOUR_MS),
                ("day", _DAY_MS, self.days * _DAY_MS),
                ("week", _WEEK_MS, self.weeks * _WEEK_MS),
            ):
                if age <= most and (unit, rung.ms // length) not in seen:
                    seen.add((unit, rung.ms // length))
                    kept.add(rung.position)
            then = datetime.fromtimestamp(rung.ms / 1_000, UTC)
            if ("month", 12 * then.year + then.month) not in seen:
                seen.add(("month", 12 * then.year + then.month))
                kept.add(rung.position)
        return kept


class Rung(NamedTuple):
    """A state of a store: the offset of the next record to fold, when it was taken, in Unix ms, and where it is."""

    position: int
    ms: int
    path: Path


class Ladders:
    """The ladders of a host's partitions. Each is taken by the thread that folds, and read by any."""

    def __init__(self, directory: Path, spacing: Spacing | None = None) -> None:
        """Keep them in ``directory``, that of the host, beside its stores.

        Without ``spacing`` they are spaced as YGGDRASIL_LADDER says. Raises LadderError.
        """
        self._root = directory / LADDER
        set_so = os.environ.get(VARIABLE)
        self._spacing = spacing or (Spacing.of(set_so) if set_so else Spacing())
        self._last: dict[int, tuple[int, int]] = {}

    def passed(self, store: GraphStore) -> None:
        """Take a rung of a store, in a turn of the fold's, if one is due; what cannot be written is told and left."""
        every, partition, position = self._spacing.every, store.pin.partition, store.state.position
        if not every:
            if partition not in self._last:  # those of another spacing would pin what the store replaces
                self._last[partition] = 0, 0
                rmtree(self._place(partition), ignore_errors=True)
            return
        if partition not in self._last:
            rungs = ((rung.position, rung.ms) for rung in self._rungs(partition))
            self._last[partition] = max(rungs, default=(0, now_ms()))
        (before, ms), now = self._last[partition], now_ms()
        full = position - before >= every - min(_SLICE_MAX, every // 2)
        if not full and (now - ms < _HOUR_MS or position - before < every // _TIMED_SHARE):
            return
        self._last[partition] = position, now
        try:
            self._thin(store, now)  # first, for there may be no room
            self._take(store, now)
            self._thin(store, now)
        except (OSError, PathError, StorageError) as error:
            store.check()  # a store that cannot be written to any more ends the host
            _LOG.warning("no rung was taken: %s", error, extra={"partition": partition})

    def nearest(self, log: LogReader, partition: int, memory: str, as_of: AsOf) -> Rung | None:
        """Return the rung that stands nearest before a moment of a memory, if any does. One that is damaged is removed.

        Raises LogError.
        """
        rungs, own = sorted(self._rungs(partition)), memory.encode()
        if as_of.receipt is not None:
            rungs = [rung for rung in rungs if rung.position <= as_of.receipt.offset + 1]
        elif as_of.ms is not None and log.start_offset(partition) > 0:
            return None  # what was recorded before the log begins bears times that nobody knows any more
        elif as_of.ms is not None and rungs:
            bound, _ = timed(log, partition, own, log.end_offset(partition), as_of.ms)
            rungs = [rung for rung in rungs if rung.position <= bound]
        elif as_of.seq is not None:
            pin = Pin(log.topic_id, log.partitions, partition)
            low, high = 0, len(rungs)
            while low < high:  # how far a memory is rises from rung to rung
                middle = (low + high) // 2
                try:
                    before = _seq_in(rungs[middle].path, pin, memory) < as_of.seq
                except YggdrasilError as error:
                    remove(rungs.pop(middle), error)
                    high = min(high, len(rungs))
                    continue
                low, high = (middle + 1, high) if before else (low, middle)
            rungs = rungs[:low]
        return rungs[-1] if rungs else None

    # Inside

    def _place(self, partition: int) -> Path:
        return self._root / f"{partition:04d}"

    def _rungs(self, partition: int) -> list[Rung]:
        found: list[Rung] = []
        with suppress(OSError):
            for path in self._place(partition).iterdir():
                says = _says(path)
                if says is not None:
                    found.append(Rung(*says, path))
        return found

    def _take(self, store: GraphStore, now: int) -> None:
        place = self._place(store.pin.partition)
        make_directory(place)
        made = place / f"{_UNFINISHED}{store.state.position:020d}"
        rmtree(made, ignore_errors=True)
        store.write_checkpoint(made)
        (made / _SAYS).write_bytes(orjson.dumps({"position": store.state.position, "ms": now}))
        target = place / f"{store.state.position:020d}"
        if target.exists():
            rmtree(made, ignore_errors=True)
            return
        made.rename(target)

    def _thin(self, store: GraphStore, now: int) -> None:
        place = self._place(store.pin.partition)
        for left in place.glob(f"{_UNFINISHED}*"):
            rmtree(left, ignore_errors=True)
        rungs = sorted(self._rungs(store.pin.partition))
        kept = self._spacing.kept(rungs, store.state.position, now)
        stay = [rung for rung in rungs if rung.position in kept]
        for rung in rungs:
            if rung.position not in kept:
                rmtree(rung.path, ignore_errors=True)
        live = {inode for inode, _ in _files(store.path)}
        sizes: dict[int, int] = {}
        for rung in reversed(stay):
            sizes |= {inode: size for inode, size in _files(rung.path) if inode not in live}
            if sum(sizes.values()) > self._spacing.bytes_max and rung is not stay[-1]:
                rmtree(rung.path, ignore_errors=True)


def _says(path: Path) -> tuple[int, int] | None:
    """Return the position of a rung and when it was taken; None for what is none."""
    if not path.name.isdigit():
        return None
    try:
        said: Any = orjson.loads((path / _SAYS).read_bytes())
        position, ms = said["position"], said["ms"]
    except (OSError, ValueError, KeyError, TypeError):
        rmtree(path, ignore_errors=True)
        return None
    fits = isinstance(position, int) and isinstance(ms, int) and 0 <= ms < 2**52 and position == int(path.name)
    return (cast("int", position), cast("int", ms)) if fits else None


def _files(path: Path) -> Iterator[tuple[int, int]]:
    with suppress(OSError):
        for entry in os.scandir(path):
            with suppress(OSError):
                status = entry.stat()
                yield status.st_ino, status.st_size


def remove(rung: Rung, why: Exception) -> None:
    """Remove a rung that cannot be used, and tell of it."""
    _LOG.warning("a rung of the past is removed, and the log read instead: %s", why)
    rmtree(rung.path, ignore_errors=True)


def begun(log: LogReader, partition: int, memory: str, rung: Rung, into: Path) -> Reached:
    """Make ``into`` a store of a rung, and return how far a memory is there: at seq 0 where it had not begun.

    Raises OSError, StorageError and StoreError for a rung that cannot be used.
    """
    taken(rung, into)
    seq = _seq_in(into, Pin(log.topic_id, log.partitions, partition), memory)
    _, ms = timed(log, partition, memory.encode(), rung.position)
    if log.start_offset(partition) > 0:
        ms = max(ms, rung.ms)
    # Whether commands were refused after that seq is not known; they may have been.
    return Reached(seq, rung.position, ms, refused=bool(seq))


def taken(rung: Rung, into: Path) -> None:
    """Make ``into``, which must not be there, a store of a rung, which stays as it is. Raises OSError."""
    into.mkdir(mode=0o700)
    for file in rung.path.iterdir():
        if file.name not in (_SAYS, "LOCK"):
            _named(file, into / file.name)


def timed(log: LogReader, partition: int, key: bytes, end: int, until_ms: int = 2**62) -> tuple[int, int]:
    """Return where the first record of a key stands that is later than ``until_ms``, or ``end``, and the time there.

    Only keys and timestamps are looked at, some 300,000 a second.
    """
    ms = 0
    for record in records_in(log, partition, log.start_offset(partition), end):
        if record.key == key:
            if record.timestamp_ms > until_ms:
                return record.offset, ms
            ms = max(ms, record.timestamp_ms)
    return end, ms


def _named(file: Path, other: Path) -> None:
    """Give a table another name, since it never changes; copy all else."""
    if file.suffix == ".sst":
        with suppress(OSError):
            other.hardlink_to(file)
            return
    copyfile(file, other)


def _seq_in(path: Path, pin: Pin, memory: str) -> int:
    with GraphStore(path, pin, MemoryBudget.of(_CACHE_BYTES, _CACHE_BYTES), read_only=True) as store:
        graph = store.peek(memory)
        return 0 if graph is None else graph.header.seq
