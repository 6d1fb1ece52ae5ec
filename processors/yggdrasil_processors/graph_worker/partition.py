"""One partition that this worker owns: its store, the fold into it, and the refusals on their way out."""

import logging
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from threading import Event
from time import monotonic, perf_counter, time
from typing import Final

from yggdrasil_infra.log import LogRecord
from yggdrasil_infra.signals.metrics import WorkerMetrics
from yggdrasil_projections.graph.store.projector import Applied, Projector
from yggdrasil_projections.graph.store.store import GraphStore

from ..damage import Damage
from ..folding import Folding
from ..telling import Refusals
from ..watch import Edges
from .outbox import Outbox

_LOGGER: Final = logging.getLogger("yggdrasil.worker")
_PAUSE_S: Final = 0.02
_WAIT: Final = Event()  # never set


class OwnedPartition:
    """Folds what it is given, in order, and knows how far it is. Used by the worker's main loop alone."""

    def __init__(
        self,
        projector: Projector,
        outbox: Outbox,
        metrics: WorkerMetrics,
        operators: frozenset[str] | None = None,
        passed: Callable[[GraphStore], object] = lambda _: None,
    ) -> None:
        """``operators`` are the sources whose word enables a version; ``passed`` is told of the store after a batch."""
        self.number = projector.store.pin.partition
        self.store = projector.store
        self.outbox = outbox
        self._folding = Folding(projector, operators)
        self._metrics = metrics
        self._passed = passed
        self._timestamp_ms = 0
        self._had = self.store.state.folded
        self._told_below = outbox.published_below  # what stands before that was told of when it was first folded
        self._refusals = Refusals()
        self._caught_up = False
        self._goal: int | None = None  # where the log ended when it was first looked at
        self.remaining: int | None = None
        """How many offsets there are until the store is as far as the log was when we took it; None: not known yet."""

    @property
    def halted(self) -> str | None:
        """Why this partition folds no more until somebody has done what it says."""
        return self._folding.halted

    def halt(self, why: str, cause: str) -> None:
        """Fold no more, and say why; the ``cause`` is for our own log."""
        self._folding.halt(why, cause)

    @property
    def position(self) -> int:
        """The offset of the next record to fold."""
        return self.store.state.position

    def fold(self, records: Sequence[LogRecord], beat: Callable[[], None]) -> None:
        """Fold ``records`` in as few batches as attests allow, each durable before the next.

        What one poll brings is little enough for one write, and what many of its records change is written once.
        ``beat`` is called after each batch.
        An enabled version that this release does not know halts the partition where it stands. Raises LogError when the
        log could not be looked at, and LogMismatchError when it is not the one that was folded, BrokenInvariantError,
        and StorageError when a write failed; after these three the process must end.
        """
        self._folding.trust()
        while records and self.halted is None:
            begun, folded = perf_counter(), self.store.state.folded
            applied = self._folding.apply(records)
            self._count(applied, self.store.state.folded - folded, perf_counter() - begun)
            self._passed(self.store)
            beat()
            records = self._folding.left(records)

    def publish(self) -> None:
        """Move refusals from the outbox to their topic; never waits for the brokers."""
        if arrived := self.outbox.pump():
            self._metrics.refusals_published.inc(arrived)

    def report(self, reached: int, edges: Edges | None) -> None:
        """Set the gauges. ``reached`` is the offset that was read up to, and ``edges`` those of the log, if known."""
        metrics, store = self._metrics, self.store
        metrics.applied_position.labels(self.number).set(self.position)
        metrics.outbox_depth.labels(self.number).set(store.outbox_depth)
        metrics.cached_records.labels(self.number).set(store.cached_records)
        metrics.halted.labels(self.number).set(self.halted is not None)
        if edges is not None:
            self._goal = edges.end if self._goal is None else self._goal
            self.remaining = max(0, self._goal - reached)
            metrics.rebuilding_records.labels(self.number).set(self.remaining)
            lag = max(0, edges.end - reached)
            metrics.lag_records.labels(self.number).set(lag)
            metrics.lag_seconds.labels(self.number).set(self._age_s() if lag else 0.0)
            metrics.log_start_position.labels(self.number).set(edges.start)
            if not lag and not self._caught_up:
                self._caught_up = True
                said = {
                    "partition": self.number,
                    "position": self.position,
                    "records": self.store.state.folded - self._had,
                }
                _LOGGER.info("partition caught up", extra=said)
        else:  # an old figure would look like a good one
            metrics.lag_records.remove(self.number)
            metrics.lag_seconds.remove(self.number)

    def report_size(self) -> None:
        """Set the gauge of the bytes on disk, which RocksDB has to be asked for family by family."""
        self._metrics.store_bytes.labels(self.number).set(sum(self.store.disk_bytes().values()))

    def _age_s(self) -> float:
        """Return how old the last folded record is, by the clock of whoever appended it."""
        return max(0.0, time() - self._timestamp_ms / 1_000) if self._timestamp_ms else 0.0

    def verify(self) -> None:
        """Raise LogMismatchError, with the remedy, when the log no longer holds what this store needs."""
        self._folding.verify()

    def close(self) -> None:
        """Finish the digests under way and close the store; what is in its outbox stays there."""
        self.outbox.close()
        self._folding.close()

    def _count(self, applied: Sequence[Applied], folded: int, seconds: float) -> None:
        if not folded:
            return
        self._metrics.records_folded.labels(self.number).inc(folded)
        self._metrics.batch_records.observe(folded)
        self._metrics.batch_seconds.observe(seconds)
        told = bisect_left(applied, self._told_below, key=lambda one: one.record.offset)
        self._metrics.records_refolded.labels(self.number).inc(told)
        for record, answer in applied[told:]:
            if answer.duplicate:
                self._metrics.duplicates.labels(self.number).inc()
            elif answer.refused is not None:
                self._metrics.refused.labels(self.number, answer.refused.reason.code).inc()
                self._refusals.tell(record, answer.refused.reason.code)
        if applied:
            self._timestamp_ms = applied[-1].record.timestamp_ms


def catching_up(those: Iterable[OwnedPartition]) -> str | None:
    """Return how far ``those`` are that have still to fold what was in the log when they were taken, or None."""
    behind = [one for one in those if one.remaining != 0]
    known = [one for one in behind if one.remaining is not None]
    said: list[str] = []
    if known:
        remain, folded = sum(one.remaining or 0 for one in known), sum(one.position for one in known)
        said.append(
            f"{len(known)} partitions are catching up with the log: {folded} of {folded + remain} records are folded, "
            f"{remain} records remain"
        )
    if unknown := len(behind) - len(known):
        said.append(f"of {unknown} partitions no broker has said yet where the log ends, which is waited for")
    return "; ".join(said) or None


def published(
    those: Mapping[int, OwnedPartition], acknowledged: Callable[[int], int | None]
) -> dict[int, tuple[int, str]]:
    """Return the positions that the group has not heard of and below which every refusal is published.

    A store that is folded again says how far it is, so that lag is what it seems; what was published before stands in
    the words, or what comes next would be published a second time, were it to end half way.
    """
    said = {number: (owned.position, owned.outbox.words) for number, owned in those.items()}
    return {
        number: (position, words)
        for number, (position, words) in said.items()
        if words is not None and position != acknowledged(number)
    }


def publish_all(those: Sequence[OwnedPartition], deadline_s: float) -> None:
    """Publish what waits in the outboxes of ``those``; give up after ``deadline_s``."""
    until = monotonic() + deadline_s
    while any(not one.outbox.empty for one in those) and monotonic() < until:
        for owned in those:
            owned.publish()
        _WAIT.wait(_PAUSE_S)


def close_all(those: dict[int, OwnedPartition]) -> None:
    """Close all of ``those``, and let go of them."""
    with ExitStack() as closing:  # what fails to close does not keep the rest open
        for owned in those.values():
            closing.callback(owned.close)
        those.clear()


def unready(partitions: Sequence[OwnedPartition], damage: Damage) -> str | None:
    """Return what is halted or damaged, or else how much ``partitions`` have still to fold; None: nothing."""
    halted = [one.halted for one in partitions]
    return "; ".join(filter(None, (damage.told(), *halted))) or catching_up(partitions)
