"""The replay of several partitions at once, as records a second over those of one partition in one process.

Each partition has one memory, with the usual workload. The clock runs from when the first store is open, since a
process takes as long to begin for a short log as for a long one. How many cores there are bounds it.
"""

import os
from contextlib import AbstractContextManager, closing
from functools import partial
from itertools import count, islice
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Final

from yggdrasil_infra.local_log.log import LocalLog
from yggdrasil_infra.log import LogReader
from yggdrasil_processors.replaying.partition import Task
from yggdrasil_processors.replaying.together import together
from yggdrasil_schemas.partitions import partition_for

from ..folding.workload import Shape, drafts
from ..measure import Bar, Report, Size, say

PARTITIONS: Final = 4
AT_ONCE: Final = (1, 2, 4)
SHARE: Final = 0.7
"""Of the cores that could be used, so many are: the rest goes to what RocksDB does beside the fold."""
_CHUNK: Final = 500


class _Clock:
    """Begins with the first store that is open."""

    def __init__(self) -> None:
        self._begun: float | None = None

    def __call__(self, records: int, /) -> None:
        """Take no notice."""

    def less(self, records: int, /) -> None:
        """Begin, unless it has."""
        self._begun = self._begun or perf_counter()

    @property
    def seconds(self) -> float:
        """How long it has run."""
        return perf_counter() - (self._begun or perf_counter())


def measure(size: Size, scratch: Path, report: Report) -> None:
    """Add what is measured to ``report``."""
    each, rounds = size.pick(200, 2_500, 25_000), size.pick(1, 1, 3)
    place, fresh = scratch / "several", count()
    with closing(LocalLog.create_or_open(place, PARTITIONS)) as log:
        for partition in range(PARTITIONS):
            said = drafts(Shape(), memory=_memory_in(partition))
            for _ in range(0, each, _CHUNK):
                log.append_many((draft.key, draft.value) for draft in islice(said, min(_CHUNK, each)))
        ends = [log.end_offset(partition) for partition in range(PARTITIONS)]
    say("  the log of several partitions is there")
    rates: dict[int, list[float]] = {jobs: [] for jobs in AT_ONCE}
    for _ in range(rounds):
        for jobs in AT_ONCE:
            clock, into = _Clock(), scratch / f"replay-{next(fresh)}"
            tasks = [Task(partition=number, end=ends[number], into=into) for number in range(jobs)]
            folded = together(partial(_opened, place), tasks, jobs, clock)
            rates[jobs].append(sum(one.folded for one in folded) / clock.seconds)
    cores = len(os.sched_getaffinity(0))
    report.figures |= {"cores": cores, "replay of one partition, records a second": median(rates[1])}
    for jobs in AT_ONCE[1:]:
        ratio = median(several / one for several, one in zip(rates[jobs], rates[1], strict=True))
        name = f"replay of {jobs} partitions at once, x the records a second of one"
        report.figures[name] = ratio
        if jobs <= cores:
            report.bars.append(Bar(name, ratio, SHARE * jobs))


def _opened(place: Path) -> AbstractContextManager[LogReader]:
    return closing(LocalLog.open_read_only(place))


def _memory_in(partition: int) -> str:
    names = (f"bench/agent-{number}" for number in count())
    return next(name for name in names if partition_for(name.encode(), PARTITIONS) == partition)
