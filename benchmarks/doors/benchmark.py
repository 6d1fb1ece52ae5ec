"""What a door costs: one note remembered and one question asked through each, against the facade on the same notes.

Each door has a directory of its own with the same notes, compared by words. All are asked in turn, round by round, so
that whatever else the machine does meets them alike. A door that goes over HTTP has its service in another process.
"""

from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from statistics import median
from typing import Final

from yggdrasil import Memory

from ..latency.served import Served
from ..measure import Report, Size, gc_of_hosts, interleaved, median_ratio, seconds
from .ways import AGENT, WAYS, Way

_WHO: Final = (
    "The boiler",
    "The lift",
    "The printer",
    "The roof",
    "The heating",
    "The gate",
    "The cellar",
    "The antenna",
)
_WHAT: Final = ("was serviced by", "was paid for by", "was reported by", "is insured with", "was measured by")
_WHOM: Final = ("Mertens", "Okafor", "Lindqvist", "Haddad", "Tanaka", "Novak", "Silva")
_MS: Final = 1_000


@dataclass(frozen=True, slots=True)
class _Asked:
    notes: int
    calls: int
    rounds: int


def run(size: Size, scratch: Path) -> Report:
    """Remember and ask through every door in turn."""
    asked = _Asked(size.pick(40, 1_000, 5_000), size.pick(2, 25, 100), size.pick(1, 3, 7))
    report = Report("doors", {"notes": asked.notes, "calls": asked.calls * asked.rounds})
    with ExitStack() as stack:
        ways = {name: stack.enter_context(_filled(scratch / name, name, asked.notes)) for name in WAYS}
        with gc_of_hosts():
            for what in ("remember", "recall"):
                works = [_timed(way, what, asked.calls) for way in ways.values()]
                for work in works:
                    work()  # what is made at the first call is not what a call costs
                for name, found in zip(ways, found_of := interleaved(asked.rounds, *works), strict=True):
                    report.figures[f"{name}_{what}_ms"] = median(found) * _MS
                    report.figures[f"{name}_{what}_in_facades"] = median_ratio(found, found_of[0])
    return report


@contextmanager
def _filled(folder: Path, name: str, notes: int) -> Generator[Way]:
    """Open a door to a memory that holds ``notes``."""
    data = folder / "data"
    with Memory.open(data, AGENT, embedder="none") as memory:
        memory.record_many({"text": _note(number), "session": f"{number // 20}"} for number in range(notes))
        memory.get_context(_note(0), record=False)
    with ExitStack() as stack:
        served = stack.enter_context(Served(data)) if WAYS[name].served else None
        yield stack.enter_context(WAYS[name].open(data, served.url if served else ""))


def _timed(way: Way, what: str, calls: int) -> Callable[[], float]:
    fresh = count()
    work = way.remember if what == "remember" else way.recall
    return lambda: seconds(lambda: _all(work, [f"{_note(next(fresh))} {what}" for _ in range(calls)])) / calls


def _all(work: Callable[[str], object], texts: Sequence[str]) -> None:
    for text in texts:
        work(text)


def _note(number: int) -> str:
    who, rest = _WHO[number % len(_WHO)], number // len(_WHO)
    what, rest = _WHAT[rest % len(_WHAT)], rest // len(_WHAT)
    return f"{who} of house {rest // len(_WHOM)} {what} {_WHOM[rest % len(_WHOM)]}"
