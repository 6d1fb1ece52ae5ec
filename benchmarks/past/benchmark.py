"""The past: how long the first answer of it takes with the ladder and without, and how long the next.

A memory lives in a directory, as the usual workload has it, with the usual ladder (in quick and tiny runs with rungs
closer together, as the log is shorter). The first answer is a read that needs no index, as of a moment among the last
tenth, and none of it was at hand. The yardstick is the whole log folded into a fresh store, by the command: so its
ratio says what comes on top of folding the commands between rung and moment. What a search asks first makes an index;
that is measured apart, beside that of the memory as it stands. The next answer is a search, beside the same search of
today. A diff compares one of these moments with now, and a what-if folds all but the first command anew. Bytes are what
rungs take beyond what they share with the store. What it takes to compare the store with its log, record by record, is
measured in CPU time, by that of a replay of that log.
"""

import gc
from collections.abc import Callable
from functools import partial
from itertools import chain, count, islice
from pathlib import Path
from random import Random
from statistics import median
from time import process_time
from typing import Any, Final

from yggdrasil import Memory
from yggdrasil.engines.embedded import Embedded
from yggdrasil.engines.past.kept import Pasts
from yggdrasil_processors.auditing.against_log.comparing import verify_against_log
from yggdrasil_processors.auditing.beside import store_beside
from yggdrasil_processors.auditing.replay import replay
from yggdrasil_processors.past.building import build
from yggdrasil_processors.past.ladder import LADDER, Ladders, Spacing
from yggdrasil_producers.draft import Drafter
from yggdrasil_projections.graph.store.store import GraphStore
from yggdrasil_projections.retrieval.past.moment import AsOf

from ..folding.workload import Shape, drafts
from ..measure import Bar, Report, Size, gc_of_hosts, say, seconds
from . import replaying

FIRST: Final = 1.2
NEXT: Final = 1.5
VERIFIED: Final = 1.5
_MEMORY: Final = "bench/agent"
_CHUNK: Final = 500
_QUESTION: Final = "What came of the last change to this?"
_ROUNDS: Final = 5


def run(size: Size, scratch: Path) -> Report:
    """Measure all of it in one directory."""
    commands = size.pick(1_500, 15_000, 100_000)
    spacing = Spacing(every=size.pick(700, 3_500, 10_000))
    report = Report("past")
    with gc_of_hosts(), Embedded(scratch / "data", partitions=1, spacing=spacing) as engine:
        said = drafts(Shape(), memory=_MEMORY)
        first = next(said)
        said = chain([first], said)
        for _ in range(0, commands, _CHUNK):
            list(engine.submit_many(islice(said, _CHUNK)))
        memory: Memory[Any] = Memory(engine, Drafter(_MEMORY, "bench", "bench", "thinker"))  # who records nothing
        last = memory.moment().as_of
        say("  the memory is there")
        whole = seconds(partial(_built, engine, last, scratch / "whole"))
        report.figures |= {
            "commands": commands,
            "bytes of the ladder beyond the store, % of the store": _ladder_share(scratch / "data"),
        }
        seq = _first_answers(report, engine, memory, spacing, whole / commands, rounds=size.pick(1, 3, _ROUNDS))
        _next_answers(report, memory, seq, whole, rounds=size.pick(3, 9, 25))
        _others(report, memory, seq, first.id, whole)
        _compared(report, engine, scratch / "verified")
    replaying.measure(size, scratch, report)
    return report


def _first_answers(
    report: Report, engine: Embedded, memory: Memory[Any], spacing: Spacing, each: float, rounds: int
) -> int:
    """Measure answers of moments that are not at hand; ``each`` is what folding takes by the command. Return one."""
    last, rng = memory.moment().as_of, Random(1)
    moments = [rng.randrange(last - last // 10, last) for _ in range(rounds)]
    with_ladder, folded = list[float](), list[int]()
    for seq in moments:
        taken, read = _first(engine, memory, seq, Ladders(engine.path, spacing))
        with_ladder.append(taken / (each * max(1, read)))
        folded.append(read)
    without = _first(engine, memory, moments[0], None)[0] / (each * moments[0])
    report.figures |= {
        "folded for a first answer, most": max(folded),
        "first answer with the ladder, x folding that stretch": median(with_ladder),
        "first answer without a ladder, x folding up to there": without,
    }
    report.bars += [
        Bar("folded for a first answer, commands", float(max(folded)), float(spacing.every), at_most=True),
        Bar("first answer with the ladder, x folding that stretch", median(with_ladder), FIRST, at_most=True),
        Bar("first answer without a ladder, x folding up to there", without, FIRST, at_most=True),
    ]
    return moments[-1]


def _next_answers(report: Report, memory: Memory[Any], seq: int, whole: float, rounds: int) -> None:
    """Measure searches of a moment, of which the first makes an index; ``whole`` is what folding the log takes."""
    past = memory.as_of(seq)
    index_then, index_now = seconds(partial(_ask, past)), seconds(partial(_ask, memory))
    then, now = _medians(rounds, partial(_ask, past), partial(_ask, memory))
    report.figures |= {
        "index of the past, x that of today": index_then / index_now,
        "index of the past, x folding the whole log": index_then / whole,
        "next answer, x a present one": then / now,
    }
    report.bars.append(Bar("next answer, x a present one", then / now, NEXT, at_most=True))


def _others(report: Report, memory: Memory[Any], seq: int, without: str, whole: float) -> None:
    """Measure what compares: a moment that is at hand with now, and a history without its first command."""
    compared = seconds(partial(memory.diff, seq))
    supposed = seconds(partial(memory.what_if, without=[without]))
    report.figures |= {
        "diff of a moment at hand and now, x folding the whole log": compared / whole,
        "what-if without the first command, x folding the whole log": supposed / whole,
    }


def _compared(report: Report, engine: Embedded, scratch: Path) -> None:
    """Measure the CPU time of comparing a store with its log, record by record, by that of folding the log."""
    folding = _cpu_seconds(partial(_folded, engine, scratch / "folded"))
    with store_beside(engine.path / "graph" / "0000") as store:
        verifying = _cpu_seconds(partial(_verified, engine, store, scratch / "work"))
    report.figures["verifying against the log, x the CPU of folding it"] = verifying / folding
    report.bars.append(
        Bar("verifying against the log, x the CPU of folding it", verifying / folding, VERIFIED, at_most=True)
    )


def _cpu_seconds(work: Callable[[], object]) -> float:
    gc.collect()
    start = process_time()
    work()
    return process_time() - start


def _verified(engine: Embedded, store: GraphStore, path: Path) -> None:
    assert verify_against_log(engine.log, store, path, lambda _step, _records: None).same


def _folded(engine: Embedded, path: Path) -> None:
    replay(engine.log, path, 0)


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
