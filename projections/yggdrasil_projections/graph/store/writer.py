"""What a graph's changes and a folded record look like in the store."""

from collections.abc import Iterable, Sequence
from itertools import repeat
from struct import Struct
from typing import Final

import orjson

from yggdrasil_infra.log import LogRecord
from yggdrasil_infra.rocks.batch import Batch
from yggdrasil_schemas.codec import named
from yggdrasil_schemas.graph.codec import (
    EDGE_KEY,
    NUMBER,
    encode_account,
    encode_adjusted,
    encode_edge,
    encode_header,
    encode_identity,
    encode_node,
    encode_numbers,
    encode_parts,
    encode_recall,
    encode_relation,
    encode_scorer,
    encode_session,
    encode_taint,
    encode_vector,
    vector_key,
)
from yggdrasil_schemas.graph.knowledge_codec import (
    encode_act,
    encode_claim,
    encode_definition,
    encode_names,
    encode_ruling,
)
from yggdrasil_schemas.graph.perspectives import encode_regards, encode_role
from yggdrasil_schemas.graph.records import Edge, EdgeKey
from yggdrasil_schemas.refusals import Refused

from ..fold import Answer
from ..table import Written
from ..working_set import Graph
from . import families as cf
from .chain import chained, record_hash
from .source import PREFIX_BYTES
from .state import StoreState

_NODE_KEY: Final = Struct(f">{PREFIX_BYTES}sQ").pack
_EDGE_KEY: Final = Struct(f">{PREFIX_BYTES}sQBQ").pack
_REVERSED_KEY: Final = Struct(f">{PREFIX_BYTES}sQQB").pack


def put_graph(batch: Batch, graph: Graph) -> None:
    """Add everything that has changed in ``graph`` since its last flush to ``batch``."""
    prefix = graph.source.prefix
    local = int.from_bytes(prefix, "big")
    batch.put(cf.MEMORIES, graph.header.memory.encode(), encode_header(local, graph.header))
    nodes = _put_nodes(batch, prefix, graph)
    for number, vectors in graph.changed_vectors.items():
        for model, kept in vectors.items():
            row = encode_vector(*kept) if kept else None
            _put_or_delete(batch, cf.VECTORS, prefix + vector_key(number, model), row)
    edges = _put_edges(batch, prefix, graph)
    graph.tables.written(nodes, edges)
    features = graph.changed_features
    names = [prefix + name.encode() for name, feature in features.items() if feature]
    batch.put_all(cf.FEATURES, names, [NUMBER.pack(feature) for feature in features.values() if feature])
    batch.delete_all(cf.FEATURES, [prefix + name.encode() for name, feature in features.items() if not feature])
    for number, heir in graph.changed_heirs.items():
        batch.put(cf.HEIRS, prefix + NUMBER.pack(number), NUMBER.pack(heir))
    for number, adjusted in graph.changed_adjusted.items():
        row = encode_adjusted(adjusted) if adjusted else None
        _put_or_delete(batch, cf.ADJUSTED, prefix + NUMBER.pack(number), row)
    for number, ruling in graph.changed_rulings.items():
        row = encode_ruling(ruling) if ruling else None
        _put_or_delete(batch, cf.RULINGS, prefix + NUMBER.pack(number), row)
    for slot, numbers in graph.changed_slots.items():
        row = encode_numbers(numbers) if numbers else None
        _put_or_delete(batch, cf.SLOTS, prefix + slot, row)
    for (slot, number), held in graph.changed_members.items():
        _put_or_delete(batch, cf.MEMBERS, prefix + slot + NUMBER.pack(number), b"" if held else None)
    _put_knowledge(batch, prefix, graph)
    for name, session in graph.changed_sessions.items():
        _put_or_delete(batch, cf.SESSIONS, prefix + name.encode(), encode_session(session) if session else None)
    for seq, account in graph.changed_accounts.items():
        row = encode_account(account) if account else None
        _put_or_delete(batch, cf.ACCOUNTS, prefix + NUMBER.pack(seq), row)
    _put_named(batch, prefix, graph)
    for seq, act in graph.changed_acts.items():
        batch.put(cf.ACTS, prefix + NUMBER.pack(seq), encode_act(act))
    for key, taint in graph.changed_taints.items():
        _put_or_delete(batch, cf.TAINTS, prefix + key, encode_taint(taint) if taint else None)
    for number, regards in graph.changed_regards.items():
        row = encode_regards(regards) if regards else None
        _put_or_delete(batch, cf.REGARDS, prefix + NUMBER.pack(number), row)
    for seq, recall in graph.changed_recalls.items():
        _put_or_delete(batch, cf.RECALLS, prefix + NUMBER.pack(seq), encode_recall(recall) if recall else None)
    identities = graph.new_identities
    ids = [prefix + command_id for command_id in identities]
    batch.put_all(cf.IDENTITY, ids, map(encode_identity, identities.values()))


def _put_knowledge(batch: Batch, prefix: bytes, graph: Graph) -> None:
    for number, claim in graph.changed_claims.items():
        _put_or_delete(batch, cf.CLAIMS, prefix + NUMBER.pack(number), encode_claim(claim) if claim else None)
    for predicate, definition in graph.changed_definitions.items():
        batch.put(cf.PREDICATES, prefix + predicate.encode(), encode_definition(definition))
    for name, names in graph.changed_names.items():
        _put_or_delete(batch, cf.NAMES, prefix + name.encode(), encode_names(names) if names else None)
    for key, relation in graph.changed_relations.items():
        row = encode_relation(relation) if relation else None
        _put_or_delete(batch, cf.RELATIONS, prefix + EDGE_KEY.pack(*key), row)


def _put_named(batch: Batch, prefix: bytes, graph: Graph) -> None:
    """Add what operators set up: scorers, roles, and the names of moments."""
    for seq, scorer in graph.changed_scorers.items():
        _put_or_delete(batch, cf.SCORERS, prefix + NUMBER.pack(seq), encode_scorer(scorer) if scorer else None)
    for name, role in graph.changed_roles.items():
        _put_or_delete(batch, cf.ROLES, prefix + name.encode(), encode_role(role) if role else None)
    for name, at in graph.changed_snapshots.items():
        _put_or_delete(batch, cf.SNAPSHOTS, prefix + name.encode(), NUMBER.pack(at) if at else None)


def put_records(batch: Batch, state: StoreState, applied: Sequence[tuple[LogRecord, Answer]], topic_id: str) -> int:
    """Add what is kept of every record, whatever became of it, and move the state past them; return the refused ones.

    A refusal goes to the outbox, but for one that was there before.
    """
    hashes = [record_hash(record) for record, _ in applied]
    for of_record in hashes:
        state.chain = chained(state.chain, of_record)
    batch.put_all(
        cf.RECORD_HASHES,
        [NUMBER.pack(record.offset) for record, _ in applied],
        [of_record + NUMBER.pack(ordinal) for ordinal, of_record in enumerate(hashes, state.folded + 1)],
    )
    state.folded += len(applied)
    refused = 0
    for record, answer in applied:
        state.last_offset = record.offset
        state.latest_ms = max(state.latest_ms, record.timestamp_ms)
        state.enabled = answer.enabled or state.enabled
        if answer.refused is not None and not answer.duplicate:
            _put_refusal(batch, state, record, answer, answer.refused, topic_id)
            refused += 1
    state.position = state.last_offset + 1
    return refused


def _put_refusal(
    batch: Batch, state: StoreState, record: LogRecord, answer: Answer, refused: Refused, topic_id: str
) -> None:
    reason = refused.reason.code
    state.refused[reason] = state.refused.get(reason, 0) + 1
    said = named(record.value)
    refusal = {
        "topic_id": topic_id,
        "partition": record.partition,
        "offset": record.offset,
        "memory": answer.memory or said["memory"],
        "command_id": answer.command_id or said["command_id"],
        "source": said["source"],
        "reason": reason,
        "detail": refused.detail,
    }
    batch.put(cf.OUTBOX, NUMBER.pack(record.offset), orjson.dumps(refusal))


def _put_nodes(batch: Batch, prefix: bytes, graph: Graph) -> Written:
    """Write the scalars of each node, and the content and the parts of each new one; return the scalars written."""
    changed = graph.changed_nodes
    keys = [_NODE_KEY(prefix, number) for number, node in changed.items() if node is not None]
    rows = [encode_node(node) for node in changed.values() if node is not None]
    gone = [_NODE_KEY(prefix, number) for number, node in changed.items() if node is None]
    batch.put_all(cf.NODES, keys, rows)
    batch.delete_all(cf.NODES, gone)
    batch.delete_all(cf.CONTENTS, gone)
    batch.delete_all(cf.PARTS, gone)
    contents = graph.new_contents
    batch.put_all(cf.CONTENTS, [_NODE_KEY(prefix, number) for number in contents], contents.values())
    parts = graph.new_parts
    batch.put_all(cf.PARTS, [_NODE_KEY(prefix, number) for number in parts], map(encode_parts, parts.values()))
    return Written(keys, rows, gone, PREFIX_BYTES)


def _put_edges(batch: Batch, prefix: bytes, graph: Graph) -> Written:
    """Write each edge under its source, and new or removed ones under their target too, so both ends find it.

    Return what was written of the scalars.
    """
    changed = graph.changed_edges
    keys = [_EDGE_KEY(prefix, at, kind, to) for (at, kind, to), edge in changed.items() if edge is not None]
    rows = _edge_rows([edge for edge in changed.values() if edge is not None])
    removed = [key for key, edge in changed.items() if edge is None]
    gone = [_EDGE_KEY(prefix, at, kind, to) for at, kind, to in removed]
    batch.put_all(cf.EDGES, keys, rows)
    batch.delete_all(cf.EDGES, gone)
    added = [key for key in graph.new_edges if changed[key] is not None] if removed else graph.new_edges
    batch.put_all(cf.ADJACENCY, _reversed(prefix, added), repeat(b""))
    batch.delete_all(cf.ADJACENCY, _reversed(prefix, removed))
    return Written(keys, rows, gone, PREFIX_BYTES)


def _edge_rows(edges: Iterable[Edge]) -> list[bytes]:
    """Return the rows of edges; those that share a record stand behind each other, and share its row."""
    rows: list[bytes] = []
    last, row = None, b""
    for edge in edges:
        if edge is not last:
            last, row = edge, encode_edge(edge)
        rows.append(row)
    return rows


def _reversed(prefix: bytes, keys: list[EdgeKey]) -> list[bytes]:
    """Return the keys under which edges are found from their targets."""
    return [_REVERSED_KEY(prefix, target, source, kind) for source, kind, target in keys]


def _put_or_delete(batch: Batch, family: str, key: bytes, value: bytes | None) -> None:
    if value is None:
        batch.delete(family, key)
    else:
        batch.put(family, key, value)
