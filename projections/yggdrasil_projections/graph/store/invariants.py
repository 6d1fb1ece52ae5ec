"""What holds in every sound store, whatever was folded: looked at without a log, when a directory is verified."""

from collections.abc import Callable, Iterator
from typing import Final

from yggdrasil_infra.rocks.database import Rocks
from yggdrasil_schemas.graph.codec import (
    EDGE_KEY,
    NUMBER,
    REVERSED_KEY,
    decode_header,
    decode_node,
    decode_numbers,
    decode_scorer,
    decode_session,
    decode_vector,
)
from yggdrasil_schemas.graph.knowledge_codec import decode_names, decode_ruling
from yggdrasil_schemas.graph.records import EdgeKind, Header, NodeKind, Status, is_feature, seq_of
from yggdrasil_schemas.limits import DESK_MAX, SCORERS_MAX, SLOT_MAX, SNAPSHOTS_MAX

from . import families as cf
from .chain import CHAIN_START, HASH_BYTES, chained
from .marks import AFTER_MARK
from .source import PREFIX_BYTES, StoreSource
from .state import StoreState

_PAGE: Final = 10_000
_PAGE_BYTES: Final = 1 << 20
Read = Callable[[int], object]


def broken_invariants(db: Rocks, state: StoreState) -> Iterator[str]:
    """Yield what does not hold, a sentence each. Raises StorageDamagedError where something cannot be read.

    The chain over all record hashes is the one in the state; every memory has as many nodes and edges as it says, both
    ends of an edge are there, each edge is found from both, and what belongs to a node belongs to one that is there.
    What a session holds is there, and its desk is no larger than it may be. What is in a slot follows from rulings and
    statuses, names lead to each other, relations are edges, and what is kept of a command is the record that was
    folded.
    """
    yield from _of_chain(db, state)
    for key, data in db.scan(cf.MEMORIES, b"", AFTER_MARK):
        local, header = decode_header(key.decode(), data)
        for what in _of_memory(db, header, local.to_bytes(PREFIX_BYTES, "big")):
            yield f"{header.memory}: {what}"


def _of_chain(db: Rocks, state: StoreState) -> Iterator[str]:
    chain, ordinal, start = CHAIN_START, 0, AFTER_MARK
    while page := db.scan(cf.RECORD_HASHES, b"", start, _PAGE):
        for _, data in page:
            ordinal += 1
            if int.from_bytes(data[HASH_BYTES:], "big") != ordinal:
                yield f"the hash of record {ordinal} is missing"
                return
            chain = chained(chain, data[:HASH_BYTES])
        start = page[-1][0] + b"\x00"
    if (ordinal, chain) != (state.folded, state.chain):
        yield f"its {ordinal} record hashes do not give the chain that it stands at, which is of {state.folded}"


def _of_memory(db: Rocks, header: Header, prefix: bytes) -> Iterator[str]:
    nodes = {NUMBER.unpack_from(key, PREFIX_BYTES)[0] for key, _ in db.scan(cf.NODES, prefix)}
    edges = {EDGE_KEY.unpack_from(key, PREFIX_BYTES) for key, _ in db.scan(cf.EDGES, prefix)}
    if (len(nodes), len(edges)) != (header.nodes, header.edges):
        yield f"{len(nodes)} nodes and {len(edges)} edges are there, and it says {header.nodes} and {header.edges}"
    if any(source not in nodes or target not in nodes for source, _, target in edges):
        yield "an edge leads from or to a node that is not there"
    reversed_keys = (REVERSED_KEY.unpack_from(key, PREFIX_BYTES) for key, _ in db.scan(cf.ADJACENCY, prefix))
    if {(source, kind, target) for target, source, kind in reversed_keys} != edges:
        yield "an edge is found from one of its ends and not from the other"
    for family in (cf.CONTENTS, cf.PARTS, cf.VECTORS, cf.ADJUSTED, cf.RULINGS, cf.CLAIMS, cf.REGARDS):
        if any(NUMBER.unpack_from(key, PREFIX_BYTES)[0] not in nodes for key, _ in db.scan(family, prefix)):
            yield f"{family} holds something of a node that is not there"
    related = {EDGE_KEY.unpack_from(key, PREFIX_BYTES) for key, _ in db.scan(cf.RELATIONS, prefix)}
    if related != {edge for edge in edges if edge[1] >= EdgeKind.SUPPORTS}:
        yield "what is kept of relations is not kept of the edges that are"
    yield from _of_sessions(db, prefix, nodes)
    yield from _of_slots(db, prefix)
    yield from _of_names(db, header, prefix)
    yield from _of_scorers(db, header, prefix)
    yield from _of_snapshots(db, header, prefix)
    yield from _of_records(db, prefix, _no_wait)


def unsound_records(db: Rocks, read: Read) -> Iterator[str]:
    """Yield which records are kept that are not those that were folded, a sentence each.

    ``read`` is told of the bytes of each page, and may wait. Raises StorageDamagedError, and what ``read`` raises.
    """
    for key, data in db.scan(cf.MEMORIES, b"", AFTER_MARK):
        local, header = decode_header(key.decode(), data)
        for what in _of_records(db, local.to_bytes(PREFIX_BYTES, "big"), read):
            yield f"{header.memory}: {what}"


def _of_records(db: Rocks, prefix: bytes, read: Read) -> Iterator[str]:
    source = StoreSource(db, prefix)
    for key, record in _paged(db, cf.CONTENTS, prefix, read):
        number = NUMBER.unpack_from(key, PREFIX_BYTES)[0]
        if not is_feature(number) and not source.folded(seq_of(number), record):
            yield f"the record of seq {seq_of(number)} is not the one that was folded"
    for key, row in _paged(db, cf.VECTORS, prefix, read):
        seq, record = decode_vector(row)
        if not source.folded(seq, record):
            number = NUMBER.unpack_from(key, PREFIX_BYTES)[0]
            yield f"the vector that seq {seq} attached to seq {seq_of(number)} is not the one that was folded"
    for seq, row in _numbered(db, cf.SCORERS, prefix):
        if not source.folded(seq, decode_scorer(row).record):
            yield f"the scorer that seq {seq} proposed is not the one that was folded"


def _paged(db: Rocks, family: str, prefix: bytes, read: Read) -> Iterator[tuple[bytes, bytes]]:
    start = prefix
    while page := db.scan(family, prefix, start, _PAGE, _PAGE_BYTES):
        yield from page
        start = page[-1][0] + b"\x00"
        read(sum(len(key) + len(value) for key, value in page))


def _no_wait(_size: int) -> None:
    """Go on at once."""


def _of_sessions(db: Rocks, prefix: bytes, nodes: set[int]) -> Iterator[str]:
    claims = {number for number, _ in _numbered(db, cf.CLAIMS, prefix)}
    for key, row in db.scan(cf.SESSIONS, prefix):
        session = decode_session(row)
        held = {*session.buffer, session.last, *([session.opened] if session.opened else [])}
        if not held <= nodes or not claims.issuperset(session.desk):
            yield f"the session {key[PREFIX_BYTES:].decode()} holds what is not there"
        if (
            len(session.desk) > DESK_MAX
            or len(set(session.desk)) < len(session.desk)
            or (session.ended and session.desk)
        ):
            yield f"the desk of the session {key[PREFIX_BYTES:].decode()} has more than it may"


def _of_slots(db: Rocks, prefix: bytes) -> Iterator[str]:
    nodes = {number: decode_node(number, row) for number, row in _numbered(db, cf.NODES, prefix)}
    rulings = {number: decode_ruling(row) for number, row in _numbered(db, cf.RULINGS, prefix) if number in nodes}
    claims = {number for number, node in nodes.items() if node.kind == NodeKind.CLAIM}
    if claims != {number for number, _ in _numbered(db, cf.CLAIMS, prefix)}:
        yield "a claim says nothing, or something that is no claim does"
    rejected = {number for number in claims if nodes[number].status == Status.REJECTED}
    out = {number for number, node in nodes.items() if node.status >= Status.SUPERSEDED}
    held: dict[bytes, set[int]] = {}
    for number, ruling in rulings.items():
        if ruling.slot and number not in out:
            held.setdefault(ruling.slot, set()).add(number)
    named = {ruling.slot + NUMBER.pack(number) for number, ruling in rulings.items() if ruling.slot}
    if named != {key[PREFIX_BYTES:] for key, _ in db.scan(cf.MEMBERS, prefix)}:
        yield "what names a slot is not what rulings say"
    for key, row in db.scan(cf.SLOTS, prefix):
        slot, numbers = key[PREFIX_BYTES:], set(decode_numbers(row))
        remembered = numbers & rejected
        if numbers - rejected != held.pop(slot, set()) or any(rulings[each].slot != slot for each in remembered):
            yield "what is in a slot is not what rulings and statuses say"
        if max(len(numbers - rejected), len(remembered)) > SLOT_MAX:
            yield f"more than {SLOT_MAX} are in one slot"
    if held:
        yield "what stands in a slot is not found there"


def _of_names(db: Rocks, header: Header, prefix: bytes) -> Iterator[str]:
    kept = {key[PREFIX_BYTES:].decode(): decode_names(row) for key, row in db.scan(cf.NAMES, prefix)}
    known = {names.canonical: names for names in kept.values()}.values()
    told = {each: names for names in known for each in (names.canonical, *[alias for alias, _ in names.aliases])}
    if told != kept:
        yield "names of one thing do not lead to each other"
    counted = sum([len(names.aliases) for names in known]), len(db.scan(cf.PREDICATES, prefix))
    if counted != (header.aliases, header.predicates):
        yield f"aliases and predicates are {counted}, and it says {(header.aliases, header.predicates)}"


def _of_scorers(db: Rocks, header: Header, prefix: bytes) -> Iterator[str]:
    kept = {seq: decode_scorer(row) for seq, row in _numbered(db, cf.SCORERS, prefix)}
    adopted = [each.adopted for each in kept.values() if each.adopted]
    if len(kept) > SCORERS_MAX or len(adopted) > 2 or len(set(adopted)) < len(adopted):
        yield "more scorers are kept, or count, than may"
    if max([*kept, *adopted], default=0) > header.seq:
        yield "a scorer is of a command that is not there"


def _of_snapshots(db: Rocks, header: Header, prefix: bytes) -> Iterator[str]:
    seqs = list(StoreSource(db, prefix).snapshots().values())
    if len(seqs) > SNAPSHOTS_MAX or len(set(seqs)) < len(seqs):
        yield "more moments have names than may, or one has two"
    if max(seqs, default=0) > header.seq:
        yield "a snapshot is of a command that is not there"


def _numbered(db: Rocks, family: str, prefix: bytes) -> Iterator[tuple[int, bytes]]:
    for key, row in db.scan(family, prefix):
        yield NUMBER.unpack_from(key, PREFIX_BYTES)[0], row
