"""What commands and reads take: wall time and time of the process, by kind and by stretch of the life."""

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from statistics import median
from time import perf_counter, process_time
from typing import TypeVar

T = TypeVar("T")


@dataclass(slots=True)
class Clock:
    """Counts only what is done through ``did``: what the benchmark reads for itself is no cost of the memory."""

    wall: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    process: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))

    def did(self, kind: str, work: Callable[[], T]) -> T:
        """Do some work and count its time."""
        wall, process = perf_counter(), process_time()
        result = work()
        self.wall[kind].append(perf_counter() - wall)
        self.process[kind].append(process_time() - process)
        return result

    def figures(self, stretch: int) -> dict[str, float]:
        """Return rates and times; ``stretch`` events at the beginning and at the end are compared."""
        events, of_process = self.wall["event"], self.process["event"]
        stretch = min(stretch, len(events) // 2)
        asks, asks_of_process = self.wall["context"], self.process["context"]
        last = max(1, len(asks) // 10)
        return {
            "events/s, with all else that was told and asked": len(events) / _whole(self.wall),
            "events/s of process time, with all else": len(events) / _whole(self.process),
            "record_event, calls/s": len(events) / sum(events),
            "record_event, calls/s of process time": len(events) / sum(of_process),
            "record_event, speed of the last 5,000 to the first 5,000": sum(events[:stretch]) / sum(events[-stretch:]),
            "record_event, that in process time": sum(of_process[:stretch]) / sum(of_process[-stretch:]),
            "get_context in the last tenth, median ms": 1_000 * median(asks[-last:]),
            "get_context, that in process time": 1_000 * median(asks_of_process[-last:]),
            "sleep, greatest ms": 1_000 * max(self.wall["sleep"], default=0.0),
        }


def _whole(times: Mapping[str, list[float]]) -> float:
    return sum(sum(of_kind) for of_kind in times.values())
