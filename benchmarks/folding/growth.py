"""Whether a command costs more as a memory grows: a full memory that prunes, against small ones, in the real store.

The bar is on like with like: memories of 50,000 and of 1,000 nodes, both in their steady state, at their caps, so that
only the size differs. The ratio to newborn memories of 1,000 nodes is shown beside it. It is higher, because it holds
the price of age as well: busy features at the degree cap, what is removed for what is added, and records that are
spread over more memory than the processor's cache holds. The full form shows both once more for events so varied that
the edges reach their cap too, which is the worst case.

Then the same two memories sleep after every ten events (003, section 3.8): their ratio has the same bar, and what a
sleep adds to the ten events before it is shown beside it.

In the end a memory grows beyond the default cap, to 200,000 nodes, and beyond the cache of records: it is compared with
one of 50,000 that the cache holds whole. Neither forgets anything.

The quick form takes memories of a tenth of these sizes, with a cache of a tenth: it says whether a command costs what
it did, and not what it costs at 50,000 nodes.
"""

from collections.abc import Iterator
from functools import partial
from itertools import count
from pathlib import Path
from time import perf_counter
from typing import Final

from yggdrasil_infra.log import LogRecord
from yggdrasil_producers.draft import Draft, Drafter
from yggdrasil_projections.graph.store.store import CACHED_RECORDS_MAX

from ..measure import Bar, Report, Size, gc_of_hosts, interleaved
from .hosts import FoldingHost
from .workload import Shape, drafts, records

BAR: Final = 1.5
MEMORY: Final = "bench/agent"
SMALL_NODES: Final = 1_000
USUAL: Final = Shape(claims=0.1)  # four features per event, as in the other benchmarks, and a tenth are claims
VARIED: Final = Shape(topics=1_000, features=6)  # nodes and edges both reach their caps
_TASK_EVENTS: Final = 10  # with a sleep after them
BEYOND_CAPS: Final = {"nodes_max": 400_000, "edges_max": 2_000_000}
_SLICE: Final = 500  # commands with which a new memory of 1,000 nodes is timed before the next one is made


class _Full:
    """One memory at its caps; every further command makes room for itself."""

    def __init__(self, host: FoldingHost, shape: Shape, caps: dict[str, int], warm: int) -> None:
        """Fill a memory up to ``caps``, then go on until it has pruned nodes and edges, or for ``warm`` commands."""
        self._host = host
        self._commands = drafts(shape, memory=MEMORY)
        policy = Drafter(MEMORY, "agent", "benchmark").draft("set_policy", {"changes": caps})
        host.fold(records(iter([policy]), 1, host.log.end))
        while host.header(MEMORY).nodes < caps["nodes_max"] * 0.95:
            self.seconds(1_000)
        while warm > 0 and not self._has_pruned():
            self.seconds(1_000)
            warm -= 1_000

    def sleep_after_tasks(self) -> None:
        """Let a sleep follow on every ten events from now on."""
        self._commands = _with_sleeps(self._commands)

    def _has_pruned(self) -> bool:
        graph = self._host.store.peek(MEMORY)
        return graph is not None and graph.tables.nodes is not None and graph.tables.edges is not None

    def seconds(self, commands: int) -> float:
        """Return the time that the next ``commands`` take."""
        said = records(self._commands, commands, self._host.log.end)
        return _timed(self._host, said)


class _Grown:
    """One memory of so many nodes, far below its caps."""

    def __init__(self, host: FoldingHost, nodes: int) -> None:
        self._host = host
        self._commands = drafts(USUAL, memory=MEMORY)
        policy = Drafter(MEMORY, "agent", "benchmark").draft("set_policy", {"changes": BEYOND_CAPS})
        host.fold(records(iter([policy]), 1, host.log.end))
        while host.header(MEMORY).nodes < nodes:
            self.seconds(500)

    def seconds(self, commands: int) -> float:
        """Return the time that the next ``commands`` take."""
        said = records(self._commands, commands, self._host.log.end)
        return _timed(self._host, said)


class _Young:
    """Many memories, each timed from 1,000 nodes on; they are far below their caps and forget nothing."""

    def __init__(self, host: FoldingHost, shape: Shape) -> None:
        self._host = host
        self._shape = shape
        self._numbers = count(1)

    def seconds(self, commands: int) -> float:
        """Return the time that ``commands`` take in memories of 1,000 nodes."""
        spent = 0.0
        for _ in range(max(1, commands // _SLICE)):
            memory = f"bench/young-{next(self._numbers)}"
            said = drafts(self._shape, memory=memory)
            while not self._has_grown(memory):
                self._host.fold(records(said, 50, self._host.log.end))
            spent += _timed(self._host, records(said, min(commands, _SLICE), self._host.log.end))
        return spent

    def _has_grown(self, memory: str) -> bool:
        graph = self._host.store.peek(memory)
        return graph is not None and graph.header.nodes >= SMALL_NODES


def run(size: Size, scratch: Path) -> Report:
    """Fill a memory, then time it in turn with a small one that prunes as well, and with small ones that do not."""
    report = Report("growth")
    report.figures = _measured(size, scratch / "usual", USUAL)
    if size is Size.FULL:
        varied = _measured(size, scratch / "varied", VARIED)
        report.figures |= {f"{name}, varied events": value for name, value in varied.items()}
    report.figures |= _beyond(size, scratch / "beyond")
    ratio, asleep = (report.figures[name] for name in ("times_1000_nodes_pruning", "times_1000_nodes_sleeping"))
    report.bars = [
        Bar(f"time at {_nodes_max(size):,} nodes, pruning / time at 1,000 nodes, pruning", ratio, BAR, True),
        Bar("the same, with a sleep after every ten events in both", asleep, BAR, True),
        Bar("time at 4 n nodes, beyond the cache / time at n nodes", report.figures["times_a_fourth"], BAR, True),
    ]
    return report


def _nodes_max(size: Size) -> int:
    return size.pick(300, 5_000, 50_000)


def _beyond(size: Size, scratch: Path) -> dict[str, float]:
    nodes = size.pick(250, 5_000, 50_000)
    cache = size.pick(7_000, 145_000, CACHED_RECORDS_MAX)  # more than the small one takes, and too few for the large
    commands = size.pick(100, 1_000, 5_000)
    rounds = size.pick(1, 3, 6)  # in which the cache is full more than once
    hosts = [FoldingHost(scratch / name, cache) for name in ("large", "small")]
    with gc_of_hosts():
        grown = [_Grown(host, times * nodes) for host, times in zip(hosts, (4, 1), strict=True)]
        works = [partial(each.seconds, commands) for each in grown]
        large, small = (sum(times) for times in interleaved(rounds, *works))
    held = hosts[0].store.cached_records
    for host in hosts:
        host.close()
    measured = rounds * commands
    return {
        "nodes_beyond": 4 * nodes,
        "us_per_command_beyond": large / measured * 1e6,
        "us_per_command_a_fourth": small / measured * 1e6,
        "times_a_fourth": large / small,
        "cached_records_beyond": held,
        "cached_records_max": cache,
    }


def _measured(size: Size, scratch: Path, shape: Shape) -> dict[str, float]:
    nodes_max = _nodes_max(size)
    commands = size.pick(150, 2_000, 10_000)  # several scans of nodes and of edges
    rounds = size.pick(1, 3, 5)
    caps = {"nodes_max": nodes_max, "edges_max": nodes_max * 5}
    small_caps = {"nodes_max": SMALL_NODES, "edges_max": SMALL_NODES * 5}
    hosts = [FoldingHost(scratch / name) for name in ("full", "small", "young")]
    with gc_of_hosts():
        full = _Full(hosts[0], shape, caps, warm=size.pick(0, 2_000, 15_000))
        small = _Full(hosts[1], shape, small_caps, warm=2_000)
        young = _Young(hosts[2], shape)
        works = [partial(each.seconds, commands) for each in (full, small, young)]
        at_cap, at_small_cap, unpruned = (sum(times) for times in interleaved(rounds, *works))
        for each in (full, small):
            each.sleep_after_tasks()
        works = [partial(each.seconds, commands // 2) for each in (full, small)]
        asleep, small_asleep = (sum(times) for times in interleaved(rounds, *works))
    header = hosts[0].header(MEMORY)
    for host in hosts:
        host.close()
    measured = rounds * commands
    return {
        "nodes": header.nodes,
        "edges": header.edges,
        "commands_measured": measured,
        "us_per_command_at_cap": at_cap / measured * 1e6,
        "us_per_command_1000_nodes_pruning": at_small_cap / measured * 1e6,
        "us_per_command_1000_nodes_newborn": unpruned / measured * 1e6,
        "times_1000_nodes_pruning": at_cap / at_small_cap,
        "times_1000_nodes_newborn": at_cap / unpruned,
        "us_per_command_at_cap_sleeping": asleep / (measured // 2) * 1e6,
        "us_per_command_1000_nodes_sleeping": small_asleep / (measured // 2) * 1e6,
        "times_1000_nodes_sleeping": asleep / small_asleep,
        "times_not_sleeping_at_cap": 2 * asleep / at_cap,
    }


def _with_sleeps(commands: Iterator[Draft]) -> Iterator[Draft]:
    """Yield commands, and after every ten events the sleep that the sleeper would send."""
    drafter, events = Drafter(MEMORY, "thinker", "benchmark"), 0
    for command in commands:
        yield command
        events += b'"type":"record_event"' in command.value
        if events == _TASK_EVENTS:
            events = 0
            yield drafter.sleep(scope="task")


def _timed(host: FoldingHost, said: list[LogRecord]) -> float:
    start = perf_counter()
    host.fold(said)
    return perf_counter() - start
