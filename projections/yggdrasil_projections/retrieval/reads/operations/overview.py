"""What a memory holds as a whole: counts by kind, its strongest features and pairs, and what outcomes taught.

Pure reading functions over one graph. "Strong" is the rank by which the law of bounds forgets: the strongest is what
would be forgotten last.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from yggdrasil_projections.graph.arithmetic import decayed
from yggdrasil_projections.graph.laws.bounds.rank import edge_rank, node_rank
from yggdrasil_projections.graph.lensed import trust_min_of
from yggdrasil_projections.graph.store.digest import state_digest
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.commands import LogOutcome
from yggdrasil_schemas.graph.records import EdgeKind, NodeFlag, NodeKind, node_number
from yggdrasil_schemas.ids import id_bytes

from ...found import Answered, OfAMoment
from ...index.columns.vectors import ModelKey
from ...index.index import MemoryIndex
from ...lens import stands
from ...memories import content_of, describe, permanence_now, salience_now
from ...query import Read, Source, Timed
from ...records import command_in, text_of

_FLAGS: Final = {
    "archived": NodeFlag.ARCHIVED,
    "catastrophic": NodeFlag.CATASTROPHIC,
    "conceptual": NodeFlag.CONCEPTUAL,
    "pinned": NodeFlag.PINNED,
}


@dataclass(frozen=True, slots=True)
class FeatureSeen:
    """A feature as it is now: ``occurrences`` counts its events, salience and permanence are what is left of them."""

    name: str
    occurrences: int
    salience: float
    permanence: float
    impact: float


@dataclass(frozen=True, slots=True)
class Trouble:
    """A feature whose events turned out badly: ``bad`` counts the outcomes, ``impact`` is the balance.

    ``valence`` is the outcome that it predicts: near 0 when its companions explain what happened. ``permanence`` is
    what is left of it at this tick.
    """

    name: str
    bad: int
    occurrences: int
    permanence: float
    impact: float
    valence: float


@dataclass(frozen=True, slots=True)
class Pair:
    """Two features that occur together: ``together`` counts the events, ``weight`` is what is left at this tick."""

    first: str
    second: str
    together: int
    weight: float


@dataclass(frozen=True, slots=True)
class Lesson:
    """An outcome and what it judges, an event or an episode, named ``event``; ``event_text`` is what that says.

    ``permanence`` is what is left of that of the event, ``features`` are its own, or what the episode's events have in
    common.
    """

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
class VectorCoverage:
    """How many texts can be found, and how many of them have a vector: of ``model``, which makes them here.

    The others can be found by their words, and are given one in the background. Where nothing makes vectors, ``model``
    is None, and those are counted that have one of any model.
    """

    model: str | None
    texts: int
    covered: int


@dataclass(frozen=True, slots=True)
class Overview:
    """A memory in numbers. ``flags`` counts the nodes that have one, ``thinkers`` says how far each has decided.

    ``vectors`` is only there where it was asked for.
    """

    memory: str
    seq: int
    tick: int
    nodes: dict[str, int]
    edges: dict[str, int]
    bounds: dict[str, Size]
    flags: dict[str, int]
    thinkers: dict[str, int]
    vectors: VectorCoverage | None = None


def overview(graph: Graph) -> Overview:
    """Return the counts of a memory by kind, and how full it is."""
    header = graph.header
    policy = header.policy
    rows = graph.node_table().rows
    nodes = _counted(NodeKind, rows["kind"])
    flags = {name: int(np.count_nonzero(rows["flags"] & flag)) for name, flag in _FLAGS.items()}
    bounds = {
        "nodes": Size(header.nodes, policy.nodes_max),
        "edges": Size(header.edges, policy.edges_max),
        "sessions_open": Size(len(graph.sessions), policy.sessions_open_max),
        "recalls_kept": Size(len(graph.recalls), policy.recalls_kept_max),
        "archived": Size(flags["archived"], policy.archived_max),
    }
    edges = _counted(EdgeKind, graph.edge_table().keys["kind"])
    by_kind = dict(sorted(nodes.items())), dict(sorted(edges.items()))
    set_flags = {name: count for name, count in flags.items() if count}
    thinkers = dict(sorted(header.cursors.items()))
    return Overview(header.memory, header.seq, header.tick, *by_kind, bounds, set_flags, thinkers)


def _counted(kinds: type[NodeKind] | type[EdgeKind], found: npt.NDArray[np.uint8]) -> dict[str, int]:
    numbers, counts = np.unique(found, return_counts=True)
    return {kinds(number).name.lower(): count for number, count in zip(numbers.tolist(), counts.tolist(), strict=True)}


def strongest_features(graph: Graph, prefix: str, count: int) -> list[FeatureSeen]:
    """Return up to ``count`` features whose name begins with ``prefix``, strongest first."""
    numbers, rows = _nodes(graph, NodeKind.FEATURE)
    order = np.argsort(-node_rank(graph.header.policy, rows, graph.header.tick), kind="stable")
    return _features(graph, numbers[order].tolist(), prefix, count)


def troubled_features(graph: Graph, prefix: str, count: int) -> list[Trouble]:
    """Return up to ``count`` features whose name begins with ``prefix``, most bad outcomes first.

    Of equal ones, those with the worse balance come first, then those that are older.
    """
    numbers, rows = _nodes(graph, NodeKind.FEATURE)
    order = np.lexsort((rows["impact"], -rows["bad"].astype(np.int64)))
    found: list[Trouble] = []
    for number in numbers[order[rows["bad"][order] > 0]].tolist():
        name = graph.feature_name(number)
        if not name.startswith(prefix):
            continue
        node = graph.expect(number)
        found.append(Trouble(name, node.bad, node.usage, permanence_now(graph, node), node.impact, node.valence))
        if len(found) == count:
            break
    return found


def strongest_pairs(graph: Graph, prefix: str, count: int) -> list[Pair]:
    """Return up to ``count`` pairs of features that both begin with ``prefix``, strongest association first."""
    table = graph.edge_table()
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
    identity = graph.identity(id_bytes(outcome.body.event))
    node = graph.node(node_number(identity.seq)) if identity else None
    if node is None:
        return None
    event, body = describe(graph, node), outcome.body
    said = event.text, event.payload, event.features
    return Lesson(event.ref, *said, body.value, body.kind, text_of(outcome), event.permanence)


def _outcomes(graph: Graph) -> Iterator[tuple[int, LogOutcome]]:
    numbers, _ = _nodes(graph, NodeKind.OUTCOME)
    for number in numbers.tolist():
        command = command_in(content_of(graph, number)) if stands(graph.expect(number)) else None
        if isinstance(command, LogOutcome):
            yield number, command


def _nodes(graph: Graph, kind: NodeKind) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.void]]:
    table = graph.node_table()
    chosen = table.rows["kind"] == kind
    return table.keys.astype(np.uint64)[chosen], table.rows[chosen]


def _features(graph: Graph, numbers: list[int], prefix: str, count: int) -> list[FeatureSeen]:
    found: list[FeatureSeen] = []
    for number in numbers:
        name = graph.feature_name(number)
        if not name.startswith(prefix):
            continue
        node = graph.expect(number)
        found.append(FeatureSeen(name, node.usage, salience_now(graph, node), permanence_now(graph, node), node.impact))
        if len(found) == count:
            break
    return found


@dataclass(frozen=True, slots=True)
class StatsAnswer(Answered):
    """A memory in numbers, and the seq that they are of."""

    as_of: int
    overview: Overview


@dataclass(frozen=True, slots=True)
class AskOverview(Timed[StatsAnswer]):
    """Return how much this memory holds, by kind, and how full it is. It is no recall.

    With ``vectors`` it says as well how many of the texts have a vector, for which the index is loaded.
    """

    vectors: bool = False

    def read(self, source: Source, /) -> StatsAnswer:
        """Answer it."""
        if not self.vectors:
            with source.graph() as graph:
                found = overview(graph)
            return StatsAnswer(found.seq, found)
        with source.indexed() as (graph, index):
            found = replace(overview(graph), vectors=_covered(index, source.model, trust_min_of(graph)))
        return StatsAnswer(found.seq, found)


def _covered(index: MemoryIndex, model: ModelKey | None, trust_min: int) -> VectorCoverage:
    rows = index.texts()
    rows = rows[index.documents.columns.trust[rows] >= trust_min]
    covered = np.isin(rows, index.vectors.owners()) if model is None else index.covered(rows, *model)
    return VectorCoverage(None if model is None else model[0], len(rows), int(np.count_nonzero(covered)))


@dataclass(frozen=True, slots=True)
class DigestAnswer(OfAMoment):
    """The state digest of a memory, and the seq that it is of: equal on every host."""

    memory: str
    digest: str
    as_of: int


@dataclass(frozen=True, slots=True)
class AskDigest(Timed[DigestAnswer]):
    """Return the state digest as it stands; it is never recorded, or it would not be that of now."""

    def read(self, source: Source, /) -> DigestAnswer:
        """Answer it. It takes seconds for a large memory, in which others have their turns."""
        with source.whole() as frozen:
            return DigestAnswer(source.memory, state_digest(*frozen), frozen.header.seq)


STATS: Final = Read(
    "stats",
    AskOverview,
    StatsAnswer,
    "GET /stats",
    "A memory in numbers",
    """Return the counts of a memory by kind, and how full it is.""",
    in_python="overview",
)
DIGEST: Final = Read(
    "digest",
    AskDigest,
    DigestAnswer,
    "GET /digest",
    "Its state digest (role audit)",
    """Return the state digest of a memory: every host that has folded the same commands has the same.""",
    roles=("audit",),
    recorded="never",
)
