"""The stored form of graph records, format 5: big-endian, fixed width wherever a scan reads many.

The widths are part of that version. Digests have their own encoding (``graph.digest``), which it does not change.
"""

from collections.abc import Iterable
from struct import Struct
from typing import Final

import numpy as np
import orjson

from ..canonical import canonical_json
from ..policy import decode_policy, encode_policy
from .perspectives import PERSPECTIVE_BYTES
from .records import (
    Account,
    Adjusted,
    Edge,
    EdgeKey,
    Given,
    GivenEdge,
    Header,
    Identity,
    Node,
    Parts,
    Recall,
    Recalled,
    Relation,
    Scorer,
    Session,
    Taint,
    Window,
)

NUMBER: Final = Struct(">Q")
EDGE_KEY: Final = Struct(">QBQ")
REVERSED_KEY: Final = Struct(">QQB")
_NODE: Final = Struct(">BHBBHIIIIQqQQQQdddddddBBqIIII")
_EDGE: Final = Struct(">IQdddQB")
_SESSION: Final = Struct(">QQQQQBQQ?H")
_RECALL: Final = Struct(">QQ8sBBB")
_RECALLED: Final = Struct(">QddB")
_IDENTITY: Final = Struct(">QQBB")
_HEADER: Final = Struct(">IQQIIQQQQHHQQQ16sHB")
_ADJUSTED: Final = Struct(">Qddd")
_RELATION: Final = Struct(">QB")
_ACCOUNT: Final = Struct(">QQbQ?BB")
_GIVEN: Final = Struct(">QddddddBBBB")
_GIVEN_VALUES: Final = 11  # of these; what was given under each perspective follows
_GIVEN_EDGE: Final = Struct(">QBQdd")
_TAINT: Final = Struct(">Q8s")
_SCORER: Final = Struct(">QBI")

NODE_KEYS: Final = np.dtype(">u8")
"""The layout of a node's key."""
EDGE_KEYS: Final = np.dtype([("source", ">u8"), ("kind", "u1"), ("target", ">u8")])
"""The layout of an edge's key."""
NODE_ROWS: Final = np.dtype(
    [
        ("kind", "u1"),
        ("flags", ">u2"),
        ("level", "u1"),
        ("kinds", "u1"),
        ("degree", ">u2"),
        ("usage", ">u4"),
        ("candidates", ">u4"),
        ("good", ">u4"),
        ("bad", ">u4"),
        ("tick", ">u8"),
        ("recalled_tick", ">i8"),
        ("latest", ">u8"),
        ("follower", ">u8"),
        ("concept", ">u8"),
        ("marks", ">u8"),
        ("salience", ">f8"),
        ("permanence", ">f8"),
        ("half_life", ">f8"),
        ("stability", ">f8"),
        ("impact", ">f8"),
        ("valence", ">f8"),
        ("pin_permanence", ">f8"),
        ("status", "u1"),
        ("trust", "u1"),
        ("used_tick", ">i8"),
        ("served", ">u4"),
        ("mentions", ">u4"),
        ("heeded", ">u4"),
        ("witnessed", ">u4"),
    ]
)
"""The layout of an encoded node, for scans over scalar arrays."""
EDGE_ROWS: Final = np.dtype(
    [
        ("usage", ">u4"),
        ("tick", ">u8"),
        ("weight", ">f8"),
        ("permanence", ">f8"),
        ("half_life", ">f8"),
        ("made", ">u8"),
        ("trust", "u1"),
    ]
)
"""The layout of an encoded edge."""


def encode_node(node: Node) -> bytes:
    """Return the 153 bytes of a node's scalars; its number is the key."""
    return _NODE.pack(
        node.kind,
        node.flags,
        node.level,
        node.kinds,
        node.degree,
        node.usage,
        node.candidates,
        node.good,
        node.bad,
        node.tick,
        node.recalled_tick,
        node.latest,
        node.follower,
        node.concept,
        node.marks,
        node.salience,
        node.permanence,
        node.half_life,
        node.stability,
        node.impact,
        node.valence,
        node.pin_permanence,
        node.status,
        node.trust,
        node.used_tick,
        node.served,
        node.mentions,
        node.heeded,
        node.witnessed,
    )


def decode_node(number: int, data: bytes) -> Node:
    """Return the node that ``encode_node`` wrote."""
    kind, flags, level, kinds, degree, usage, candidates, good, bad, *rest = _NODE.unpack(data)
    tick, recalled_tick, latest, follower, concept, marks, *values = rest
    salience, permanence, half_life, stability, impact, valence, pin_permanence, status, trust, *counted = values
    return Node(
        number,
        kind,
        tick,
        salience,
        half_life,
        stability,
        permanence,
        impact,
        valence,
        usage,
        candidates,
        recalled_tick,
        degree,
        kinds,
        marks,
        latest,
        follower,
        concept,
        good,
        bad,
        flags,
        level,
        pin_permanence,
        status,
        trust,
        *counted,
    )


def encode_edge(edge: Edge) -> bytes:
    """Return the 45 bytes of an edge's scalars."""
    return _EDGE.pack(edge.usage, edge.tick, edge.weight, edge.permanence, edge.half_life, edge.made, edge.trust)


def decode_edge(data: bytes) -> Edge:
    """Return the edge that ``encode_edge`` wrote."""
    usage, tick, weight, permanence, half_life, made, trust = _EDGE.unpack(data)
    return Edge(tick, weight, half_life, permanence, usage, made, trust)


def reversed_key(key: EdgeKey) -> bytes:
    """Return the key under which an edge is found from its target."""
    source, kind, target = key
    return REVERSED_KEY.pack(target, source, kind)


def encode_session(session: Session) -> bytes:
    """Return the bytes of a session; its name is the key."""
    fixed = session.last, session.touched, session.leading, session.episode, session.mark, session.trust
    more = session.opened, session.tick, session.ended, len(session.desk)
    return _SESSION.pack(*fixed, *more) + encode_numbers(session.desk + session.buffer)


def decode_session(data: bytes) -> Session:
    """Return the session that ``encode_session`` wrote."""
    last, touched, leading, episode, mark, trust, opened, tick, ended, notes = _SESSION.unpack_from(data)
    numbers = decode_numbers(data[_SESSION.size :])
    fixed = (last, touched, leading, episode, mark, trust, opened, tick)
    return Session(*fixed, ended, numbers[notes:], numbers[:notes])


def encode_recall(recall: Recall) -> bytes:
    """Return the bytes of a recall; its seq is the key."""
    returned = (_RECALLED.pack(each.number, each.salience, each.permanence, each.used) for each in recall.returned)
    under = recall.perspectives
    asked = _RECALL.pack(recall.as_of, recall.reported, recall.who, recall.trust, recall.least, len(under))
    return asked + b"".join(under) + b"".join(returned)


def decode_recall(data: bytes) -> Recall:
    """Return the recall that ``encode_recall`` wrote."""
    as_of, reported, who, trust, least, count = _RECALL.unpack_from(data)
    under, returned_at = _keys(data, _RECALL.size, count)
    returned = [
        Recalled(number, salience, permanence, bool(used))
        for number, salience, permanence, used in _RECALLED.iter_unpack(data[returned_at:])
    ]
    return Recall(as_of, reported, returned, who, trust, least, under)


def _keys(data: bytes, at: int, count: int) -> tuple[tuple[bytes, ...], int]:
    """Return the keys of ``count`` perspectives that stand ``at`` a place, and where they end."""
    ends = at + PERSPECTIVE_BYTES * count
    return tuple([data[each : each + PERSPECTIVE_BYTES] for each in range(at, ends, PERSPECTIVE_BYTES)]), ends


def encode_parts(parts: Parts) -> bytes:
    """Return the bytes of what a node is made of; its number is the key."""
    return bytes((len(parts.carriers),)) + encode_numbers((*parts.carriers, *parts.informed))


def decode_parts(data: bytes) -> Parts:
    """Return the parts that ``encode_parts`` wrote."""
    numbers = decode_numbers(data[1:])
    return Parts(tuple(numbers[: data[0]]), tuple(numbers[data[0] :]))


def encode_identity(identity: Identity) -> bytes:
    """Return the 34 bytes of an identity; memory and command id are the key."""
    return _IDENTITY.pack(identity.seq, identity.offset, identity.kind, identity.result) + identity.body_hash


def decode_identity(data: bytes) -> Identity:
    """Return the identity that ``encode_identity`` wrote."""
    seq, offset, kind, result = _IDENTITY.unpack_from(data)
    return Identity(seq, offset, data[_IDENTITY.size :], kind, result)


def vector_key(number: int, model: str) -> bytes:
    """Return the key of a node's vector by ``model``."""
    return NUMBER.pack(number) + model.encode()


def decode_vector_key(key: bytes) -> tuple[int, str]:
    """Return the node's number and the model that ``vector_key`` was made of."""
    return int.from_bytes(key[: NUMBER.size], "big"), key[NUMBER.size :].decode()


def encode_vector(seq: int, record: bytes) -> bytes:
    """Return the bytes of an attached vector: the seq of the command, and its record as it stands in the log."""
    return NUMBER.pack(seq) + record


def decode_vector(data: bytes) -> tuple[int, bytes]:
    """Return the seq and the record that ``encode_vector`` wrote."""
    return int.from_bytes(data[: NUMBER.size], "big"), data[NUMBER.size :]


def encode_adjusted(adjusted: Adjusted) -> bytes:
    """Return the 32 bytes of what adjustments have used up of a node's bounds; its number is the key."""
    return _ADJUSTED.pack(*adjusted)


def decode_adjusted(data: bytes) -> Adjusted:
    """Return what ``encode_adjusted`` wrote."""
    return Adjusted(*_ADJUSTED.unpack(data))


def encode_relation(relation: Relation) -> bytes:
    """Return the bytes of who said how two things are related, 9 for each; the edge's is the key."""
    return b"".join([_RELATION.pack(*each) for each in relation.said])


def decode_relation(data: bytes) -> Relation:
    """Return what ``encode_relation`` wrote."""
    return Relation(tuple([(seq, trust) for seq, trust in _RELATION.iter_unpack(data)]))


def encode_account(account: Account) -> bytes:
    """Return the bytes of what an outcome or a report gave; the seq of its command is the key."""
    tick, moved, sign, kind, out, given, under, edges = account
    fixed = _ACCOUNT.pack(tick, moved, sign, kind, out, len(under), len(edges)) + b"".join(under)
    tied = [_GIVEN_EDGE.pack(*key, weight, half_life) for key, weight, half_life in edges]
    regards = Struct(f">{len(under)}d")
    return fixed + b"".join([*tied, *[_GIVEN.pack(*each) + regards.pack(*more) for *each, more in given]])


def decode_account(data: bytes) -> Account:
    """Return what ``encode_account`` wrote."""
    tick, moved, sign, kind, out, count, edges_count = _ACCOUNT.unpack_from(data)
    under, edges_at = _keys(data, _ACCOUNT.size, count)
    given_at = edges_at + _GIVEN_EDGE.size * edges_count
    tied = _GIVEN_EDGE.iter_unpack(data[edges_at:given_at])
    edges = tuple([GivenEdge((source, kind, target), *more) for source, kind, target, *more in tied])
    row = Struct(f"{_GIVEN.format}{count}d")
    rows = row.iter_unpack(data[given_at:])
    given = tuple([Given._make((*each[:_GIVEN_VALUES], each[_GIVEN_VALUES:])) for each in rows])
    return Account(tick, moved, sign, kind, out, given, under, edges)


def encode_taint(taint: Taint) -> bytes:
    """Return the 16 bytes of what a session took in; 8 bytes that stand for the session are the key."""
    return _TAINT.pack(*taint)


def decode_taint(data: bytes) -> Taint:
    """Return what ``encode_taint`` wrote."""
    return Taint(*_TAINT.unpack(data))


def encode_scorer(scorer: Scorer) -> bytes:
    """Return the bytes of a proposed scorer, 13 and its record; the seq of the command is the key."""
    return _SCORER.pack(scorer.adopted, scorer.trust, scorer.samples) + scorer.record


def decode_scorer(data: bytes) -> Scorer:
    """Return the scorer that ``encode_scorer`` wrote."""
    adopted, trust, samples = _SCORER.unpack_from(data)
    return Scorer(adopted, trust, samples, data[_SCORER.size :])


def encode_numbers(numbers: Iterable[int]) -> bytes:
    """Return the bytes of nodes' numbers, in their order."""
    return b"".join(map(NUMBER.pack, numbers))


def decode_numbers(data: bytes) -> list[int]:
    """Return the numbers that ``encode_numbers`` wrote."""
    return [number for (number,) in NUMBER.iter_unpack(data)]


def encode_header(local: int, header: Header) -> bytes:
    """Return the bytes of a memory's header; ``local`` is the number that prefixes its keys in this store."""
    counters = (header.seq, header.tick, header.nodes, header.edges, header.attested_seq, header.episode)
    outcomes = (header.good, header.bad, header.predicates, header.aliases, header.slept, header.looked, header.heeded)
    cursors, principles = encode_cursors(header), encode_numbers(header.principles)
    fixed = _HEADER.pack(local, *counters, *outcomes, header.history, len(cursors), len(header.principles))
    return fixed + cursors + principles + encode_policy(header.policy)


def decode_header(memory: str, data: bytes) -> tuple[int, Header]:
    """Return the key prefix number and the header that ``encode_header`` wrote."""
    local, seq, tick, nodes, edges, attested_seq, episode, good, bad, *rest = _HEADER.unpack_from(data)
    predicates, aliases, slept, looked, heeded, history, size, count = rest
    principles_at = _HEADER.size + size
    policy_at = principles_at + NUMBER.size * count
    cursors, windows = decode_cursors(data[_HEADER.size : principles_at])
    principles = decode_numbers(data[principles_at:policy_at])
    policy = decode_policy(data[policy_at:])
    counters = (seq, tick, nodes, edges, attested_seq, episode, good, bad, predicates, aliases, slept, looked, heeded)
    return local, Header(memory, *counters, cursors, windows, principles, history, policy)


def seq_in_header(data: bytes) -> int:
    """Return the seq of a header that ``encode_header`` wrote, and decode nothing else of it."""
    seq: int = _HEADER.unpack_from(data)[1]
    return seq


def encode_cursors(header: Header) -> bytes:
    """Return the canonical bytes of the thinkers' cursors: sorted JSON, at most 32 names of 128 characters.

    Each is a number, or a list of it and of what is known of the decision that is not whole yet.
    """
    windows = header.windows
    kept = {name: [at, *windows[name]] if name in windows else at for name, at in header.cursors.items()}
    return canonical_json(kept) if kept else b"{}"


def decode_cursors(data: bytes) -> tuple[dict[str, int], dict[str, Window]]:
    """Return the cursors and the open windows that ``encode_cursors`` wrote."""
    cursors: dict[str, int] = {}
    windows: dict[str, Window] = {}
    for name, kept in orjson.loads(data).items():
        if isinstance(kept, int):
            cursors[name] = kept
        else:
            cursors[name], cursor_to, parts, taken = kept
            windows[name] = Window(cursor_to, parts, taken)
    return cursors, windows
