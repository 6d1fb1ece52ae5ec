"""``verify --against-log``: one partition of a store compared with its log, and every difference with its cause.

1. The log with what was folded: the hashes that the store keeps name what was altered, removed, doubled or swapped.
2. The log is folded anew, up to where the store stands, and both stores are compared record by record.
3. Of what differs, the memory is folded once more under watch: so the command is found that touched it last.

So a store that is equal is folded once, in memory that does not grow with it.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from yggdrasil_infra.log import LogError, LogReader
from yggdrasil_projections.graph.fold import UnknownVersionError
from yggdrasil_projections.graph.store.projector import BATCH_RECORDS_MAX, Projector
from yggdrasil_projections.graph.store.store import GraphStore
from yggdrasil_projections.graph.working_set import BrokenInvariantError
from yggdrasil_projections.retrieval.past.against_log import MemoryVerdict, RecordDiffers, Touched

from ..replay import fresh_projector
from .readable import called, different, value_of
from .records import OfLog, compare_records
from .stores import Differing, Key, OfMemory, compare_stores
from .touched import last_touched

TRACED_MAX: Final = 100
"""Of so many records of a partition that differ is it told which command touched them last."""

Progress = Callable[[str, int], object]
"""Called with the step, ``log``, ``fold``, ``compare`` or ``trace``, and how many records it did."""


@dataclass(frozen=True, slots=True)
class PartitionVerdict:
    """Whether a store is what its log gives. It stands at ``position``, ``behind`` the end of the log by so much.

    ``stopped`` says why the log could not be folded up to there, if so: then memories are not compared.
    ``state`` are the fields of what the store says of itself that differ, each with both values.
    """

    partition: int
    position: int
    behind: int
    log: OfLog
    state: dict[str, tuple[Any, Any]]
    memories: list[MemoryVerdict]
    stopped: str | None = None

    @property
    def same(self) -> bool:
        """Whether nothing differs, and all of it was compared."""
        alike = not (self.log.count or self.state or self.stopped)
        return alike and all(each.same for each in self.memories)


def verify_against_log(log: LogReader, store: GraphStore, work: Path, progress: Progress) -> PartitionVerdict:
    """Compare ``store`` with the log that it is of. It is read as it stands; ``work`` is a new directory for stores.

    Raises LogError where the log cannot be read at all, and StorageError where a store cannot.
    """
    partition, position = store.pin.partition, store.state.position
    end = log.end_offset(partition)
    of_log = compare_records(log, store, lambda records: progress("log", records))
    projector = fresh_projector(log, work / "by-log", partition)
    try:
        stopped = _fold(projector, min(position, end), progress)
        if stopped is not None:
            return PartitionVerdict(partition, position, max(0, end - position), of_log, {}, [], stopped)
        by_log = projector.store
        projector.settle_attestations()
        memories = list(compare_stores(store, by_log, lambda records: progress("compare", records)))
        touched = _touched(log, work / "watched", store, memories, progress)
        verdicts = [verdict_of(each, touched) for each in memories]
        state = _state(store, by_log)
        return PartitionVerdict(partition, position, max(0, end - position), of_log, state, verdicts)
    finally:
        projector.close()


def _fold(projector: Projector, position: int, progress: Progress) -> str | None:
    """Fold up to ``position``; return why that cannot be done, if so: a log that was altered may hold anything."""
    try:
        while (missing := position - projector.store.state.position) > 0:
            batch = projector.advance(min(missing, BATCH_RECORDS_MAX))
            if not batch:
                break
            progress("fold", len(batch))
    except (LogError, UnknownVersionError, BrokenInvariantError) as error:
        return str(error)
    return None


def _touched(
    log: LogReader, path: Path, store: GraphStore, memories: Sequence[OfMemory], progress: Progress
) -> dict[Key, Touched]:
    keys = [each.at for memory in memories for each in memory.first][:TRACED_MAX]
    if not keys:
        return {}
    partition, position = store.pin.partition, store.state.position
    return last_touched(log, path, partition, position, keys, lambda records: progress("trace", records))


def verdict_of(memory: OfMemory, touched: dict[Key, Touched]) -> MemoryVerdict:
    """Return how a memory differs, in words, with the commands that ``touched`` what does."""
    differs = [_differs(each, touched) for each in memory.first]
    counts = dict(sorted(memory.counts.items()))
    return MemoryVerdict(memory.memory, memory.standing_seq, memory.log_seq, memory.records, counts, differs)


def _differs(one: Differing, touched: dict[Key, Touched]) -> RecordDiffers:
    standing, by_log = (None if data is None else value_of(one.at, data) for data in (one.standing, one.by_log))
    fields = different(standing, by_log)
    return RecordDiffers(one.at.family, called(one.at), standing, by_log, fields, touched.get(one.at))


def _state(store: GraphStore, by_log: GraphStore) -> dict[str, tuple[Any, Any]]:
    """Return what a store says of itself beside its memories, where that is otherwise than by the log."""

    def told(one: GraphStore) -> Iterator[tuple[str, Any]]:
        state = one.state
        yield "folded", state.folded
        yield "last_offset", state.last_offset
        yield "schema_version", state.enabled.schema
        yield "rules_version", state.enabled.rules
        yield "memories", state.memories
        yield "refused", dict(sorted(state.refused.items()))

    return {name: (ours, theirs) for (name, ours), (_, theirs) in zip(told(store), told(by_log), strict=True)
            if ours != theirs}  # fmt: skip
