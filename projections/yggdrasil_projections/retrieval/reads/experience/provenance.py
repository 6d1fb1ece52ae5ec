"""Who said something, by name, and where that stands: a source, a key, a command, and its place in the log.

A graph keeps what made a node, so of that it is read there. Of a command that made none it keeps the seq alone: that
one is looked for in the log, where seqs rise as offsets do.
"""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from yggdrasil_infra.log import LogError, LogRecord
from yggdrasil_projections.graph.laws.authority import trust_in, trust_of
from yggdrasil_projections.graph.lensed import trust_min_of, unlensed, withheld_of
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.commands import Command
from yggdrasil_schemas.graph.records import Identity, node_number
from yggdrasil_schemas.ids import id_bytes, key_in

from ...answers import Place
from ...query import Source
from ...records import fields_in

_PAGE: Final = 64  # one read of the log costs about as much for so many records as for one
_READS_MAX: Final = 32  # of the log, for one command: many where other memories take up most of a partition


@dataclass(frozen=True, slots=True)
class Provenance:
    """Who said something: the ``source`` by its name, and its ``origin`` and ``trust`` (0 to 4) as they were stamped.

    ``key`` is the id of the key with which it came over HTTP, None where it came in another way. ``id`` is that of the
    command, and ``place`` where that stands: its seq, and partition and offset in the log.
    """

    id: str
    source: str
    key: str | None
    origin: str
    trust: int
    place: Place


def provenance_of(graph: Graph, partition: int, ref: str) -> Provenance | None:
    """Return who said what a live node says, by its reference; None of a feature, which nobody alone has said.

    None as well where the graph does not show the words of who said it first, though somebody has confirmed them since.
    """
    try:
        identity = graph.identity(id_bytes(ref))
    except ValueError:
        return None
    content = None if identity is None else graph.content(node_number(identity.seq))
    if identity is None or content is None:
        return None
    record = fields_in(content)
    trust = trust_in(record["origin"], record.get("trust"))
    return None if trust < trust_min_of(graph) else _provenance(record, trust, partition, identity)


def sent(command: Command, partition: int, identity: Identity) -> Provenance:
    """Return who sent an accepted command, and where it stands."""
    place = Place(identity.seq, partition, identity.offset)
    by = command.source, key_in(command.process), command.origin
    return Provenance(command.id, *by, trust_of(command), place)


def provenances(graph: Graph, partition: int, refs: Iterable[str]) -> dict[str, Provenance]:
    """Return who said what live nodes say, by their references, as far as ``provenance_of`` tells."""
    told = ((ref, provenance_of(graph, partition, ref)) for ref in dict.fromkeys(refs))
    return {ref: each for ref, each in told if each is not None}


def found_by_seq(source: Source, seqs: Iterable[int], first: Provenance | None) -> dict[int, Provenance]:
    """Return who sent the commands with these seqs, which come after ``first``: read from the log, outside of any turn.

    What is not found is left out: where the log cannot be read, and where most of it is of other memories.
    """
    found: dict[int, Provenance] = {}
    low = _Spot(0, source.log.start_offset(source.partition)) if first is None else _spot_of(first.place)
    with suppress(LogError):
        for seq in sorted(set(seqs)):
            one = first if first is not None and first.place.seq == seq else _search(source, seq, low)
            if one is not None:
                found[seq] = one
                low = _spot_of(one.place)
    return found


class _Spot(NamedTuple):
    """A seq, and an offset at which it stands, or after which it does."""

    seq: int
    offset: int


def _spot_of(place: Place) -> _Spot:
    return _Spot(place.seq, place.offset)


def _search(source: Source, seq: int, low: _Spot) -> Provenance | None:
    """Look for a command where its seq would stand if they were spread evenly, and then between those found."""
    log, partition = source.log, source.partition
    with source.graph() as graph:
        high: _Spot = _Spot(graph.header.seq + 1, log.end_offset(partition))
    passed: tuple[int, int] | None = None  # from where to where nothing of this memory stands
    for _ in range(_READS_MAX):
        if low.offset >= high.offset or not low.seq <= seq < high.seq:
            return None
        share: int = (seq - low.seq) * (high.offset - low.offset) // (high.seq - low.seq)
        start: int = (
            max(low.offset, min(low.offset + share, high.offset - 1) - _PAGE // 2) if passed is None else passed[1]
        )
        records = log.read(partition, start, _PAGE)
        mine, found = _own(source, records, seq)
        if found is not None:
            return found
        before: list[_Spot] = [each for each in mine if each.seq < seq]
        after: list[_Spot] = [each for each in mine if each.seq > seq]
        began: int = start if passed is None else passed[0]
        ended: int = records[-1].offset + 1 if records else high.offset
        passed = None
        if before:
            low = _Spot(before[-1].seq, before[-1].offset + 1)
        if after:
            high = after[0] if before or began <= low.offset else _Spot(after[0].seq, began)
        elif not before and ended < high.offset:
            passed = began, ended
        elif not before:
            high = _Spot(high.seq, began)
    return None


def _own(source: Source, records: Iterable[LogRecord], seq: int) -> tuple[list[_Spot], Provenance | None]:
    """Return where accepted commands of the memory stand in some records; of the one with ``seq`` who sent it."""
    key = source.memory.encode()
    named = [(id_of, record) for record in records if record.key == key and (id_of := _id_in(record.value))]
    spots: list[_Spot] = []
    with source.graph() as graph:
        every = unlensed(graph)
        for command_id, record in named:
            identity = every.identity(command_id)
            if identity is None or identity.result or identity.offset != record.offset:
                continue
            spots.append(_Spot(identity.seq, identity.offset))
            if identity.seq == seq and every.folded(seq, record.value or b""):
                fields = fields_in(record.value or b"")
                trust = trust_in(fields["origin"], fields.get("trust"))
                if trust >= trust_min_of(graph) and node_number(seq) not in withheld_of(graph):
                    return spots, _provenance(fields, trust, source.partition, identity)
    return spots, None


def _id_in(value: bytes | None) -> bytes | None:
    """Return the id in a record, which may hold anything."""
    try:
        return id_bytes(fields_in(value or b"")["id"])
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def _provenance(record: dict[str, Any], trust: int, partition: int, identity: Identity) -> Provenance:
    place = Place(identity.seq, partition, identity.offset)
    return Provenance(record["id"], record["source"], key_in(record["process"]), record["origin"], trust, place)
