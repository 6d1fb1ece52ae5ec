"""Find what a command refers to, and what came before it."""

from collections.abc import Iterator
from typing import Final

from yggdrasil_schemas.commands import AssertClaim, RecordRecall
from yggdrasil_schemas.graph.records import (
    EdgeKey,
    EdgeKind,
    Identity,
    Node,
    NodeFlag,
    NodeKind,
    node_number,
)
from yggdrasil_schemas.ids import id_bytes
from yggdrasil_schemas.refusals import Refusal, Refused

from ..working_set import Graph

FEATURE_PREFIX: Final = "feature:"
_HEIRS_MAX: Final = 8  # an heir of an heir of an heir: each is younger, and few are ever more than two
_TEMPORAL: Final = int(EdgeKind.TEMPORAL)
_CONTAINS: Final = int(EdgeKind.CONTAINS)
_OPENING: Final = int(NodeFlag.OPENING)


def accepted(graph: Graph, command_id: str) -> Identity | None:
    """Return the identity of an accepted command of this memory, or None."""
    identity = graph.identity(id_bytes(command_id))
    return identity if identity is not None and identity.result == 0 else None


def made(graph: Graph, identity: Identity) -> Node | None:
    """Return the live node that an accepted command made, or the claim that it confirmed."""
    number = node_number(identity.seq)
    return live_or_heir(graph, number) if identity.kind == AssertClaim.number else graph.node(number)


def recall_seq(graph: Graph, command_id: str) -> int | Refused:
    """Return the seq of an accepted recall."""
    identity = accepted(graph, command_id)
    if identity is None or identity.kind != RecordRecall.number:
        return Refused(Refusal.UNKNOWN_RECALL)
    return identity.seq


def made_by(graph: Graph, command_id: str, kinds: tuple[int, ...]) -> int | Refused:
    """Return the number of the node that a command of one of ``kinds`` made, whether or not it is live."""
    identity = accepted(graph, command_id)
    if identity is None:
        return Refused(Refusal.UNKNOWN_EVENT)
    return node_number(identity.seq) if identity.kind in kinds else Refused(Refusal.NOT_AN_EVENT)


def resolve(graph: Graph, reference: str) -> int | Refused | None:
    """Return the number of the live node that ``reference`` names, or None when it is no longer there.

    A feature that was pruned cannot be told from one that never was, so a feature's name is never refused.
    """
    if reference.startswith(FEATURE_PREFIX):
        return graph.feature(reference.removeprefix(FEATURE_PREFIX))
    identity = accepted(graph, reference)
    if identity is None:
        return Refused(Refusal.UNKNOWN_REFERENCE)
    node = made(graph, identity)
    return None if node is None else node.number


def resolve_all(graph: Graph, references: list[str]) -> list[int] | Refused:
    """Return the numbers of the live nodes among ``references``, each once in their order, or the first refusal.

    Two references may name one node: what made a claim, and what confirmed it.
    """
    live: dict[int, None] = {}
    for reference in references:
        number = resolve(graph, reference)
        if isinstance(number, Refused):
            return number
        if number is not None:
            live[number] = None
    return list(live)


def live_or_heir(graph: Graph, number: int) -> Node | None:
    """Return a node, or the first live heir of one that was forgotten: what contained it then."""
    for _ in range(_HEIRS_MAX + 1):
        node = graph.node(number)
        if node is not None:
            return node
        heir = graph.heir(number)
        if heir is None:
            return None
        number = heir
    return None


def containers(graph: Graph, number: int, kind: NodeKind) -> Iterator[Node]:
    """Yield the live episodes, or concepts, that contain a node, by number."""
    for key in sorted([key for key in graph.links(number) if key[1] == _CONTAINS and key[2] == number]):
        container = graph.expect(key[0])
        if container.kind == kind:
            yield container


def step_before(graph: Graph, number: int) -> EdgeKey | None:
    """Return the temporal edge that leads to an event from the one before it in its session, if there is one."""
    if graph.expect(number).flags & _OPENING:
        return None
    return min([key for key in graph.links(number) if key[1] == _TEMPORAL and key[2] == number], default=None)
