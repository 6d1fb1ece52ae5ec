"""What a working set is loaded from."""

from typing import Protocol

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


class GraphSource(Protocol):
    """The stored records of one memory, as of the last flush. ``prefix`` begins its keys in the store."""

    prefix: bytes

    def node(self, number: int) -> Node | None:
        """Return a node."""
        ...

    def edge(self, key: EdgeKey) -> Edge | None:
        """Return an edge."""
        ...

    def links(self, number: int) -> list[EdgeKey]:
        """Return the keys of all edges from and to a node."""
        ...

    def node_rows(self) -> list[tuple[bytes, bytes]]:
        """Return every node as (key, scalars), in key order."""
        ...

    def edge_rows(self) -> list[tuple[bytes, bytes]]:
        """Return every edge as (key, scalars), in key order."""
        ...

    def feature(self, name: str) -> int | None:
        """Return the number of the feature called ``name``."""
        ...

    def parts(self, number: int) -> Parts | None:
        """Return what an event or an episode is made of."""
        ...

    def heir(self, number: int) -> int | None:
        """Return what contained a node when it was forgotten."""
        ...

    def adjusted(self, number: int) -> Adjusted | None:
        """Return what adjustments have used up of a node's bounds."""
        ...

    def ruling(self, number: int) -> Ruling | None:
        """Return the slot that a node is in, and what gave it its status."""
        ...

    def slot(self, slot: bytes) -> list[int]:
        """Return the nodes in a slot that are not out of it, in order of number."""
        ...

    def ruled(self, slot: bytes) -> list[int]:
        """Return all nodes of which the ruling names a slot, out of it or not, in order of number."""
        ...

    def claim(self, number: int) -> Claim | None:
        """Return what a node claims."""
        ...

    def definition(self, predicate: str) -> Definition | None:
        """Return what a predicate was defined to mean."""
        ...

    def names(self, name: str) -> Names | None:
        """Return the names of the thing that ``name`` is one of, where there is more than one."""
        ...

    def named(self) -> list[str]:
        """Return all names of things that have more than one, sorted."""
        ...

    def relation(self, key: EdgeKey) -> Relation | None:
        """Return who said last why two things are related."""
        ...

    def scorers(self) -> dict[int, Scorer]:
        """Return the proposed scorers by the seq of the command that proposed each, oldest first."""
        ...

    def snapshots(self) -> dict[str, int]:
        """Return the seqs of the moments that have names, by name in sorted order."""
        ...

    def account(self, seq: int) -> Account | None:
        """Return what the outcome, or the report of use, at a seq gave."""
        ...

    def act(self, seq: int) -> Act | None:
        """Return what the command at a seq did that made no node."""
        ...

    def acts_below(self, trust: int) -> list[int]:
        """Return the seqs of the commands that made no node and are trusted less, in order."""
        ...

    def content(self, number: int) -> bytes | None:
        """Return a node's immutable content: the record that made it, or a feature's name."""
        ...

    def contents_from(self, number: int, count: int = 0) -> list[tuple[int, bytes]]:
        """Return the contents of nodes from ``number`` on, in order of number; at most ``count`` if given."""
        ...

    def vectors(self, number: int) -> dict[str, tuple[int, bytes]]:
        """Return the vectors that were attached to a node, by model in sorted order: seq and record of the command."""
        ...

    def vectors_from(self, number: int, count: int = 0) -> list[tuple[int, str, int, bytes]]:
        """Return the vectors of nodes from ``number`` on as (node, model, seq, record), in order of node and model.

        At most ``count`` if given, and then those that are missing of the last node: go on with the next number.
        """
        ...

    def regards(self, number: int) -> tuple[Regard, ...]:
        """Return how strong a node is under each perspective, in order of their keys."""
        ...

    def roles(self) -> dict[str, Role]:
        """Return all roles by name."""
        ...

    def sessions(self) -> dict[str, Session]:
        """Return all open sessions by name."""
        ...

    def taints(self) -> dict[bytes, Taint]:
        """Return which sessions took in something foreign, by 8 bytes that stand for each."""
        ...

    def recalls(self) -> dict[int, Recall]:
        """Return the kept recalls by seq, oldest first."""
        ...

    def identity(self, command_id: bytes) -> Identity | None:
        """Return what became of a command."""
        ...

    def folded(self, seq: int, record: bytes) -> bool:
        """Whether ``record`` is, byte by byte, what was folded as the command at ``seq``."""
        ...
