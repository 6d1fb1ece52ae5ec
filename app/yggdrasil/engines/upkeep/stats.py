"""What an embedded directory holds, in numbers."""

from collections import Counter
from dataclasses import dataclass

from yggdrasil_projections.retrieval.reads.overview import Overview, overview

from ..embedded import Embedded


@dataclass(frozen=True, slots=True)
class Stats:
    """The log and its stores; bytes are those of table files on the disk.

    ``identity_bytes_per_command`` is what remembering a command's id costs, for ever; None when nothing was folded.
    """

    records_by_partition: list[int]
    refused: dict[str, int]
    bytes_by_family: dict[str, int]
    identity_bytes_per_command: float | None
    memories: list[Overview]


def stats(engine: Embedded, memory: str | None = None) -> Stats:
    """Return the numbers of ``engine``, with the overview of ``memory`` or of all. Raises UnknownMemoryError."""
    refused: Counter[str] = Counter()
    sizes: Counter[str] = Counter()
    for partition in range(engine.log.partitions):
        store = engine.store(partition)
        store.flush()  # what is not in table files yet has no size
        refused.update(store.state.refused)
        sizes.update(store.disk_bytes())
    commands = sum(engine.graph(name).header.seq for name in engine.memories())
    return Stats(
        [engine.log.end_offset(partition) for partition in range(engine.log.partitions)],
        dict(sorted(refused.items())),
        dict(sizes),
        round(sizes["identity"] / commands, 1) if commands else None,
        [overview(engine.graph(name)) for name in ([memory] if memory else engine.memories())],
    )
