"""What says in fewer words what others said, and stands in their place (004, memory evolution: condensation)."""

from collections.abc import Iterable
from typing import Final

from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.commands import AssertClaim, Envelope, RecordEvent
from yggdrasil_schemas.graph.records import PROTECTED, EdgeKind, Node, Ruling, Status
from yggdrasil_schemas.ids import id_bytes
from yggdrasil_schemas.refusals import Refused

from ..edges import new_edge
from .ruling import authority, corrigible, review
from .succession import supersede

_PROTECTED: Final = int(PROTECTED)
_EVIDENCE: Final = int(EdgeKind.EVIDENCE)
_OUT_FROM: Final = Status.SUPERSEDED
_STANDING: Final = (Status.ACTIVE, Status.PRIOR, Status.CONTESTED)


def condensed_by(graph: Graph, ids: Iterable[str]) -> list[Node] | Refused:
    """Return the live nodes that commands made, each once, in order of number, or why a digest of them is refused."""
    found: dict[int, Node] = {}
    for each in ids:
        node = corrigible(graph, each)
        if isinstance(node, Refused):
            return node
        if node is not None:
            found[node.number] = node
    return [found[number] for number in sorted(found)]


def yields(graph: Graph, node: Node, trust: int) -> bool:
    """Whether a node gives way to a digest of such trust: it is not out, not protected, and trusted no more."""
    return node.status < _OUT_FROM and not node.flags & _PROTECTED and authority(graph, node) <= trust


def condense(graph: Graph, digest: Node, by: bytes, condensed: Iterable[Node]) -> None:
    """Let what a digest says in fewer words give way to it, if it stands; what is trusted more is joined to it.

    What waits takes nothing away. ``by`` are the 16 bytes of the id of the command that says so.
    """
    joined = False
    for each in condensed:
        if each is digest:
            continue
        if digest.status in _STANDING and yields(graph, each, digest.trust):
            supersede(graph, each, Ruling(b"", by, digest.trust, digest.number))
        elif each.status < _OUT_FROM and graph.edge((each.number, _EVIDENCE, digest.number)) is None:
            new_edge(graph, each, _EVIDENCE, digest)
            joined = True
    if joined:
        review(graph, digest)


def condense_late(graph: Graph, digest: Node, command: Envelope) -> None:
    """Let a digest that has waited, and stands by this command, take the place of what it condenses."""
    maker = graph.maker(digest.number)
    if not isinstance(maker, RecordEvent | AssertClaim) or not maker.body.condenses:
        return
    condensed = condensed_by(graph, maker.body.condenses)
    if not isinstance(condensed, Refused):
        condense(graph, digest, id_bytes(command.id), condensed)
