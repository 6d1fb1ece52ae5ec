"""What one memory is linked to, strongest first, and what that is linked to."""

from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass
from typing import Annotated, Final

from pydantic import Field

from yggdrasil_projections.graph.arithmetic import decayed
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.graph.records import EdgeKey, EdgeKind, NodeKind
from yggdrasil_schemas.problems import UNKNOWN_NODE

from ...asks import check_count
from ...found import Answered
from ...memories import PAGE_BYTES, content_of, reference_of
from ...parameters import COUNT, CountOfMany, Reference
from ...query import Read, Source, Timed
from ...records import command_in, text_of
from .described import node_called
from .related import why_related

DEPTH_MAX: Final = 3


@dataclass(frozen=True, slots=True)
class Neighbour:
    """What an edge leads to. ``direction`` is "out" or "in".

    ``weight`` and ``permanence`` are the edge's own, and what is left of them at this tick. It is an edge of the memory
    ``of``, and its other end is ``depth`` steps away. ``reason`` is why, where somebody said that the two are related.
    """

    ref: str
    node_kind: str
    edge_kind: str
    direction: str
    weight: float
    permanence: float
    usage: int
    text: str | None
    of: str
    depth: int
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Neighbourhood(Answered):
    """The strongest edges of one memory, by ``weight``, strongest first; ``degree`` counts all that there are.

    Then come the edges of what they lead to, in the same order, each edge once. ``cut``: there are more than were asked
    for.
    """

    ref: str
    degree: int
    neighbours: list[Neighbour]
    cut: bool
    as_of: int


def neighbourhood(graph: Graph, ref: str, count: int, depth: int = 1) -> Neighbourhood:
    """Return the ``count`` nearest edges around the memory ``ref``, up to ``depth`` (1 to 3) steps from it.

    Of the edges of one memory what is left of their weights at this tick decides; equal ones stand in the order of
    their keys. There are fewer where what they lead to is long. Raises UnknownNodeError and InvalidAskError.
    """
    check_count("depth", depth, DEPTH_MAX)
    node = node_called(graph, ref)
    degree = sum(1 for _ in graph.links(node.number))
    found: list[Neighbour] = []
    read_bytes = 0
    for step, number, key, weight in _around(graph, node.number, depth):
        if len(found) >= count or read_bytes >= PAGE_BYTES:
            return Neighbourhood(ref, degree, found, cut=True, as_of=graph.header.seq)
        found.append(_neighbour(graph, number, key, weight, step))
        read_bytes += len(found[-1].text or "") + len(found[-1].reason or "")
    return Neighbourhood(ref, degree, found, cut=False, as_of=graph.header.seq)


def _around(graph: Graph, number: int, depth: int) -> Iterable[tuple[int, int, EdgeKey, float]]:
    """Yield the edges around a node: the step, the node that has it, its key and what is left of its weight."""
    met, told, near = {number}, set[EdgeKey](), [number]
    for step in range(1, depth + 1):
        beyond: list[int] = []
        for one in near:
            for weight, key in sorted((-_weight(graph, key), key) for key in graph.links(one) if key not in told):
                yield step, one, key, -weight
                told.add(key)
                other = key[2] if key[0] == one else key[0]
                if other not in met:
                    met.add(other)
                    beyond.append(other)
        near = beyond


def _weight(graph: Graph, key: EdgeKey) -> float:
    edge = graph.expect_edge(key)
    return decayed(edge.weight, graph.header.tick - edge.tick, edge.half_life)


def _neighbour(graph: Graph, number: int, key: EdgeKey, weight: float, step: int) -> Neighbour:
    edge = graph.expect_edge(key)
    permanence = decayed(edge.permanence, graph.header.tick - edge.tick, graph.header.policy.permanence_half_life_ticks)
    outwards = key[0] == number
    other = graph.expect(key[2] if outwards else key[0])
    if other.kind == NodeKind.FEATURE:
        text: str | None = graph.feature_name(other.number)
    else:
        text = text_of(command_in(content_of(graph, other.number)))
    return Neighbour(
        reference_of(graph, other.number),
        NodeKind(other.kind).name.lower(),
        EdgeKind(key[1]).name.lower(),
        "out" if outwards else "in",
        weight,
        permanence,
        edge.usage,
        text,
        reference_of(graph, number),
        step,
        why_related(graph, key).reason,
    )


@dataclass(frozen=True, slots=True)
class AskNeighbourhood(Timed[Neighbourhood]):
    """Return the strongest edges of one memory, and those of what they lead to, up to ``depth`` (1 to 3) steps.

    There are at most ``count``, the nearest first, fewer where texts are long. Raises UnknownNodeError.
    """

    ref: Reference
    _: KW_ONLY
    count: CountOfMany = COUNT
    depth: Annotated[int, Field(ge=1, le=DEPTH_MAX)] = 1

    def read(self, source: Source, /) -> Neighbourhood:
        """Answer it."""
        with source.graph() as graph:
            return neighbourhood(graph, self.ref, self.count, self.depth)


NEIGHBOURHOOD: Final = Read(
    "neighbourhood",
    AskNeighbourhood,
    Neighbourhood,
    "GET /nodes/{ref:path}/neighbours",
    "What it leads to",
    """Return the strongest edges of one memory, strongest first, and then those of what they lead to, up to `depth`
steps from it.""",
    (UNKNOWN_NODE,),
    example={"ref": "feature:deploy", "count": 5, "depth": 2},
)
