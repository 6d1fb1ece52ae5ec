"""What a memory knows beside its nodes: claims, what predicates mean, names of things, why two things are related."""

from typing import Final

from yggdrasil_schemas.codec import command_of
from yggdrasil_schemas.commands import Command
from yggdrasil_schemas.graph.knowledge import Claim, Definition, Names
from yggdrasil_schemas.graph.records import EdgeKey, Header, Node, NodeKind
from yggdrasil_schemas.refusals import Refused

from .attachments import Attachments
from .source import GraphSource

_CLAIM: Final = NodeKind.CLAIM


class Knowledge(Attachments):
    """The part of a working set that claims, predicates and names are in."""

    __slots__ = ("changed_claims", "changed_definitions", "changed_names", "changed_relations", "new_contents")

    def __init__(self, header: Header, source: GraphSource) -> None:
        super().__init__(header, source)
        self.changed_claims: dict[int, Claim | None] = {}
        self.changed_definitions: dict[str, Definition] = {}
        self.changed_names: dict[str, Names | None] = {}
        self.new_contents: dict[int, bytes] = {}
        self.changed_relations: dict[EdgeKey, int | None] = {}

    def flushed(self) -> None:
        """Forget what has changed: it is in the source now."""
        super().flushed()
        self.changed_claims.clear()
        self.changed_definitions.clear()
        self.changed_names.clear()
        self.changed_relations.clear()

    def content(self, number: int) -> bytes | None:
        """Return a live node's content."""
        content = self.new_contents.get(number)
        return content if content is not None else self.source.content(number)

    def maker(self, number: int) -> Command | None:
        """Return the command that made a live node, from the record that is kept with it; of a feature None."""
        said = command_of(self.content(number))
        return None if isinstance(said, Refused) else said

    def claim(self, node: Node) -> Claim | None:
        """Return what a live node claims; None for one that is no claim."""
        if node.kind != _CLAIM:
            return None
        return self.changed_claims.get(node.number) or self.source.claim(node.number)

    def note_claim(self, node: Node, claim: Claim) -> None:
        """Keep what a live node claims from now on."""
        self.changed_claims[node.number] = claim
        self.changed_nodes[node.number] = node

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

    def called(self, name: str) -> tuple[str, ...]:
        """Return all names of the thing that ``name`` is one of, the one under which it is known first."""
        names = self.names(name)
        return names.canonical, *[alias for alias, _ in names.aliases]

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

    def relation(self, key: EdgeKey) -> int | None:
        """Return the seq of the command that last said why two things are related, by the edge between them."""
        changed = self.changed_relations
        return changed[key] if key in changed else self.source.relation(key)

    def forget_claim(self, node: Node) -> None:
        """Let a node that is about to go take its claim with it."""
        if node.kind == _CLAIM:
            self.changed_claims[node.number] = None
