"""Directories with damage in them: a memory that has grown, and a block of one of its tables flipped."""

import shutil
from pathlib import Path

from tests.faults.local.oracle import flip
from yggdrasil.engines.embedded import Embedded
from yggdrasil_producers.draft import Drafter
from yggdrasil_schemas.partitions import partition_for

PARTITIONS = 2
MEMORIES = tuple(f"acme/agent-{number}" for number in range(4))
EVENTS = 60


def grown(path: Path) -> list[str]:
    """Make a directory in tables alone; return the ids of its commands."""
    ids: list[str] = []
    with Embedded(path, partitions=PARTITIONS) as engine:
        for memory in MEMORIES:
            drafter = Drafter(memory, "test", "test")
            drafts = [
                drafter.record_event(f"Event {number} of {memory}", features=["deploy", f"day-{number % 7}"])
                for number in range(EVENTS)
            ]
            for draft, answer in engine.submit_many(drafts):
                assert answer.refused is None
                ids.append(draft.id)
        for partition in range(PARTITIONS):
            engine.store(partition).flush()
        engine.log.flush()
    return ids


def partition_of(memory: str) -> int:
    return partition_for(memory.encode(), PARTITIONS)


def of_other_partition(memory: str) -> str:
    return next(other for other in MEMORIES if partition_of(other) != partition_of(memory))


def damage_blocks(folder: Path, smallest: int = 1_600) -> int:
    """Flip a byte in the first block of every table that holds something; return in how many."""
    tables = [table for table in folder.glob("*.sst") if table.stat().st_size > smallest]
    for table in tables:
        flip(table, 40, 0x10)
    return len(tables)


def store_of(path: Path, memory: str) -> Path:
    return path / "graph" / f"{partition_of(memory):04d}"


def copy(path: Path, to: Path) -> Path:
    return shutil.copytree(path, to)
