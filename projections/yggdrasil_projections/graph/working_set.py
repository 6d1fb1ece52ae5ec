"""One memory's graph as the laws see it: cached records over a source, and what has changed since the last flush.

Nothing here decides anything; laws read and change records through it. A record that is not cached is read from the
source, so the result never depends on what happens to be cached.
"""

from collections.abc import Iterable
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from yggdrasil_schemas.codec import command_of
from yggdrasil_schemas.commands import Command
from yggdrasil_schemas.errors import YggdrasilError
from yggdrasil_schemas.graph.codec import (
    EDGE_KEY,
    EDGE_KEYS,
    EDGE_ROWS,
    NODE_KEYS,
    NODE_ROWS,
    NUMBER,
    encode_edge,
    encode_node,
)
from yggdrasil_schemas.graph.knowledge import Claim, Definition, Names
from yggdrasil_schemas.graph.perspectives import Regard, Role
from yggdrasil_schemas.graph.records import (
    KIND_BITS,
    Account,
    Act,
    Adjusted,
    Edge,
    EdgeKey,
    EdgeKind,
    Header,
    Identity,
    Node,
    NodeFlag,
    NodeKind,
    Parts,
    Recall,
    Relation,
    Ruling,
    Scorer,
    Session,
    Status,
    Taint,
    node_number,
    seq_of,
)
from yggdrasil_schemas.refusals import Refused

from .arithmetic import decayed
from .source import GraphSource
from .table import Table, Tables

_RELATIONS_FROM: Final = int(EdgeKind.SUPPORTS)
_FEATURE: Final = NodeKind.FEATURE
_CLAIM: Final = NodeKind.CLAIM
_OUTCOME: Final = NodeKind.OUTCOME
_PRINCIPLE: Final = int(NodeFlag.PRINCIPLE)
_VECTORED: Final = int(NodeFlag.VECTORED)
_ADJUSTED: Final = int(NodeFlag.ADJUSTED)
_RULED: Final = int(NodeFlag.RULED)
_REGARDED: Final = int(NodeFlag.REGARDED)
_ATTACHED: Final = _PRINCIPLE | _VECTORED | _ADJUSTED | _RULED | _REGARDED
_OUT_FROM: Final = int(Status.SUPERSEDED)  # what is superseded, rejected or resolved is out of its slot
_REJECTED: Final = int(Status.REJECTED)  # but a claim: its slot remembers that it was, lest it come back
_NO_PARTS: Final = Parts()
_NO_RULING: Final = Ruling()
_AWAKE_MAX: Final = 10_000  # of a memory that does not sleep; where there are more, all are looked through
_RECORDS_PER_RECALL: Final = 25  # with what it returned, a recall takes as much memory as so many records


class BrokenInvariantError(YggdrasilError):
    """The graph contradicts itself. Nothing can be folded on; the process must end."""


class Graph:
    """A working set over one memory. Attributes named ``changed_*`` map keys to records, or to None when removed."""

    __slots__ = (
        "_edges", "_features", "_ids", "_links", "_nodes", "_pending_links", "_recalls", "_roles", "_sessions",
        "_taints", "_whole", "awake", "awake_known", "changed_accounts", "changed_acts", "changed_adjusted",
        "changed_claims", "changed_definitions", "changed_edges", "changed_features", "changed_heirs",
        "changed_members", "changed_names", "changed_nodes", "changed_recalls", "changed_regards",
        "changed_relations", "changed_roles", "changed_rulings", "changed_scorers", "changed_sessions",
        "changed_slots", "changed_snapshots", "changed_taints", "changed_vectors", "crowded", "header",
        "new_contents", "new_edges", "new_identities", "new_parts", "said", "source", "tables", "trust",
    )  # fmt: skip

    def __init__(self, header: Header, source: GraphSource, *, whole: bool = False) -> None:
        """Cache nothing yet. ``whole`` says that nothing is stored either, so that the source need not be asked."""
        self.header = header
        self.source = source
        self._whole = whole
        self._nodes: dict[int, Node] = {}
        self._edges: dict[EdgeKey, Edge] = {}
        self._features: dict[str, int] = {}
        self._ids: set[bytes] = set()  # of all commands, while the memory is whole
        self._links: dict[int, set[EdgeKey]] = {}  # complete where present
        self._pending_links: dict[int, set[EdgeKey]] = {}  # new edges of nodes whose links are not loaded
        self._sessions: dict[str, Session] | None = None
        self._taints: dict[bytes, Taint] | None = None
        self._recalls: dict[int, Recall] | None = None
        self._roles: dict[str, Role] | None = None
        self.changed_nodes: dict[int, Node | None] = {}
        self.changed_edges: dict[EdgeKey, Edge | None] = {}
        self.changed_features: dict[str, int | None] = {}
        self.changed_heirs: dict[int, int] = {}
        self.changed_adjusted: dict[int, Adjusted | None] = {}
        self.changed_rulings: dict[int, Ruling | None] = {}
        self.changed_slots: dict[bytes, list[int]] = {}
        self.changed_members: dict[tuple[bytes, int], bool] = {}  # whether a ruling names a slot: it follows from these
        self.changed_vectors: dict[int, dict[str, tuple[int, bytes] | None]] = {}  # by node, then by model
        self.changed_claims: dict[int, Claim | None] = {}
        self.changed_definitions: dict[str, Definition] = {}
        self.changed_names: dict[str, Names | None] = {}
        self.changed_relations: dict[EdgeKey, Relation | None] = {}
        self.changed_sessions: dict[str, Session | None] = {}
        self.changed_accounts: dict[int, Account | None] = {}
        self.changed_acts: dict[int, Act] = {}
        self.changed_taints: dict[bytes, Taint | None] = {}
        self.changed_scorers: dict[int, Scorer | None] = {}
        self.changed_snapshots: dict[str, int | None] = {}
        self.changed_recalls: dict[int, Recall | None] = {}
        self.changed_roles: dict[str, Role | None] = {}
        self.changed_regards: dict[int, tuple[Regard, ...]] = {}
        self.new_contents: dict[int, bytes] = {}
        self.new_parts: dict[int, Parts] = {}
        self.new_edges: list[EdgeKey] = []  # some may be removed again, or be made twice
        self.new_identities: dict[bytes, Identity] = {}
        self.awake: set[int] = set()  # what was touched since this was loaded, or since the last sleep if that is known
        self.awake_known = False
        self.crowded: set[int] = set()  # nodes above the degree cap, until the command ends
        self.tables = Tables()
        self.said = 0  # the seq of the present command,
        self.trust = 0  # and how far what it says is trusted: what it ties is worth no more

    # Nodes

    def node(self, number: int) -> Node | None:
        """Return a live node, or None when it was pruned or never was."""
        node = self._nodes.get(number)
        if node is None and not self._whole and number not in self.changed_nodes:
            node = self.source.node(number)
            if node is not None:
                self._nodes[number] = node
        return node

    def settled(self, number: int) -> Node | None:
        """Return a live node with its values brought to the present tick, marked as changed.

        Salience fades by the node's half-life, permanence erodes by the policy's (000, section 4).
        """
        node = self._nodes.get(number) or self.node(number)
        if node is None:
            return None
        header = self.header
        elapsed = header.tick - node.tick
        if elapsed:
            node.salience = decayed(node.salience, elapsed, node.half_life)
            if node.permanence:
                node.permanence = decayed(node.permanence, elapsed, header.policy.permanence_half_life_ticks)
            node.tick = header.tick
            self.awake.add(number)
        self.changed_nodes[number] = node
        return node

    def settle(self, number: int) -> Node:
        """Return a node that must exist, settled. Raises BrokenInvariantError."""
        return self.settled(number) or self.expect(number)

    def add_node(self, node: Node, content: bytes) -> None:
        """Add a new node with its immutable content."""
        number = node.number
        self._nodes[number] = self.changed_nodes[number] = node
        self.awake.add(number)
        self._links[number] = set()
        self.new_contents[number] = content
        self.header.nodes += 1

    def remove_node(self, number: int) -> None:
        """Remove a node with all its edges and, for a feature, its name."""
        node = self._nodes.get(number) or self.expect(number)
        for key in sorted(self.links(number)):
            self.unlink(key)
        if node.kind == _FEATURE:
            name = self.feature_name(number)
            self._features.pop(name, None)
            self.changed_features[name] = None
        if node.flags & _ATTACHED:
            self.detach(node)
        self.forget_claim(node)
        if node.kind == _OUTCOME:
            self.changed_accounts[seq_of(number)] = None
        self._nodes.pop(number, None)
        self._links.pop(number, None)
        self.new_contents.pop(number, None)
        self.new_parts.pop(number, None)
        self.changed_nodes[number] = None
        self.header.nodes -= 1

    def expect(self, number: int) -> Node:
        """Return a node that must exist. Raises BrokenInvariantError."""
        node = self.node(number)
        if node is None:
            raise BrokenInvariantError(f"{self.header.memory}: node {number} is referred to and does not exist")
        return node

    def content(self, number: int) -> bytes | None:
        """Return a live node's content."""
        content = self.new_contents.get(number)
        return content if content is not None else self.source.content(number)

    def folded(self, seq: int, record: bytes) -> bool:
        """Whether a record that was read is, byte by byte, what was folded as the command at ``seq``."""
        return node_number(seq) in self.new_contents or self.source.folded(seq, record)

    def maker(self, number: int) -> Command | None:
        """Return the command that made a live node, from the record that is kept with it; of a feature None."""
        said = command_of(self.content(number))
        return None if isinstance(said, Refused) else said

    # Features

    def feature(self, name: str) -> int | None:
        """Return the number of the live feature called ``name``."""
        number = self._features.get(name)
        if number is None and not self._whole and name not in self.changed_features:
            number = self.source.feature(name)
            if number is not None:
                self._features[name] = number
        return number

    def add_feature(self, name: str, node: Node) -> None:
        """Add a feature node under its name."""
        self.add_node(node, name.encode())
        self._features[name] = self.changed_features[name] = node.number

    def feature_name(self, number: int) -> str:
        """Return the name of a live feature."""
        content = self.content(number)
        if content is None:
            raise BrokenInvariantError(f"{self.header.memory}: feature {number} has no name")
        return content.decode()

    # Edges

    def edge(self, key: EdgeKey) -> Edge | None:
        """Return a live edge."""
        edge = self._edges.get(key)
        if edge is None and not self._whole and key not in self.changed_edges:
            links = self._links.get(key[0])
            if links is None or key in links:  # else there is no such edge, and the source need not be asked
                edge = self.source.edge(key)
            if edge is not None:
                self._edges[key] = edge
        return edge

    def expect_edge(self, key: EdgeKey) -> Edge:
        """Return an edge that must exist. Raises BrokenInvariantError."""
        edge = self._edges.get(key) or self.edge(key)
        if edge is None:
            raise BrokenInvariantError(f"{self.header.memory}: edge {key} is referred to and does not exist")
        return edge

    def settled_edge(self, key: EdgeKey) -> Edge | None:
        """Return a live edge with its values brought to the present tick, marked as changed."""
        edge = self._edges.get(key) or (None if self._whole else self.edge(key))
        if edge is None:
            return None
        if edge.shared:
            edge = self._edges[key] = edge.own()
        header = self.header
        elapsed = header.tick - edge.tick
        if elapsed:
            edge.weight = decayed(edge.weight, elapsed, edge.half_life)
            if edge.permanence:
                edge.permanence = decayed(edge.permanence, elapsed, header.policy.permanence_half_life_ticks)
            edge.tick = header.tick
        self.changed_edges[key] = edge
        return edge

    def link(self, source: Node, kind: int, target: Node, edge: Edge) -> None:
        """Add a new edge between two live nodes."""
        self.changed_nodes[source.number] = source
        self.changed_nodes[target.number] = target
        self.tie(source, kind, target, edge)

    def tie(self, source: Node, kind: int, target: Node, edge: Edge) -> None:
        """Add a new edge between two nodes that this command has made or settled."""
        first, second = source.number, target.number
        key: EdgeKey = (first, kind, second)
        edge.made, edge.trust = self.said, self.trust
        self._edges[key] = self.changed_edges[key] = edge
        self.new_edges.append(key)
        all_links = self._links
        try:  # what fails is rare, and to ask first costs as much as to do it
            all_links[first].add(key)
        except KeyError:
            self._pending_links.setdefault(first, set()).add(key)
        try:
            all_links[second].add(key)
        except KeyError:
            self._pending_links.setdefault(second, set()).add(key)
        header = self.header
        header.edges += 1
        degree_max = header.policy.degree_max
        bit = KIND_BITS[kind]
        source.kinds |= bit
        target.kinds |= bit
        source.degree = degree = source.degree + 1
        if degree > degree_max:
            self.crowded.add(first)
        target.degree = degree = target.degree + 1
        if degree > degree_max:
            self.crowded.add(second)

    def unlink(self, key: EdgeKey) -> None:
        """Remove a live edge."""
        self._edges.pop(key, None)
        self.changed_edges[key] = None
        if key[1] >= _RELATIONS_FROM:
            self.changed_relations[key] = None
        all_links, nodes, changed = self._links, self._nodes, self.changed_nodes
        for number in (key[0], key[2]):
            links = all_links.get(number) or self._pending_links.get(number)
            if links:
                links.discard(key)
            node = nodes.get(number) or self.expect(number)
            node.degree -= 1
            changed[number] = node
        self.header.edges -= 1

    def links(self, number: int) -> set[EdgeKey]:
        """Return the keys of all live edges of a node, in no order: sort them before their order can matter."""
        links = self._links.get(number)
        if links is None:
            changed = self.changed_edges
            links = {key for key in self.source.links(number) if changed.get(key, True) is not None}
            links |= self._pending_links.pop(number, set())
            self._links[number] = links
        return links

    # What few nodes have beside their scalars; of the living, their flags say which have

    def vectors(self, number: int) -> dict[str, tuple[int, bytes]]:
        """Return what was attached to a node, by model: the command's seq and its record. Models are sorted."""
        kept = self.source.vectors(number)
        changed = self.changed_vectors.get(number)
        if changed is None:
            return kept
        found = {model: each for model, each in (kept | changed).items() if each is not None}  # any order: sorted next
        return dict(sorted(found.items()))

    def vector(self, number: int, model: str) -> bytes | None:
        """Return the record that attached a vector by ``model`` to a node, or None."""
        found = self.vectors(number).get(model)
        return None if found is None else found[1]

    def attached(self, node: Node) -> dict[str, tuple[int, Command]]:
        """Return the seqs and the commands that attached a live node's vectors, by model.

        They are read from the records that are kept with it, which the fold has accepted: none of them is refused.
        """
        if not node.flags & _VECTORED:
            return {}
        read = ((model, seq, command_of(record)) for model, (seq, record) in self.vectors(node.number).items())
        return {model: (seq, command) for model, seq, command in read if not isinstance(command, Refused)}

    def attach(self, node: Node, model: str, seq: int, record: bytes, instead: str | None) -> None:
        """Keep the record of a live node's vector by ``model``, in place of one by the model ``instead``, if any."""
        changed = self.changed_vectors.setdefault(node.number, {})
        if instead is not None:
            changed[instead] = None
        changed[model] = (seq, record)
        node.flags |= _VECTORED
        self.changed_nodes[node.number] = node

    def parts(self, number: int) -> Parts:
        """Return what a live event or episode is made of."""
        return self.new_parts.get(number) or self.source.parts(number) or _NO_PARTS

    def heir(self, number: int) -> int | None:
        """Return what contained a node when it was forgotten."""
        heir = self.changed_heirs.get(number)
        return heir if heir is not None else self.source.heir(number)

    def adjusted(self, node: Node) -> Adjusted | None:
        """Return what adjustments have used up of a live node's bounds, in the window that it was last adjusted in."""
        if not node.flags & _ADJUSTED:
            return None
        return self.changed_adjusted.get(node.number) or self.source.adjusted(node.number)

    def note_adjusted(self, node: Node, adjusted: Adjusted) -> None:
        """Keep what adjustments have used up of the bounds of a live node that has been settled."""
        node.flags |= _ADJUSTED
        self.changed_adjusted[node.number] = adjusted

    def name_principle(self, node: Node) -> None:
        """Let a live node be a principle, after those that are; one that is keeps its place."""
        if not node.flags & _PRINCIPLE:
            node.flags |= _PRINCIPLE
            self.header.principles.append(node.number)

    def detach(self, node: Node, what: int = _ATTACHED) -> None:
        """Take what is attached to a node from it: its place among the principles, its vectors, or by default all."""
        what &= node.flags
        if what & _RULED:
            slot = self.ruling(node).slot
            if slot:
                self.leave(slot, node.number)
                self.changed_members[slot, node.number] = False
            self.changed_rulings[node.number] = None
        node.flags &= ~what
        if what & _PRINCIPLE:
            self.header.principles.remove(node.number)
        if what & _VECTORED:
            kept = self.vectors(node.number)
            self.changed_vectors.setdefault(node.number, {}).update(dict.fromkeys(kept))
        if what & _ADJUSTED:
            self.changed_adjusted[node.number] = None
        if what & _REGARDED:
            self.changed_regards[node.number] = ()

    def regards(self, node: Node) -> tuple[Regard, ...]:
        """Return how strong a live node is under each perspective, in order of their keys; nothing for most."""
        if not node.flags & _REGARDED:
            return ()
        changed = self.changed_regards.get(node.number)
        return self.source.regards(node.number) if changed is None else changed

    def note_regards(self, node: Node, regards: tuple[Regard, ...]) -> None:
        """Keep how strong a live node is under each perspective; the regards are in order of their keys."""
        node.flags = node.flags | _REGARDED if regards else node.flags & ~_REGARDED
        self.changed_regards[node.number] = regards
        self.changed_nodes[node.number] = node

    # Slots, and what gave a status

    def ruling(self, node: Node) -> Ruling:
        """Return the slot that a live node is in, and what gave it its status; an empty one for most."""
        if not node.flags & _RULED:
            return _NO_RULING
        return self.changed_rulings.get(node.number) or self.source.ruling(node.number) or _NO_RULING

    def slot(self, slot: bytes) -> list[int]:
        """Return the live nodes in a slot that stand, are contested or wait, and rejected claims, by number."""
        changed = self.changed_slots.get(slot)
        return self.source.slot(slot) if changed is None else changed

    def ruled(self, slot: bytes) -> list[int]:
        """Return all live nodes whose ruling names a slot, out of it or not, in order of number."""
        changed = {number: named for (each, number), named in sorted(self.changed_members.items()) if each == slot}
        found = {number for number in self.source.ruled(slot) if number not in changed}
        found.update(number for number, named in sorted(changed.items()) if named)
        return sorted(found)

    def rule(self, node: Node, status: int, ruling: Ruling) -> None:
        """Give a live node a status, and keep what gave it; its slot holds it as long as that is not out."""
        slot = self.ruling(node).slot
        if slot and slot != ruling.slot:
            self.leave(slot, node.number)
            self.changed_members[slot, node.number] = False
        if ruling.slot and slot != ruling.slot:
            self.changed_members[ruling.slot, node.number] = True
        node.status = status
        node.flags |= _RULED
        self.changed_nodes[node.number] = node
        self.changed_rulings[node.number] = ruling
        if ruling.slot:
            if status < _OUT_FROM or (status == _REJECTED and node.kind == _CLAIM):
                numbers = [each for each in self.slot(ruling.slot) if each != node.number]
                self.changed_slots[ruling.slot] = sorted([*numbers, node.number])
            else:
                self.leave(ruling.slot, node.number)

    def leave(self, slot: bytes, number: int) -> None:
        """Let a slot hold a node no longer."""
        self.changed_slots[slot] = [each for each in self.slot(slot) if each != number]

    # Claims, what predicates mean, names of things, and why two things are related

    def claim(self, node: Node) -> Claim | None:
        """Return what a live node claims; None for one that is no claim."""
        if node.kind != _CLAIM:
            return None
        return self.changed_claims.get(node.number) or self.source.claim(node.number)

    def note_claim(self, node: Node, claim: Claim) -> None:
        """Keep what a live node claims from now on."""
        self.changed_claims[node.number] = claim
        self.changed_nodes[node.number] = node

    def forget_claim(self, node: Node) -> None:
        """Let a node that is about to go take its claim with it."""
        if node.kind == _CLAIM:
            self.changed_claims[node.number] = None

    def definition(self, predicate: str) -> Definition | None:
        """Return what the memory has defined a predicate to mean."""
        return self.changed_definitions.get(predicate) or self.source.definition(predicate)

    def define(self, predicate: str, definition: Definition) -> None:
        """Keep what a predicate means from now on."""
        if self.definition(predicate) is None:
            self.header.predicates += 1
        self.changed_definitions[predicate] = definition

    def names(self, name: str) -> Names:
        """Return the names of the thing that ``name`` is one of; it alone where no other is known."""
        if not self.header.aliases:
            return Names(name)
        changed = self.changed_names
        kept = changed[name] if name in changed else self.source.names(name)
        return kept or Names(name)

    def called(self, name: str, trust: int = 0) -> tuple[str, ...]:
        """Return all names of the thing that ``name`` is one of, the one under which it is known first.

        With ``trust`` those that are joined to it by no less.
        """
        return tuple([each for each, link in self.names(name).linked(name) if link >= trust])

    def name(self, names: Names) -> None:
        """Let things have these names, and no others: what had other names before has to be told apart first."""
        self.header.aliases += len(names.aliases)
        for each in (names.canonical, *[alias for alias, _ in names.aliases]):
            self.changed_names[each] = names if names.aliases else None

    def unname(self, names: Names) -> None:
        """Forget what a thing was called: each of its names stands for itself."""
        self.header.aliases -= len(names.aliases)
        for each in (names.canonical, *[alias for alias, _ in names.aliases]):
            self.changed_names[each] = None

    def relation(self, key: EdgeKey) -> Relation | None:
        """Return who said last why two things are related, by the edge between them."""
        changed = self.changed_relations
        return changed[key] if key in changed else self.source.relation(key)

    # What commands gave and did, by their seqs, so that it can be taken back

    def account(self, seq: int) -> Account | None:
        """Return what the outcome, or the report of use, at a seq gave, as long as that is kept."""
        changed = self.changed_accounts
        return changed[seq] if seq in changed else self.source.account(seq)

    def act(self, seq: int) -> Act | None:
        """Return what the command at a seq did that made no node."""
        return self.changed_acts.get(seq) or self.source.act(seq)

    @property
    def scorers(self) -> dict[int, Scorer]:
        """The proposed scorers by the seq of the command that proposed each, oldest first."""
        kept, changed = self.source.scorers(), self.changed_scorers
        found = {seq: each for seq, each in (kept | changed).items() if each is not None}  # any order: sorted next
        return dict(sorted(found.items()))

    @property
    def snapshots(self) -> dict[str, int]:
        """The seqs of the moments that have names, by name in sorted order."""
        kept, changed = self.source.snapshots(), self.changed_snapshots
        found = {name: seq for name, seq in (kept | changed).items() if seq is not None}  # any order: sorted next
        return dict(sorted(found.items()))

    # What is going on, and what was said

    @property
    def sessions(self) -> dict[str, Session]:
        """All open sessions by name."""
        if self._sessions is None:
            self._sessions = self.source.sessions()
        return self._sessions

    @property
    def roles(self) -> dict[str, Role]:
        """All roles by name, in no order."""
        if self._roles is None:
            self._roles = self.source.roles()
        return self._roles

    def define_role(self, name: str, role: Role | None) -> None:
        """Keep what a role is from now on; None: it is there no longer."""
        if role is None:
            self.roles.pop(name, None)
        else:
            self.roles[name] = role
        self.changed_roles[name] = role

    @property
    def taints(self) -> dict[bytes, Taint]:
        """Which sessions took in something foreign, by 8 bytes that stand for each, in no order."""
        if self._taints is None:
            self._taints = self.source.taints()
        return self._taints

    @property
    def recalls(self) -> dict[int, Recall]:
        """The kept recalls by seq, oldest first."""
        if self._recalls is None:
            self._recalls = self.source.recalls()
        return self._recalls

    def identity(self, command_id: bytes) -> Identity | None:
        """Return what became of a command of this memory."""
        if self._whole and command_id not in self._ids:
            return None
        return self.new_identities.get(command_id) or self.source.identity(command_id)

    def add_identity(self, command_id: bytes, identity: Identity) -> None:
        """Keep what became of a command that was not known."""
        self.new_identities[command_id] = identity
        if self._whole:
            self._ids.add(command_id)

    # Scalars as rows, for the scans that rank them: what is stored, overlaid with what has changed since

    def stored_nodes(self) -> Table:
        """Return what ``node_table`` does, but of what is in ``changed_nodes``: that is missing in it, or out of date.

        A look at part of a memory takes these few from there: to lay them all over a table costs more than the look.
        """
        table = self.tables.nodes
        if table is None:
            table = self.tables.nodes = Table(self.source.node_rows(), NODE_KEYS, NODE_ROWS)
        table.refresh({})
        return table

    def node_table(self) -> Table:
        """Return the numbers (layout NODE_KEYS) and the scalars (NODE_ROWS) of all live nodes, in order of number."""
        table = self.tables.nodes
        if table is None:
            table = self.tables.nodes = Table(self.source.node_rows(), NODE_KEYS, NODE_ROWS)
        changed = self.changed_nodes.items()
        rows = {NUMBER.pack(number): encode_node(node) if node else None for number, node in changed}  # any order
        table.refresh(rows)
        return table

    def edge_table(self) -> Table:
        """Return the keys (layout EDGE_KEYS) and the scalars (EDGE_ROWS) of all live edges, in key order."""
        table = self.tables.edges
        if table is None:
            table = self.tables.edges = Table(self.source.edge_rows(), EDGE_KEYS, EDGE_ROWS)
        changed = self.changed_edges.items()
        rows = {EDGE_KEY.pack(*key): encode_edge(edge) if edge else None for key, edge in changed}  # any order
        table.refresh(rows)
        return table

    def node_rows(self, numbers: list[int]) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.void]]:
        """Return those of ``numbers``, which ascend, that live, and their scalars (layout NODE_ROWS), in order."""
        table, changed = self.stored_nodes(), self.changed_nodes
        alive = [each for each in numbers if changed.get(each, True) is not None]
        live = np.array(alive, np.uint64)
        rows = np.empty(len(live), NODE_ROWS)
        encoded = {at: encode_node(node) for at, each in enumerate(alive) if (node := changed.get(each)) is not None}
        of_table = np.ones(len(live), np.bool_)
        of_table[list(encoded)] = False
        rows[of_table] = table.rows[np.searchsorted(table.keys.astype(np.uint64), live[of_table])]
        rows[~of_table] = np.frombuffer(b"".join(encoded.values()), NODE_ROWS)
        return live, rows

    def edge_rows(self, keys: list[EdgeKey]) -> npt.NDArray[np.void]:
        """Return the scalars (layout EDGE_ROWS) of the edges that ``keys`` name, in their order; all must be live."""
        return np.frombuffer(b"".join([encode_edge(self.expect_edge(key)) for key in keys]), EDGE_ROWS)

    def wake(self, numbers: Iterable[int]) -> None:
        """Say that of all nodes none but these may have been touched in the present tick: a sleep has looked."""
        tick = self.header.tick
        self.awake = {each for each in numbers if (node := self.node(each)) is not None and node.tick == tick}
        self.awake_known = True

    # The flush and the cache

    def cached(self) -> int:
        """Return how many records are cached; an edge counts thrice, as it stands among the links of both its ends."""
        extra = (
            len(self._sessions or ())
            + len(self._taints or ())
            + _RECORDS_PER_RECALL * len(self._recalls or ())
            + len(self._ids) // 2
        )
        return len(self._nodes) + 3 * len(self._edges) + len(self._features) + self.tables.records + extra

    def flushed(self) -> None:
        """Forget what has changed: it is in the source now."""
        self.tables.flushed()
        if len(self.awake) > _AWAKE_MAX:
            self.awake, self.awake_known = set(), False
        for changes in (
            self.changed_nodes, self.changed_edges, self.changed_features, self.changed_heirs, self.changed_adjusted,
            self.changed_rulings, self.changed_slots, self.changed_members, self.changed_vectors, self.changed_claims,
            self.changed_definitions, self.changed_names, self.changed_relations, self.changed_sessions,
            self.changed_accounts, self.changed_acts, self.changed_taints, self.changed_recalls,
            self.changed_roles, self.changed_regards,
            self.changed_scorers, self.changed_snapshots,
            self.new_contents, self.new_parts, self.new_identities, self._pending_links,
        ):  # fmt: skip
            changes.clear()
        self.new_edges.clear()

    def evict(self, records: int) -> None:
        """Drop about ``records`` cached records, those that were touched longest ago first. Only after ``flushed``.

        A record's tick says when that was. By the order in which they came in, what every event meets would go too, and
        be read again at once. With a node go its links and its name. The tables stay, unless they take up most of what
        there is: to make them anew costs more than all that is dropped.
        """
        rest = self.cached() - self.tables.records
        if records * 2 > rest:
            self.tables.drop()
        share = records / max(1, rest)
        self._whole = False
        self._ids.clear()
        self._drop_oldest(self._edges, share)
        self._drop_oldest(self._nodes, share)
        nodes = self._nodes
        self._links = {number: links for number, links in self._links.items() if number in nodes}
        self._features = {name: number for name, number in self._features.items() if number in nodes}

    @staticmethod
    def _drop_oldest(cache: dict[Any, Any], share: float) -> None:
        """Drop a share of nodes, or of edges, and one more: the earliest ticks, of equals the longest cached."""
        count = int(len(cache) * share) + 1
        keys = list(cache)
        ticks = np.fromiter([record.tick for record in cache.values()], np.int64, len(cache))
        for at in np.argsort(ticks, kind="stable")[:count].tolist():
            del cache[keys[at]]
