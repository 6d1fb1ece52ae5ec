"""What a sleep has changed: the difference between two looks at a memory, as the fold's answer says nothing of it."""

from dataclasses import dataclass
from typing import NamedTuple

from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.graph.records import NodeFlag, NodeKind


class Look(NamedTuple):
    """What a sleep may change of a node."""

    kind: int
    flags: int
    level: int


@dataclass(frozen=True, slots=True)
class Slept:
    """How many nodes rose to another level, were dissolved, archived and forgotten."""

    consolidated: int
    dissolved: int
    archived: int
    forgotten: int


def look(graph: Graph) -> dict[int, Look]:
    """Return what a sleep may change, of every node by its number."""
    table = graph.node_table()
    kinds, flags, levels = (table.rows[name].tolist() for name in Look._fields)
    return dict(zip(table.keys.tolist(), map(Look, kinds, flags, levels), strict=True))


def slept(before: dict[int, Look], after: dict[int, Look]) -> Slept:
    """Return what has changed between two looks."""
    left = {number: (was, after[number]) for number, was in before.items() if number in after}
    gone = [was for number, was in before.items() if number not in after]
    concepts = sum(was.kind == NodeKind.CONCEPT for was in gone)
    return Slept(
        consolidated=sum(now.level > was.level for was, now in left.values()),
        dissolved=concepts + sum(bool(was.flags & ~now.flags & NodeFlag.CONCEPTUAL) for was, now in left.values()),
        archived=sum(bool(now.flags & ~was.flags & NodeFlag.ARCHIVED) for was, now in left.values()),
        forgotten=len(gone) - concepts,
    )
