"""Verify a directory: read everything in it, and say what is damaged, where, and what to do. Nothing is changed.

The log is read record by record, each with its digest; the stores block by block, each with its checksum, and what must
hold in every store is looked at. With ``deep``, the log is folded anew as well, and compared.
"""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal

from yggdrasil_infra.local_log.log import LocalLog
from yggdrasil_infra.local_log.losses import Lost, losses
from yggdrasil_infra.log import LogError
from yggdrasil_infra.rocks.database import StorageError
from yggdrasil_infra.rocks.errors import OF_STORE
from yggdrasil_infra.rocks.scrubbing import read_through, small_budget
from yggdrasil_projections.graph.store.families import ALL
from yggdrasil_projections.graph.store.projector import verify_against_log
from yggdrasil_projections.graph.store.store import GraphStore, StoreError, StoreMismatchError
from yggdrasil_projections.retrieval.index.image import sound
from yggdrasil_schemas.ids import id_text

from .audit import audit
from .beside import store_beside
from .rebuilding import VIEWS, partitions_in

_TRIES: Final = 5  # beside a writer, whose files come and go

What = Literal["log", "store", "difference", "index"]
Progress = Callable[[str, int], object]
"""Called with what is being read and the bytes of each piece."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that is not as it was written: what kind of thing, where, and what is wrong with it.

    An ``index`` is no loss: whoever is asked next makes it anew. ``lost`` are the records of a log that are gone.
    """

    what: What
    place: str
    said: str
    lost: Lost | None = None


@dataclass(slots=True)
class Verified:
    """What was read, and what was found. ``lost_commands`` are ids by memory, as far as stores still know them."""

    records: int = 0
    stores: list[int] = field(default_factory=list[int])
    findings: list[Finding] = field(default_factory=list[Finding])
    lost_commands: dict[str, list[str]] = field(default_factory=dict[str, list[str]])

    @property
    def damaged(self) -> bool:
        """Whether anything is wrong that is not made anew by itself."""
        return any(one.what != "index" for one in self.findings)


def verify(directory: Path, progress: Progress, *, deep: bool = False) -> Verified:
    """Read everything in ``directory``, that of an embedded memory or of a worker, beside whoever uses it.

    ``deep`` folds the log anew, and takes as long as that; it needs a log in the directory. Raises OSError.
    """
    found = Verified()
    has_log = (directory / "log").is_dir()
    if has_log:
        _verify_log(directory / "log", found, progress)
    for partition in partitions_in(directory):
        found.stores.append(partition)
        found.findings += _of_store(directory, partition, progress, deep=deep and has_log)
    if lost := [one.lost for one in found.findings if one.lost is not None]:
        found.lost_commands = _named(directory, lost)
    for image in sorted((directory / VIEWS).glob("*.index")):
        if not sound(image):
            found.findings.append(Finding("index", str(image), "its checksum is another; it is made anew when asked"))
    return found


def _verify_log(path: Path, found: Verified, progress: Progress) -> None:
    try:
        with closing(LocalLog.open_read_only(path, small_budget())) as log:
            for partition in range(log.partitions):
                found.records += log.end_offset(partition)
                for one in losses(log, partition, lambda size: progress("log", size)):
                    found.findings.append(Finding("log", str(path), str(one), one))
    except LogError as error:
        found.findings.append(Finding("log", str(path), str(error)))


def _of_store(directory: Path, partition: int, progress: Progress, *, deep: bool) -> Iterator[Finding]:
    path = directory / "graph" / f"{partition:04d}"
    try:
        read_through(path, ALL, lambda size: progress("stores", size))
        with store_beside(path) as store:
            for what in store.broken():
                yield Finding("store", str(path), f"{path}: {what}. {OF_STORE}")
            if (directory / "log").is_dir():
                yield from _beside_log(directory, store, progress, deep=deep)
    except (StorageError, StoreError) as error:
        yield Finding("store", str(path), str(error))


def _beside_log(directory: Path, store: GraphStore, progress: Progress, *, deep: bool) -> Iterator[Finding]:
    """Compare a store with its log, opened after it: a writer may be at work."""
    if not store.state.position:
        return
    partition = store.pin.partition
    try:
        with ExitStack() as stack:
            log = stack.enter_context(LocalLog.open_read_only(directory / "log", small_budget()))
            verify_against_log(log, store)
            if not deep:
                return
            work = stack.enter_context(tempfile.TemporaryDirectory(prefix="yggdrasil-verify-"))
            found = audit(log, Path(work, "graph"), partition, store, lambda records: progress("fold", records))
            if found.altered is not None:
                yield Finding("difference", str(store.path), str(found.altered))
            for one in found.compared:
                if not one.same:
                    here, there = one.standing or "missing", one.replayed or "missing"
                    said = f"{store.path}: {one.memory} is {here} here, and {there} by its log. {OF_STORE}"
                    yield Finding("difference", str(store.path), said)
    except StoreMismatchError as error:
        yield Finding("difference", str(store.path), str(error))
    except LogError:
        return  # which has been said of the log itself


def _named(directory: Path, lost: list[Lost]) -> dict[str, list[str]]:
    """Return the ids of the commands that are lost, by memory, as far as stores that can be read remember them."""
    found: dict[str, list[str]] = {}
    for partition in {one.partition for one in lost}:
        places = [range(one.first, one.last + 1) for one in lost if one.partition == partition]
        with suppress(StorageError, StoreError), store_beside(directory / "graph" / f"{partition:04d}") as store:
            for memory in store.memories():
                ids = [
                    id_text(command)
                    for command, known in store.identities(memory).items()
                    if any(known.offset in place for place in places)
                ]
                if ids:
                    found[memory] = sorted(ids)
    return found
