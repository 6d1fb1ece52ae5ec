"""What a door costs: one note written and one question asked through each, against the facade over the same service.

Each door has a memory of its own with the same notes, compared by words, in one directory that one service holds, in
another process. All are asked in turn, round by round, so that whatever else the machine does meets them alike. The
facade in a directory of its own stands beside them: what a call costs without a service between.
"""

import gc
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from statistics import median
from typing import Final

from yggdrasil import Memory, Store

from ..latency.served import Served
from ..measure import Report, Size, gc_of_hosts, interleaved, median_ratio, seconds
from .ways.table import APART, DOORS, FACADE
from .ways.way import Door, Place, Way

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
_DEAR: Final = 10
"""So many times fewer calls go through a door that starts a process for each."""


@dataclass(frozen=True, slots=True)
class _Asked:
    notes: int
    calls: int
    rounds: int


def run(size: Size, scratch: Path) -> Report:
    """Write and ask through every door in turn."""
    # A thousand calls would fill a directory with as many files, and measure the listing of them: tests make so many.
    asked = _Asked(size.pick(20, 200, 2_000), size.pick(1, 10, 20), size.pick(1, 3, 10))
    doors = {**DOORS, **({} if find_spec("strands") is None else APART)}
    report = Report("doors", {"notes": asked.notes, "calls": asked.calls * asked.rounds})
    own, shared = scratch / "own", scratch / "shared"
    with Memory.open(own, _memory("facade"), embedder="none") as memory:
        _fill(memory, asked.notes)
    with Store.open(shared, embedder="none") as store:
        for name in doors:
            _fill(store.memory(_memory(name)), asked.notes)
    with ExitStack() as stack:
        url = stack.enter_context(Served(shared)).url
        ways = {
            name: _opened(stack, door, Place(url, shared, scratch / name, _memory(name)))
            for name, door in doors.items()
        }
        ways["facade"] = _opened(stack, FACADE, Place(url, own, scratch / "facade", _memory("facade")))
        gc.freeze()  # all the clients' libraries, which every measurement would look through otherwise
        stack.callback(gc.unfreeze)
        with gc_of_hosts():
            for what in ("write", "read"):
                works = [_timed(way, what, _calls(doors.get(name, FACADE), asked.calls)) for name, way in ways.items()]
                for work in works:
                    work()  # what is made at the first call is not what a call costs
                found_of = interleaved(asked.rounds, *works)
                for name, found in zip(ways, found_of, strict=True):
                    report.figures[f"{name}_{what}_ms"] = median(found) * _MS
                    report.figures[f"{name}_{what}_in_facades"] = median_ratio(found, found_of[0])
    return report


def _memory(name: str) -> str:
    return f"bench/{name}"


def _opened(stack: ExitStack, door: Door, place: Place) -> Way:
    place.folder.mkdir(parents=True, exist_ok=True)
    return stack.enter_context(door.open(place))


def _calls(door: Door, calls: int) -> int:
    return max(1, calls // _DEAR) if door.dear else calls


def _fill(memory: Memory, notes: int) -> None:
    memory.record_many({"text": _note(number), "session": f"{number // 20}"} for number in range(notes))


def _timed(way: Way, what: str, calls: int) -> Callable[[], float]:
    """Return what measures so many calls, each of another note, and returns the seconds of one."""
    fresh = count()
    work = _write if what == "write" else _read
    return lambda: seconds(lambda: work(way, [next(fresh) for _ in range(calls)])) / calls


def _write(way: Way, numbers: Sequence[int]) -> None:
    for number in numbers:
        way.write(f"note{number}", f"{_note(number)}, as note{number} says")


def _read(way: Way, numbers: Sequence[int]) -> None:
    for number in numbers:
        way.read(f"note{number}")


def _note(number: int) -> str:
    who, rest = _WHO[number % len(_WHO)], number // len(_WHO)
    what, rest = _WHAT[rest % len(_WHAT)], rest // len(_WHAT)
    return f"{who} of house {rest // len(_WHOM)} {what} {_WHOM[rest % len(_WHOM)]}"
