"""The audit of one partition: replay its log from the first record, and compare with the store that stands.

Two things are compared. The chain: does the log still hold, record by record, what the store was folded from? And the
digests: does folding it again give the same memories? A store that lags behind the log is compared where it stands.
"""

from dataclasses import dataclass
from pathlib import Path

from yggdrasil_infra.log import LogReader
from yggdrasil_projections.graph.store.projector import BATCH_RECORDS_MAX, Projector
from yggdrasil_projections.graph.store.store import GraphStore

from .replay import AlteredRecordError, Progress, fresh_projector, verify_chain


@dataclass(frozen=True, slots=True)
class Compared:
    """One memory's digest in the store that stands and in the replay at the same position; None: not there."""

    memory: str
    standing: str | None
    replayed: str | None

    @property
    def same(self) -> bool:
        """Whether both are there and equal."""
        return self.standing is not None and self.standing == self.replayed


@dataclass(frozen=True, slots=True)
class Audit:
    """What an audit found. ``chain`` and ``digests`` are those of the replay at the end of the log.

    ``standing_chain`` and ``compared`` are None and empty when there was no store to compare with; ``altered`` is the
    first record of the log that is not the one that the store was folded from.
    """

    partition: int
    records: int
    chain: str
    digests: dict[str, str]
    standing_position: int | None
    standing_chain: str | None
    replayed_chain: str | None
    compared: list[Compared]
    altered: AlteredRecordError | None

    @property
    def same(self) -> bool:
        """Whether nothing differs."""
        chains = self.standing_chain == self.replayed_chain
        return chains and self.altered is None and all(entry.same for entry in self.compared)


def audit(
    log: LogReader, path: Path, partition: int, standing: GraphStore | None, progress: Progress | None = None
) -> Audit:
    """Replay ``partition`` into a fresh store at ``path`` and compare it with ``standing``.

    ``progress`` counts the records that are read: those of ``standing`` twice, once for the chain. Raises ReplayError
    when ``path`` is not empty.
    """
    altered = _altered(log, standing, progress) if standing else None
    projector = fresh_projector(log, path, partition)
    try:
        store = projector.store
        position = chain = replayed_chain = None
        compared: list[Compared] = []
        if standing:
            position, chain = standing.state.position, standing.state.chain.hex()
            _advance(projector, position, progress)
            replayed_chain = store.state.chain.hex()
            compared = _compare(standing, store)
        _advance(projector, log.end_offset(partition), progress)
        digests = {memory: store.digest(memory) for memory in store.memories()}
        at_end = store.state.chain.hex()
        return Audit(partition, store.state.folded, at_end, digests, position, chain, replayed_chain, compared, altered)
    finally:
        projector.close()


def _altered(log: LogReader, standing: GraphStore, progress: Progress | None) -> AlteredRecordError | None:
    try:
        verify_chain(log, standing, progress)
    except AlteredRecordError as error:
        return error
    return None


def _advance(projector: Projector, position: int, progress: Progress | None) -> None:
    """Fold on until ``position``; offsets may have gaps, but never more than one record for each."""
    while (missing := position - projector.store.state.position) > 0:
        batch = projector.advance(min(missing, BATCH_RECORDS_MAX))
        if not batch:
            return
        if progress:
            progress(len(batch))


def _compare(standing: GraphStore, replayed: GraphStore) -> list[Compared]:
    here, there = set(standing.memories()), set(replayed.memories())
    return [
        Compared(
            memory,
            standing.digest(memory) if memory in here else None,
            replayed.digest(memory) if memory in there else None,
        )
        for memory in sorted(here | there)
    ]
