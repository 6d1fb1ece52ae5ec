"""Where a replay of a partition begins: with nothing, with a rung of a host's ladder, or with a checkpoint.

What was folded before a rung or a checkpoint is taken on trust; what comes after is folded again.
"""

import logging
import shutil
from dataclasses import dataclass
from pathlib import Path

from yggdrasil_infra.log import LogReader, Receipt
from yggdrasil_infra.private import make_directory
from yggdrasil_infra.rocks.database import MemoryBudget
from yggdrasil_projections.graph.checkpoint.restore import restore
from yggdrasil_projections.graph.store.projector import Projector
from yggdrasil_projections.graph.store.store import GraphStore, Pin
from yggdrasil_projections.retrieval.past.moment import AsOf
from yggdrasil_schemas.errors import YggdrasilError

from ..past.ladder import NO_LADDER, Ladders, Rung, taken
from .asked import Chosen, Edge
from .notes import Begun

_LOG = logging.getLogger("yggdrasil.replay")


@dataclass(frozen=True, slots=True)
class Beginnings:
    """Where states are looked for: in the ladder of a host's ``directory``, and among ``checkpoints``."""

    directory: Path | None
    checkpoints: Path | None


def begin(
    log: LogReader, place: Path, pin: Pin, chosen: Chosen, edges: list[Edge], states: Beginnings | None
) -> tuple[Projector, Begun]:
    """Return a projector into a store at ``place``, which is not there yet, and where it begins.

    It is before all ``edges``: the nearest state that fits the log, or nothing. A state that cannot be used is passed
    over. Raises LogMismatchError where the log begins later, and LogError, StoreError and StorageError.
    """
    make_directory(place.parent)
    bound = min((edge.offset for edge in edges if edge.offset is not None), default=log.end_offset(pin.partition))
    ladders = None
    if states is not None and states.directory is not None:
        # As of another host, since nothing is changed there: a rung that is damaged is passed over, and stays.
        ladders = Ladders(place.parent, NO_LADDER, (states.directory,))
    while states is not None and bound > 0:
        rung = _rung(log, pin.partition, chosen, bound, edges, ladders)
        found = _restored(log, place, pin, range(rung.position if rung else 1, bound + 1), states.checkpoints)
        if found is None:
            if rung is None:
                break
            found = _taken(log, place, pin, rung)
            if found is None:
                bound = rung.position - 1
                continue
        projector, begun_at = found
        if not any(edge.passed(begun_at.position, seq_of(projector.store, chosen)) for edge in edges):
            return found
        projector.close()  # it stands beyond the seq that was asked for
        shutil.rmtree(place)
        bound = begun_at.position - 1
    return opened(log, place, pin), Begun()


def opened(log: LogReader, place: Path, pin: Pin) -> Projector:
    """Open the store at ``place``, or make it, and return a projector into it. Raises as ``begin`` does."""
    store = GraphStore(place, pin, MemoryBudget.of())
    try:
        return Projector(log, store)
    except BaseException:
        store.close()
        raise


def seq_of(store: GraphStore, chosen: Chosen) -> int:
    """Return the seq of the one memory that is chosen; 0 where it has none, or another number is."""
    graph = store.peek(chosen.one) if chosen.one is not None else None
    return 0 if graph is None else graph.header.seq


def _rung(
    log: LogReader, partition: int, chosen: Chosen, bound: int, edges: list[Edge], ladders: Ladders | None
) -> Rung | None:
    """Return the rung that stands nearest before ``bound`` and before the seqs among ``edges``."""
    if ladders is None:
        return None
    memory = chosen.one or ""
    found = ladders.nearest(log, partition, memory, AsOf(receipt=Receipt(partition, bound - 1)))
    for edge in edges:
        if edge.seq is not None and found is not None:
            other = ladders.nearest(log, partition, memory, AsOf(seq=edge.seq))
            found = min(found, other) if other is not None else None
    return found


def _restored(
    log: LogReader, place: Path, pin: Pin, within: range, checkpoints: Path | None
) -> tuple[Projector, Begun] | None:
    """Begin with the newest checkpoint that stands within some positions, every file and digest verified."""
    if checkpoints is None:
        return None
    found = restore(checkpoints, place, pin, log, MemoryBudget.of(), within=within)
    for each in found.unfit:
        _LOG.warning("a checkpoint is passed over: %s", each.reason)
    if found.checkpoint is None:
        return None
    begun = Begun(found.checkpoint.manifest.position, "checkpoint", str(found.checkpoint.path))
    return opened(log, place, pin), begun


def _taken(log: LogReader, place: Path, pin: Pin, rung: Rung) -> tuple[Projector, Begun] | None:
    """Begin with a rung; None where it cannot be used."""
    made = place.with_name(f"{place.name}.beginning")
    shutil.rmtree(made, ignore_errors=True)  # of a process that was killed
    try:
        taken(rung, made)
        opened(log, made, pin).close()
    except (OSError, YggdrasilError) as error:
        _LOG.warning("a rung is passed over: %s", error)
        shutil.rmtree(made, ignore_errors=True)
        return None
    made.rename(place)
    return opened(log, place, pin), Begun(rung.position, "rung", str(rung.path))
