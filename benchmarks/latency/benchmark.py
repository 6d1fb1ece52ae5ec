"""How long an answer takes from a memory of 50,000 nodes with vectors, and what the index of it takes.

In this process and over HTTP (``yggdrasil serve`` in a process of its own, one connection that is kept), when nothing
else happens and while the host folds at half the rate at which it could, into the very memory that is asked. The
yardsticks are asked the same: one exact scan of the same vectors in float32, and mem0 with the same memories.
A quick run has fewer nodes, and no mem0, which takes minutes to fill. On a machine that others use as well the time on
the processor (``cpu``) says more than that by the clock.
"""

import gc
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from statistics import median
from time import perf_counter, sleep, thread_time
from typing import Any, Final

import numpy as np

from yggdrasil import Memory
from yggdrasil.engines.embedded import Embedded
from yggdrasil.engines.embedding import Embedding
from yggdrasil_infra.embedders import Embedder
from yggdrasil_producers.draft import Draft, Drafter
from yggdrasil_projections.retrieval.asks import Ask, Clause, QueryVector
from yggdrasil_projections.retrieval.reads.learning.searched import AskContext
from yggdrasil_schemas.commands.vectors import Vector

from ..measure import Bar, Report, Size, gc_of_hosts, interleaved, say, switching_of_hosts
from ..recall.embedding import embedder
from ..recall.peers import Mem0, mem0_python
from .served import Client, Served
from .world import MEMORY, Asked, Turn, World, drafts, matrix
from .writer import Writer

MODEL: Final = "made-up"
DIMENSION: Final = 512
BAR_IDLE_MS: Final = 15.0
BAR_FOLDING_MS: Final = 40.0
SCAN_MS: Final = 1.7 * DIMENSION / 384
"""What one exact scan took on the machine that the bars were set for, with 384 dimensions then: the same bars, for
machines of another speed."""
BAR_CLAUSES: Final = 2.5
BAR_PEER: Final = 10.0
_K: Final = 10
_CLAUSES: Final = 3
_WARM: Final = 20
_PAUSE_S: Final = 0.05
_WHOLE: Final = 50_000
_PART: Final = 2_000  # commands whose writing says how fast the host is


def run(size: Size, scratch: Path) -> Report:
    """Fill a memory, and ask it in every way."""
    nodes, count = size.pick(200, 5_000, 50_000), size.pick(20, 150, 1_000)
    world = World(MODEL, DIMENSION)
    turns = tuple(world.more(nodes))
    asked = world.questions(count)
    data = scratch / "data"
    report = Report("latency", {"nodes": nodes, "questions": count})
    with gc_of_hosts(), switching_of_hosts(), Embedded(data, partitions=1) as engine:
        say(f"  {nodes} turns are folded")
        _append(engine, drafts(turns, 0))
        rate = _rate(engine, world, size.pick(100, _PART, _PART))
        ahead = _ahead(world, int(rate / 2 * size.pick(1, 3, 25)))
        report.figures["commands_appended_and_folded_per_s"] = rate
        report.figures |= _inside(engine, turns, asked, ahead[0], rate)
        engine.view.close()
    with Embedded(data) as engine:
        report.figures["cold_first_query_from_an_image_ms"] = _cold(engine, asked[0])
    say("  yggdrasil serve is asked")
    report.figures |= _outside(data, asked, ahead[1], rate)
    report.figures |= _peer(size, turns, asked)
    report.bars = _bars(report.figures)
    return report


def _inside(
    engine: Embedded, turns: Sequence[Turn], asked: Sequence[Asked], ahead: Sequence[Draft], rate: float
) -> dict[str, float]:
    """Return what was measured in this process."""
    figures = {"cold_first_query_from_contents_ms": _cold(engine, asked[0])}
    figures["index_bytes"] = engine.view.nbytes
    figures["index_bytes_per_node"] = engine.view.nbytes / len(turns)
    memory = Memory(engine, Drafter(MEMORY, "agent", "benchmark"))
    held = matrix(turns)
    say("  asked in this process")
    _times(partial(_ask, memory), asked[:_WARM])
    ours, scan = interleaved(
        len(asked), *(partial(_next, it) for it in (_timed(partial(_ask, memory), asked), _timed(_scan(held), asked)))
    )
    figures |= _percentiles("in_process_idle", ours) | _percentiles("float32_scan", scan)
    figures |= _percentiles(
        "in_process_idle_cpu", list(islice(_timed(partial(_ask, memory), asked, thread_time), len(asked)))
    )
    figures["in_process_idle_p50_in_scans"] = median(ours) / median(scan)
    one, three = interleaved(
        len(asked) // 4,
        *(partial(_next, _timed(partial(_ask_clauses, memory, count), asked)) for count in (1, _CLAUSES)),
    )
    figures["three_clauses_p50_of_one"] = median(three) / median(one)
    with embedder() as model:
        counted = Memory(engine, memory._drafter, embedding=Embedding(_Counted(model, asked)))
        figures |= _percentiles("in_process_idle_embedding_counted", _times(partial(_ask_in_words, counted), asked))
    recorded = _times(partial(_ask, memory, record=True), asked[: len(asked) // 4])
    figures |= _percentiles("in_process_idle_recorded", recorded)
    with Writer(partial(_append, engine), ahead, rate / 2) as writer:
        folding = _times(partial(_ask, memory), asked, writer.going)
    figures |= _percentiles("in_process_folding", folding)
    figures |= {"in_process_folding_questions": len(folding), "in_process_folding_commands_per_s": writer.per_s}
    return figures


def _outside(data: Path, asked: Sequence[Asked], ahead: Sequence[Draft], rate: float) -> dict[str, float]:
    """Return what was measured over HTTP."""
    with Served(data) as served, Client(served.url) as client:
        start = perf_counter()
        client.ask(asked[0], _K)
        figures = {"http_cold_first_query_ms": (perf_counter() - start) * 1e3}
        ask = partial(client.ask, k=_K)
        _times(ask, asked[:_WARM])
        figures |= _percentiles("http_idle", _times(ask, asked))
        with Client(served.url) as other, Writer(other.append, ahead, rate / 2) as writer:
            folding = _times(ask, asked, writer.going)
        figures |= _percentiles("http_folding", folding)
        figures |= {"http_folding_questions": len(folding), "http_folding_commands_per_s": writer.per_s}
    return figures


def _peer(size: Size, turns: Sequence[Turn], asked: Sequence[Asked]) -> dict[str, float]:
    """Return what mem0 takes for the same questions to the same turns, its vectors given as ours were."""
    python = None if size is Size.QUICK else mem0_python()
    if python is None:
        return {}
    say("  mem0 is filled and asked")
    with Mem0(python) as peer:
        start = perf_counter()
        peer.add_made([turn.text for turn in turns], [turn.vector for turn in turns])
        filled = perf_counter() - start
        took = [peer.search_made(one.text, one.vector, _K)[1] for one in asked[: max(10, len(asked) // 5)]]
    return {"mem0_fill_s": filled, **_percentiles("mem0", took)}


def _bars(figures: dict[str, float]) -> list[Bar]:
    bars = [
        Bar("in process, idle, p99 ms", figures["in_process_idle_p99_ms"], BAR_IDLE_MS, at_most=True),
        Bar("in process, while folding, p99 ms", figures["in_process_folding_p99_ms"], BAR_FOLDING_MS, at_most=True),
    ]
    bars.append(
        Bar(
            "a question of three clauses, in those of one",
            figures["three_clauses_p50_of_one"],
            BAR_CLAUSES,
            at_most=True,
        )
    )
    if figures["nodes"] >= _WHOLE:  # a scan of fewer is little beside what does not depend on their number
        scan = figures["float32_scan_p50_ms"]
        bars += [
            Bar(f"{what}, p99 in scans", figures[f"{name}_p99_ms"] / scan, bar / SCAN_MS, at_most=True)
            for what, name, bar in (
                ("in process, idle", "in_process_idle", BAR_IDLE_MS),
                ("in process, while folding", "in_process_folding", BAR_FOLDING_MS),
            )
        ]
    if "mem0_p50_ms" in figures:
        ratio = figures["mem0_p50_ms"] / figures["in_process_idle_p50_ms"]
        bars.append(Bar("mem0 / in process, idle, p50", ratio, BAR_PEER))
    return bars


class _Counted:
    """An embedder that makes the vector of a question, which takes its time, and then gives the one prepared for it."""

    def __init__(self, model: Embedder, asked: Sequence[Asked]) -> None:
        self.provider, self.model, self.dimension = model.provider, MODEL, DIMENSION
        self._made_by = model
        self._prepared = {one.text: one.vector for one in asked}
        self._any = asked[0].vector

    def embed_query(self, text: str) -> Vector:
        """Return the vector of a question."""
        self._made_by.embed_query(text)
        return self._prepared.get(text, self._any)

    def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        """Return the vectors of texts."""
        return self._made_by.embed_documents(texts)

    def close(self) -> None:
        """Leave the model to whoever opened it."""


def _ask(memory: Memory[Any], one: Asked, *, record: bool = False) -> object:
    return memory.get_context(one.text, k=_K, record=record, vector=one.vector)


def _ask_clauses(memory: Memory[Any], count: int, one: Asked) -> object:
    """Ask a question of one clause, or of several, each with a vector."""
    vector = QueryVector(one.vector.model, one.vector.values)
    parts = tuple(Clause(one.text, vector) for _ in range(count if count > 1 else 0))
    asked = Ask(memory.id, " And ".join([one.text] * count), _K, vector=vector, clauses=parts)
    return memory.engine.ask(memory.id, AskContext(asked, record=False))


def _ask_in_words(memory: Memory[Any], one: Asked) -> object:
    return memory.get_context(one.text, k=_K, record=False)


def _scan(held: np.ndarray) -> Callable[[Asked], object]:
    """Return one exact scan: all cosines, and the ten best of them."""

    def scan(one: Asked) -> object:
        cosines = held @ np.frombuffer(one.vector.values, np.int8).astype(np.float32)
        best = np.argpartition(-cosines, _K)[:_K]
        return best[np.argsort(-cosines[best])]

    return scan


def _cold(engine: Embedded, one: Asked) -> float:
    memory = Memory(engine, Drafter(MEMORY, "agent", "benchmark"))
    engine.behind()  # the stores are opened before, which every command needs
    start = perf_counter()
    _ask(memory, one)
    return (perf_counter() - start) * 1e3


def _rate(engine: Embedded, world: World, count: int) -> float:
    """Return how many commands a second the host appends and folds when it does nothing else."""
    begin = len(world.turns)
    made = list(drafts(world.more(count), begin))
    start = perf_counter()
    _append(engine, made)
    return count / (perf_counter() - start)


def _ahead(world: World, count: int) -> tuple[list[Draft], list[Draft]]:
    """Return what is written while this process is asked, and while the service is."""
    begin = len(world.turns)
    made = list(drafts(world.more(2 * count), begin))
    return made[:count], made[count:]


def _append(engine: Embedded, made: Iterable[Draft]) -> None:
    refused = [answer.refused for _, answer in engine.submit_many(made) if answer.refused]
    assert not refused, refused[0]


def _times(
    ask: Callable[[Asked], object], asked: Sequence[Asked], going: Callable[[], bool] | None = None
) -> list[float]:
    """Return the seconds of each question; while ``going`` says so they are asked over and over, with pauses.

    Without pauses the questions alone would take all that one interpreter can do, and nothing would be folded.
    """
    gc.collect()
    gc.freeze()  # as hosts do; and most of what is there are the benchmark's own turns
    timed = _timed(ask, asked)
    if going is None:
        return list(islice(timed, len(asked)))
    found: list[float] = []
    while going():
        sleep(_PAUSE_S)
        found.append(next(timed))
    return found


def _timed(
    ask: Callable[[Asked], object], asked: Sequence[Asked], clock: Callable[[], float] = perf_counter
) -> Iterator[float]:
    for one in cycle(asked):
        start = clock()
        ask(one)
        yield clock() - start


def _next(timed: Iterator[float]) -> float:
    return next(timed)


def _percentiles(name: str, seconds: Sequence[float]) -> dict[str, float]:
    p50, p99 = np.percentile(seconds, (50, 99)).tolist()
    return {f"{name}_p50_ms": p50 * 1e3, f"{name}_p99_ms": p99 * 1e3}
