"""The store of one partition: the graphs of record in RocksDB, with the position that they have been folded to.

Everything that a batch of records changes (graph records, identities, refusals for the outbox, the applied position,
the log chain and the versions) is written in one WriteBatch. So the store is always the fold of a prefix of the log.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol, Self

import orjson

from yggdrasil_infra.log import LogRecord
from yggdrasil_infra.rocks.checks import wal_bytes
from yggdrasil_infra.rocks.database import FrozenView, MemoryBudget, Rocks
from yggdrasil_schemas.graph.codec import NUMBER, decode_header, decode_identity, seq_in_header
from yggdrasil_schemas.graph.records import Header, Identity

from ..fold import Answer
from ..working_set import Graph
from . import families as cf
from .cache import GraphCache
from .chain import HASH_BYTES
from .digest import DIGESTED, state_digest
from .invariants import broken_invariants, unsound_records
from .marks import AFTER_MARK, check_marks, check_whole, put_marks
from .moves import Moves
from .outbox import Outbox
from .source import PREFIX_BYTES, StoreSource
from .state import Pin, StoreError, StoreMismatchError, StoreState, decode_pin, decode_state, encode_state
from .writer import put_graph, put_records

CACHED_RECORDS_MAX: Final = 1_000_000  # a memory at its default bounds (300,000 records and their links) with room
_STATE: Final = b"state"

__all__ = [
    "CACHED_RECORDS_MAX",
    "Frozen",
    "GraphStore",
    "Pin",
    "StoreError",
    "StoreMismatchError",
    "StoreState",
    "View",
]


class Frozen(NamedTuple):
    """A memory as it stood at one moment: readable from another thread while the fold goes on. Close the view."""

    header: Header
    view: FrozenView
    prefix: bytes

    def graph(self) -> Graph:
        """Return it as a graph, to be read only."""
        return Graph(self.header, StoreSource(self.view, self.prefix))


class View(Protocol):
    """What is made of the graphs for a way of reading them, and stands at their position: a search index is one.

    A view is disposable and in no digest: without it everything is still there, and it can be made anew. A store tells
    several, in their order.
    """

    def committed(self, graph: Graph) -> None:
        """Take notice of what was written; ``graph`` still says what has changed. It must not raise."""
        ...

    def at(self, memory: str) -> int | None:
        """Return the seq at which the view of a memory stands; None while there is none of it."""
        ...

    @property
    def nbytes(self) -> int:
        """About how many bytes of memory it takes."""
        ...

    def rebuild(self, graph: Graph) -> None:
        """Forget what there is of a memory, and make it anew of ``graph``."""
        ...


class GraphStore:
    """One partition's graphs. Used by one thread, but for what ``frozen`` returns; a context manager."""

    def __init__(
        self,
        path: Path,
        pin: Pin,
        budget: MemoryBudget,
        cached_records_max: int = CACHED_RECORDS_MAX,
        *,
        read_only: bool = False,
        views: Sequence[View] = (),
    ) -> None:
        """Open or create the store at ``path``; ``views`` are told of every commit, graph by graph.

        Raises StoreError for a format or versions of another release, StoreMismatchError for another pin, and
        StorageError when the database itself cannot be opened.
        """
        self.path = path
        self.pin = pin
        recovered = wal_bytes(path)
        self._db = Rocks(path, cf.ALL, budget, read_only=read_only)
        self._cache = GraphCache(cached_records_max)
        self._views = tuple(views)
        self._touched: dict[str, Graph] = {}
        try:
            data = self._db.get(cf.META, _STATE)
            self.state = StoreState() if data is None else decode_state(path, pin, data)
            check_whole(self._db, self.state.position, self.state.last_offset, self.state.folded, recovered)
            self._outbox = Outbox(self._db)
            self._moves = Moves(self.state.position)
        except BaseException:
            self._db.close()
            raise

    @staticmethod
    def pin_at(path: Path, budget: MemoryBudget) -> Pin | None:
        """Return what the store at ``path`` was folded from, None when nothing has been. Raises StorageError."""
        with Rocks(path, cf.ALL, budget, read_only=True) as db:
            data = db.get(cf.META, _STATE)
            return None if data is None else decode_pin(data)

    @staticmethod
    def stands_at(path: Path, pin: Pin, memory: str, budget: MemoryBudget) -> tuple[int, int]:
        """Return the position of the store at ``path``, and the seq of a memory in it, 0 before its first command.

        Nothing else of it is opened. Raises StoreError, StoreMismatchError and StorageError.
        """
        with Rocks(path, (cf.META, cf.MEMORIES), budget, read_only=True) as db:
            data, header = db.get(cf.META, _STATE), db.get(cf.MEMORIES, memory.encode())
            position = 0 if data is None else decode_state(path, pin, data).position
            check_marks(db, cf.MEMORIES, position=position)
            return position, 0 if header is None else decode_header(memory, header)[1].seq

    # Reading

    def graph(self, memory: str) -> Graph:
        """Return the graph of ``memory``, a new one when it has none; the current batch may change it."""
        graph = self._touched.get(memory)
        if graph is None:
            graph = self._touched[memory] = self.peek(memory) or self._new_graph(memory)
        return graph

    def peek(self, memory: str) -> Graph | None:
        """Return the graph of ``memory`` for reading, or None when no command of it has been folded."""
        graph = self._cache.get(memory)
        if graph is None:
            data = self._db.get(cf.MEMORIES, memory.encode())
            if data is None:
                return None
            local, header = decode_header(memory, data)
            graph = Graph(header, StoreSource(self._db, local.to_bytes(PREFIX_BYTES, "big")))
            self._cache.add(memory, graph)
        return graph

    def release(self, memory: str) -> None:
        """Count what reading a graph from ``peek`` has cached; call it after reading, between batches."""
        self._cache.settle(memory)

    def memories(self, prefix: str = "") -> list[str]:
        """Return the ids of all memories in this partition that begin with ``prefix``, sorted."""
        return [key.decode() for key, _ in self._db.scan(cf.MEMORIES, prefix.encode(), AFTER_MARK)]

    def seqs(self, prefix: str, after: str, count: int) -> list[tuple[str, int]]:
        """Return up to ``count`` memories that begin with ``prefix`` and come after ``after``, with their seqs."""
        start = max(AFTER_MARK, after.encode() + b"\0")
        rows = self._db.scan(cf.MEMORIES, prefix.encode(), max(start, prefix.encode()), count)
        return [(key.decode(), seq_in_header(data)) for key, data in rows]

    def moved(self, position: int) -> list[tuple[str, int]] | None:
        """Return the memories that moved beyond ``position``, with where, in order of that; see ``Moves.beyond``."""
        return self._moves.beyond(position)

    def seq(self, memory: str) -> int:
        """Return the seq at which ``memory`` is as of the last commit; 0 when nothing of it has been folded."""
        data = self._db.get(cf.MEMORIES, memory.encode())
        return 0 if data is None else seq_in_header(data)

    def headers(self) -> list[Header]:
        """Return the headers of all memories as of the last commit, sorted by memory."""
        rows = self._db.scan(cf.MEMORIES, b"", AFTER_MARK)
        return [decode_header(key.decode(), data)[1] for key, data in rows]

    def identities(self, memory: str) -> dict[bytes, Identity]:
        """Return what became of every command of ``memory``, by command id."""
        prefix = self._prefix(memory)
        rows = self._db.scan(cf.IDENTITY, prefix)
        return {key[PREFIX_BYTES:]: decode_identity(data) for key, data in rows}

    @property
    def cached_records(self) -> int:
        """How many records the cache holds."""
        return self._cache.records

    @property
    def outbox_depth(self) -> int:
        """How many refusals wait in the outbox."""
        return self._outbox.depth

    def outbox(self, after: int, count: int) -> list[tuple[int, bytes]]:
        """Return up to ``count`` refusals that wait beyond log offset ``after`` as (offset, JSON), in log order."""
        return self._outbox.waiting(after, count)

    def refusals(self) -> list[dict[str, Any]]:
        """Return all refusals that wait in the outbox, in log order."""
        return [orjson.loads(data) for _, data in self.outbox(-1, self.outbox_depth)]

    def record_hash(self, offset: int) -> bytes | None:
        """Return the kept 32-byte hash of the record at ``offset``."""
        kept = self._db.get(cf.RECORD_HASHES, NUMBER.pack(offset))
        return kept and kept[:HASH_BYTES]

    def record_hashes(self, first: int = 0, count: int = 0) -> list[tuple[int, bytes]]:
        """Return the kept hashes of applied records from offset ``first`` on as (offset, 32 bytes), in log order.

        At most ``count`` of them, if given.
        """
        rows = self._db.scan(cf.RECORD_HASHES, b"", NUMBER.pack(first), count)
        return [(int.from_bytes(key, "big"), data[:HASH_BYTES]) for key, data in rows]

    def frozen(self, memory: str, families: Sequence[str] = DIGESTED) -> Frozen:
        """Return ``memory`` as of the last commit, with some families. Raises StoreError when it is unknown."""
        data = self._db.get(cf.MEMORIES, memory.encode())
        if data is None:
            raise StoreError(f"{memory}: no command of this memory has been folded; check its name")
        local, header = decode_header(memory, data)
        return Frozen(header, self._db.snapshot(families), local.to_bytes(PREFIX_BYTES, "big"))

    def digest(self, memory: str) -> str:
        """Return the state digest of ``memory`` as of the last commit. Raises StoreError when it is unknown."""
        frozen = self.frozen(memory)
        try:
            return state_digest(*frozen)
        finally:
            frozen.view.close()

    def attestations(self, memory: str) -> dict[int, str]:
        """Return the digests that ``attest`` asked for, by seq; a missing one is had by replaying to that seq."""
        prefix = self._prefix(memory)
        rows = self._db.scan(cf.ATTESTATIONS, prefix)
        return {int.from_bytes(key[PREFIX_BYTES:], "big"): data.decode() for key, data in rows}

    def broken(self) -> list[str]:
        """Return what does not hold here although it does in every sound store. Raises StorageDamagedError."""
        return list(broken_invariants(self._db, self.state))

    def unsound(self, read: Callable[[int], object]) -> Iterator[str]:
        """Yield which records are not those that were folded; ``read`` is told of the bytes, and may wait.

        Raises StorageDamagedError.
        """
        return unsound_records(self._db, read)

    def disk_bytes(self) -> dict[str, int]:
        """Return the bytes of the live table files by column family."""
        return self._db.disk_bytes()

    # Writing

    def check(self) -> None:
        """Raise StorageError when nothing can be committed any more: after a failed write, and after closing.

        Raises StorageDamagedError once damage was met: then nothing is to be read any more either.
        """
        self._db.check_writable()

    def damaged(self, why: str) -> None:
        """Refuse everything from now on, in later processes too: somebody has found damage. For any thread."""
        self._db.poison_damaged(why)

    def poison(self, why: str) -> None:
        """Commit nothing more: the graphs in memory hold what is not in the store."""
        self._db.poison(why)

    def commit(self, applied: Sequence[tuple[LogRecord, Answer]]) -> None:
        """Make a batch of folded records durable, or stop.

        1. Everything that they changed goes into one batch: the touched graphs, refusals, record hashes.
        2. The position, the chain and the versions go into the same batch.
        3. The batch is written; a failure poisons the store, and the process must end.
        4. The views are told what has changed, while the working set still knows it.
        5. Only then does the working set forget its changes, and the cache shrink to its bound.
        """
        batch = self._db.batch()
        for graph in self._touched.values():  # 1
            put_graph(batch, graph)
        state = replace(self.state, refused=dict(self.state.refused))
        waiting = put_records(batch, state, applied, self.pin.topic_id)
        batch.put(cf.META, _STATE, encode_state(self.pin, state))  # 2
        put_marks(batch, state.position)
        self._db.write(batch)  # 3
        self.state = state
        self._outbox.depth += waiting
        self._moves.committed(self._touched, state.position)
        for memory, graph in self._touched.items():
            for view in self._views:
                view.committed(graph)  # 4
            graph.flushed()  # 5
            self._cache.add(memory, graph)
        for memory in self._touched:
            self._cache.settle(memory)
        self._touched.clear()

    def put_attestation(self, prefix: bytes, seq: int, digest: str) -> None:
        """Keep a digest that was computed for an ``attest``; safe from another thread."""
        batch = self._db.batch()
        batch.put(cf.ATTESTATIONS, prefix + NUMBER.pack(seq), digest.encode())
        self._db.write(batch)

    def delete_from_outbox(self, offsets: Sequence[int]) -> None:
        """Forget refusals that have been published, in one write; a failure poisons the store."""
        self._outbox.delete(offsets)

    def drop_outbox_below(self, offset: int) -> None:
        """Forget refusals of records before log offset ``offset``: another host has published them."""
        self._outbox.drop_below(offset)

    def write_checkpoint(self, path: Path) -> None:
        """Make the directory ``path``, which must not exist, a store as of the last commit that shares our tables.

        It must be on the file system of this store. Raises StorageError.
        """
        self._db.checkpoint(path)

    def flush(self) -> None:
        """Move what is in memory to table files, so that their sizes and checksums can be looked at."""
        self._db.flush()

    def close(self) -> None:
        """Release the database. What was folded since the last commit is dropped; the log still has it."""
        self._cache.clear()
        self._touched.clear()
        self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # Inside

    def _new_graph(self, memory: str) -> Graph:
        self.state.memories += 1
        source = StoreSource(self._db, self.state.memories.to_bytes(PREFIX_BYTES, "big"))
        return Graph(Header(memory), source, whole=True)

    def _prefix(self, memory: str) -> bytes:
        data = self._db.get(cf.MEMORIES, memory.encode())
        if data is None:
            raise StoreError(f"{memory}: no command of this memory has been folded; check its name")
        return data[:PREFIX_BYTES]
