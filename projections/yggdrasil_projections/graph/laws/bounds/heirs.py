"""What contained a forgotten node becomes its heir, so that an outcome that comes late still finds something."""

from hashlib import blake2b
from typing import Final

from yggdrasil_schemas.graph.records import EdgeKind, NodeKind

from ...working_set import Graph

_CONTAINS: Final = int(EdgeKind.CONTAINS)
_INHERITED: Final = (NodeKind.EVENT, NodeKind.EPISODE, NodeKind.CONCEPT)


def name_heirs(graph: Graph, going: list[int]) -> None:
    """Name the heirs of nodes that are about to go together, before the first of them does.

    The heir is the first episode that contains the node, else the first concept: of those that stay, if there are any;
    else of those that go as well but leave what stays to an heir, so that it passes on; else of all. Heirs are kept for
    ever, as identities are, and like them they are in the digest through the memory's history.
    """
    gone = set(going)
    waiting: dict[int, list[int]] = {}
    heirs: dict[int, int] = {}
    for number in going:
        containers = _containers(graph, number)
        if not containers:  # as of most
            continue
        staying = [container for container in containers if container not in gone]
        if staying:
            heirs[number] = staying[0]
        else:
            waiting[number] = containers
    passed_on = {number: [each for each in waiting[number] if each in heirs] for number in waiting}  # any order: a map
    for number in waiting:
        heirs[number] = (passed_on[number] or waiting[number])[0]
    for number in sorted(heirs):
        name_heir(graph, number, heirs[number])


def name_heir(graph: Graph, number: int, heir: int) -> None:
    """Let ``heir`` stand for a node that is no longer there, or never came to be."""
    graph.changed_heirs[number] = heir
    named = b"heir" + number.to_bytes(8, "big") + heir.to_bytes(8, "big")
    graph.header.history = blake2b(graph.header.history + named, digest_size=16).digest()


def _containers(graph: Graph, number: int) -> list[int]:
    """Return what may inherit: the episodes that contain a node, then the concepts, each by number."""
    containing = sorted([key[0] for key in graph.links(number) if key[1] == _CONTAINS and key[2] == number])
    if not containing or graph.expect(number).kind not in _INHERITED:
        return []
    episodes = [container for container in containing if graph.expect(container).kind == NodeKind.EPISODE]
    return episodes + [container for container in containing if container not in episodes]
