"""What an outcome, or a report of use, gave to whom, so that it can be taken back.

It is kept as long as what gave it: at most 64 nodes of each, and 64 edges of a report. Taken back is what is left of
it, within the bounds: what fades has faded since, and what came after stays. Exactly as if it had never been a memory
is only without the command.
"""

from dataclasses import dataclass, field
from typing import Final

from yggdrasil_projections.graph.arithmetic import decayed
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.graph.records import Account, Edge, EdgeKey, EdgeKind, Given, GivenEdge, Node
from yggdrasil_schemas.limits import GIVEN_MAX, VALUE_MAX
from yggdrasil_schemas.policy import Policy

from ..edges import strengthen
from ..half_life import HALF_LIFE_MIN_TICKS, stabilize, steady
from ..regard import change_again

_CAUSAL: Final = int(EdgeKind.CAUSAL)
_NOTHING: Final = 1e-9


Worth = tuple[float, float, float, float, float, int, int, int, int]
"""Salience, permanence, impact, valence, stability, good, bad, usage and served of a node."""


@dataclass(slots=True)
class Giving:
    """What one outcome or report gives while its law runs: what each node had before, and the edges that foretell."""

    before: dict[int, tuple[Node, Worth]] = field(default_factory=dict[int, tuple[Node, Worth]])
    told: dict[int, float] = field(default_factory=dict[int, float])
    perspectives: tuple[bytes, ...] = ()
    regard: float = 0.0
    edges: list[GivenEdge] = field(default_factory=list[GivenEdge])

    def under(self, perspectives: tuple[bytes, ...], regard: float) -> None:
        """Note under which perspectives each is given so much."""
        self.perspectives, self.regard = perspectives, regard if perspectives else 0.0

    def to(self, node: Node) -> Node:
        """Return a settled node that is about to be given something."""
        if node.number not in self.before and len(self.before) < GIVEN_MAX:
            self.before[node.number] = node, _worth(node)
        return node

    def strengthen(self, policy: Policy, key: EdgeKey, edge: Edge) -> None:
        """Let a settled edge between what was used gain ``association_weight``, and fade more slowly from now on."""
        weight, half_life = edge.weight, edge.half_life
        strengthen(policy, edge, policy.association_weight)
        edge.half_life = min(half_life * policy.edge_reinforce_half_life, policy.half_life_max_ticks)
        self.edges.append(GivenEdge(key, edge.weight - weight, edge.half_life / half_life))


def note(graph: Graph, seq: int, giving: Giving, sign: int, kind: int) -> None:
    """Keep what the command at ``seq`` gave; ``kind`` is the feature of an outcome's kind, 0 of a report."""
    given: list[Given] = []
    for number, (node, before) in giving.before.items():  # in the order in which they were given something
        salience, permanence, impact, valence, stability, good, bad, usage, served = before
        sums = (node.salience - salience, node.permanence - permanence, node.impact - impact, node.valence - valence)
        counts = (node.good - good, node.bad - bad, node.usage - usage, node.served - served)
        factor, told = node.stability / stability, giving.told.get(number, 0.0)
        given.append(Given(number, *sums, factor, told, *counts, giving.regard))
    whom = tuple(given), giving.perspectives, tuple(giving.edges)
    graph.changed_accounts[seq] = Account(graph.header.tick, sign, kind, False, *whom)


def take_back(graph: Graph, seq: int) -> None:
    """Take back what is left of what the command at ``seq`` gave."""
    _move(graph, seq, out=True)


def give_again(graph: Graph, seq: int) -> None:
    """Give again what was taken back, as far as it would be left by now."""
    _move(graph, seq, out=False)


def _worth(node: Node) -> Worth:
    counts = node.good, node.bad, node.usage, node.served
    return node.salience, node.permanence, node.impact, node.valence, node.stability, *counts


def _move(graph: Graph, seq: int, *, out: bool) -> None:
    account = graph.account(seq)
    if account is None or account.out == out:
        return
    graph.changed_accounts[seq] = account._replace(out=out)
    header = graph.header
    way = -1 if out else 1
    if account.kind:
        header.good = max(0, header.good + way * (account.sign > 0))
        header.bad = max(0, header.bad + way * (account.sign < 0))
    elapsed = header.tick - account.tick
    for each in account.given:
        if graph.node(each.number) is not None:
            _change(graph, each, elapsed, way)
            if account.perspectives:
                node, gain = graph.expect(each.number), way * each.regard
                change_again(graph, node, account.perspectives, gain, elapsed, way * each.usage)
            if each.told:
                _foretell(graph, each, account.kind, elapsed, way)
    for every in account.edges:
        _change_edge(graph, every, elapsed, way)


def _change(graph: Graph, given: Given, elapsed: int, way: int) -> None:
    policy, node = graph.header.policy, graph.settle(given.number)
    salience = way * decayed(given.salience, elapsed, node.half_life)
    permanence = way * decayed(given.permanence, elapsed, policy.permanence_half_life_ticks)
    node.salience = _within(node.salience + salience, 0.0, policy.salience_max)
    node.permanence = _within(node.permanence + permanence, 0.0, policy.permanence_max)
    node.impact = _within(node.impact + way * given.impact, -policy.impact_max, policy.impact_max)
    node.valence = _within(node.valence + way * given.valence, -VALUE_MAX, VALUE_MAX)
    node.good = max(0, node.good + way * given.good)
    node.bad = max(0, node.bad + way * given.bad)
    node.usage = max(0, node.usage + way * given.usage)
    node.served = max(0, node.served + way * given.served)
    stabilize(policy, node, given.stability if way > 0 else 1.0 / given.stability)
    steady(policy, node)


def _change_edge(graph: Graph, given: GivenEdge, elapsed: int, way: int) -> None:
    """Let an edge lose what is left of what it was given, or have it again; one that has gone stays away."""
    policy, edge = graph.header.policy, graph.settled_edge(given.key)
    if edge is None:
        return
    edge.weight = _within(edge.weight + way * decayed(given.weight, elapsed, edge.half_life), 0.0, policy.weight_max)
    half_life = edge.half_life * (given.half_life if way > 0 else 1.0 / given.half_life)
    edge.half_life = max(HALF_LIFE_MIN_TICKS, min(half_life, policy.half_life_max_ticks))


def _within(value: float, low: float, high: float) -> float:
    """Return a value within its bounds; what only rounding has left of it is nothing."""
    return max(low, min(value, high)) if abs(value) > _NOTHING else 0.0


def _foretell(graph: Graph, given: Given, kind: int, elapsed: int, way: int) -> None:
    """Let the edge by which a feature foretells a kind of outcome lose a weight, or have it again."""
    policy, key = graph.header.policy, (given.number, _CAUSAL, kind)
    if graph.node(kind) is None:
        return
    edge = graph.settled_edge(key)
    half_life = policy.edge_half_life_ticks if edge is None else edge.half_life
    weight = (0.0 if edge is None else edge.weight) + way * decayed(given.told, elapsed, half_life)
    if weight <= _NOTHING:
        if edge is not None:
            graph.unlink(key)
    elif edge is not None:
        edge.weight = min(weight, policy.weight_max)
    else:
        new = Edge(graph.header.tick, min(weight, policy.weight_max), half_life)
        graph.link(graph.expect(given.number), _CAUSAL, graph.expect(kind), new)
