"""What holds in every sound store, whatever was folded: looked at without a log, when a directory is verified."""

from collections.abc import Iterator
from typing import Final

from yggdrasil_infra.rocks.database import Rocks
from yggdrasil_schemas.graph.codec import EDGE_KEY, NUMBER, REVERSED_KEY, decode_header
from yggdrasil_schemas.graph.records import Header

from . import families as cf
from .chain import CHAIN_START, chained
from .marks import AFTER_MARK, HASH_BYTES
from .source import PREFIX_BYTES
from .state import StoreState

_PAGE: Final = 10_000


def broken_invariants(db: Rocks, state: StoreState) -> Iterator[str]:
    """Yield what does not hold, a sentence each. Raises StorageDamagedError where something cannot be read.

    The chain over all record hashes is the one in the state; every memory has as many nodes and edges as it says, both
    ends of an edge are there, each edge is found from both, and what belongs to a node belongs to one that is there.
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
    for family in (cf.CONTENTS, cf.PARTS, cf.VECTORS, cf.ADJUSTED, cf.CLAIMS):
        if any(NUMBER.unpack_from(key, PREFIX_BYTES)[0] not in nodes for key, _ in db.scan(family, prefix)):
            yield f"{family} holds something of a node that is not there"
