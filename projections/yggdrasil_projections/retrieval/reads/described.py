"""One memory by its reference, and what became of a command."""

from yggdrasil_projections.graph.laws.reference import FEATURE_PREFIX, accepted, live_or_heir, resolve
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.graph.records import Node, node_number
from yggdrasil_schemas.ids import id_bytes
from yggdrasil_schemas.names import composed
from yggdrasil_schemas.refusals import Refusal, Refused

from ..answers import Became, Described, Place
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


def became(graph: Graph, command_id: str, partition: int) -> Became | None:
    """Return what became of the command ``command_id``; None when the fold has not met it, or when it is no id."""
    try:
        identity = graph.identity(id_bytes(command_id))
    except ValueError:
        return None
    if identity is None:
        return None
    place = Place(identity.seq, partition, identity.offset)
    if not identity.result:
        return Became(command_id, True, place, None, None, graph.header.seq)
    refusal = Refusal(identity.result)
    return Became(command_id, False, place, refusal.code, refusal.sentence, graph.header.seq)


def _heir(graph: Graph, ref: str) -> Node | None:
    """Return what contained the node of a command when it was forgotten, if that is still there."""
    identity = accepted(graph, ref)
    return live_or_heir(graph, node_number(identity.seq)) if identity else None
