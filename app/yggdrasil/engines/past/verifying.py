"""A memory of a host compared with what its log gives of it, while the host goes on."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from yggdrasil_infra.room import Room
from yggdrasil_processors.auditing.against_log.one_memory import verify_memory
from yggdrasil_processors.auditing.against_log.stores import COMPARED
from yggdrasil_projections.retrieval.errors import UnknownMemoryError

if TYPE_CHECKING:
    from yggdrasil_projections.retrieval.past.against_log import AgainstLog
    from yggdrasil_projections.service.reads import Progress

    from ..reading import Reading


def verified(engine: Reading, memory: str, progress: Progress | None = None) -> AgainstLog:
    """Fold a memory anew from its log, up to where it stands, and compare both record by record.

    Raises UnknownMemoryError, DiskFullError where there is no room for a store of it, LogError and StorageError.
    """
    hosted = engine.hosted(memory)
    with hosted.reading(memory) as graph:  # in a turn, so that it stands at the position
        if graph is None:
            raise UnknownMemoryError(memory, engine.where)
        frozen, position = hosted.store.frozen(memory, COMPARED), hosted.position
    with hosted.at_leisure(frozen.view), TemporaryDirectory(prefix="yggdrasil-verify-") as work:
        Room(Path(work), what="folded").check()
        return verify_memory(engine.records, hosted.store, frozen, position, Path(work), progress)
