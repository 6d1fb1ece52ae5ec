"""A source that holds nothing."""

from yggdrasil_schemas.graph.knowledge import Claim, Definition, Names
from yggdrasil_schemas.graph.perspectives import Regard, Role
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


class NothingStored:
    """The GraphSource of a memory that exists only in its working set: tests, and the pure fold of the benchmarks."""

    prefix = bytes(4)

    def node(self, number: int) -> Node | None:
        """Return None."""

    def edge(self, key: EdgeKey) -> Edge | None:
        """Return None."""

    def links(self, number: int) -> list[EdgeKey]:
        """Return no keys."""
        return []

    def node_rows(self) -> list[tuple[bytes, bytes]]:
        """Return no rows."""
        return []

    def edge_rows(self) -> list[tuple[bytes, bytes]]:
        """Return no rows."""
        return []

    def feature(self, name: str) -> int | None:
        """Return None."""

    def parts(self, number: int) -> Parts | None:
        """Return None."""

    def heir(self, number: int) -> int | None:
        """Return None."""

    def adjusted(self, number: int) -> Adjusted | None:
        """Return None."""

    def ruling(self, number: int) -> Ruling | None:
        """Return None."""

    def slot(self, slot: bytes) -> list[int]:
        """Return no nodes."""
        return []

    def ruled(self, slot: bytes) -> list[int]:
        """Return no nodes."""
        return []

    def claim(self, number: int) -> Claim | None:
        """Return None."""

    def definition(self, predicate: str) -> Definition | None:
        """Return None."""

    def names(self, name: str) -> Names | None:
        """Return None."""

    def named(self) -> list[str]:
        """Return no names."""
        return []

    def relation(self, key: EdgeKey) -> Relation | None:
        """Return None."""

    def scorers(self) -> dict[int, Scorer]:
        """Return no scorers."""
        return {}

    def snapshots(self) -> dict[str, int]:
        """Return no moments."""
        return {}

    def account(self, seq: int) -> Account | None:
        """Return None."""

    def act(self, seq: int) -> Act | None:
        """Return None."""

    def acts_below(self, trust: int) -> list[int]:
        """Return no seqs."""
        return []

    def content(self, number: int) -> bytes | None:
        """Return None."""

    def contents_from(self, number: int, count: int = 0) -> list[tuple[int, bytes]]:
        """Return no contents."""
        return []

    def vectors(self, number: int) -> dict[str, tuple[int, bytes]]:
        """Return no vectors."""
        return {}

    def vectors_from(self, number: int, count: int = 0) -> list[tuple[int, str, int, bytes]]:
        """Return no vectors."""
        return []

    def regards(self, number: int) -> tuple[Regard, ...]:
        """Return none."""
        return ()

    def roles(self) -> dict[str, Role]:
        """Return no roles."""
        return {}

    def sessions(self) -> dict[str, Session]:
        """Return no sessions."""
        return {}

    def taints(self) -> dict[bytes, Taint]:
        """Return no sessions."""
        return {}

    def recalls(self) -> dict[int, Recall]:
        """Return no recalls."""
        return {}

    def identity(self, command_id: bytes) -> Identity | None:
        """Return None."""

    def folded(self, seq: int, record: bytes) -> bool:
        """Return False: nothing was."""
        return False
