"""What contained a forgotten node becomes its heir, so that an outcome that comes late still finds something."""

from hashlib import blake2b
from typing import Final

from yggdrasil_schemas.graph.records import EdgeKind, Node, NodeKind

from ...working_set import Graph

_CONTAINS: Final = int(EdgeKind.CONTAINS)
_INHERITED: Final = (NodeKind.EVENT, NodeKind.EPISODE, NodeKind.CONCEPT)


def bequeath(graph: Graph, node: Node) -> None:
    """Name the heir of a node that is about to go: the first episode that contains it, else the first concept.

    Heirs are kept for ever, as identities are, and like them they are in the digest through the memory's history.
    """
    number = node.number
    if node.kind not in _INHERITED:
        return
    containing = sorted([key[0] for key in graph.links(number) if key[1] == _CONTAINS and key[2] == number])
    if not containing:
        return
    episodes = [container for container in containing if graph.expect(container).kind == NodeKind.EPISODE]
    heir = (episodes or containing)[0]
    graph.changed_heirs[number] = heir
    named = b"heir" + number.to_bytes(8, "big") + heir.to_bytes(8, "big")
    graph.header.history = blake2b(graph.header.history + named, digest_size=16).digest()
