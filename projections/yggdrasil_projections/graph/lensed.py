"""A memory's graph as somebody sees it who trusts nothing below a tier: to them the rest was never there.

Nor is for anybody what the store holds another record of than the one that was folded (``graph.unsound``).

Hidden are all nodes whose trust is lower, among them features that nobody else has had, every edge to one of them, and
lines of claims, aliases, relations, vectors, recalls and what was reported of these, that were said with less trust.
What counts and values have learnt from them stays in these numbers, and so do the sizes in the header.
"""

from collections.abc import Iterator, Set
from dataclasses import replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from yggdrasil_schemas.codec import command_of
from yggdrasil_schemas.commands import Command, RecordEvent, RecordRecall
from yggdrasil_schemas.graph.knowledge import Claim, Definition, Names
from yggdrasil_schemas.graph.perspectives import Regard, Role
from yggdrasil_schemas.graph.records import (
    Account,
    Act,
    Adjusted,
    Edge,
    EdgeKey,
    EdgeKind,
    Identity,
    Node,
    Parts,
    Recall,
    Relation,
    Ruling,
    Scorer,
    Session,
    Taint,
    node_number,
    seq_of,
)
from yggdrasil_schemas.refusals import Refused

from .laws.authority import trust_of
from .working_set import Graph

_RELATIONS_FROM: Final = int(EdgeKind.SUPPORTS)
_NONE: Final[Set[int]] = frozenset()


def lensed(graph: Graph, trust_min: int | None, hidden: Set[int] = _NONE, withheld: Set[int] = _NONE) -> Graph:
    """Return a graph to read, in which nothing is that is trusted less than ``trust_min`` (0 to 4; None: 0).

    Nor are the nodes ``hidden`` in it, whose commands are known all the same, and those ``withheld``, of whose commands
    nothing is told either. A command that made no node is among them by the number that its node would have: what it
    said of a claim, a relation or a name is not shown.
    """
    hidden |= withheld
    least = trust_min_of(graph)
    if (trust_min or 0) <= least and hidden <= hidden_of(graph):
        return graph
    lens = Lensed(graph, max(trust_min or 0, least), hidden | hidden_of(graph), withheld | withheld_of(graph))
    principles = [number for number in graph.header.principles if lens.node(number) is not None]
    return Graph(replace(graph.header, principles=principles), lens)


def trust_min_of(graph: Graph) -> int:
    """Return from which trust on a graph shows what there is: 0 for all."""
    return graph.source.trust_min if isinstance(graph.source, Lensed) else 0


def hidden_of(graph: Graph) -> Set[int]:
    """Return the nodes that a graph does not show whatever they are trusted."""
    return graph.source.hidden if isinstance(graph.source, Lensed) else _NONE


def withheld_of(graph: Graph) -> Set[int]:
    """Return the nodes of whose commands a graph tells nothing."""
    return graph.source.withheld if isinstance(graph.source, Lensed) else _NONE


def shows(graph: Graph, gone: Command) -> bool:
    """Return whether a graph shows what a command said whose node is gone, if it had any.

    Through a lens these are events and recalls, which are trusted as their command is. Of all else nobody can tell any
    more what it was made of, and so how far it was trusted.
    """
    least = trust_min_of(graph)
    return not least or (isinstance(gone, RecordEvent | RecordRecall) and trust_of(gone) >= least)


def unlensed(graph: Graph) -> Graph:
    """Return the graph beneath a lens, whose columns are at hand: whoever scans them minds their trust."""
    return graph.source.beneath if isinstance(graph.source, Lensed) else graph


class Lensed:
    """The GraphSource of such a graph: another one, as it stands, with what is trusted enough."""

    def __init__(self, graph: Graph, trust_min: int, hidden: Set[int] = _NONE, withheld: Set[int] = _NONE) -> None:
        self.withheld = withheld
        self.prefix = graph.source.prefix
        self.trust_min = trust_min
        self.hidden = hidden
        self.beneath = graph

    # Nodes

    def node(self, number: int) -> Node | None:
        """Return a node that is seen."""
        node = self.beneath.node(number)
        return node if node is not None and self._sees(node) else None

    def node_rows(self) -> list[tuple[bytes, bytes]]:
        """Return every node that is seen as (key, scalars), in key order."""
        table = self.beneath.node_table()
        keys, rows = table.keys, table.rows
        seen = (rows["trust"] >= self.trust_min) & ~np.isin(keys, sorted(self.hidden))
        return _pairs(keys[seen], rows[seen])

    def feature(self, name: str) -> int | None:
        """Return the number of the feature called ``name``, if it is seen."""
        number = self.beneath.feature(name)
        return number if number is not None and self._is_seen(number) else None

    def content(self, number: int) -> bytes | None:
        """Return the content of a node that is seen."""
        return self.beneath.content(number) if self._is_seen(number) else None

    def contents_from(self, number: int, count: int = 0) -> list[tuple[int, bytes]]:
        """Return the contents of nodes that are seen, of those that the graph beneath would return."""
        return [each for each in self.beneath.source.contents_from(number, count) if self._is_seen(each[0])]

    def vectors(self, number: int) -> dict[str, tuple[int, bytes]]:
        """Return the vectors of a node that is seen, which were attached with enough trust."""
        found = self.beneath.vectors(number) if self._is_seen(number) else {}
        return {model: kept for model, kept in found.items() if self._is_trusted(kept[1])}

    def vectors_from(self, number: int, count: int = 0) -> list[tuple[int, str, int, bytes]]:
        """Return the vectors of nodes that are seen, of those that the graph beneath would return."""
        found = self.beneath.source.vectors_from(number, count)
        return [each for each in found if self._is_seen(each[0]) and self._is_trusted(each[3])]

    def parts(self, number: int) -> Parts | None:
        """Return what a node that is seen is made of; who has made that is hidden with it, or trusted as far."""
        return self.beneath.parts(number) if self._is_seen(number) else None

    def heir(self, number: int) -> int | None:
        """Return what contained a node when it was forgotten, if that is seen."""
        heir = self.beneath.heir(number)
        return heir if heir is not None and self._is_seen(heir) else None

    def adjusted(self, number: int) -> Adjusted | None:
        """Return what adjustments have used up of a node's bounds."""
        node = self.node(number)
        return None if node is None else self.beneath.adjusted(node)

    # Edges

    def edge(self, key: EdgeKey) -> Edge | None:
        """Return an edge between what is seen."""
        return self.beneath.edge(key) if self._sees_edge(key) else None

    def links(self, number: int) -> list[EdgeKey]:
        """Return the keys of all edges from and to a node whose other end is seen."""
        return [key for key in self.beneath.links(number) if self._sees_edge(key)] if self._is_seen(number) else []

    def edge_rows(self) -> list[tuple[bytes, bytes]]:
        """Return every edge between what is seen as (key, scalars), in key order."""
        nodes, edges = self.beneath.node_table(), self.beneath.edge_table()
        hidden = nodes.keys[nodes.rows["trust"] < self.trust_min]
        hidden = np.append(hidden, np.array(sorted(self.hidden), hidden.dtype))
        keys, rows = edges.keys, edges.rows
        seen = ~np.isin(keys["source"], hidden) & ~np.isin(keys["target"], hidden)
        return _pairs(keys[seen], rows[seen])

    def relation(self, key: EdgeKey) -> Relation | None:
        """Return who said last why two things are related, if that is trusted, and both are seen."""
        found = self.beneath.relation(key) if self._is_seen(key[0]) and self._is_seen(key[2]) else None
        said = () if found is None else tuple(each for each in found.said if self._is_heard(*each))
        return Relation(said) if said else None

    def account(self, seq: int) -> Account | None:
        """Return what the outcome, or the report of use, at a seq gave: laws read that, and no read."""
        return self.beneath.account(seq)

    def act(self, seq: int) -> Act | None:
        """Return what the command at a seq did that made no node, if its writer is trusted."""
        act = self.beneath.act(seq)
        return act if act is not None and self._is_heard(seq, act.trust) else None

    def acts_below(self, trust: int) -> list[int]:
        """Return the seqs of those commands whose writers are trusted less than that, and enough."""
        found = self.beneath.source.acts_below(trust)
        return [seq for seq in found if self.act(seq) is not None]

    # What is known

    def ruling(self, number: int) -> Ruling | None:
        """Return the slot that a node is in, and what gave it its status; what stands instead may be hidden."""
        node = self.node(number)
        return None if node is None else self.beneath.ruling(node)

    def slot(self, slot: bytes) -> list[int]:
        """Return the nodes in a slot that are seen and not out of it, in order of number."""
        return [number for number in self.beneath.slot(slot) if self._is_seen(number)]

    def ruled(self, slot: bytes) -> list[int]:
        """Return all nodes that are seen of which the ruling names a slot, in order of number."""
        return [number for number in self.beneath.ruled(slot) if self._is_seen(number)]

    def claim(self, number: int) -> Claim | None:
        """Return what a node claims that is seen, with the lines of those who are trusted enough.

        What held before it may be hidden.
        """
        node = self.node(number)
        claim = None if node is None else self.beneath.claim(node)
        if claim is None:
            return None
        return claim._replace(lines=tuple(line for line in claim.lines if self._is_heard(line.seq, line.trust)))

    def definition(self, predicate: str) -> Definition | None:
        """Return what a predicate was defined to mean, which only an operator may."""
        return self.beneath.definition(predicate)

    def scorers(self) -> dict[int, Scorer]:
        """Return the proposed scorers: they say nothing of what the memory holds, and an operator let them count."""
        return self.beneath.scorers

    def snapshots(self) -> dict[str, int]:
        """Return the moments that have names, which operators give; what is seen of each is another question."""
        return self.beneath.snapshots

    def names(self, name: str) -> Names | None:
        """Return the names of a thing that were given with enough trust, if ``name`` is one of them."""
        names = self.beneath.names(name)
        seen = names.of(each for each in names.said if self._is_heard(each[2], each[1]))
        known = name == seen.canonical or any(name == alias for alias, _ in seen.aliases)
        return seen if known and seen.aliases else None

    def named(self) -> list[str]:
        """Return all names of things that have more than one, sorted."""
        return [name for name in self.beneath.source.named() if self.names(name) is not None]

    # How it is seen

    def regards(self, number: int) -> tuple[Regard, ...]:
        """Return how strong a node that is seen is under each perspective, as far as who is trusted enough gave it."""
        node = self.node(number)
        kept = () if node is None else self.beneath.regards(node)
        return tuple([each for each in kept if each.trust >= self.trust_min])

    def roles(self) -> dict[str, Role]:
        """Return all roles by name, which only an operator may define."""
        return self.beneath.roles

    # What is going on

    def sessions(self) -> dict[str, Session]:
        """Return the open sessions of which anything is seen that is in mind, by name."""
        return dict(self._sessions())

    def taints(self) -> dict[bytes, Taint]:
        """Return which sessions took in something foreign: laws read that, and no read."""
        return self.beneath.taints

    def recalls(self) -> dict[int, Recall]:
        """Return the kept recalls of who is trusted enough by seq, oldest first, with what is seen of their answers."""
        return {
            seq: replace(recall, returned=[each for each in recall.returned if self._is_seen(each.number)])
            for seq, recall in self.beneath.recalls.items()
            if self._is_heard(seq, recall.trust)
        }

    def identity(self, command_id: bytes) -> Identity | None:
        """Return what became of a command, unless what it made is there and is trusted too little."""
        identity = self.beneath.identity(command_id)
        made = None if identity is None else self.beneath.node(node_number(identity.seq))
        return None if made is not None and made.trust < self.trust_min else identity

    def folded(self, seq: int, record: bytes) -> bool:
        """Whether a record is, byte by byte, what was folded as the command at ``seq``."""
        return self.beneath.folded(seq, record)

    def _sessions(self) -> Iterator[tuple[str, Session]]:
        for name, session in self.beneath.sessions.items():
            buffer = [number for number in session.buffer if self._is_seen(number)]
            desk = [number for number in session.desk if self._is_seen(number)]
            episode, opened = (number if self._is_seen(number) else 0 for number in (session.episode, session.opened))
            last, touched = session.last, session.touched
            if not self._is_seen(last):
                last = max([*buffer, episode, opened])
                touched = seq_of(last)
            if last:
                seen = replace(session, last=last, touched=touched, opened=opened, episode=episode)
                yield name, replace(seen, buffer=buffer, desk=desk)

    def _is_seen(self, number: int) -> bool:
        node = self.beneath.node(number)
        return node is not None and self._sees(node)

    def _sees(self, node: Node) -> bool:
        return node.trust >= self.trust_min and node.number not in self.hidden

    def _is_heard(self, seq: int, trust: int) -> bool:
        """Whether what the command at a seq said is shown, if it was said with that trust."""
        return trust >= self.trust_min and node_number(seq) not in self.hidden

    def _sees_edge(self, key: EdgeKey) -> bool:
        if key[1] >= _RELATIONS_FROM and self.relation(key) is None:
            return False
        return self._is_seen(key[0]) and self._is_seen(key[2])

    def _is_trusted(self, record: bytes) -> bool:
        """Whether the command in a record, which the fold has accepted, is trusted enough."""
        said = command_of(record)
        return not isinstance(said, Refused) and trust_of(said) >= self.trust_min


def _pairs(keys: npt.NDArray[Any], rows: npt.NDArray[Any]) -> list[tuple[bytes, bytes]]:
    """Return keys and rows as a store has them."""
    return list(zip(_parts(keys), _parts(rows), strict=True))


def _parts(of: npt.NDArray[Any]) -> list[bytes]:
    data, width = of.tobytes(), of.dtype.itemsize
    return [data[at : at + width] for at in range(0, len(data), width)]
