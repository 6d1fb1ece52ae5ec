"""Records of a store as people read them: what each is called, and what it says, field by field."""

import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any, Final, cast

import orjson

from yggdrasil_projections.graph.store import families as cf
from yggdrasil_schemas.graph.codec import (
    EDGE_KEY,
    NUMBER,
    REVERSED_KEY,
    decode_account,
    decode_adjusted,
    decode_edge,
    decode_header,
    decode_identity,
    decode_node,
    decode_numbers,
    decode_parts,
    decode_recall,
    decode_relation,
    decode_scorer,
    decode_session,
    decode_taint,
    decode_vector,
    decode_vector_key,
)
from yggdrasil_schemas.graph.knowledge_codec import (
    decode_act,
    decode_claim,
    decode_definition,
    decode_names,
    decode_ruling,
)
from yggdrasil_schemas.graph.perspectives import decode_regards, decode_role
from yggdrasil_schemas.graph.records import SLOT_BYTES, EdgeKind, Node, NodeFlag, NodeKind, Status, is_feature, seq_of
from yggdrasil_schemas.ids import id_text

from .stores import Key

_BYTES_MAX: Final = 256  # of what is shown undecoded
_NONE_SUCH: Final = (ValueError, KeyError, IndexError, TypeError, OverflowError, struct.error)
"""What decoding says of bytes that are no such value."""
_ID_BYTES: Final = 16
_IDS: Final = frozenset(("by",))  # what names a command by the bytes of its id

Value = dict[str, Any]
"""The fields of a value; all of it is JSON."""


def called(at: Key) -> str:
    """Return what a record is called, such as ``edge temporal of node 192 (seq 3) to node 256 (seq 4)``."""
    kind, of = _CALLED[at.family]
    try:
        return f"{kind} {of(at.key)}".rstrip()
    except _NONE_SUCH:
        return f"{kind} with the key {at.key.hex()}"


def value_of(at: Key, data: bytes) -> Value:
    """Return the fields of a stored value; where its bytes are no such value, these, in hexadecimal."""
    try:
        return cast("Value", _plain(_DECODED[at.family](at, data)))
    except _NONE_SUCH:
        return {"bytes": _hex(data)}


def different(standing: Value | None, by_log: Value | None) -> list[str]:
    """Return the names of the fields that differ, in order."""
    ours, theirs = standing or {}, by_log or {}
    return [name for name in dict.fromkeys((*ours, *theirs)) if ours.get(name) != theirs.get(name)]


def _number(key: bytes) -> int:
    (number,) = NUMBER.unpack(key)
    return int(number)


def _in_words(number: int) -> str:
    return f"{number} ({'a feature of ' if is_feature(number) else ''}seq {seq_of(number)})"


def _node(key: bytes) -> str:
    return _in_words(_number(key))


def _edge(key: bytes) -> str:
    source, kind, target = EDGE_KEY.unpack(key)
    return f"{EdgeKind(kind).name.lower()} of node {_in_words(source)} to node {_in_words(target)}"


def _reversed(key: bytes) -> str:
    target, source, kind = REVERSED_KEY.unpack(key)
    return _edge(EDGE_KEY.pack(source, kind, target))


def _vector(key: bytes) -> str:
    number, model = decode_vector_key(key)
    return f"of node {_in_words(number)} by {model}"


def _member(key: bytes) -> str:
    return f"{key[:SLOT_BYTES].hex()} of node {_node(key[SLOT_BYTES:])}"


def _seq(key: bytes) -> str:
    return f"of seq {_number(key)}"


_CALLED: Final[Mapping[str, tuple[str, Callable[[bytes], str]]]] = {
    cf.MEMORIES: ("header", bytes.decode),
    cf.NODES: ("node", _node),
    cf.EDGES: ("edge", _edge),
    cf.ADJACENCY: ("index of the edge", _reversed),
    cf.CONTENTS: ("content of node", _node),
    cf.VECTORS: ("vector", _vector),
    cf.FEATURES: ("feature", bytes.decode),
    cf.SESSIONS: ("session", bytes.decode),
    cf.PARTS: ("parts of node", _node),
    cf.HEIRS: ("heir of node", _node),
    cf.ADJUSTED: ("adjustments of node", _node),
    cf.RULINGS: ("ruling of node", _node),
    cf.SLOTS: ("slot", bytes.hex),
    cf.MEMBERS: ("member of the slot", _member),
    cf.CLAIMS: ("claim of node", _node),
    cf.PREDICATES: ("predicate", bytes.decode),
    cf.NAMES: ("name", bytes.decode),
    cf.RELATIONS: ("relation", _edge),
    cf.SCORERS: ("scorer", _seq),
    cf.ACCOUNTS: ("account", _seq),
    cf.ACTS: ("act", _seq),
    cf.TAINTS: ("taint of the session", bytes.hex),
    cf.RECALLS: ("recall", _seq),
    cf.ROLES: ("role", bytes.decode),
    cf.SNAPSHOTS: ("snapshot", bytes.decode),
    cf.REGARDS: ("regards of node", _node),
    cf.IDENTITY: ("identity of the command", id_text),
    cf.ATTESTATIONS: ("attestation", _seq),
}
_DECODED: Final[Mapping[str, Callable[[Key, bytes], Any]]] = {
    cf.MEMORIES: lambda at, data: decode_header(at.memory, data)[1],
    cf.NODES: lambda at, data: decode_node(_number(at.key), data),
    cf.EDGES: lambda _, data: decode_edge(data),
    cf.ADJACENCY: lambda _, data: {"bytes": _hex(data)},
    cf.CONTENTS: lambda at, data: {"name": data.decode()} if is_feature(_number(at.key)) else orjson.loads(data),
    cf.VECTORS: lambda _, data: dict(zip(("seq", "record"), decode_vector(data), strict=True)),
    cf.FEATURES: lambda _, data: {"node": _number(data)},
    cf.SESSIONS: lambda _, data: decode_session(data),
    cf.PARTS: lambda _, data: decode_parts(data),
    cf.HEIRS: lambda _, data: {"node": _number(data)},
    cf.ADJUSTED: lambda _, data: decode_adjusted(data),
    cf.RULINGS: lambda _, data: decode_ruling(data),
    cf.SLOTS: lambda _, data: {"nodes": decode_numbers(data)},
    cf.MEMBERS: lambda _, data: {"bytes": _hex(data)},
    cf.CLAIMS: lambda _, data: decode_claim(data),
    cf.PREDICATES: lambda _, data: decode_definition(data),
    cf.NAMES: lambda _, data: decode_names(data),
    cf.RELATIONS: lambda _, data: decode_relation(data),
    cf.SCORERS: lambda _, data: decode_scorer(data),
    cf.ACCOUNTS: lambda _, data: decode_account(data),
    cf.ACTS: lambda _, data: decode_act(data),
    cf.TAINTS: lambda _, data: decode_taint(data),
    cf.RECALLS: lambda _, data: decode_recall(data),
    cf.ROLES: lambda _, data: decode_role(data),
    cf.SNAPSHOTS: lambda _, data: {"seq": _number(data)},
    cf.REGARDS: lambda _, data: {"regards": decode_regards(data)},
    cf.IDENTITY: lambda _, data: decode_identity(data),
    cf.ATTESTATIONS: lambda _, data: {"digest": data.decode()},
}


def _plain(value: object, name: str = "") -> Any:
    """Return a value as JSON has it: records as objects, bytes as the JSON that they hold or in hexadecimal."""
    if is_dataclass(value) and not isinstance(value, type):
        found = {each.name: _plain(getattr(value, each.name), each.name) for each in fields(value) if each.compare}
        return _in_names(found) if isinstance(value, Node) else found
    names: tuple[str, ...] = getattr(value, "_fields", ())
    if names:
        return {each: _plain(getattr(value, each), each) for each in names}
    if isinstance(value, bytes):
        return _of_bytes(value, name)
    if isinstance(value, Mapping):
        return {str(each): _plain(one, str(each)) for each, one in cast("Mapping[object, object]", value).items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_plain(each) for each in cast("Sequence[object]", value)]
    return value


def _of_bytes(value: bytes, name: str) -> Any:
    if name in _IDS and len(value) == _ID_BYTES:
        return id_text(value) if any(value) else None
    if value.startswith(b"{"):
        return orjson.loads(value)
    return _hex(value)


def _in_names(node: Value) -> Value:
    """Say in words what a node has as numbers, as far as they are sound."""
    status, kind = node["status"], node["kind"]
    flags = [each.name.lower() for each in NodeFlag if each.name and node["flags"] & each]
    return node | {
        "kind": NodeKind(kind).name.lower() if kind in set(NodeKind) else kind,
        "status": Status(status).name.lower() if status in set(Status) else status,
        "flags": flags if node["flags"] < 1 << len(NodeFlag) else node["flags"],
    }


def _hex(data: bytes) -> str:
    return data[:_BYTES_MAX].hex() + (f"... ({len(data)} bytes)" if len(data) > _BYTES_MAX else "")
