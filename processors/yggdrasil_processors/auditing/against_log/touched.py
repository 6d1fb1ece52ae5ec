"""Which command touched a record of a store last, as the log has it: its memory is folded once more, under watch."""

from collections import defaultdict
from collections.abc import Collection, Iterator
from pathlib import Path

from yggdrasil_infra.log import LogReader, LogRecord
from yggdrasil_projections.graph.fold import Answer
from yggdrasil_projections.graph.store import families as cf
from yggdrasil_projections.graph.store.projector import BATCH_RECORDS_MAX
from yggdrasil_projections.graph.store.store import GraphStore
from yggdrasil_projections.retrieval.past.against_log import Touched
from yggdrasil_schemas.codec import command_of, named
from yggdrasil_schemas.commands import system_memory
from yggdrasil_schemas.graph.codec import encode_header
from yggdrasil_schemas.ids import key_in
from yggdrasil_schemas.refusals import Refused

from ..replay import Progress, fresh_projector
from .stores import Key


def last_touched(
    log: LogReader, path: Path, partition: int, end: int, watched: Collection[Key], progress: Progress | None = None
) -> dict[Key, Touched]:
    """Fold what is ``watched`` again, up to offset ``end``, and return by which command each was changed last.

    What is missing in the answer was never there. It takes a fresh directory ``path``. ``progress`` counts the records
    that are read. Raises what folding raises.
    """
    by_memory: dict[bytes, list[Key]] = defaultdict(list)
    for each in watched:
        by_memory[each.memory.encode()].append(each)
    own = {*by_memory, system_memory(partition).encode()}
    found: dict[Key, Touched] = {}
    values: dict[Key, bytes | None] = {}
    projector = fresh_projector(log, path, partition)
    try:
        for record in records_until(log, partition, end, progress):
            if record.key not in own:
                continue  # a memory is folded from its own records
            applied = projector.apply([record])  # one by one, so that a change has one cause
            for each in by_memory.get(record.key or b"", ()):
                now = _value(projector.store, each)
                if now != values.get(each):
                    values[each] = now
                    found[each] = _touched(record, applied[-1].answer, removed=now is None)
        return found
    finally:
        projector.close()


def records_until(log: LogReader, partition: int, end: int, progress: Progress | None) -> Iterator[LogRecord]:
    """Yield the records of a partition up to offset ``end``; ``progress`` counts them."""
    offset = log.start_offset(partition)
    while offset < end and (records := log.read(partition, offset, min(BATCH_RECORDS_MAX, end - offset))):
        yield from (record for record in records if record.offset < end)
        offset = records[-1].offset + 1
        if progress is not None:
            progress(len(records))


def _value(store: GraphStore, at: Key) -> bytes | None:
    graph = store.peek(at.memory)
    if graph is None:
        return None
    if at.family == cf.MEMORIES:
        return encode_header(0, graph.header)
    _, view, prefix = store.frozen(at.memory, (at.family,))
    try:
        return view.get(at.family, prefix + at.key)
    finally:
        view.close()


def _touched(record: LogRecord, answer: Answer, *, removed: bool) -> Touched:
    command = command_of(record.value)
    place = answer.seq, record.partition, record.offset, removed
    if isinstance(command, Refused):
        said = named(record.value)
        return Touched(said["command_id"], None, said["source"], None, *place)
    return Touched(command.id, command.type, command.source, key_in(command.process), *place)
