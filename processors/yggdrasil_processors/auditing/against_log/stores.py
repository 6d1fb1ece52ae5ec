"""Two stores of one log beside each other, memory by memory and record by record, in the order of their keys.

Both are read as they were at one moment, a page at a time. Numbers of memories are a store's own, so keys are compared
without them.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple, Protocol

from yggdrasil_infra.rocks.database import FrozenView
from yggdrasil_projections.graph.store import families as cf
from yggdrasil_projections.graph.store.source import PREFIX_BYTES
from yggdrasil_projections.graph.store.store import Frozen, GraphStore
from yggdrasil_schemas.graph.codec import encode_header
from yggdrasil_schemas.graph.records import Header

COMPARED: Final = (
    *(each for each in cf.OF_GRAPHS if each not in (cf.MEMORIES, cf.RECORD_HASHES)),
    cf.ATTESTATIONS,
)
"""What a memory has beside its header. The hashes of records are compared with the log itself."""
_EITHER: Final = frozenset((cf.ATTESTATIONS,))
"""What a host computes when it can, and may lack: compared where both have it."""
_TOLD: Final = 512  # records between two tellings of the progress

Progress = Callable[[int], object]


class Key(NamedTuple):
    """One record of a memory: its family, and its key without the memory's number; of the header the key is empty."""

    memory: str
    family: str
    key: bytes


class Differing(NamedTuple):
    """A record that differs, with the stored value of either store; None: it is not there."""

    at: Key
    standing: bytes | None
    by_log: bytes | None


@dataclass(slots=True)
class OfMemory:
    """How a memory differs: ``counts`` by family, of each family the ``first`` record, and at which seq both stand.

    A seq is None where the memory is not there at all. ``records`` are those that were compared.
    """

    memory: str
    standing_seq: int | None
    log_seq: int | None
    records: int = 0
    counts: Counter[str] = field(default_factory=Counter[str])
    first: list[Differing] = field(default_factory=list[Differing])

    def add(self, one: Differing) -> None:
        """Count a record that differs, and keep the first of its family."""
        self.counts[one.at.family] += 1
        if self.counts[one.at.family] == 1:
            self.first.append(one)

    @property
    def same(self) -> bool:
        """Whether nothing differs."""
        return not self.counts


def compare_stores(standing: GraphStore, by_log: GraphStore, progress: Progress | None = None) -> Iterator[OfMemory]:
    """Yield how each memory of ``standing`` compares with what the log gives, in the order of their names.

    ``progress`` counts the records that are compared. Raises StorageDamagedError where a store cannot be read.
    """
    names = sorted({*standing.memories(), *by_log.memories()})
    if not names:
        return
    with OfStore(standing) as here, OfStore(by_log) as there:
        for memory in names:
            yield compared(memory, here, there, progress)


class Side(Protocol):
    """The records of memories, as they stood at one moment."""

    def memory(self, memory: str) -> "tuple[Header, bytes] | None":
        """Return the header of a memory, and the number that its keys begin with; None where it is not there."""
        ...

    def records(self, family: str, prefix: bytes | None) -> Iterator[tuple[bytes, bytes]]:
        """Yield the records of a memory, by their keys without its number."""
        ...


class OneFrozen:
    """One memory of a store that goes on, as it was frozen with what is ``COMPARED``."""

    def __init__(self, frozen: Frozen) -> None:
        self._frozen = frozen

    def memory(self, memory: str) -> "tuple[Header, bytes] | None":
        """Return the header of the memory, and the number that its keys begin with."""
        return self._frozen.header, self._frozen.prefix

    def records(self, family: str, prefix: bytes | None) -> Iterator[tuple[bytes, bytes]]:
        """Yield its records, by their keys without its number."""
        for key, value in self._frozen.view.walk(family, self._frozen.prefix):
            yield key[PREFIX_BYTES:], value


class OfStore:
    """One store, as it is now."""

    def __init__(self, store: GraphStore) -> None:
        self._store = store
        self._known = frozenset(store.memories())
        self._view: FrozenView | None = None

    def __enter__(self) -> "OfStore":
        return self

    def __exit__(self, *_: object) -> None:
        if self._view is not None:
            self._view.close()

    def memory(self, memory: str) -> "tuple[Header, bytes] | None":
        """Return the header of a memory, and the number that its keys begin with."""
        if memory not in self._known:
            return None
        header, nothing, prefix = self._store.frozen(memory, ())
        nothing.close()
        if self._view is None:
            self._view = self._store.frozen(memory, COMPARED).view  # it has all memories
        return header, prefix

    def records(self, family: str, prefix: bytes | None) -> Iterator[tuple[bytes, bytes]]:
        """Yield the records of a memory, by their keys without its number."""
        if prefix is None or self._view is None:
            return
        for key, value in self._view.walk(family, prefix):
            yield key[PREFIX_BYTES:], value


def compared(memory: str, here: Side, there: Side, progress: Progress | None) -> OfMemory:
    """Return how a memory differs between two sides. Raises StorageDamagedError where one cannot be read."""
    ours, theirs = here.memory(memory), there.memory(memory)
    found = OfMemory(memory, ours and ours[0].seq, theirs and theirs[0].seq)
    headers = tuple(None if each is None else encode_header(0, each[0]) for each in (ours, theirs))
    if headers[0] != headers[1]:
        found.add(Differing(Key(memory, cf.MEMORIES, b""), *headers))
    told = 0
    for family in COMPARED:
        pairs = _side_by_side(here.records(family, ours and ours[1]), there.records(family, theirs and theirs[1]))
        for key, standing, by_log in pairs:
            found.records += 1
            if standing != by_log and not (family in _EITHER and None in (standing, by_log)):
                found.add(Differing(Key(memory, family, key), standing, by_log))
            if progress is not None and found.records - told >= _TOLD:
                progress(found.records - told)
                told = found.records
    if progress is not None:
        progress(found.records - told)
    return found


def _side_by_side(
    ours: Iterator[tuple[bytes, bytes]], theirs: Iterator[tuple[bytes, bytes]]
) -> Iterator[tuple[bytes, bytes | None, bytes | None]]:
    """Yield every key of two walks in order, with the value of either."""
    here, there = next(ours, None), next(theirs, None)
    while here is not None and there is not None:
        key = min(here[0], there[0])
        in_ours, in_theirs = here[0] == key, there[0] == key
        yield key, here[1] if in_ours else None, there[1] if in_theirs else None
        if in_ours:
            here = next(ours, None)
        if in_theirs:
            there = next(theirs, None)
    while here is not None:
        yield here[0], here[1], None
        here = next(ours, None)
    while there is not None:
        yield there[0], None, there[1]
        there = next(theirs, None)
