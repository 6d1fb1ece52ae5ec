"""What an embedded directory holds, in numbers."""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from yggdrasil_processors.auditing.beside import store_beside
from yggdrasil_processors.auditing.rebuilding import partitions_in
from yggdrasil_projections.retrieval.errors import UnknownMemoryError
from yggdrasil_projections.retrieval.reads.operations.overview import Overview, overview

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


def stats_of_stores(directory: Path, memory: str | None = None) -> Stats:
    """Return the numbers of the stores in ``directory``, whose log is elsewhere, beside a worker that may be at work.

    In the place of the log's records stand those that were folded. Raises UnknownMemoryError and StorageError.
    """
    refused: Counter[str] = Counter()
    sizes: Counter[str] = Counter()
    folded: dict[int, int] = {}
    overviews: list[Overview] = []
    commands = partitions = 0
    for partition in partitions_in(directory):
        with store_beside(directory / "graph" / f"{partition:04d}") as store:
            partitions = max(partitions, store.pin.partitions)
            folded[partition] = store.state.folded
            refused.update(store.state.refused)
            sizes.update(store.disk_bytes())
            commands += sum(header.seq for header in store.headers())
            for name in store.memories():
                if memory in {None, name} and (graph := store.peek(name)) is not None:
                    overviews.append(overview(graph))
                    store.release(name)
    if memory is not None and not overviews:
        raise UnknownMemoryError(memory, str(directory))
    each = round(sizes["identity"] / commands, 1) if commands else None
    return Stats(
        [folded.get(partition, 0) for partition in range(partitions)],
        dict(sorted(refused.items())),
        dict(sizes),
        each,
        overviews,
    )


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
