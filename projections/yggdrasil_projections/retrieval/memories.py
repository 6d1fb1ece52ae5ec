"""Memories as agents see them: structured objects, never raw graph state (000, section 5)."""

from dataclasses import dataclass, field
from typing import Any

from yggdrasil_schemas.commands import LogOutcome, RecordEvent
from yggdrasil_schemas.graph import EdgeKind, Node, NodeFlag, NodeKind

from ..graph.arithmetic import decayed
from ..graph.laws.reference import FEATURE_PREFIX
from ..graph.working_set import BrokenInvariantError, Graph
from .records import command_in, payload_of, text_of


@dataclass(frozen=True, slots=True)
class OutcomeSeen:
    """How an event turned out: ``value`` in [-10, 10]."""

    id: str
    value: float
    kind: str
    catastrophic: bool
    text: str | None


@dataclass(frozen=True, slots=True)
class MemoryObject:
    """A node as it is now: what it is, what it says, and the evidence for its weight.

    ``ref`` names it in ``report_use``: a command id, or ``feature:NAME``. ``salience`` is what is left of it at the
    present tick; ``impact`` is signed; ``usage`` counts real uses (for a feature: occurrences).
    """

    ref: str
    kind: str
    text: str | None
    session: str | None
    at: int | None
    features: list[str]
    salience: float
    permanence: float
    impact: float
    usage: int
    candidates: int
    protected: bool
    outcomes: list[OutcomeSeen] = field(default_factory=list[OutcomeSeen])
    payload: dict[str, Any] | None = None


def salience_now(graph: Graph, node: Node) -> float:
    """Return a node's salience at the memory's present tick, without touching the node."""
    return decayed(node.salience, graph.header.tick - node.tick, node.half_life)


def describe(graph: Graph, node: Node) -> MemoryObject:
    """Return a live node as a memory object."""
    content = graph.content(node.number)
    if content is None:
        raise BrokenInvariantError(f"{graph.header.memory}: node {node.number} has no content")
    kind = NodeKind(node.kind).name.lower()
    values = (salience_now(graph, node), node.permanence, node.impact, node.usage, node.candidates)
    protected = bool(node.flags & (NodeFlag.CATASTROPHIC | NodeFlag.PINNED))
    if node.kind == NodeKind.FEATURE:
        name = content.decode()
        return MemoryObject(FEATURE_PREFIX + name, kind, name, None, None, [], *values, protected)
    command = command_in(content)
    return MemoryObject(
        command.id,
        kind,
        text_of(command),
        command.session,
        command.at,
        command.body.features if isinstance(command, RecordEvent) else [],
        *values,
        protected,
        outcomes_of(graph, node),
        payload_of(command),
    )


def outcomes_of(graph: Graph, node: Node) -> list[OutcomeSeen]:
    """Return the remembered outcomes of an event, oldest first."""
    found: list[OutcomeSeen] = []
    for source, kind, target in sorted(graph.links(node.number)):
        if kind != EdgeKind.CAUSAL or source != node.number:
            continue
        outcome = command_in(graph.content(target))
        if isinstance(outcome, LogOutcome):
            body = outcome.body
            found.append(OutcomeSeen(outcome.id, body.value, body.kind, body.catastrophic, text_of(outcome)))
    return found
