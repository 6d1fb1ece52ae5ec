"""A memory's own records in the log, page by page: so is read what the graph does not keep."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Generic, NamedTuple, TypeVar, cast

from yggdrasil_infra.log import LogRecord
from yggdrasil_projections.graph.lensed import unlensed
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.codec import decode
from yggdrasil_schemas.commands import Command
from yggdrasil_schemas.ids import id_bytes
from yggdrasil_schemas.refusals import Refused

from ...errors import InvalidAskError
from ...query import Source

_BATCH: Final = 500  # records of one read of the log
_PASSED_MAX: Final = 8  # such reads for one page: most of a partition may be of other memories
T = TypeVar("T")


@dataclass(slots=True)
class LogPage(Generic[T]):
    """What was ``found``, the offset to go on with, and the one at which it ends; ``as_of`` is the seq of the graph."""

    found: list[T]
    position: int
    end: int
    as_of: int


class Accepted(NamedTuple):
    """An accepted command, its seq, and whether its record was ``altered``: it is not the one that was folded."""

    command: Command
    seq: int
    altered: bool


def accepted_in(graph: Graph, record: LogRecord) -> Accepted | None:
    """Return the command of this memory that was accepted with a record; None for any other record."""
    decoded = None if record.value is None else decode(record.value)
    if decoded is None or isinstance(decoded, Refused) or decoded.command.memory != graph.header.memory:
        return None
    all_of_it = unlensed(graph)
    identity = all_of_it.identity(id_bytes(decoded.command.id))
    if identity is None or not identity.is_of(record.offset):
        return None
    altered = not all_of_it.folded(identity.seq, cast(bytes, record.value))
    return Accepted(decoded.command, identity.seq, altered)


def read_log(source: Source, begin: int, count: int, find: Callable[[Graph, LogRecord], T | None]) -> LogPage[T]:
    """Return at most ``count`` of what ``find`` makes of the memory's own records from the offset ``begin`` on.

    It ends where the fold stands, so that whoever goes on from there misses nothing that is folded later. Outside of
    any turn. Raises LogError, and InvalidAskError where the log does not reach up to ``begin``.
    """
    log, partition, key = source.log, source.partition, source.memory.encode()
    start, written = log.start_offset(partition), log.end_offset(partition)
    if begin > written:
        raise InvalidAskError(f"position {begin} is past the end of the log, {written}: begin with 0")
    position = max(start, begin)
    page = LogPage(list[T](), position, max(position, min(written, source.folded)), 0)
    for _ in range(_PASSED_MAX):
        records = log.read(partition, page.position, _BATCH)
        with source.frozen() as graph:  # after its position was asked: it has folded at least that far
            page.as_of = graph.header.seq
            for record in records:
                if record.offset >= page.end:
                    break
                if len(page.found) >= count:
                    return page
                page.position = record.offset + 1
                if record.key == key and (one := find(graph, record)) is not None:
                    page.found.append(one)
        if not records or records[-1].offset >= page.end - 1:
            page.position = page.end
        if page.position >= page.end:
            break
    return page
