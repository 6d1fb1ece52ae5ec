"""The stored records of one memory, read from the partition's database."""

from collections.abc import Callable, Sequence
from typing import Any, Final, Protocol, TypeVar

import orjson

from yggdrasil_schemas.graph.codec import (
    EDGE_KEY,
    NUMBER,
    REVERSED_KEY,
    decode_account,
    decode_adjusted,
    decode_edge,
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
from yggdrasil_schemas.graph.knowledge import Claim, Definition, Names
from yggdrasil_schemas.graph.knowledge_codec import (
    decode_act,
    decode_claim,
    decode_definition,
    decode_names,
    decode_ruling,
    trust_of_act,
)
from yggdrasil_schemas.graph.perspectives import Regard, Role, decode_regards, decode_role
from yggdrasil_schemas.graph.records import (
    Account,
    Act,
    Adjusted,
    Edge,
    EdgeKey,
    Identity,
    Node,
    Parts,
    Recall,
    Relation,
    Ruling,
    Scorer,
    Session,
    Taint,
)
from yggdrasil_schemas.ids import id_bytes

from . import families as cf
from .chain import HASH_BYTES, hash_of

T = TypeVar("T")
PREFIX_BYTES: Final = 4
_COMPARED_MAX: Final = 4_096  # records, at some 100 bytes each


class Readable(Protocol):
    """Whatever holds the records: a database, or a view of it as it was at one moment."""

    def get(self, family: str, key: bytes) -> bytes | None:
        """Return the value under ``key``, or None."""
        ...

    def scan(
        self, family: str, prefix: bytes, start: bytes | None = None, count: int = 0
    ) -> Sequence[tuple[bytes, bytes]]:
        """Return the pairs whose key begins with ``prefix``, in order, from ``start`` on; at most ``count``, if any."""
        ...


class StoreSource:
    """A GraphSource over the keys that begin with ``prefix``, the memory's 4-byte number in this store."""

    __slots__ = ("_compared", "_db", "prefix")

    def __init__(self, db: Readable, prefix: bytes) -> None:
        self._db = db
        self._compared: dict[int, int] = {}  # what was found to be as it was folded: seqs, and hashes by this process
        self.prefix = prefix

    def node(self, number: int) -> Node | None:
        """Return a node."""
        data = self._db.get(cf.NODES, self.prefix + NUMBER.pack(number))
        return None if data is None else decode_node(number, data)

    def edge(self, key: EdgeKey) -> Edge | None:
        """Return an edge."""
        return self._decoded(cf.EDGES, EDGE_KEY.pack(*key), decode_edge)

    def links(self, number: int) -> list[EdgeKey]:
        """Return the keys of all edges from and to a node."""
        prefix = self.prefix + NUMBER.pack(number)
        found: list[EdgeKey] = [EDGE_KEY.unpack_from(key, PREFIX_BYTES) for key, _ in self._db.scan(cf.EDGES, prefix)]
        for key, _ in self._db.scan(cf.ADJACENCY, prefix):
            target, source, kind = REVERSED_KEY.unpack_from(key, PREFIX_BYTES)
            found.append((source, kind, target))
        return found

    def node_rows(self) -> list[tuple[bytes, bytes]]:
        """Return every node as (8-byte key, scalars), in key order."""
        return [(key[PREFIX_BYTES:], row) for key, row in self._db.scan(cf.NODES, self.prefix)]

    def edge_rows(self) -> list[tuple[bytes, bytes]]:
        """Return every edge as (17-byte key, scalars), in key order."""
        return [(key[PREFIX_BYTES:], row) for key, row in self._db.scan(cf.EDGES, self.prefix)]

    def feature(self, name: str) -> int | None:
        """Return the number of the feature called ``name``."""
        data = self._db.get(cf.FEATURES, self.prefix + name.encode())
        return None if data is None else int.from_bytes(data, "big")

    def parts(self, number: int) -> Parts | None:
        """Return what an event or an episode is made of."""
        return self._decoded(cf.PARTS, NUMBER.pack(number), decode_parts)

    def heir(self, number: int) -> int | None:
        """Return what contained a node when it was forgotten."""
        data = self._db.get(cf.HEIRS, self.prefix + NUMBER.pack(number))
        return None if data is None else int.from_bytes(data, "big")

    def adjusted(self, number: int) -> Adjusted | None:
        """Return what adjustments have used up of a node's bounds."""
        return self._decoded(cf.ADJUSTED, NUMBER.pack(number), decode_adjusted)

    def ruling(self, number: int) -> Ruling | None:
        """Return the slot that a node is in, and what gave it its status."""
        return self._decoded(cf.RULINGS, NUMBER.pack(number), decode_ruling)

    def slot(self, slot: bytes) -> list[int]:
        """Return the nodes in a slot that are not out of it, in order of number."""
        data = self._db.get(cf.SLOTS, self.prefix + slot)
        return [] if data is None else decode_numbers(data)

    def ruled(self, slot: bytes) -> list[int]:
        """Return all nodes of which the ruling names a slot, out of it or not, in order of number."""
        rows = self._db.scan(cf.MEMBERS, self.prefix + slot)
        return [NUMBER.unpack_from(key, PREFIX_BYTES + len(slot))[0] for key, _ in rows]

    def claim(self, number: int) -> Claim | None:
        """Return what a node claims."""
        return self._decoded(cf.CLAIMS, NUMBER.pack(number), decode_claim)

    def definition(self, predicate: str) -> Definition | None:
        """Return what a predicate was defined to mean."""
        return self._decoded(cf.PREDICATES, predicate.encode(), decode_definition)

    def names(self, name: str) -> Names | None:
        """Return the names of the thing that ``name`` is one of, where there is more than one."""
        return self._decoded(cf.NAMES, name.encode(), decode_names)

    def named(self) -> list[str]:
        """Return all names of things that have more than one, sorted."""
        return sorted(key[PREFIX_BYTES:].decode() for key, _ in self._db.scan(cf.NAMES, self.prefix))

    def relation(self, key: EdgeKey) -> Relation | None:
        """Return who said last why two things are related."""
        return self._decoded(cf.RELATIONS, EDGE_KEY.pack(*key), decode_relation)

    def scorers(self) -> dict[int, Scorer]:
        """Return the proposed scorers by the seq of the command that proposed each, oldest first."""
        rows = self._db.scan(cf.SCORERS, self.prefix)
        return {int.from_bytes(key[PREFIX_BYTES:], "big"): decode_scorer(data) for key, data in rows}

    def snapshots(self) -> dict[str, int]:
        """Return the seqs of the moments that have names, by name in sorted order."""
        rows = self._db.scan(cf.SNAPSHOTS, self.prefix)
        return {key[PREFIX_BYTES:].decode(): int.from_bytes(data, "big") for key, data in rows}

    def account(self, seq: int) -> Account | None:
        """Return what the outcome, or the report of use, at a seq gave."""
        return self._decoded(cf.ACCOUNTS, NUMBER.pack(seq), decode_account)

    def act(self, seq: int) -> Act | None:
        """Return what the command at a seq did that made no node."""
        return self._decoded(cf.ACTS, NUMBER.pack(seq), decode_act)

    def acts_below(self, trust: int) -> list[int]:
        """Return the seqs of the commands that made no node and are trusted less, in order."""
        rows = self._db.scan(cf.ACTS, self.prefix)
        return [int.from_bytes(key[PREFIX_BYTES:], "big") for key, data in rows if trust_of_act(data) < trust]

    def content(self, number: int) -> bytes | None:
        """Return a node's immutable content."""
        return self._db.get(cf.CONTENTS, self.prefix + NUMBER.pack(number))

    def contents_from(self, number: int, count: int = 0) -> list[tuple[int, bytes]]:
        """Return the contents of nodes from ``number`` on, in order of number; at most ``count`` if given."""
        rows = self._db.scan(cf.CONTENTS, self.prefix, self.prefix + NUMBER.pack(number), count)
        return [(int.from_bytes(key[PREFIX_BYTES:], "big"), content) for key, content in rows]

    def vectors(self, number: int) -> dict[str, tuple[int, bytes]]:
        """Return the vectors that were attached to a node, by model in sorted order: seq and record of the command."""
        rows = self._db.scan(cf.VECTORS, self.prefix + NUMBER.pack(number))
        return {decode_vector_key(key[PREFIX_BYTES:])[1]: decode_vector(data) for key, data in rows}

    def vectors_from(self, number: int, count: int = 0) -> list[tuple[int, str, int, bytes]]:
        """Return the vectors of nodes from ``number`` on as (node, model, seq, record), in order of node and model.

        At most ``count`` if given, and then those that are missing of the last node: go on with the next number.
        """
        rows = self._db.scan(cf.VECTORS, self.prefix, self.prefix + NUMBER.pack(number), count)
        if count and len(rows) == count:
            last = rows[-1][0]
            of_its_node = self._db.scan(cf.VECTORS, last[: PREFIX_BYTES + NUMBER.size], last)
            rows = [*rows, *of_its_node[1:]]
        return [(*decode_vector_key(key[PREFIX_BYTES:]), *decode_vector(data)) for key, data in rows]

    def regards(self, number: int) -> tuple[Regard, ...]:
        """Return how strong a node is under each perspective, in order of their keys."""
        return self._decoded(cf.REGARDS, NUMBER.pack(number), decode_regards) or ()

    def roles(self) -> dict[str, Role]:
        """Return all roles by name."""
        return {key[PREFIX_BYTES:].decode(): decode_role(data) for key, data in self._db.scan(cf.ROLES, self.prefix)}

    def sessions(self) -> dict[str, Session]:
        """Return all open sessions by name."""
        rows = self._db.scan(cf.SESSIONS, self.prefix)
        return {key[PREFIX_BYTES:].decode(): decode_session(data) for key, data in rows}

    def taints(self) -> dict[bytes, Taint]:
        """Return which sessions took in something foreign, by 8 bytes that stand for each."""
        rows = self._db.scan(cf.TAINTS, self.prefix)
        return {key[PREFIX_BYTES:]: decode_taint(data) for key, data in rows}

    def recalls(self) -> dict[int, Recall]:
        """Return the kept recalls by seq, oldest first."""
        rows = self._db.scan(cf.RECALLS, self.prefix)
        return {int.from_bytes(key[PREFIX_BYTES:], "big"): decode_recall(data) for key, data in rows}

    def identity(self, command_id: bytes) -> Identity | None:
        """Return what became of a command."""
        return self._decoded(cf.IDENTITY, command_id, decode_identity)

    def folded(self, seq: int, record: bytes) -> bool:
        """Whether ``record`` is, byte by byte, what was folded as the command at ``seq``.

        Its id leads to its identity, that to its place in the log, and there its hash was kept when it was folded.
        """
        of_bytes = hash(record)  # keyed by this process: who changes a record cannot aim at it
        if self._compared.get(seq) == of_bytes:
            return True
        try:
            fields: dict[str, Any] = orjson.loads(record)
            key, command_id = fields["memory"].encode(), id_bytes(fields["id"])
        except (ValueError, KeyError, TypeError, AttributeError):  # it is no command any more
            return False
        identity = self.identity(command_id)
        if identity is None or identity.seq != seq:
            return False
        kept = self._db.get(cf.RECORD_HASHES, NUMBER.pack(identity.offset))
        if kept is None or kept[:HASH_BYTES] != hash_of(key, record):
            return False
        if len(self._compared) >= _COMPARED_MAX:
            self._compared.clear()
        self._compared[seq] = of_bytes
        return True

    def _decoded(self, family: str, key: bytes, decode: Callable[[bytes], T]) -> T | None:
        data = self._db.get(family, self.prefix + key)
        return None if data is None else decode(data)
