"""What became of a command: the fold's own answer, which it keeps for ever."""

from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.ids import id_bytes
from yggdrasil_schemas.refusals import Refusal

from ..answers import Became, Place


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
