"""Where a memory contradicts itself: slots in which something is contested, or waits in quarantine for it."""

from collections.abc import Callable, Iterable
from dataclasses import KW_ONLY, dataclass
from typing import Final

from yggdrasil_projections.graph.laws.knowledge.slots import contradict
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.graph.records import Node, Status

from ...asks import check_count
from ...found import Answered, Conflict
from ...memories import PAGE_BYTES, content_of, describe
from ...parameters import Count
from ...query import Read, Source, Timed

CONFLICTS_MAX: Final = 200
_STANDS: Final = (Status.ACTIVE, Status.PRIOR)
_REJECTED: Final = int(Status.REJECTED)
_CONTESTED: Final = int(Status.CONTESTED)
_QUARANTINED: Final = int(Status.QUARANTINED)


@dataclass(frozen=True, slots=True)
class Contradictions(Answered):
    """The conflicts of a memory, by their oldest rival. ``left_out`` says how many slots were not looked at."""

    conflicts: list[Conflict]
    left_out: int
    as_of: int


def contradictions(graph: Graph, count: int) -> Contradictions:
    """Return at most ``count`` (1 to 200) conflicts, fewer where texts are long. Raises InvalidAskError."""
    check_count("count", count, CONFLICTS_MAX)
    table = graph.node_table()
    status = table.rows["status"]
    rivals: list[int] = table.keys[(status == _CONTESTED) | (status == _QUARANTINED)].tolist()
    slots = _slots(graph, map(graph.expect, rivals))
    found: list[Conflict] = []
    looked_at = read_bytes = 0
    for slot in slots:
        if len(found) == count or read_bytes >= PAGE_BYTES:
            break
        looked_at += 1
        conflict = conflict_in(graph, slot)
        if conflict is not None:
            read_bytes += sum(len(content_of(graph, number)) for number in graph.slot(slot))
            found.append(conflict)
    return Contradictions(found, len(slots) - looked_at, graph.header.seq)


def conflicts_of(graph: Graph, nodes: Iterable[Node], shown: Callable[[int], bool]) -> list[Conflict]:
    """Return the conflicts that some nodes are in, each once, between those whose numbers are ``shown``."""
    found = [conflict_in(graph, slot, shown) for slot in _slots(graph, nodes)]
    return [conflict for conflict in found if conflict is not None]


def conflict_in(graph: Graph, slot: bytes, shown: Callable[[int], bool] | None = None) -> Conflict | None:
    """Return what contends in a slot, of all or of what is ``shown``; None where nothing does."""
    numbers = [number for number in graph.slot(slot) if shown is None or shown(number)]
    nodes = [node for node in map(graph.expect, numbers) if node.status != _REJECTED]
    stands = next((node for node in nodes if node.status in _STANDS), None)
    rivals = [node for node in nodes if node.status not in _STANDS and _contradicts(graph, node, stands)]
    if not rivals or (stands is None and len(rivals) == 1):
        return None
    return Conflict(describe(graph, stands) if stands else None, [describe(graph, node) for node in rivals])


def _contradicts(graph: Graph, node: Node, stands: Node | None) -> bool:
    """Whether a node in a slot and what stands there cannot both be true: claims of other times can."""
    claim, other = graph.claim(node), graph.claim(stands) if stands is not None else None
    return claim is None or other is None or contradict(other, claim.begins, min(claim.ends, claim.closed))


def _slots(graph: Graph, nodes: Iterable[Node]) -> list[bytes]:
    """Return the slots that some nodes are in, each once, in their order."""
    return list(dict.fromkeys(slot for node in nodes if (slot := graph.ruling(node).slot)))


@dataclass(frozen=True, slots=True)
class AskContradictions(Timed[Contradictions]):
    """Return where the memory contradicts itself: what stands, and what is contested or in quarantine beside it."""

    _: KW_ONLY
    count: Count = 50

    def read(self, source: Source, /) -> Contradictions:
        """Answer it."""
        with source.graph() as graph:
            return contradictions(graph, self.count)


CONTRADICTIONS: Final = Read(
    "contradictions",
    AskContradictions,
    Contradictions,
    "GET /contradictions",
    "What cannot all be so",
    """Return what stands, and what is contested or in quarantine for contradicting it, by the oldest of these.""",
    example={"count": 5},
)
