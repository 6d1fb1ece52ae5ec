"""What nodes have beside their scalars: parts; few an heir, vectors, adjustments, a ruling, a principle's place."""

from typing import Final

from yggdrasil_schemas.codec import command_of
from yggdrasil_schemas.commands import Command
from yggdrasil_schemas.graph.records import (
    Adjusted,
    Header,
    Node,
    NodeFlag,
    NodeKind,
    Parts,
    Recall,
    Ruling,
    Session,
    Status,
)
from yggdrasil_schemas.refusals import Refused

from .source import GraphSource

_PRINCIPLE: Final = int(NodeFlag.PRINCIPLE)
_VECTORED: Final = int(NodeFlag.VECTORED)
_ADJUSTED: Final = int(NodeFlag.ADJUSTED)
_RULED: Final = int(NodeFlag.RULED)
ATTACHED: Final = _PRINCIPLE | _VECTORED | _ADJUSTED | _RULED
_OUT_FROM: Final = int(Status.SUPERSEDED)  # what is superseded, rejected or resolved is out of its slot
_REJECTED: Final = int(Status.REJECTED)  # but a claim: its slot remembers that it was, lest it come back
_CLAIM: Final = NodeKind.CLAIM
_NO_PARTS: Final = Parts()
_NO_RULING: Final = Ruling()


class Attachments:
    """The part of a working set that most nodes have nothing in; of the living, their flags say which have."""

    __slots__ = (
        "_recalls", "_sessions", "changed_adjusted", "changed_heirs", "changed_members", "changed_nodes",
        "changed_rulings", "changed_slots", "changed_vectors", "header", "new_parts", "source",
    )  # fmt: skip

    def __init__(self, header: Header, source: GraphSource) -> None:
        self.header = header
        self.source = source
        self.changed_nodes: dict[int, Node | None] = {}
        self.changed_heirs: dict[int, int] = {}
        self.changed_adjusted: dict[int, Adjusted | None] = {}
        self.changed_rulings: dict[int, Ruling | None] = {}
        self.changed_slots: dict[bytes, list[int]] = {}
        self.changed_members: dict[tuple[bytes, int], bool] = {}  # whether a ruling names a slot: it follows from these
        self.new_parts: dict[int, Parts] = {}
        self._sessions: dict[str, Session] | None = None
        self._recalls: dict[int, Recall] | None = None
        self.changed_vectors: dict[int, dict[str, tuple[int, bytes] | None]] = {}  # by node, then by model

    @property
    def sessions(self) -> dict[str, Session]:
        """All open sessions by name."""
        if self._sessions is None:
            self._sessions = self.source.sessions()
        return self._sessions

    @property
    def recalls(self) -> dict[int, Recall]:
        """The kept recalls by seq, oldest first."""
        if self._recalls is None:
            self._recalls = self.source.recalls()
        return self._recalls

    def flushed(self) -> None:
        """Forget what has changed: it is in the source now."""
        self.changed_nodes.clear()
        self.changed_heirs.clear()
        self.changed_adjusted.clear()
        self.changed_rulings.clear()
        self.changed_slots.clear()
        self.changed_members.clear()
        self.new_parts.clear()
        self.changed_vectors.clear()

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

    def name_principle(self, node: Node) -> None:
        """Let a live node be a principle, after those that are; one that is keeps its place."""
        if not node.flags & _PRINCIPLE:
            node.flags |= _PRINCIPLE
            self.header.principles.append(node.number)

    def detach(self, node: Node, what: int = ATTACHED) -> None:
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
