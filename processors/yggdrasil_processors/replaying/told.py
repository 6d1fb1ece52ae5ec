"""What the records of a stretch did: commands by their kind, memory by memory, accepted, refused, or there before.

It is read from the log and from what the store keeps of every command's identity, after the fold. So it is told whole
also of a replay that was interrupted.
"""

from collections import Counter
from dataclasses import dataclass, field

from yggdrasil_infra.log import LogReader, LogRecord
from yggdrasil_projections.graph.store.store import GraphStore
from yggdrasil_schemas.codec import Decoded, decode

from ..auditing.replay import Progress
from ..past.alone import is_system
from .asked import Chosen, records_of

_TOLD_EVERY = 500


@dataclass(frozen=True, slots=True)
class Happened:
    """What a stretch did to one memory: counts by kind of command; ``again`` are those with an id that was there."""

    accepted: Counter[str] = field(default_factory=Counter[str])
    refused: Counter[str] = field(default_factory=Counter[str])
    again: Counter[str] = field(default_factory=Counter[str])


@dataclass(frozen=True, slots=True)
class Told:
    """What a stretch did: by memory, and how many of its records are ``unreadable`` or say which ``versions`` hold."""

    memories: dict[str, Happened]
    unreadable: int = 0
    versions: int = 0


def tell(
    log: LogReader, store: GraphStore, chosen: Chosen, begin: int, end: int, progress: Progress | None = None
) -> Told:
    """Return what the records from ``begin`` until before ``end`` did; ``store`` has folded them. Raises LogError."""
    memories: dict[str, Happened] = {}
    unreadable = versions = 0
    touched = set[str]()
    for number, record in enumerate(records_of(log, store.pin.partition, end, chosen, begin)):
        if number % _TOLD_EVERY == 0:
            for memory in touched:
                store.release(memory)
            touched.clear()
            if progress:
                progress(0)
        if is_system(record):
            versions += 1
            continue
        decoded = decode(record.value)
        if not isinstance(decoded, Decoded) or not isinstance(counts := _of(store, record, decoded), str):
            unreadable += 1
            continue
        memory = decoded.command.memory
        touched.add(memory)
        happened = memories.setdefault(memory, Happened())
        getattr(happened, counts)[decoded.command.type] += 1
    return Told(memories, unreadable, versions)


def _of(store: GraphStore, record: LogRecord, decoded: Decoded) -> str | None:
    """Return which count a command belongs to; None where it is under another key, or spoken in no version."""
    memory = decoded.command.memory
    graph = store.peek(memory) if record.key == memory.encode() else None
    identity = None if graph is None else graph.identity(decoded.command_id)
    if identity is None:
        return None
    if identity.offset != record.offset and identity.body_hash == decoded.body_hash:
        return "again"
    return "refused" if identity.result or identity.offset != record.offset else "accepted"
