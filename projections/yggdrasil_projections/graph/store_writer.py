"""What a graph's changes and a folded record look like in the store."""

import orjson
from yggdrasil_infra.log import LogRecord
from yggdrasil_infra.rocks import Batch
from yggdrasil_schemas.graph_codec import (
    EDGE_KEY,
    NUMBER,
    encode_edge,
    encode_header,
    encode_identity,
    encode_node,
    encode_recall,
    encode_session,
    reversed_key,
)

from . import families as cf
from .chain import chained, record_hash
from .fold import Answer
from .store_state import StoreState
from .working_set import Graph


def put_graph(batch: Batch, graph: Graph) -> None:
    """Add everything that has changed in ``graph`` since its last flush to ``batch``."""
    prefix = graph.source.prefix
    local = int.from_bytes(prefix, "big")
    batch.put(cf.MEMORIES, graph.header.memory.encode(), encode_header(local, graph.header))
    stale = graph.node_table.stale if graph.node_table else None
    for number, node in graph.changed_nodes.items():
        key = NUMBER.pack(number)
        row = None if node is None else encode_node(node)
        if stale is not None:
            stale[key] = row
        if row is None:
            batch.delete(cf.NODES, prefix + key)
            batch.delete(cf.CONTENTS, prefix + key)
        else:
            batch.put(cf.NODES, prefix + key, row)
    for number, content in graph.new_contents.items():
        batch.put(cf.CONTENTS, prefix + NUMBER.pack(number), content)
    _put_edges(batch, prefix, graph)
    for name, feature in graph.changed_features.items():
        _put_or_delete(batch, cf.FEATURES, prefix + name.encode(), NUMBER.pack(feature) if feature else None)
    for number, heir in graph.changed_heirs.items():
        batch.put(cf.HEIRS, prefix + NUMBER.pack(number), NUMBER.pack(heir))
    for name, session in graph.changed_sessions.items():
        _put_or_delete(batch, cf.SESSIONS, prefix + name.encode(), encode_session(session) if session else None)
    for seq, recall in graph.changed_recalls.items():
        _put_or_delete(batch, cf.RECALLS, prefix + NUMBER.pack(seq), encode_recall(recall) if recall else None)
    for command_id, identity in graph.new_identities.items():
        batch.put(cf.IDENTITY, prefix + command_id, encode_identity(identity))


def put_record(batch: Batch, state: StoreState, record: LogRecord, answer: Answer, topic_id: str) -> bool:
    """Add what is kept of every record, whatever became of it, and move the state past it; return if it was refused.

    A refusal goes to the outbox, but for one that was there before.
    """
    of_record = record_hash(record)
    state.chain = chained(state.chain, of_record)
    state.position = record.offset + 1
    state.last_offset = record.offset
    state.folded += 1
    state.enabled = answer.enabled or state.enabled
    batch.put(cf.RECORD_HASHES, NUMBER.pack(record.offset), of_record + NUMBER.pack(state.folded))
    if answer.refused is None or answer.duplicate:
        return False
    reason = answer.refused.reason.code
    state.refused[reason] = state.refused.get(reason, 0) + 1
    refusal = {
        "topic_id": topic_id,
        "partition": record.partition,
        "offset": record.offset,
        "memory": answer.memory,
        "command_id": answer.command_id,
        "reason": reason,
        "detail": answer.refused.detail,
    }
    batch.put(cf.OUTBOX, NUMBER.pack(record.offset), orjson.dumps(refusal))
    return True


def _put_edges(batch: Batch, prefix: bytes, graph: Graph) -> None:
    """Write each edge under its source, and new or removed ones under their target too, so both ends find it."""
    put = batch.put
    stale = graph.edge_table.stale if graph.edge_table else None
    for key, edge in graph.changed_edges.items():
        packed = EDGE_KEY.pack(*key)
        row = None if edge is None else encode_edge(edge)
        if stale is not None:
            stale[packed] = row
        if row is None:
            batch.delete(cf.EDGES, prefix + packed)
            batch.delete(cf.ADJACENCY, prefix + reversed_key(key))
            continue
        put(cf.EDGES, prefix + packed, row)
    for key in graph.new_edges:
        if graph.changed_edges[key] is not None:
            put(cf.ADJACENCY, prefix + reversed_key(key), b"")


def _put_or_delete(batch: Batch, family: str, key: bytes, value: bytes | None) -> None:
    if value is None:
        batch.delete(family, key)
    else:
        batch.put(family, key, value)
