"""Hosts of the fold for tests: a projector over a store in a folder."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.graph.list_log import ListLog
from yggdrasil_infra.log import LogReader, LogRecord
from yggdrasil_infra.rocks.database import MemoryBudget
from yggdrasil_projections.graph.store.projector import BATCH_RECORDS_MAX, Projector
from yggdrasil_projections.graph.store.store import CACHED_RECORDS_MAX, GraphStore, Pin

# Far more than is used: a memtable of each family takes an arena of its own, and above the budget every write is
# followed by a flush, whose files then come and go under the hands of tests that copy them.
BUDGET = MemoryBudget.of(8 << 20, 256 << 20)


@contextmanager
def opened(path: Path, cached_records_max: int = CACHED_RECORDS_MAX, pin: Pin | None = None) -> Iterator[GraphStore]:
    with GraphStore(path, pin or Pin("topic-1", 1, 0), BUDGET, cached_records_max) as store:
        yield store


@contextmanager
def projecting(log: LogReader, path: Path, cached_records_max: int = CACHED_RECORDS_MAX) -> Iterator[Projector]:
    with opened(path, cached_records_max) as store:
        projector = Projector(log, store)
        try:
            yield projector
        finally:
            projector.close()


def digests(store: GraphStore) -> dict[str, str]:
    return {memory: store.digest(memory) for memory in store.memories()}


def folded(
    records: Iterable[LogRecord],
    path: Path,
    batch: int = BATCH_RECORDS_MAX,
    cached_records_max: int = CACHED_RECORDS_MAX,
) -> dict[str, str]:
    """Fold all records into a store at ``path``, ``batch`` at a time, and return the digest of every memory."""
    with projecting(ListLog(records), path, cached_records_max) as projector:
        while projector.advance(batch):
            pass
        return digests(projector.store)
