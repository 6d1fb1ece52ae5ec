"""One memory by its reference."""

from yggdrasil_projections.graph.laws.reference import FEATURE_PREFIX, accepted, live_or_heir, resolve
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.graph.records import Node, node_number
from yggdrasil_schemas.names import composed
from yggdrasil_schemas.refusals import Refused

from ..answers import Described, Place
from ..errors import UnknownNodeError
from ..memories import describe, reference_of


def node_called(graph: Graph, ref: str) -> Node:
    """Return the live node that ``ref`` names: a command id, or ``feature:NAME``. Raises UnknownNodeError."""
    memory = graph.header.memory
    ref = composed(ref)
    try:
        number = resolve(graph, ref)
        if isinstance(number, int):
            return graph.expect(number)
        heir = None if ref.startswith(FEATURE_PREFIX) else _heir(graph, ref)
    except ValueError:  # not an id at all
        raise UnknownNodeError(memory, ref) from None
    if isinstance(number, Refused) or heir is None:
        raise UnknownNodeError(memory, ref)
    raise UnknownNodeError(memory, ref, reference_of(graph, heir.number))


def described(graph: Graph, ref: str, partition: int) -> Described:
    """Return one memory as it is now. Raises UnknownNodeError."""
    node = node_called(graph, ref)
    identity = None if ref.startswith(FEATURE_PREFIX) else accepted(graph, ref)
    place = Place(identity.seq, partition, identity.offset) if identity else None
    return Described(describe(graph, node), place, graph.header.seq)


def _heir(graph: Graph, ref: str) -> Node | None:
    """Return what contained the node of a command when it was forgotten, if that is still there."""
    identity = accepted(graph, ref)
    return live_or_heir(graph, node_number(identity.seq)) if identity else None
