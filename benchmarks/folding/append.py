"""Append and fold in one process: one by one, from eight threads, and in chunks, against bare synced writes.

``record_many`` of the facade drafts its events as well; it is measured beside chunks that were drafted before.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import count, islice
from pathlib import Path
from typing import Final

from yggdrasil import Event, Memory
from yggdrasil.engines.embedded import Embedded
from yggdrasil_infra.rocks.database import MemoryBudget, Rocks
from yggdrasil_producers.draft import Draft, Drafter

from ..measure import Report, Size, gc_of_hosts, interleaved, median_ratio, seconds
from .workload import Shape, drafts

_MEMORY: Final = "bench/agent"
THREADS: Final = 8
CHUNK: Final = 500  # as large as the chunks of submit_many


def run(size: Size, scratch: Path) -> Report:
    """Measure each way of appending in turn with a synced RocksDB that is given the same bytes in the same portions."""
    single = size.pick(50, 1_500, 5_000)
    many = size.pick(200, 8_000, 20_000)
    rounds = size.pick(1, 3, 5)
    said = list(islice(drafts(Shape()), many))
    fresh = count()
    few = said[:single]
    events = [_event(number) for number in range(many)]
    drafter = Drafter(_MEMORY, "agent", "benchmark")
    drafted = [drafter.record_event(each.text, features=each.features, session=each.session) for each in events]

    def embedded(work: Callable[[Embedded, Sequence[Draft]], None], given: Sequence[Draft]) -> float:
        with Embedded(scratch / f"{next(fresh)}", partitions=1) as engine:
            return seconds(partial(work, engine, given))

    def recorded() -> float:
        with Memory.open(scratch / f"{next(fresh)}", _MEMORY, partitions=1, embedder="none") as memory:
            return seconds(partial(memory.record_many, iter(events)))

    def bare(portion: int, given: Sequence[Draft]) -> float:
        with Rocks(scratch / f"{next(fresh)}", ("records",), MemoryBudget.of(), sync=True) as rocks:
            return seconds(partial(_write, rocks, portion, given))

    with gc_of_hosts():
        bare_single, one_by_one, threads, bare_chunks, chunks, event_chunks, recorded_many = interleaved(
            rounds,
            partial(bare, 1, few),
            partial(embedded, _one_by_one, few),
            partial(embedded, _from_threads, few),
            partial(bare, CHUNK, said),
            partial(embedded, _in_chunks, said),
            partial(embedded, _in_chunks, drafted),
            recorded,
        )
    report = Report("append")
    report.figures = {
        "one_by_one_us_per_command": min(one_by_one) / single * 1e6,
        "one_by_one_commands_per_s": single / min(one_by_one),
        "one_by_one_bare_us_per_command": min(bare_single) / single * 1e6,
        "one_by_one_times_bare": median_ratio(one_by_one, bare_single),
        "threads": THREADS,
        "threads_us_per_command": min(threads) / single * 1e6,
        "threads_commands_per_s": single / min(threads),
        "threads_times_bare": median_ratio(threads, bare_single),
        "chunk_commands": CHUNK,
        "chunks_us_per_command": min(chunks) / many * 1e6,
        "chunks_commands_per_s": many / min(chunks),
        "chunks_bare_us_per_command": min(bare_chunks) / many * 1e6,
        "chunks_times_bare": median_ratio(chunks, bare_chunks),
        "record_many_events_per_s": many / min(recorded_many),
        "record_many_share_of_chunks": median_ratio(event_chunks, recorded_many),
    }
    return report


def _event(number: int) -> Event:
    features = [f"topic:{number % 40}", f"service:{number % 7}", "deploy"]
    return Event(f"step {number}: deployed service {number % 7}", features, session=f"s{number % 20}")


def _one_by_one(engine: Embedded, said: Sequence[Draft]) -> None:
    for draft in said:
        engine.submit(draft)


def _from_threads(engine: Embedded, said: Sequence[Draft]) -> None:
    with ThreadPoolExecutor(THREADS) as pool:
        for _ in pool.map(engine.submit, said):
            pass


def _in_chunks(engine: Embedded, said: Sequence[Draft]) -> None:
    for _ in engine.submit_many(said):
        pass


def _write(rocks: Rocks, portion: int, said: Sequence[Draft]) -> None:
    """The yardstick: make the same bytes durable, ``portion`` records with each sync."""
    for first in range(0, len(said), portion):
        batch = rocks.batch()
        for place, draft in enumerate(said[first : first + portion], first):
            batch.put("records", place.to_bytes(8, "big"), draft.key + draft.value)
        rocks.write(batch)
