"""From the log through the fold into a fresh store, against the pure fold plus writing the same records.

Both writers end with a flush, so that what RocksDB does in the background is paid for by both within their time.
"""

from collections.abc import Callable, Iterable
from functools import partial
from itertools import count
from pathlib import Path
from typing import Final

from yggdrasil_infra.local_log.log import LocalLog
from yggdrasil_infra.rocks.batch import Batch
from yggdrasil_infra.rocks.database import MemoryBudget, Rocks
from yggdrasil_projections.graph.store import families
from yggdrasil_projections.graph.store.projector import BATCH_RECORDS_MAX, Projector
from yggdrasil_projections.graph.store.store import GraphStore, Pin

from ..measure import Bar, Report, Size, gc_of_hosts, interleaved, median_ratio, seconds
from .hosts import pure_fold
from .workload import Shape, drafts, records

BAR: Final = 0.7
_LOG_CHUNK: Final = 1_000

Change = tuple[str, bytes, bytes | None]
"""A family, a key, and a value or None for a deletion."""


class _Captured:
    """A batch that notes what it is given."""

    def __init__(self, batch: Batch, changes: list[Change]) -> None:
        self._batch = batch
        self._changes = changes
        self.raw = batch.raw

    def put(self, family: str, key: bytes, value: bytes) -> None:
        """Set, and note it."""
        self._changes.append((family, key, value))
        self._batch.put(family, key, value)

    def delete(self, family: str, key: bytes) -> None:
        """Remove, and note it."""
        self._changes.append((family, key, None))
        self._batch.delete(family, key)

    def put_all(self, family: str, keys: Iterable[bytes], values: Iterable[bytes]) -> None:
        """Set all, and note them."""
        for key, value in zip(keys, values, strict=False):
            self.put(family, key, value)

    def delete_all(self, family: str, keys: Iterable[bytes]) -> None:
        """Remove all, and note them."""
        for key in keys:
            self.delete(family, key)


def run(size: Size, scratch: Path) -> Report:
    """Replay a log into one fresh store after another, in turn with the two parts of the yardstick."""
    commands = size.pick(600, 15_000, 40_000)
    rounds = size.pick(1, 5, 7)
    said = records(drafts(Shape()), commands)
    fresh = count()
    with LocalLog.create_or_open(scratch / "log", 1) as log:
        for first in range(0, commands, _LOG_CHUNK):
            log.append_many((record.key or b"", record.value or b"") for record in said[first : first + _LOG_CHUNK])
        batches = _captured(log, scratch / "captured")
        with gc_of_hosts():
            fold, write, replay = interleaved(
                rounds,
                partial(seconds, partial(pure_fold, said)),
                lambda: _in(scratch / f"write-{next(fresh)}", batches),
                lambda: _replay(log, scratch / f"replay-{next(fresh)}"),
            )
    yardstick = [one + other for one, other in zip(fold, write, strict=True)]
    report = Report("replay")
    report.figures = {
        "commands": commands,
        "commands_per_s": commands / min(replay),
        "us_per_command": min(replay) / commands * 1e6,
        "us_per_command_pure_fold": min(fold) / commands * 1e6,
        "us_per_command_writing_the_same": min(write) / commands * 1e6,
        "changes_per_command": sum(map(len, batches)) / commands,
        "batch_commands": BATCH_RECORDS_MAX,
    }
    ratio = median_ratio(yardstick, replay)
    report.bars = [Bar("time to fold and to write the same records / time to replay", ratio, BAR)]
    return report


def _captured(log: LocalLog, path: Path) -> list[list[Change]]:
    """Return what each batch of a replay writes."""
    batches: list[list[Change]] = []
    store = GraphStore(path, Pin(log.topic_id, 1, 0), MemoryBudget.of())
    plain: Callable[[], Batch] = store._db.batch  # pyright: ignore[reportPrivateUsage]

    def capturing() -> _Captured:
        batches.append([])
        return _Captured(plain(), batches[-1])

    setattr(store._db, "batch", capturing)  # noqa: B010  # pyright: ignore[reportPrivateUsage]
    projector = Projector(log, store)
    projector.catch_up()
    projector.close()
    return batches


def _in(path: Path, batches: list[list[Change]]) -> float:
    """Return the time that it takes to write ``batches`` to a fresh database."""
    with Rocks(path, families.ALL, MemoryBudget.of()) as rocks:
        return seconds(partial(_write, rocks, batches))


def _write(rocks: Rocks, batches: list[list[Change]]) -> None:
    for changes in batches:
        batch = rocks.batch()
        for family, key, value in changes:
            if value is None:
                batch.delete(family, key)
            else:
                batch.put(family, key, value)
        rocks.write(batch)
    rocks.flush()


def _replay(log: LocalLog, path: Path) -> float:
    projector = Projector(log, GraphStore(path, Pin(log.topic_id, 1, 0), MemoryBudget.of()))
    try:
        return seconds(partial(_catch_up, projector))
    finally:
        projector.close()


def _catch_up(projector: Projector) -> None:
    projector.catch_up()
    projector.store.flush()
