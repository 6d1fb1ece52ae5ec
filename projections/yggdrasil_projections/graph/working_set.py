"""One memory's graph as the laws see it: cached records over a source, and what has changed since the last flush.

Nothing here decides anything; laws read and change records through it. A record that is not cached is read from the
source, so the result never depends on what happens to be cached.
"""

from typing import Any, Final

from yggdrasil_schemas.errors import YggdrasilError
from yggdrasil_schemas.graph.records import (
    KIND_BITS,
    Edge,
    EdgeKey,
    EdgeKind,
    Header,
    Identity,
    Node,
    NodeKind,
    Recall,
    Session,
)

from .arithmetic import decayed
from .attachments import ATTACHED
from .knowledge import Knowledge
from .source import GraphSource
from .table import Tables

_RELATIONS_FROM: Final = int(EdgeKind.SUPPORTS)
_FEATURE: Final = NodeKind.FEATURE
_RECORDS_PER_RECALL: Final = 25  # with what it returned, a recall takes as much memory as so many records


class BrokenInvariantError(YggdrasilError):
    """The graph contradicts itself. Nothing can be folded on; the process must end."""


class Graph(Knowledge):
    """A working set over one memory. Attributes named ``changed_*`` map keys to records, or to None when removed."""

    __slots__ = (
        "_edges", "_features", "_ids", "_links", "_nodes", "_pending_links", "_whole",
        "changed_edges", "changed_features", "changed_recalls", "changed_sessions", "crowded",
        "new_edges", "new_identities", "tables",
    )  # fmt: skip

    def __init__(self, header: Header, source: GraphSource, *, whole: bool = False) -> None:
        """Cache nothing yet. ``whole`` says that nothing is stored either, so that the source need not be asked."""
        super().__init__(header, source)
        self._whole = whole
        self._nodes: dict[int, Node] = {}
        self._edges: dict[EdgeKey, Edge] = {}
        self._features: dict[str, int] = {}
        self._ids: set[bytes] = set()  # of all commands, while the memory is whole
        self._links: dict[int, set[EdgeKey]] = {}  # complete where present
        self._pending_links: dict[int, set[EdgeKey]] = {}  # new edges of nodes whose links are not loaded
        self.changed_edges: dict[EdgeKey, Edge | None] = {}
        self.changed_features: dict[str, int | None] = {}
        self.changed_sessions: dict[str, Session | None] = {}
        self.changed_recalls: dict[int, Recall | None] = {}
        self.crowded: set[int] = set()  # nodes above the degree cap, until the command ends
        self.new_edges: list[EdgeKey] = []  # some may be removed again, or be made twice
        self.new_identities: dict[bytes, Identity] = {}
        self.tables = Tables()

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
        self.changed_nodes[number] = node
        return node

    def settle(self, number: int) -> Node:
        """Return a node that must exist, settled. Raises BrokenInvariantError."""
        return self.settled(number) or self.expect(number)

    def add_node(self, node: Node, content: bytes) -> None:
        """Add a new node with its immutable content."""
        number = node.number
        self._nodes[number] = self.changed_nodes[number] = node
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
        if node.flags & ATTACHED:
            self.detach(node)
        self.forget_claim(node)
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

    # The flush and the cache

    def cached(self) -> int:
        """Return how many records are cached; an edge counts thrice, as it stands among the links of both its ends."""
        extra = len(self._sessions or ()) + _RECORDS_PER_RECALL * len(self._recalls or ()) + len(self._ids) // 2
        return len(self._nodes) + 3 * len(self._edges) + len(self._features) + self.tables.records + extra

    def flushed(self) -> None:
        """Forget what has changed: it is in the source now."""
        super().flushed()
        self.tables.flushed()
        for changes in (
            self.changed_edges, self.changed_features, self.changed_sessions, self.changed_recalls, self.new_contents,
            self.new_identities, self._pending_links,
        ):  # fmt: skip
            changes.clear()
        self.new_edges.clear()

    def evict(self, records: int) -> None:
        """Drop about ``records`` cached records, the longest cached first. Only right after ``flushed``."""
        self.tables.drop()
        share = records / max(1, self.cached())
        self._whole = False
        self._ids.clear()
        caches: list[dict[Any, Any]] = [self._links, self._edges, self._nodes, self._features]
        for cache in caches:
            for key in list(cache)[: int(len(cache) * share) + 1]:
                del cache[key]
