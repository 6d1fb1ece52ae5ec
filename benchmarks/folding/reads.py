"""What reads cost: each as its memory grows, in steps, and what it costs that one is recorded, in appends.

Steps are calls of functions, whole scans by numpy being one. They are counted from the first to the last of a read that
was asked before, so that what is read once by whoever opens a memory is there.
"""

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Final

from tests.faces.life import lived
from yggdrasil import Event, Memory
from yggdrasil.engines.embedded import Embedded
from yggdrasil_producers.draft import Drafter
from yggdrasil_projections.retrieval.reads.learning.searched import Searched
from yggdrasil_projections.retrieval.table import READS

from ..measure import Bar, Report, Size, gc_of_hosts, interleaved, median_ratio, seconds

_APPENDS_MAX: Final = 1.5
_BYTES_MAX: Final = 1_024
_ROUNDS: Final = 5
_SIZES: Final = ((20, 250, 1_000), (40, 500, 2_000), (80, 1_000, 4_000))
_FAR: Final = {
    "rulings": "all slots",
    "digest": "all of the memory",
    "diff": "all of it at two moments",
    "profile": "4,096 memories",
    "reported": "4,000 records of the log",
    "drift": "2,000 of each kind",
    "digestion": "2,000 events",
    "recoveries": "512 claims of a failure",
    "working_memory": "64 open sessions",
}
"""What the reads look at that may still grow in memories of these sizes: all of it, or so much at most."""
_MANY: Final = 50  # memories in the larger answer


def run(size: Size, scratch: Path) -> Report:
    """Ask every example of the table of reads at three sizes; then ask two memories that differ in their policy alone.

    Of these one records its reads. A ``history`` of one is the smallest answer, a ``timeline`` of 50 a large one: its
    digest is taken of all of it.
    """
    report = Report("reads")
    _growth(report, scratch, [size.pick(*each) for each in _SIZES])
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
    report.figures |= {
        "events": events,
        "append_ms": 1e3 * min(appended) / calls,
        "history_ms": 1e3 * min(small) / calls,
        "history_recorded_ms": 1e3 * min(small_recorded) / calls,
        "timeline_of_50_ms": 1e3 * min(large) / calls,
        "timeline_of_50_recorded_ms": 1e3 * min(large_recorded) / calls,
        "record_bytes": record_bytes,
    }
    report.bars += [
        Bar("appends that the record of a small read takes", median_ratio(more, appended), _APPENDS_MAX, at_most=True),
        Bar("appends that the record of a read of 50 takes", median_ratio(more_large, appended), 5.0, at_most=True),
        Bar("bytes of the log for the record of a small read", record_bytes, _BYTES_MAX, at_most=True),
    ]
    return report


def _growth(report: Report, scratch: Path, sizes: list[int]) -> None:
    """Tell how many times the steps of each read are in the largest memory what they are in the smallest."""
    steps: dict[str, list[int]] = {}
    for many in sizes:
        with Embedded(scratch / f"grown-{many}", partitions=1) as engine, gc_of_hosts():
            memory = Memory(engine, Drafter("bench/agent", "bench", "benchmark", "operator"))
            known = lived(memory, many)
            for read in READS:
                arguments = known.filled(read.example)
                if issubclass(read.query, Searched):
                    arguments["record"] = False
                call = partial(getattr(memory, read.called), **arguments)
                call()
                steps.setdefault(read.name, []).append(_steps(call))
            memory.history(known.claim)
            steps.setdefault("history_of_a_slot", []).append(_steps(partial(memory.history, known.claim)))
    grown = {name: counts[-1] / counts[0] for name, counts in steps.items()}
    report.figures |= {f"{name}_steps": counts[-1] for name, counts in steps.items()}
    report.figures |= {f"{name}_grows": ratio for name, ratio in grown.items()}
    of_a_slot = steps["rulings"][-1] / (sizes[-1] / 2) / steps["history_of_a_slot"][-1]
    times = sizes[-1] / sizes[0]
    bounded = {name: ratio for name, ratio in grown.items() if name not in _FAR}
    report.bars += [
        Bar(f"steps of rulings at {times:g} times the slots", grown["rulings"], 1.25 * times, at_most=True),
        Bar("steps of rulings for a slot, in those of its history", of_a_slot, 2.0, at_most=True),
        Bar(f"steps of what is bounded, at {times:g} times the memory", max(bounded.values()), 1.5, at_most=True),
    ]


def _steps(call: Callable[[], object]) -> int:
    """Return how many functions ``call`` calls in this thread."""
    steps = 0

    def count(_frame: object, what: str, _arg: object) -> None:
        nonlocal steps
        steps += what in ("call", "c_call")

    sys.setprofile(count)
    try:
        call()
    finally:
        sys.setprofile(None)
    return steps


def _lived(engine: Embedded, memory: str, events: int) -> Memory[Any]:
    made = Memory(engine, Drafter(memory, "bench", "benchmark", "operator"))
    made.record_many(Event(f"Deployed release {number}", ["deploy", f"f{number % 50}"]) for number in range(events))
    made.record_event("The latest word", key="one")
    return made


def _many(calls: int, call: Callable[[], object]) -> float:
    return seconds(lambda: [call() for _ in range(calls)])
