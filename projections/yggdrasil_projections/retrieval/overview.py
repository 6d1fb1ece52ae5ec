"""What a memory holds as a whole: counts by kind, its strongest features and pairs, and what outcomes taught.

Pure reading functions over one graph. "Strong" is the rank by which the law of bounds forgets: the strongest is what
would be forgotten last.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from yggdrasil_schemas.commands import LogOutcome, RecordEvent
from yggdrasil_schemas.graph import EdgeKind, Node, NodeKind, node_number
from yggdrasil_schemas.ids import id_bytes

from ..graph.arithmetic import decayed
from ..graph.laws.bounds import edge_rank, node_rank
from ..graph.rows import edge_table, node_table
from ..graph.working_set import Graph
from .memories import salience_now
from .records import command_in, payload_of, text_of


@dataclass(frozen=True, slots=True)
class FeatureSeen:
    """A feature as it is now: ``occurrences`` counts its events, ``salience`` is what is left of it at this tick."""

    name: str
    occurrences: int
    salience: float
    permanence: float
    impact: float


@dataclass(frozen=True, slots=True)
class Trouble:
    """A feature whose events turned out badly: ``bad`` counts the outcomes, ``impact`` is the balance."""

    name: str
    bad: int
    occurrences: int
    permanence: float
    impact: float


@dataclass(frozen=True, slots=True)
class Pair:
    """Two features that occur together: ``together`` counts the events, ``weight`` is what is left at this tick."""

    first: str
    second: str
    together: int
    weight: float


@dataclass(frozen=True, slots=True)
class Lesson:
    """An outcome and the event that it judges; ``permanence`` is the event's, and ``event_text`` what it says."""

    event: str
    event_text: str | None
    event_payload: dict[str, Any] | None
    features: list[str]
    value: float
    kind: str
    text: str | None
    permanence: float


@dataclass(frozen=True, slots=True)
class Size:
    """How much of one bound is used."""

    used: int
    most: int


@dataclass(frozen=True, slots=True)
class Overview:
    """A memory in numbers."""

    memory: str
    seq: int
    tick: int
    nodes: dict[str, int]
    edges: dict[str, int]
    bounds: dict[str, Size]


def overview(graph: Graph) -> Overview:
    """Return the counts of a memory by kind, and how full it is."""
    header = graph.header
    policy = header.policy
    bounds = {
        "nodes": Size(header.nodes, policy.nodes_max),
        "edges": Size(header.edges, policy.edges_max),
        "sessions_open": Size(len(graph.sessions), policy.sessions_open_max),
        "recalls_kept": Size(len(graph.recalls), policy.recalls_kept_max),
    }
    nodes = Counter(NodeKind(kind).name.lower() for kind in node_table(graph).rows["kind"].tolist())
    edges = Counter(EdgeKind(kind).name.lower() for kind in edge_table(graph).keys["kind"].tolist())
    by_kind = dict(sorted(nodes.items())), dict(sorted(edges.items()))
    return Overview(header.memory, header.seq, header.tick, *by_kind, bounds)


def strongest_features(graph: Graph, prefix: str, count: int) -> list[FeatureSeen]:
    """Return up to ``count`` features whose name begins with ``prefix``, strongest first."""
    numbers, rows = _nodes(graph, NodeKind.FEATURE)
    order = np.argsort(-node_rank(graph.header.policy, rows, graph.header.tick), kind="stable")
    return _features(graph, numbers[order].tolist(), prefix, count)


def troubled_features(graph: Graph, prefix: str, count: int) -> list[Trouble]:
    """Return up to ``count`` features whose name begins with ``prefix``, most bad outcomes first.

    Of equal ones, those with the worse balance come first.
    """
    bad: Counter[str] = Counter()
    for _, outcome in _outcomes(graph):
        event = _judged(graph, outcome) if outcome.body.value < 0 else None
        if event is not None:
            bad.update(name for name in event[0].body.features if name.startswith(prefix))
    found: list[Trouble] = []
    for name, outcomes in bad.items():
        number = graph.feature(name)
        node = graph.node(number) if number is not None else None
        if node is not None:
            found.append(Trouble(name, outcomes, node.usage, node.permanence, node.impact))
    found.sort(key=lambda trouble: (-trouble.bad, trouble.impact, trouble.name))
    return found[:count]


def strongest_pairs(graph: Graph, prefix: str, count: int) -> list[Pair]:
    """Return up to ``count`` pairs of features that both begin with ``prefix``, strongest association first."""
    table = edge_table(graph)
    associative = table.keys["kind"] == EdgeKind.ASSOCIATIVE
    rows = table.rows[associative]
    order = np.argsort(-edge_rank(graph.header.policy, rows, graph.header.tick), kind="stable")
    found: list[Pair] = []
    for source, kind, target in table.keys[associative][order].tolist():
        names = graph.feature_name(source), graph.feature_name(target)
        if not all(name.startswith(prefix) for name in names):
            continue
        edge = graph.expect_edge((source, kind, target))
        weight = decayed(edge.weight, graph.header.tick - edge.tick, edge.half_life)
        first, second = sorted(names)
        found.append(Pair(first, second, edge.usage, weight))
        if len(found) == count:
            break
    return found


def outcomes_by_kind(graph: Graph) -> dict[str, int]:
    """Return how many outcomes of each kind are remembered, most frequent first."""
    return dict(Counter(outcome.body.kind for _, outcome in _outcomes(graph)).most_common())


def lessons(graph: Graph, count: int, *, bad: bool = True) -> list[Lesson]:
    """Return up to ``count`` remembered outcomes below 0 (or above, if not ``bad``) with their events.

    The largest come first, and of equal ones the latest; each event once, with its largest outcome.
    """
    judged = [
        (-abs(outcome.body.value), -number, outcome)
        for number, outcome in _outcomes(graph)
        if (outcome.body.value < 0 if bad else outcome.body.value > 0)
    ]
    judged.sort(key=lambda entry: entry[:2])
    found: dict[str, Lesson] = {}
    for _, _, outcome in judged:
        lesson = _lesson(graph, outcome) if outcome.body.event not in found else None
        if lesson is not None:
            found[lesson.event] = lesson
        if len(found) == count:
            break
    return list(found.values())


def _lesson(graph: Graph, outcome: LogOutcome) -> Lesson | None:
    judged = _judged(graph, outcome)
    if judged is None:
        return None
    event, node = judged
    body, features = outcome.body, event.body.features
    said = text_of(event), payload_of(event)
    return Lesson(event.id, *said, features, body.value, body.kind, text_of(outcome), node.permanence)


def _judged(graph: Graph, outcome: LogOutcome) -> tuple[RecordEvent, Node] | None:
    """Return the event that an outcome is about and its node, or None when it has been forgotten."""
    identity = graph.identity(id_bytes(outcome.body.event))
    node = graph.node(node_number(identity.seq)) if identity else None
    event = command_in(graph.content(node.number)) if node else None
    return (event, node) if node is not None and isinstance(event, RecordEvent) else None


def _outcomes(graph: Graph) -> Iterator[tuple[int, LogOutcome]]:
    numbers, _ = _nodes(graph, NodeKind.OUTCOME)
    for number in numbers.tolist():
        command = command_in(graph.content(number))
        if isinstance(command, LogOutcome):
            yield number, command


def _nodes(graph: Graph, kind: NodeKind) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.void]]:
    table = node_table(graph)
    chosen = table.rows["kind"] == kind
    return table.keys.astype(np.uint64)[chosen], table.rows[chosen]


def _features(graph: Graph, numbers: list[int], prefix: str, count: int) -> list[FeatureSeen]:
    found: list[FeatureSeen] = []
    for number in numbers:
        name = graph.feature_name(number)
        if not name.startswith(prefix):
            continue
        node = graph.expect(number)
        found.append(FeatureSeen(name, node.usage, salience_now(graph, node), node.permanence, node.impact))
        if len(found) == count:
            break
    return found
