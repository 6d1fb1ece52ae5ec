"""The auditor's replay: fold a log from its first record into fresh stores, and compare with what stands.

A replaying host has no producer: it appends nothing and publishes nothing.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from yggdrasil_infra.log import LogReader
from yggdrasil_infra.rocks.database import MemoryBudget
from yggdrasil_projections.graph.store.chain import CHAIN_START, chained, record_hash
from yggdrasil_projections.graph.store.projector import BATCH_RECORDS_MAX, Projector
from yggdrasil_projections.graph.store.store import GraphStore, Pin, View
from yggdrasil_schemas.errors import YggdrasilError
from yggdrasil_schemas.partitions import partition_for
from yggdrasil_schemas.problems import ExitCode, local

Progress = Callable[[int], object]
"""Called with the number of records of each batch."""


class ReplayError(YggdrasilError):
    """A replay cannot start or cannot reach what was asked for."""

    kind = local("cannot_replay", ExitCode.USAGE)


class AlteredRecordError(YggdrasilError):
    """The log no longer says what was folded from it; the first record that differs is named."""

    kind = local("record_altered", ExitCode.DIFFERENT)

    def __init__(self, partition: int, offset: int) -> None:
        super().__init__(
            f"the record at offset {offset} of partition {partition} is not the one that was folded: it was altered, "
            "or records before it were removed. Everything folded from there on is in doubt; restore the log."
        )
        self.partition = partition
        self.offset = offset


@dataclass(frozen=True, slots=True)
class Replayed:
    """What a replay of one partition found: records folded, the log chain, and the digest of every memory."""

    partition: int
    records: int
    chain: str
    digests: dict[str, str]


def replay(log: LogReader, path: Path, partition: int, progress: Progress | None = None) -> Replayed:
    """Fold all of ``partition`` into a fresh store under ``path``. Raises ReplayError when one is there already."""
    projector = fresh_projector(log, path, partition)
    try:
        while batch := projector.advance():
            if progress:
                progress(len(batch))
        projector.settle_attestations()
        store = projector.store
        digests = {memory: store.digest(memory) for memory in store.memories()}
        return Replayed(partition, store.state.folded, store.state.chain.hex(), digests)
    finally:
        projector.close()


def replay_as_of(log: LogReader, path: Path, memory: str, seq: int, progress: Progress | None = None) -> str:
    """Rebuild ``memory`` as it stood at ``seq`` in a fresh store under ``path`` and return its digest.

    Raises ReplayError when the log ends before that seq.
    """
    projector = fresh_projector(log, path, partition_for(memory.encode(), log.partitions))
    try:
        reached = 0
        while reached < seq:
            # A record moves a memory by at most one seq, so this many cannot overshoot.
            batch = projector.advance(min(BATCH_RECORDS_MAX, seq - reached))
            if not batch:
                raise ReplayError(f"{memory} stands at seq {reached} at the end of the log; {seq} has not happened yet")
            if progress:
                progress(len(batch))
            graph = projector.store.peek(memory)
            reached = graph.header.seq if graph else 0
        return projector.store.digest(memory)
    finally:
        projector.close()


def verify_chain(log: LogReader, store: GraphStore, progress: Progress | None = None) -> str:
    """Read again everything that ``store`` was folded from and return the chain, 64 hexadecimal digits.

    Raises AlteredRecordError for the first record whose hash is not the one that was kept when it was folded.
    """
    partition, state = store.pin.partition, store.state
    chain, offset = CHAIN_START, log.start_offset(partition)
    kept = iter(store.record_hashes())
    while offset < state.position:
        records = log.read(partition, offset, min(BATCH_RECORDS_MAX, state.position - offset))
        for record in records:
            if record.offset >= state.position:
                break
            of_record = record_hash(record)
            if next(kept, None) != (record.offset, of_record):
                raise AlteredRecordError(partition, record.offset)
            chain = chained(chain, of_record)
        if not records:
            break
        offset = records[-1].offset + 1
        if progress:
            progress(len(records))
    missing = next(kept, None)
    if missing is not None or chain != state.chain:
        raise AlteredRecordError(partition, missing[0] if missing else state.last_offset)
    return chain.hex()


def fresh_projector(log: LogReader, path: Path, partition: int, views: Sequence[View] = ()) -> Projector:
    """Return a projector of ``partition`` into a new store at ``path``; ``views`` are told of every commit.

    Raises ReplayError when a store is there.
    """
    if path.exists() and any(path.iterdir()):
        raise ReplayError(f"{path} is not empty; a replay needs a fresh directory")
    store = GraphStore(path, Pin(log.topic_id, log.partitions, partition), MemoryBudget.of(), views=views)
    try:
        return Projector(log, store)
    except BaseException:
        store.close()
        raise
