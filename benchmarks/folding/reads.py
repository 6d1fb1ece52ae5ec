"""What it costs that a read is recorded: beside the read alone, and beside an append, which it waits for."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Final

from yggdrasil import Event, Memory
from yggdrasil.engines.embedded import Embedded
from yggdrasil_producers.draft import Drafter

from ..measure import Bar, Report, Size, gc_of_hosts, interleaved, median_ratio, seconds

_APPENDS_MAX: Final = 1.5
_BYTES_MAX: Final = 1_024
_ROUNDS: Final = 5
_MANY: Final = 50  # memories in the larger answer


def run(size: Size, scratch: Path) -> Report:
    """Ask two memories that are equal but for their policy, one of which records its reads, and append to the first.

    A ``history`` of one is the smallest answer, a ``timeline`` of 50 a large one: its digest is taken of all of it.
    """
    events, calls = size.pick(100, 2_000, 20_000), size.pick(3, 40, 200)
    with Embedded(scratch / "reads", partitions=1) as engine, gc_of_hosts():
        plain, recorded = (_lived(engine, f"bench/{name}", events) for name in ("plain", "recorded"))
        recorded.set_policy(reads_recorded=1)
        append = partial(_many, calls, partial(plain.record_event, "Deployed", features=["deploy"]))
        works = [
            append,
            *(partial(_many, calls, partial(memory.history, key="one")) for memory in (plain, recorded)),
            *(partial(_many, calls, partial(memory.timeline, count=_MANY)) for memory in (plain, recorded)),
        ]
        for work in works:
            work()
        recorded.history(key="one")
        record_bytes = len(engine.log.read(0, engine.log.end_offset(0) - 1, 1)[0].value or b"")
        appended, small, small_recorded, large, large_recorded = interleaved(_ROUNDS, *works)
    more = [one - other for one, other in zip(small_recorded, small, strict=True)]
    more_large = [one - other for one, other in zip(large_recorded, large, strict=True)]
    report = Report("reads")
    report.figures = {
        "events": events,
        "append_ms": 1e3 * min(appended) / calls,
        "history_ms": 1e3 * min(small) / calls,
        "history_recorded_ms": 1e3 * min(small_recorded) / calls,
        "timeline_of_50_ms": 1e3 * min(large) / calls,
        "timeline_of_50_recorded_ms": 1e3 * min(large_recorded) / calls,
        "record_bytes": record_bytes,
    }
    report.bars = [
        Bar("appends that the record of a small read takes", median_ratio(more, appended), _APPENDS_MAX, at_most=True),
        Bar("appends that the record of a read of 50 takes", median_ratio(more_large, appended), 3.0, at_most=True),
        Bar("bytes of the log for the record of a small read", record_bytes, _BYTES_MAX, at_most=True),
    ]
    return report


def _lived(engine: Embedded, memory: str, events: int) -> Memory[Any]:
    made = Memory(engine, Drafter(memory, "bench", "benchmark", "operator"))
    made.record_many(Event(f"Deployed release {number}", ["deploy", f"f{number % 50}"]) for number in range(events))
    made.record_event("The latest word", key="one")
    return made


def _many(calls: int, call: Callable[[], object]) -> float:
    return seconds(lambda: [call() for _ in range(calls)])
