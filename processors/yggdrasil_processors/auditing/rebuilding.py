"""Build the stores and indexes of a directory anew, beside those in use, and put them in their places.

It is how a new version of an index, or a new format of stores, takes the place of an old one; how a damaged store is
mended; and how it is shown that nothing but the log is needed.
"""

import os
import shutil
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from yggdrasil_infra import swap
from yggdrasil_infra.log import LogReader
from yggdrasil_infra.private import make_directory
from yggdrasil_infra.rocks.database import MemoryBudget, StorageError
from yggdrasil_infra.rocks.scrubbing import read_through
from yggdrasil_projections.graph.checkpoint.restore import set_aside
from yggdrasil_projections.graph.store.families import ALL
from yggdrasil_projections.graph.store.store import GraphStore, Pin, StoreError, StoreMismatchError
from yggdrasil_projections.retrieval.index.image import image_path
from yggdrasil_projections.retrieval.index.view import RetrievalView

from .audit import Audit, audit
from .replay import Progress

VIEWS: Final = "views"


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """What was built anew of one partition. ``not_compared`` says why its old store was no measure, if it was none.

    ``indexes`` are the memories whose indexes were built: those that had an image before. ``damaged`` says that
    the old store could not be read.
    """

    audit: Audit
    not_compared: str | None
    indexes: list[str]
    damaged: bool


@dataclass(frozen=True, slots=True)
class Rebuild:
    """All partitions that were rebuilt, and whether the new stores have taken the places of the old ones.

    ``aside`` are the new names of those that were damaged.
    """

    partitions: list[Rebuilt]
    swapped: bool
    aside: list[Path]

    @property
    def same(self) -> bool:
        """Whether no digest and no record differs, of all that could be compared."""
        return all(one.audit.same for one in self.partitions)


def partitions_in(directory: Path) -> list[int]:
    """Return the partitions that have a store below ``directory``."""
    return sorted(int(path.name) for path in (directory / "graph").glob("[0-9]*") if path.name.isdigit())


def rebuild(
    log: LogReader,
    directory: Path,
    partitions: Sequence[int],
    progress: Progress | None = None,
    *,
    accept: bool = False,
    at: Callable[[str], None] = lambda step: None,
) -> Rebuild:
    """Fold ``partitions`` of ``log`` into fresh stores, compare them with those in ``directory``, and swap them.

    The caller has the directory to itself. Fresh stores are compared where the old ones stand, memory by memory, and
    the log with what was folded from it, record by record; when something differs nothing is swapped unless
    ``accept``. A store that cannot be read is compared with nothing, and set aside. ``at`` is called between the steps
    that a crash may part, with their names. Raises LogError, StorageError, and StoreMismatchError for stores of another
    log.
    """
    swap.settle(directory)
    built = swap.begin(directory)
    try:
        done = [_rebuilt(log, directory, built, partition, progress) for partition in partitions]
        swapped = accept or all(one.audit.same for one in done)
        if set(partitions) < set(partitions_in(directory)):
            _keep_images(directory / VIEWS, built / VIEWS)
        aside: list[Path] = []
        if swapped and done:
            damaged = [one.audit.partition for one in done if one.damaged]
            aside += [set_aside(directory / "graph" / f"{partition:04d}") for partition in damaged]
            swap.decide(directory, at)
    finally:
        swap.abandon(directory)
    return Rebuild(done, swapped, aside)


def _rebuilt(log: LogReader, directory: Path, built: Path, partition: int, progress: Progress | None) -> Rebuilt:
    path = built / "graph" / f"{partition:04d}"
    damaged = False
    try:
        with ExitStack() as stack:
            standing, why_not = _standing(log, directory, partition)
            if standing is not None:
                stack.enter_context(standing)
            found = audit(log, path, partition, standing, progress)
    except StorageError as error:  # of the old store, at its opening or on the way: it is no measure
        shutil.rmtree(path, ignore_errors=True)
        why_not, damaged = str(error), True
        found = audit(log, path, partition, None, progress)
    return Rebuilt(found, why_not, _index(log, directory / VIEWS, built / VIEWS, path, partition), damaged)


def _keep_images(old: Path, new: Path) -> None:
    """Take over the images of what was not rebuilt: a file that has its name in both places costs nothing."""
    for image in old.iterdir() if old.is_dir() else ():
        if not (new / image.name).exists():
            os.link(image, new / image.name)


def _standing(log: LogReader, directory: Path, partition: int) -> tuple[GraphStore | None, str | None]:
    """Return the store in use, or why it is no measure.

    Raises StoreMismatchError for one of another log, and StorageError for one that cannot be read.
    """
    path = directory / "graph" / f"{partition:04d}"
    if not path.is_dir() or not any(path.iterdir()):
        return None, "there was no store"
    pin = Pin(log.topic_id, log.partitions, partition)
    try:
        read_through(path, ALL)  # digests do not say whether contents can be read
        return GraphStore(path, pin, MemoryBudget.of(), read_only=True), None
    except StoreMismatchError:
        raise
    except StoreError as error:
        return None, str(error)


def _index(log: LogReader, old: Path, new: Path, path: Path, partition: int) -> list[str]:
    """Build the indexes of those memories anew that had an image before; the others are built when they are asked."""
    pin = Pin(log.topic_id, log.partitions, partition)
    make_directory(new)
    with GraphStore(path, pin, MemoryBudget.of()) as store, RetrievalView(new, image_documents_min=0) as view:
        asked = [memory for memory in store.memories() if image_path(old, memory).exists()]
        for memory in asked:
            graph = store.peek(memory)
            if graph is not None:
                view.index(graph)
                store.release(memory)
        store.flush()
    return asked
