"""The ladder of a partition: states of its store from which a past is begun, close together lately, apart before.

A rung is a directory of links to the tables of the store, as they stood, which cost little until the store has made
others. Rungs are by count, one for every so many commands among the last so many, and by time: one for each hour of a
day, each day of a week, each of eight weeks, and each month before. They are a convenience: what is missing or damaged
is passed over, and the log has everything. In no digest, and safe to delete.
"""

import logging
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path
from shutil import copyfile, rmtree
from typing import Any, Final, NamedTuple, Self

import orjson

from yggdrasil_infra.clock import now_ms
from yggdrasil_infra.log import LogReader
from yggdrasil_infra.paths import PathError
from yggdrasil_infra.private import make_directory
from yggdrasil_infra.rocks.database import MemoryBudget, StorageDamagedError, StorageError
from yggdrasil_projections.graph.store.state import MS_UNKNOWN
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
_CACHE_BYTES: Final = 1 << 20  # for two records of a rung
_READ_BACK: Final = 2_000  # records that are read at once where the latest ones are looked at first


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
                "10,000 commands among the last 100,000, in 4,096 MiB), or 0 for none (--ladder, YGGDRASIL_LADDER)"
            )
        if 0 < int(parts[0]) < _EVERY_MIN:
            raise LadderError(
                f"a ladder has a state for every {_EVERY_MIN:,} commands or more, and not {parts[0]}; 0 is none "
                "(--ladder, YGGDRASIL_LADDER)"
            )
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


NO_LADDER: Final = Spacing(every=0)


class Rung(NamedTuple):
    """A state of a store: the offset of the next record to fold, when it was taken, in Unix ms, and where it is.

    ``latest_ms`` is the greatest timestamp of the records below that offset, in Unix ms.
    """

    position: int
    ms: int
    path: Path
    latest_ms: int = MS_UNKNOWN

    @property
    def says(self) -> dict[str, int | str]:
        """What stands in its file, with a checksum: no table has one for it."""
        told = f"{self.position} {self.ms} {self.latest_ms}"
        checksum = blake2b(told.encode(), digest_size=8).hexdigest()
        return {"position": self.position, "ms": self.ms, "latest_ms": self.latest_ms, "sum": checksum}


class Ladders:
    """The ladders of a host's partitions. Each is taken by the thread that folds, and read by any."""

    def __init__(self, directory: Path, spacing: Spacing | None = None, others: Sequence[Path] = ()) -> None:
        """Keep them in ``directory``, that of the host, beside its stores; read those in ``others`` as well.

        Without ``spacing`` they are spaced as YGGDRASIL_LADDER says. ``others`` are directories of other hosts that
        fold the same log; nothing is changed there. Raises LadderError.
        """
        self._root = directory / LADDER
        self._others = [other / LADDER for other in others]
        self._unfit = set[Path]()
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
            rungs = ((rung.position, rung.ms) for rung in _rungs(self._place(partition)))
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
        """Return the rung that stands nearest before a moment of a memory, if any does.

        One of its own that is damaged is removed. Before a time is a rung before which nothing was recorded later,
        whosever it was. Raises LogError.
        """
        rungs = self._to_climb(partition)
        if as_of.receipt is not None:
            rungs = [rung for rung in rungs if rung.position <= as_of.receipt.offset + 1]
        elif as_of.ms is not None:
            rungs = [rung for rung in rungs if rung.latest_ms <= as_of.ms]
        elif as_of.seq is not None:
            pin = Pin(log.topic_id, log.partitions, partition)
            low, high = sum(rung.position < as_of.seq for rung in rungs), len(rungs)
            while low < high:  # how far a memory is rises from rung to rung
                middle = (low + high) // 2
                try:
                    before = _seq_in(rungs[middle], pin, memory) < as_of.seq
                except YggdrasilError as error:
                    self.remove(rungs.pop(middle), error)
                    high = min(high, len(rungs))
                    continue
                low, high = (middle + 1, high) if before else (low, middle)
            rungs = rungs[:low]
        return rungs[-1] if rungs else None

    def begun(self, log: LogReader, partition: int, memory: str, rung: Rung, into: Path) -> Reached:
        """Make ``into`` a store of a rung, and return how far a memory is there: at seq 0 where it had not begun.

        Raises OSError, StorageError and StoreError for a rung that cannot be used.
        """
        taken(rung, into)
        seq = _seq_in(rung._replace(path=into), Pin(log.topic_id, log.partitions, partition), memory)
        bounds = [*(each for each in self._to_climb(partition) if each.position < rung.position), rung]
        # Whether commands were refused after that seq is not known; they may have been.
        return Reached(seq, rung.position, _time_at(log, partition, memory.encode(), bounds), refused=bool(seq))

    def remove(self, rung: Rung, why: Exception) -> None:
        """Remove a rung that cannot be used, and tell of it; that of another host is passed over from now on."""
        self._unfit.add(rung.path)
        own = rung.path.is_relative_to(self._root)
        _LOG.warning("a rung of the past is %s, and the log read instead: %s", "removed" if own else "passed over", why)
        if own:
            rmtree(rung.path, ignore_errors=True)

    # Inside

    def _to_climb(self, partition: int) -> list[Rung]:
        """Return the rungs of a partition that can be used, as far as is known, the earliest first."""
        places = [root / f"{partition:04d}" for root in (self._root, *self._others)]
        return sorted(rung for place in places for rung in _rungs(place) if rung.path not in self._unfit)

    def _place(self, partition: int) -> Path:
        return self._root / f"{partition:04d}"

    def _take(self, store: GraphStore, now: int) -> None:
        place = self._place(store.pin.partition)
        make_directory(place)
        made = place / f"{_UNFINISHED}{store.state.position:020d}"
        rmtree(made, ignore_errors=True)
        store.write_checkpoint(made)
        target = place / f"{store.state.position:020d}"
        rung = Rung(store.state.position, now, target, store.state.latest_ms)
        (made / _SAYS).write_bytes(orjson.dumps(rung.says))
        if target.exists():
            rmtree(made, ignore_errors=True)
            return
        made.rename(target)

    def _thin(self, store: GraphStore, now: int) -> None:
        place = self._place(store.pin.partition)
        rungs = sorted(_rungs(place))
        kept = self._spacing.kept(rungs, store.state.position, now)
        stay = [rung for rung in rungs if rung.position in kept]
        live = {inode for inode, _ in _files(store.path)}
        sizes: dict[int, int] = {}
        left = set[Path]()
        for rung in reversed(stay):
            sizes |= {inode: size for inode, size in _files(rung.path) if inode not in live}
            if sum(sizes.values()) <= self._spacing.bytes_max or rung is stay[-1]:
                left.add(rung.path)
        for path in set(place.glob("*")) - left:  # what is damaged, or was not finished, as well
            rmtree(path, ignore_errors=True)


def _rungs(place: Path) -> Iterator[Rung]:
    """Yield the rungs that say of themselves what can be trusted, in any order."""
    with suppress(OSError):
        for path in place.iterdir():
            rung = _said(path) if path.name.isdigit() else None
            if rung is not None:
                yield rung


def _said(path: Path) -> Rung | None:
    """Return the rung at a path, or None where its file is not what was written."""
    try:
        said: Any = orjson.loads((path / _SAYS).read_bytes())
        rung = Rung(int(path.name), said["ms"], path, said["latest_ms"])
        return rung if said == rung.says else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _files(path: Path) -> Iterator[tuple[int, int]]:
    with suppress(OSError):
        for entry in os.scandir(path):
            with suppress(OSError):
                status = entry.stat()
                yield status.st_ino, status.st_size


def _time_at(log: LogReader, partition: int, key: bytes, rungs: Sequence[Rung]) -> int:
    """Return the greatest timestamp of a memory's records below the last of ``rungs``, in Unix ms; 0: it has none.

    The latest records are read first, and no others once none can be later. Where the log has lost its beginning, what
    was there is as late as it can have been.
    """
    ms, end, begins = 0, rungs[-1].position, log.start_offset(partition)
    at = len(rungs) - 1
    while end > 0:
        while at and rungs[at - 1].position >= end:
            at -= 1
        if ms >= rungs[at].latest_ms:
            return ms
        if end <= begins:
            return max(ms, min(rungs[at].ms, rungs[at].latest_ms))
        start = max(begins, end - _READ_BACK)
        found = (each.timestamp_ms for each in records_in(log, partition, start, end) if each.key == key)
        ms = max(ms, max(found, default=0))
        end = start
    return ms


def taken(rung: Rung, into: Path) -> None:
    """Make ``into``, which must not be there, a store of a rung, which stays as it is. Raises OSError."""
    into.mkdir(mode=0o700)
    for file in rung.path.iterdir():
        if file.name not in (_SAYS, "LOCK"):
            _named(file, into / file.name)


def _named(file: Path, other: Path) -> None:
    """Give a table another name, since it never changes; copy all else."""
    if file.suffix == ".sst":
        with suppress(OSError):
            other.hardlink_to(file)
            return
    copyfile(file, other)


def _seq_in(rung: Rung, pin: Pin, memory: str) -> int:
    """Return the seq of a memory in a rung, 0 before its first command. Raises StorageError and StoreError."""
    position, seq = GraphStore.stands_at(rung.path, pin, memory, MemoryBudget.of(_CACHE_BYTES, _CACHE_BYTES))
    if position != rung.position:
        raise StorageDamagedError(f"{rung.path} stands at offset {position}, and not at {rung.position}")
    return seq
