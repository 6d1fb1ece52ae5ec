"""The state digest: one hash over everything that a memory is, equal wherever the same commands were folded.

It is taken over a canonical encoding of the logical records in key order, never over the store's bytes, so a new
store format, another cache or another host does not change it. A change of it is a new encoding number.
"""

from collections.abc import Iterator
from hashlib import blake2b
from struct import Struct
from typing import Final, Protocol

from yggdrasil_schemas.graph.codec import (
    EDGE_KEY,
    decode_adjusted,
    decode_edge,
    decode_node,
    decode_parts,
    decode_recall,
    decode_scorer,
    decode_session,
    decode_vector,
    encode_cursors,
    encode_numbers,
)
from yggdrasil_schemas.graph.knowledge_codec import decode_claim, decode_ruling
from yggdrasil_schemas.graph.records import Header
from yggdrasil_schemas.policy import encode_policy

from .families import (
    ACCOUNTS,
    ACTS,
    ADJUSTED,
    CLAIMS,
    EDGES,
    FEATURES,
    NAMES,
    NODES,
    PARTS,
    PREDICATES,
    RECALLS,
    REGARDS,
    RELATIONS,
    ROLES,
    RULINGS,
    SCORERS,
    SESSIONS,
    SNAPSHOTS,
    TAINTS,
    VECTORS,
)
from .source import PREFIX_BYTES

ENCODING: Final = 11
DIGESTED: Final = (
    ACCOUNTS,
    ACTS,
    NODES,
    EDGES,
    FEATURES,
    SESSIONS,
    TAINTS,
    RECALLS,
    ROLES,
    REGARDS,
    PARTS,
    VECTORS,
    ADJUSTED,
    RULINGS,
    CLAIMS,
    PREDICATES,
    NAMES,
    RELATIONS,
    SCORERS,
    SNAPSHOTS,
)
"""The column families that hold a memory's logical state beside its header. ``history`` in the header stands for the
identities, through the body hashes in it for every content, and for the heirs. So of a vector it is digested which
command's is kept, and not what it says. What is in a slot follows from the rulings and from what stands."""

_NODE: Final = Struct(">cQBHBBHIIIIQqQQQQdddddddBBqIIII")
_EDGE: Final = Struct(">cQBQIQdddQB")
_RECALLED: Final = Struct(">QddB")
_ADJUSTED: Final = Struct(">cQQddd")
_COUNT: Final = Struct(">cQ")
_HEADER: Final = Struct(">BQQQQQQQQQQQQQ16s")
_CLAIM: Final = Struct(">cQB16sqqqQQQ")
_LINE: Final = Struct(">c8s8sBQqQ")


class View(Protocol):
    """Something whose records can be walked through, such as a frozen view of the database."""

    def walk(self, family: str, prefix: bytes) -> Iterator[tuple[bytes, bytes]] | list[tuple[bytes, bytes]]:
        """Return the pairs under ``prefix`` in key order."""
        ...


def state_digest(header: Header, view: View, prefix: bytes) -> str:
    """Return the digest, 64 hexadecimal digits, of the memory whose records lie under ``prefix`` in ``view``."""
    digest = blake2b(digest_size=32, person=b"yggdrasil-state")
    for part in _canonical(header, view, prefix):
        digest.update(part)
    return digest.hexdigest()


def _canonical(header: Header, view: View, prefix: bytes) -> Iterator[bytes]:
    counters = (header.seq, header.tick, header.nodes, header.edges, header.attested_seq, header.episode)
    more = (header.good, header.bad, header.predicates, header.aliases, header.slept, header.looked, header.heeded)
    yield _HEADER.pack(ENCODING, *counters, *more, header.history)
    yield _sized(b"m", header.memory.encode())
    yield _sized(b"p", encode_policy(header.policy))
    yield _sized(b"c", encode_cursors(header))
    yield _sized(b"g", encode_numbers(header.principles))
    for key, data in view.walk(NODES, prefix):
        n = decode_node(int.from_bytes(key[PREFIX_BYTES:], "big"), data)
        counts = (n.kind, n.flags, n.level, n.kinds, n.degree, n.usage, n.candidates, n.good, n.bad)
        places = (n.tick, n.recalled_tick, n.latest, n.follower, n.concept, n.marks)
        values = (n.salience, n.permanence, n.half_life, n.stability, n.impact, n.valence, n.pin_permanence)
        used = (n.used_tick, n.served, n.mentions, n.heeded, n.witnessed)
        yield _NODE.pack(b"n", n.number, *counts, *places, *values, n.status, n.trust, *used)
    for key, data in view.walk(EDGES, prefix):
        e = decode_edge(data)
        place = EDGE_KEY.unpack_from(key, PREFIX_BYTES)
        yield _EDGE.pack(b"e", *place, e.usage, e.tick, e.weight, e.permanence, e.half_life, e.made, e.trust)
    for key, data in view.walk(FEATURES, prefix):
        yield _sized(b"f", key[PREFIX_BYTES:]) + data
    for key, data in view.walk(SESSIONS, prefix):
        session = decode_session(data)
        yield _sized(b"s", key[PREFIX_BYTES:])
        fixed = (session.last, session.touched, session.leading, session.episode, session.mark, session.trust)
        registered = (session.opened, session.tick, int(session.ended), len(session.desk), *session.desk)
        for number in (*fixed, len(session.buffer), *session.buffer, *registered):
            yield _COUNT.pack(b"b", number)
    for family, tag in ((TAINTS, b"o"), (ACCOUNTS, b"i"), (ACTS, b"j"), (REGARDS, b"h")):
        for key, data in view.walk(family, prefix):
            yield _sized(tag, key[PREFIX_BYTES:] + data)
    for key, data in view.walk(RECALLS, prefix):
        recall = decode_recall(data)
        seq = int.from_bytes(key[PREFIX_BYTES:], "big")
        asked = (int(recall.reported), recall.trust, recall.least)
        for number in (seq, recall.as_of, *asked, len(recall.returned)):
            yield _COUNT.pack(b"r", number)
        yield _sized(b"r", recall.who)
        yield _sized(b"r", b"".join(recall.perspectives))
        for entry in recall.returned:
            yield _RECALLED.pack(entry.number, entry.salience, entry.permanence, entry.used)
    for key, data in view.walk(PARTS, prefix):
        parts = decode_parts(data)
        number = int.from_bytes(key[PREFIX_BYTES:], "big")
        counted = (number, len(parts.carriers), *parts.carriers, *parts.informed)
        yield _sized(b"t", encode_numbers(counted))
    for key, data in view.walk(VECTORS, prefix):
        yield _sized(b"v", key[PREFIX_BYTES:])
        yield _COUNT.pack(b"v", decode_vector(data)[0])
    for key, data in view.walk(ADJUSTED, prefix):
        yield _ADJUSTED.pack(b"a", int.from_bytes(key[PREFIX_BYTES:], "big"), *decode_adjusted(data))
    for key, data in view.walk(RULINGS, prefix):
        slot, by, trust, instead, reason, was, self_approved = decode_ruling(data)
        yield _sized(b"u", key[PREFIX_BYTES:] + slot) + by + _sized(b"u", reason.encode())
        for number in (trust, instead, was, self_approved):
            yield _COUNT.pack(b"u", number)
    yield from _known(view, prefix)


def _known(view: View, prefix: bytes) -> Iterator[bytes]:
    """Yield what is claimed, what predicates and roles mean, what things are called, and who related them."""
    for key, data in view.walk(CLAIMS, prefix):
        claim = decode_claim(data)
        times = (claim.begins, claim.ends, claim.closed)
        number = int.from_bytes(key[PREFIX_BYTES:], "big")
        words = "\0".join((claim.predicate, *claim.named)).encode()
        kept = (claim.confirmed, claim.before, len(claim.lines))
        yield _CLAIM.pack(b"k", number, claim.sort, claim.value, *times, *kept) + _sized(b"k", words)
        for line in claim.lines:
            yield _LINE.pack(b"l", *line)
    for family, tag in ((PREDICATES, b"d"), (NAMES, b"w"), (ROLES, b"q")):
        for key, data in view.walk(family, prefix):
            yield _sized(tag, key[PREFIX_BYTES:]) + _sized(tag, data)
    for key, data in view.walk(RELATIONS, prefix):
        yield _sized(b"x", key[PREFIX_BYTES:] + data)
    for key, data in view.walk(SCORERS, prefix):  # of their records the header's history speaks
        scorer = decode_scorer(data)
        for number in (int.from_bytes(key[PREFIX_BYTES:], "big"), scorer.adopted, scorer.trust, scorer.samples):
            yield _COUNT.pack(b"q", number)
    for key, data in view.walk(SNAPSHOTS, prefix):
        yield _sized(b"y", key[PREFIX_BYTES:]) + data


def _sized(tag: bytes, data: bytes) -> bytes:
    return _COUNT.pack(tag, len(data)) + data
