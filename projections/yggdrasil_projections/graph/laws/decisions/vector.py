"""The law of vectors: what a model made of a node is kept beside it, and changes nothing that it is worth."""

from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.commands import AttachVector
from yggdrasil_schemas.refusals import Refusal, Refused

from ..reference import resolve


def attach_vector(graph: Graph, command: AttachVector, seq: int, record: bytes) -> Refused | None:
    """Keep the record with a node, by the model that it names; the vector in it may be sealed, and is never read.

    Nothing is settled: a memory whose every node is embedded anew is the same memory, to the last bit.
    """
    body = command.body
    number = resolve(graph, body.node)
    if isinstance(number, Refused):
        return number
    node = graph.node(number) if number is not None else None
    if node is None:
        return Refused(Refusal.NODE_FORGOTTEN)
    graph.attach(node, body.model, seq, record)
    return None
