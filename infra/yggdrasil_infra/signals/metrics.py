"""Every metric of the system, in one place, so that alerts and dashboards have one list to agree with.

A label is a partition, a reason or a kind: closed sets, never a memory or an agent. What each signal means to whoever
runs a worker, and what to do about it, is in docs/operating.md.
"""

from collections.abc import Callable
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, Info, ProcessCollector
from prometheus_client.metrics import disable_created_metrics

_without_times: Final[Callable[[], None]] = disable_created_metrics  # it has no types of its own
REBALANCES: Final = ("assigned", "revoked", "lost")
_PREFIX: Final = "yggdrasil_worker_"
_PARTITION: Final = ("partition",)
# A batch is one durable write: a few ms when the log is idle, about 100 ms for a full one; above 10 s all is the same.
_BATCH_SECONDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
_ROOM: Final = "Bytes of the disk that are free beyond those that are kept free; below 0 nothing more is taken."
_BATCH_RECORDS: Final = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000)


class WorkerMetrics:
    """What a worker says of itself. An attribute is named as its metric, without ``yggdrasil_worker_`` and ``_total``.

    Everything may be set from any thread. Times are seconds since 1970 in UTC, durations are seconds, positions are
    offsets of the next record, sizes are bytes.
    """

    def __init__(self, registry: CollectorRegistry | None = None) -> None:
        """Register everything with ``registry``; without one, with a registry of its own beside the process's facts."""
        # A timestamp beside every counter would double what is scraped, and tell nothing.
        _without_times()
        if registry is None:
            registry = CollectorRegistry()
            ProcessCollector(registry=registry)  # its memory, processor time and open files
        self.registry = registry
        self._gauges: list[Gauge] = []  # those of a partition
        self._count(registry)
        self._measure(registry)
        self._locate(registry)

    def _count(self, registry: CollectorRegistry) -> None:
        """Make the counters and the histograms."""

        def counter(name: str, text: str, labels: tuple[str, ...] = ()) -> Counter:
            return Counter(_PREFIX + name, text, labels, registry=registry)

        self.records_folded = counter("records_folded", "Records folded into the store.", _PARTITION)
        self.records_refolded = counter(
            "records_refolded", "Those of them that had been folded before, here or by another worker.", _PARTITION
        )
        self.duplicates = counter("duplicates", "Commands delivered again; they changed nothing.", _PARTITION)
        self.refused = counter("refused", "Records refused when they were first folded.", ("partition", "reason"))
        self.refusals_published = counter("refusals_published", "Refusals acknowledged by yggdrasil.refused.")
        self.rebalances = counter("rebalances", "Partitions that the group gave, asked back or lost.", ("kind",))
        for kind in REBALANCES:
            self.rebalances.labels(kind)
        self.batch_seconds = Histogram(
            _PREFIX + "batch_seconds",
            "Seconds from the poll that returned a batch to its durable commit.",
            buckets=_BATCH_SECONDS,
            registry=registry,
        )
        self.batch_records = Histogram(
            _PREFIX + "batch_records", "Records in a batch of one commit.", buckets=_BATCH_RECORDS, registry=registry
        )

    def _measure(self, registry: CollectorRegistry) -> None:
        """Make the gauges of how a worker is doing."""

        def gauge(name: str, text: str) -> Gauge:
            return self._of_partition(Gauge(_PREFIX + name, text, _PARTITION, registry=registry))

        self.lag_records = gauge("lag_records", "Offsets between the store's position and the end of the log.")
        self.lag_seconds = gauge(
            "lag_seconds", "Age of the last folded record by its timestamp while more wait; 0 at the end of the log."
        )
        self.rebuilding_records = gauge(
            "rebuilding_records", "Offsets until the store is as far as the log was when its worker took the partition."
        )
        self.outbox_depth = gauge("outbox_depth", "Refusals that are stored and not yet acknowledged by Kafka.")
        self.cached_records = gauge("cached_records", "Nodes, edges and others that are held as objects.")
        self.store_bytes = gauge("store_bytes", "Bytes that the store takes on disk.")
        self.halted = gauge(
            "halted", "1 while the partition is halted: by an unknown version, or by what its log has lost."
        )
        self.set_aside = gauge("set_aside", "1 while the partition is left alone, as --set-aside says.")
        self.room_bytes = Gauge(_PREFIX + "room_bytes", _ROOM, registry=registry)
        self.topic_partitions = Gauge(
            _PREFIX + "topic_partitions", "Partitions that the topic of the commands has.", registry=registry
        )
        self.topic_unfit = Gauge(
            _PREFIX + "topic_unfit",
            "1 while the topic of the commands may lose records by its settings; it is folded all the same.",
            registry=registry,
        )
        self.progress_timestamp_seconds = Gauge(
            _PREFIX + "progress_timestamp_seconds", "When the main loop last came round.", registry=registry
        )
        self.progress_timestamp_seconds.set_to_current_time()  # so that a loop that never comes round is told too
        self.ready = Gauge(_PREFIX + "ready", "1 while /readyz says ok.", registry=registry)
        self.build = Info(
            _PREFIX + "build", "The release, and the versions of schema and rules that it knows.", registry=registry
        )

    def _locate(self, registry: CollectorRegistry) -> None:
        """Make the gauges of where a store, its log and its checkpoint stand."""

        def gauge(name: str, text: str) -> Gauge:
            return self._of_partition(Gauge(_PREFIX + name, text, _PARTITION, registry=registry))

        self.applied_position = gauge("applied_position", "Offset of the next record that the store will fold.")
        self.log_start_position = gauge(
            "log_start_position",
            # A margin from the store's position would be wide until a store is lost or lags. This one is said while
            # stores and checkpoints still hold everything: from then on a store cannot be rebuilt from the log alone.
            "First offset that the log still has. It is 0 for ever; above 0, records of the memory were deleted.",
        )
        self.checkpoint_position = gauge("checkpoint_position", "Position of the newest checkpoint.")
        self.checkpoint_timestamp_seconds = gauge(
            "checkpoint_timestamp_seconds", "When the newest checkpoint was made."
        )

    def _of_partition(self, gauge: Gauge) -> Gauge:
        self._gauges.append(gauge)
        return gauge

    def begin(self, partition: int) -> None:
        """Start the counters of a partition at 0 when it is assigned, since a rate cannot see the step to a first 1.

        Not so the refusals: a series for each reason would be more than all others. Each begins with its first
        refusal, which the alerts know.
        """
        for counter in (self.records_folded, self.records_refolded, self.duplicates):
            counter.labels(partition)

    def forget(self, partition: int) -> None:
        """Withdraw what is said of a partition when it is revoked: another worker speaks for it now.

        Counters stay. They no longer move, they are at most as many as the topic has partitions and refusals have
        reasons, and a count that came after the last scrape would be lost with them.
        """
        for gauge in self._gauges:
            gauge.remove(partition)


_SCRUB: Final = "yggdrasil_scrub_"


class ScrubMetrics:
    """What the reading in the background says of itself. An attribute is named as its metric, as in WorkerMetrics."""

    def __init__(self, registry: CollectorRegistry | None = None) -> None:
        """Register everything with ``registry``, if given; otherwise see ``register``."""
        _without_times()
        self.bytes_read = Counter(_SCRUB + "bytes_read", "Bytes of log and stores read again.", registry=registry)
        self.damage = Counter(
            _SCRUB + "damage",
            "Damaged places found on the disk, in a log or a store.",
            ("what", "partition"),
            registry=registry,
        )
        self.passed_timestamp_seconds = Gauge(
            _SCRUB + "passed_timestamp_seconds", "When everything was last read to its end.", registry=registry
        )

    def register(self, registry: CollectorRegistry) -> None:
        """Show everything in ``registry``, of whoever runs beside it."""
        for metric in (self.bytes_read, self.damage, self.passed_timestamp_seconds):
            registry.register(metric)


class ReadMetrics:
    """What reads say of the stores that they are answered from. An attribute is named as its metric, as above."""

    def __init__(self) -> None:
        _without_times()
        self.records_unsound = Counter(
            "yggdrasil_reads_records_unsound",
            "Records of a store that are not those that were folded: they were left out of answers.",
            _PARTITION,
            registry=None,
        )

    def register(self, registry: CollectorRegistry) -> None:
        """Show everything in ``registry``, of whoever answers."""
        registry.register(self.records_unsound)


_SERVICE: Final = "yggdrasil_service_"
# An answer from a warm index takes a few ms, an append one sync of the log; beyond 10 s only a deadline is that long.
_REQUEST_SECONDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


class ServiceMetrics:
    """What the query service says of itself. An attribute is named as its metric, as in WorkerMetrics.

    A route is the template of a path, never a path: no metric says whose memory was asked.
    """

    def __init__(self, registry: CollectorRegistry | None = None) -> None:
        """Register everything with ``registry``; without one, with a registry of its own beside the process's facts."""
        _without_times()
        if registry is None:
            registry = CollectorRegistry()
            ProcessCollector(registry=registry)
        self.registry = registry
        self.requests = Counter(
            _SERVICE + "requests",
            "Requests by method, route and status; status 0 had nobody left to answer.",
            ("method", "route", "status"),
            registry=registry,
        )
        self.request_seconds = Histogram(
            _SERVICE + "request_seconds",
            "Seconds from the head of a request to the end of its answer.",
            ("route",),
            buckets=_REQUEST_SECONDS,
            registry=registry,
        )
        self.requests_refused = Counter(
            _SERVICE + "requests_refused",
            "Requests that ended in a problem, by its kind.",
            ("kind",),
            registry=registry,
        )
        self.requests_in_flight = Gauge(
            _SERVICE + "requests_in_flight", "Requests that are not answered yet.", registry=registry
        )
        self.commands = Counter(_SERVICE + "commands", "Commands appended, by type.", ("type",), registry=registry)
        self.lag_records = Gauge(
            _SERVICE + "lag_records",
            "Offsets between what is folded here and the end of the log.",
            _PARTITION,
            registry=registry,
        )
        self.applied_position = Gauge(
            _SERVICE + "applied_position",
            "Offset up to which the log is folded here; with lag_records, how far a store is that is being built.",
            _PARTITION,
            registry=registry,
        )
        self.ready = Gauge(_SERVICE + "ready", "1 while /readyz says ok.", registry=registry)
        self.stale = Gauge(
            _SERVICE + "stale",
            "1 while no broker answers: what is asked is answered, as of the last record that came.",
            registry=registry,
        )
        unfit = "1 while the topic of the commands may lose records by its settings; it is served all the same."
        self.topic_unfit = Gauge(_SERVICE + "topic_unfit", unfit, registry=registry)
        self.connections_cut = Counter(
            _SERVICE + "connections_cut",
            "Connections that were cut off, by what their clients did.",
            ("why",),
            registry=registry,
        )
        self.room_bytes = Gauge(_SERVICE + "room_bytes", _ROOM, registry=registry)
        self.keys_failed = Gauge(
            _SERVICE + "keys_failed",
            "Looks at the file of keys in a row that have failed; from the second on nobody is let in.",
            registry=registry,
        )
        offered = "Memories that some search has offered, of those that were asked lately."
        self.offered = Gauge(_SERVICE + "offered", offered, registry=registry)
        in_vain = "Memories that were offered more often than bias_candidates and never used."
        self.never_used = Gauge(_SERVICE + "never_used", in_vain, registry=registry)
        self.build = Info(
            _SERVICE + "build", "The release, and the versions of schema and rules that it knows.", registry=registry
        )


_THINKER: Final = "yggdrasil_thinker_"


class ThinkerMetrics:
    """What thinkers say of themselves, each by its name. An attribute is named as its metric, as in WorkerMetrics."""

    def __init__(self, registry: CollectorRegistry | None = None) -> None:
        """Register everything with ``registry``; without one, with a registry of its own beside the process's facts."""
        _without_times()
        if registry is None:
            registry = CollectorRegistry()
            ProcessCollector(registry=registry)
        self.registry = registry
        name = ("thinker",)
        self.read = Counter(_THINKER + "read", "Things that happened and were read.", name, registry=registry)
        self.decided = Counter(_THINKER + "decided", "Commands that were sent and taken.", name, registry=registry)
        self.waiting = Gauge(_THINKER + "waiting", "Memories that wait to be thought about.", name, registry=registry)
        self.stopped = Gauge(
            _THINKER + "stopped", "1 once the thinker has failed: it is not asked any more.", name, registry=registry
        )
        self.away = Counter(_THINKER + "away", "Times that the memories could not be reached.", registry=registry)
