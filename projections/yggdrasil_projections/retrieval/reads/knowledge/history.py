"""What has been said in one slot: of a key, or in place of one another, the first first."""

from dataclasses import dataclass
from typing import Final

from yggdrasil_projections.graph.laws.knowledge.succession import slot_of_key
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.names import composed

from ...memories import PAGE_BYTES, MemoryObject, content_of, describe
from ..described import node_called

HISTORY_MAX: Final = 200


@dataclass(frozen=True, slots=True)
class History:
    """What was said in one slot, the first first: at most 200, the latest of them.

    ``left_out`` says how many earlier ones there are; what was forgotten is not among them, and is in the log.
    """

    memories: list[MemoryObject]
    left_out: int
    as_of: int


def history(graph: Graph, ref: str | None = None, key: str | None = None) -> History:
    """Return the history of what has a key, or of what ``ref``, a command's id, was said in place of or gave way to.

    Raises UnknownNodeError. A key that was never used has no history.
    """
    if key is not None:
        numbers = graph.ruled(slot_of_key(composed(key)))
    else:
        node = node_called(graph, ref or "")
        slot = graph.ruling(node).slot
        numbers = graph.ruled(slot) if slot else [node.number]
    found: list[MemoryObject] = []
    read_bytes = 0
    for number in reversed(numbers[-HISTORY_MAX:]):
        if read_bytes >= PAGE_BYTES:
            break
        read_bytes += len(content_of(graph, number))
        found.append(describe(graph, graph.expect(number)))
    return History(found[::-1], len(numbers) - len(found), graph.header.seq)
