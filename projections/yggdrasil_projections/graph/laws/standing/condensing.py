"""What says in fewer words what others said, and stands in their place (004, memory evolution: condensation)."""

from collections.abc import Iterable
from typing import Final

from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.commands import AssertClaim, Envelope, RecordEvent
from yggdrasil_schemas.graph.knowledge import Line
from yggdrasil_schemas.graph.records import PROTECTED, EdgeKind, Node, Ruling, Status, seq_of
from yggdrasil_schemas.refusals import Refused

from ..authority import trust_of, who
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


def condense(graph: Graph, digest: Node, by: bytes, trust: int, condensed: Iterable[Node]) -> None:
    """Let what a digest says in fewer words give way to it, if it stands; what is trusted more is joined to it.

    What waits takes nothing away. ``by`` are the 16 bytes of the id of the command that says so, and ``trust`` is that
    of whoever said what it condenses.
    """
    stands, left = digest.status in _STANDING, list[Node]()
    for each in condensed:
        if stands and each is not digest and yields(graph, each, trust):
            supersede(graph, each, Ruling(b"", by, trust, digest.number))
        else:
            left.append(each)
    join(graph, digest, left)


def join(graph: Graph, digest: Node, condensed: Iterable[Node]) -> None:
    """Join what is not out to a digest of it. That is all that comes of one that was said before by somebody else.

    For nothing would tell later what this command condensed, so that it could not be undone.
    """
    joined = False
    for each in condensed:
        if each is digest or each.status >= _OUT_FROM:
            continue
        if graph.edge((each.number, _EVIDENCE, digest.number)) is None:
            new_edge(graph, each, _EVIDENCE, digest)
            joined = True
    if joined:
        review(graph, digest)


def condense_late(graph: Graph, digest: Node, by: bytes) -> None:
    """Let a digest that has waited, and stands by the command of this id, take the place of what it condenses.

    That is as far as its writer is trusted, if they still say so: who confirms it says nothing of what it condenses.
    """
    maker = graph.maker(digest.number)
    if not isinstance(maker, RecordEvent | AssertClaim) or not maker.body.condenses:
        return
    own, condensed = _own_words(graph, digest, maker), condensed_by(graph, maker.body.condenses)
    if own and not isinstance(condensed, Refused):
        condense(graph, digest, by, min([trust_of(maker), *own]), condensed)


def is_spoken_for(graph: Graph, digest: Node) -> bool:
    """Whether whoever said what a digest condenses still says so."""
    maker = graph.maker(digest.number)
    return maker is not None and bool(_own_words(graph, digest, maker))


def _own_words(graph: Graph, digest: Node, maker: Envelope) -> list[int]:
    """Return how far the writer of a digest is trusted who still says so; nothing if they do not."""
    claim = graph.claim(digest)
    if claim is None:
        return [digest.trust]
    return [line.trust for line in claim.lines if _is_of(line, digest, maker)]


def _is_of(line: Line, digest: Node, maker: Envelope) -> bool:
    return line.seq == seq_of(digest.number) or line.who == who(maker)
