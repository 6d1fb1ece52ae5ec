"""The stores of a directory, the log that they are folded from, and their checkpoints."""

import re
from collections.abc import Generator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from .exits import CommandLineError, ExitCode
from .screen import Screen, bars, clean

if TYPE_CHECKING:
    from yggdrasil_infra.log import CommandLog, LogReader
    from yggdrasil_projections.graph.checkpoint.taking import Checkpoint
    from yggdrasil_projections.graph.store.store import GraphStore

    from .options import OnKafka

PARTITION: Final = re.compile(r"\d{4,}")


def stores(screen: Screen, directory: Path, wanted: tuple[int, ...] | None) -> "Generator[GraphStore]":
    """Yield the stores in ``directory`` that have folded something, one after another, while we have it to ourselves.

    Those beside a log of their own are first brought to its end.
    """
    from yggdrasil_infra.locks import DirectoryLock
    from yggdrasil_infra.rocks.database import MemoryBudget
    from yggdrasil_infra.swap import settle
    from yggdrasil_projections.graph.store.store import GraphStore

    from ..engines.embedded import Embedded
    from .opening import catch_up, reachable

    if (directory / "log").is_dir():
        reachable(directory)
        with Embedded(directory) as engine:
            catch_up(screen, engine)
            for partition in range(engine.log.partitions):
                if (wanted is None or partition in wanted) and engine.store(partition).state.folded:
                    yield engine.store(partition)
        return
    graph = directory / "graph"
    if not graph.is_dir():
        message = f"{clean(directory)} holds no stores: name the directory of a memory or a worker"
        raise CommandLineError(ExitCode.NOT_FOUND, "no_stores_here", message)
    with DirectoryLock(directory):
        settle(directory)  # or a store may be missing, of a rebuild that ended half way
        budget = MemoryBudget.of()
        for path in sorted(each for each in graph.iterdir() if PARTITION.fullmatch(each.name)):
            if (wanted is None or int(path.name) in wanted) and (pin := GraphStore.pin_at(path, budget)):
                with GraphStore(path, pin, budget) as store:
                    yield store


def log_of(stack: ExitStack, directory: Path, kafka: str | None, topic: str, *, development: bool) -> "LogReader":
    """Open the log that the stores of ``directory`` are folded from, with the directory to ourselves."""
    from yggdrasil_infra.locks import DirectoryLock

    from .opening import usable
    from .options import kafka_of

    if kafka is None:
        from yggdrasil_infra.local_log.log import LocalLog

        usable(directory)
        if not (directory / "log").is_dir():
            message = f"{clean(directory)} holds no memory of its own; for a worker's directory give --kafka"
            raise CommandLineError(ExitCode.NOT_FOUND, "no_memory_here", message)
        return stack.enter_context(LocalLog.create_or_open(directory / "log"))
    from yggdrasil_infra.kafka_log.log import KafkaLog
    from yggdrasil_processors.partitions import check_partitions

    if (directory / "log").exists():
        message = f"{clean(directory)} has a log of its own: leave out --kafka, or name another directory (--dir)"
        raise CommandLineError(ExitCode.USAGE, "has_its_own_log", message)
    usable(directory)
    settings, profile = kafka_of(kafka, development=development)
    stack.enter_context(DirectoryLock(directory))
    found = stack.enter_context(KafkaLog(settings, topic, profile))
    check_partitions(None, found)
    return found


@contextmanager
def log_to_fill(there: "OnKafka | None", directory: Path) -> "Generator[CommandLog]":
    """Open the log that is appended to; one in a directory is made if it is not there.

    Raises CommandLineError, LogElsewhereError, PartitionsAddedError and LogError.
    """
    if there:
        from yggdrasil_infra.kafka_log.log import KafkaLog
        from yggdrasil_processors.partitions import check_partitions

        with KafkaLog(there.settings, there.topic, there.profile) as log:
            check_partitions(None, log)
            yield log
        return
    from yggdrasil_infra.local_log.log import LocalLog

    from ..engines.embedded import check_own_log
    from .opening import usable

    usable(directory)
    check_own_log(directory)
    with closing(LocalLog.create_or_open(directory / "log")) as local:
        yield local


def restored(
    screen: Screen, root: Path, directory: Path, log: "LogReader", partition: int, *, set_aside: bool
) -> dict[str, Any]:
    """Restore one partition; a store that was set aside comes back when there is nothing in its place."""
    from yggdrasil_infra.rocks.database import MemoryBudget
    from yggdrasil_projections.graph.checkpoint import restore as checkpoint_restore
    from yggdrasil_projections.graph.store.store import Pin

    path = directory / "graph" / f"{partition:04d}"
    there = path.is_dir() and any(path.iterdir())
    if there and not set_aside:
        return {"partition": partition, "checkpoint": None, "there": True, "set_aside": None, "unfit": []}
    aside = checkpoint_restore.set_aside(path) if there else None
    try:
        with bars(screen) as progress:
            pin = Pin(log.topic_id, log.partitions, partition)
            found = checkpoint_restore.restore(root, path, pin, log, MemoryBudget.of(), progress)
    finally:
        if aside and not path.exists():
            aside.rename(path)
    put_back = aside is not None and not aside.exists()
    return {
        "partition": partition,
        "checkpoint": described(found.checkpoint) if found.checkpoint else None,
        "there": put_back,
        "set_aside": str(aside) if aside and not put_back else None,
        "unfit": [one.reason for one in found.unfit],
    }


def described(one: "Checkpoint") -> dict[str, Any]:
    """Return what a checkpoint says of itself, for machines."""
    it = one.manifest
    return {
        "path": str(one.path),
        "topic_id": it.pin.topic_id,
        "partition": it.pin.partition,
        "position": it.position,
        "created_ms": it.created_ms,
        "bytes": it.size,
        "chain": it.chain,
        "memories": {memory: entry.digest for memory, entry in it.memories.items()},
    }
