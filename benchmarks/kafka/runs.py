"""One clocked reading of a filled topic to its end: by workers, by the yardstick, and by an agent that does nothing."""

from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Final

from .children import Child, Event
from .topic import Filled

DEADLINE_S: Final = 600.0  # far beyond what anything here takes: only a hang gets there


@dataclass(frozen=True, slots=True)
class Spent:
    """Seconds by the clock on the wall and of a processor; ``opening`` is what one store took to open."""

    wall: float
    cpu: float
    opening: float = 0.0


def worker(filled: Filled, directory: Path, *more: object) -> Child:
    """Start a worker on this topic, by the arguments of its command line, with its probes on a free port."""
    broker = filled.settings.bootstrap_servers
    reached = ("--kafka", broker, "--development", "--topic", filled.name)
    return Child("kafka.worker", *reached, "--dir", directory, "--http", "127.0.0.1:0", *more)


def folded(filled: Filled, directories: dict[Path, range]) -> Spent:
    """Let one worker for each directory fold what its stores lack of its partitions, all at the same time.

    The clock of each runs from its first fold to its last durable batch, without the time in which it opens stores; by
    then a first fetch has been answered, and nothing of it was unpacked. The slowest one counts.
    """
    with ExitStack() as stack:
        workers: list[tuple[Child, range]] = []
        for directory, partitions in directories.items():
            everything = len(partitions) == len(filled.ends)  # then as a member of a group, which is of its own
            share = ("--group", directory.name) if everything else ("--partitions", ",".join(map(str, partitions)))
            workers.append((stack.enter_context(worker(filled, directory, *share)), partitions))
        runs = [_Run(one, {partition: filled.ends[partition] for partition in mine}) for one, mine in workers]
        for run in runs:
            run.until_waiting()
        for one, _ in workers:
            one.go()
        spent = [run.until_end() for run in runs]
        for one, _ in workers:
            one.stop()
    return Spent(max(one.wall for one in spent), sum(one.cpu for one in spent), max(one.opening for one in spent))


class _Run:
    """What one worker tells of its way to ``ends``."""

    def __init__(self, one: Child, ends: dict[int, int]) -> None:
        self._events = one.events(DEADLINE_S)
        self._behind = dict(ends)
        self._openings: list[Event] = []

    def until_waiting(self) -> None:
        """Hear it until it has a record to fold."""
        for event in self._events:
            if event["what"] == "waiting":
                return
            self._hear(event)

    def until_end(self) -> Spent:
        """Hear it until it has folded all there is."""
        first: Event | None = None
        opened_before = len(self._openings)
        for event in self._events:
            self._hear(event)
            if event["what"] == "folded":
                first = first or event
            if first is not None and not self._behind:
                openings = self._openings[opened_before:]
                wall = event["end"] - first["start"] - sum(it["end"] - it["start"] for it in openings)
                cpu = event["cpu_start"] + event["cpu"] - first["cpu_start"] - sum(it["cpu"] for it in openings)
                return Spent(wall, cpu, median(it["end"] - it["start"] for it in self._openings))
        raise AssertionError("a worker that says no more raises ChildError")

    def _hear(self, event: Event) -> None:
        if event["what"] == "opened":
            self._openings.append(event)
        if event["position"] >= self._behind.get(event["partition"], 0):
            self._behind.pop(event["partition"], None)


def read_plainly(filled: Filled, path: Path, how: str = "each") -> Spent:
    """Let the yardstick read all of the topic, and write ``each`` record, or ``many``, at a time."""
    return _read("kafka.plain", filled, filled.records, path, how)


def read_by_agent(filled: Filled, records: int, path: Path) -> Spent:
    """Let a Faust agent read ``records`` records of the topic and do nothing with them; its files go to ``path``."""
    return _read("kafka.faust_agent", filled, records, path)


def _read(name: str, filled: Filled, records: int, *more: object) -> Spent:
    with Child(name, filled.settings.bootstrap_servers, filled.name, records, *more) as child:
        done = child.until(lambda event: event["what"] == "done", DEADLINE_S)
    return Spent(done["end"] - done["start"], done["cpu"])
