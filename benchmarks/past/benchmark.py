"""The past: how long the first answer of it takes with the ladder and without, and how long the next.

A memory lives in a directory, as the usual workload has it, with the usual ladder (in quick and tiny runs with rungs
closer together, as the log is shorter). The first answer is a read that needs no index, as of a moment among the last
tenth, and none of it was at hand. The yardstick is the whole log folded into a fresh store, by the command: so its
ratio says what comes on top of folding the commands between rung and moment. What a search asks first makes an index;
that is measured apart, beside that of the memory as it stands. The next answer is a search, beside the same search of
today. Bytes are what rungs take beyond what they share with the store.
"""

from collections.abc import Callable
from functools import partial
from itertools import count, islice
from pathlib import Path
from random import Random
from statistics import median
from typing import Any, Final

from yggdrasil import Memory
from yggdrasil.engines.embedded import Embedded
from yggdrasil.engines.past.kept import Pasts
from yggdrasil_processors.past.building import build
from yggdrasil_processors.past.ladder import LADDER, Ladders, Spacing
from yggdrasil_producers.draft import Drafter
from yggdrasil_projections.retrieval.past.moment import AsOf

from ..folding.workload import Shape, drafts
from ..measure import Bar, Report, Size, gc_of_hosts, say, seconds
from . import replaying

FIRST: Final = 1.2
NEXT: Final = 1.5
_MEMORY: Final = "bench/agent"
_CHUNK: Final = 500
_QUESTION: Final = "What came of the last change to this?"
_ROUNDS: Final = 5


def run(size: Size, scratch: Path) -> Report:
    """Measure all of it in one directory."""
    commands = size.pick(1_500, 15_000, 100_000)
    spacing = size.pick(700, 3_500, 10_000)
    report, rng = Report("past"), Random(1)
    with gc_of_hosts(), Embedded(scratch / "data", partitions=1, spacing=Spacing(every=spacing)) as engine:
        said = drafts(Shape(), memory=_MEMORY)
        for _ in range(0, commands, _CHUNK):
            list(engine.submit_many(islice(said, _CHUNK)))
        memory: Memory[Any] = Memory(engine, Drafter(_MEMORY, "bench", "bench", "thinker"))  # who records nothing
        last = memory.moment().as_of
        say("  the memory is there")
        whole = seconds(partial(_built, engine, last, scratch / "whole"))
        each = whole / commands
        moments = [rng.randrange(last - last // 10, last) for _ in range(size.pick(1, 3, _ROUNDS))]
        with_ladder, folded = list[float](), list[int]()
        for seq in moments:
            taken, read = _first(engine, memory, seq, Ladders(scratch / "data", Spacing(every=spacing)))
            with_ladder.append(taken / (each * max(1, read)))
            folded.append(read)
        without = _first(engine, memory, moments[0], None)[0] / (each * moments[0])
        report.figures |= {
            "commands": commands,
            "folded for a first answer, most": max(folded),
            "first answer with the ladder, x folding that stretch": median(with_ladder),
            "first answer without a ladder, x folding up to there": without,
            "bytes of the ladder beyond the store, % of the store": _ladder_share(scratch / "data"),
        }
        past = memory.as_of(moments[-1])
        index_then, index_now = seconds(partial(_ask, past)), seconds(partial(_ask, memory))
        then, now = _medians(size.pick(3, 9, 25), partial(_ask, past), partial(_ask, memory))
        report.figures |= {
            "index of the past, x that of today": index_then / index_now,
            "index of the past, x folding the whole log": index_then / whole,
            "next answer, x a present one": then / now,
        }
        report.bars += [
            Bar("folded for a first answer, commands", float(max(folded)), float(spacing), at_most=True),
            Bar("first answer with the ladder, x folding that stretch", median(with_ladder), FIRST, at_most=True),
            Bar("first answer without a ladder, x folding up to there", without, FIRST, at_most=True),
            Bar("next answer, x a present one", then / now, NEXT, at_most=True),
        ]
    replaying.measure(size, scratch, report)
    return report


def _built(engine: Embedded, seq: int, path: Path) -> None:
    build(engine.log, _MEMORY, AsOf(seq=seq), path).projector.close()


_fresh = count()


def _first(engine: Embedded, memory: Memory[Any], seq: int, ladders: Ladders | None) -> tuple[float, int]:
    """Return how long a first answer takes of a host that has no past at hand, and how many commands it folds."""
    engine.pasts.close()
    engine.pasts = Pasts(lambda: engine.log, engine.reality_of, engine.path / f"past-{next(_fresh)}", ladders=ladders)
    taken = seconds(lambda: memory.as_of(seq).timeline(count=10))
    rung = None if ladders is None else ladders.nearest(engine.log, 0, _MEMORY, AsOf(seq=seq))
    return taken, seq if rung is None else max(1, seq - rung.position)  # every command of the workload is accepted


def _ask(memory: Memory[Any]) -> object:
    return memory.get_context(_QUESTION, k=10, record=False)


def _medians(rounds: int, *works: Callable[[], object]) -> list[float]:
    found: list[list[float]] = [[] for _ in works]
    for _ in range(rounds):
        for taken, work in zip(found, works, strict=True):
            taken.append(seconds(work))
    return [median(taken) for taken in found]


def _ladder_share(data: Path) -> float:
    store = {file.stat().st_ino: file.stat().st_size for file in (data / "graph").rglob("*") if file.is_file()}
    rungs = {file.stat().st_ino: file.stat().st_size for file in (data / LADDER).rglob("*") if file.is_file()}
    beyond = sum(size for inode, size in rungs.items() if inode not in store)
    return 100.0 * beyond / max(1, sum(store.values()))
