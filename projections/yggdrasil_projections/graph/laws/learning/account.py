"""What an outcome, or a report of use, gave to whom, so that it can be taken back.

It is kept as long as what gave it: at most 64 nodes of each, and 64 edges of a report. Taken back is what is left of
it, within the bounds: what fades has faded since, and what came after stays. From then on the account says what was
really taken, and after that what was really given again: so no order of verdicts, however long, takes more than was
given, or gives more than was taken. Exactly as if it had never been a memory is only without the command.
"""

from dataclasses import dataclass, field
from typing import Final

from yggdrasil_projections.graph.arithmetic import decayed
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.graph.records import Account, Edge, EdgeKey, EdgeKind, Given, GivenEdge, Node
from yggdrasil_schemas.limits import GIVEN_MAX, VALUE_MAX
from yggdrasil_schemas.policy import Policy

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
    regards: dict[int, tuple[float, ...]] = field(default_factory=dict[int, tuple[float, ...]])
    edges: list[GivenEdge] = field(default_factory=list[GivenEdge])

    def to(self, node: Node) -> Node:
        """Return a settled node that is about to be given something."""
        if node.number not in self.before and len(self.before) < GIVEN_MAX:
            self.before[node.number] = node, _worth(node)
        return node

    def strengthen(self, policy: Policy, key: EdgeKey, edge: Edge) -> None:
        """Let a settled edge between what was used gain ``association_weight``, and fade more slowly from now on."""
        weight, half_life = edge.weight, edge.half_life
        edge.weight = min(weight + policy.association_weight, policy.weight_max)
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
        regards = giving.regards.get(number, (0.0,) * len(giving.perspectives))
        given.append(Given(number, *sums, factor, told, *counts, regards))
    whom = tuple(given), giving.perspectives, tuple(giving.edges)
    graph.changed_accounts[seq] = Account(graph.header.tick, seq, sign, kind, False, *whom)


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
    header = graph.header
    way = -1 if out else 1
    if account.kind:
        header.good = max(0, header.good + way * (account.sign > 0))
        header.bad = max(0, header.bad + way * (account.sign < 0))
    given = tuple(
        [_move_node(graph, account, each, way) for each in account.given if graph.node(each.number) is not None]
    )
    edges = [_move_edge(graph, account, each, way) for each in account.edges]
    left = tuple([each for each in edges if each is not None])
    when = account._replace(tick=header.tick, moved=graph.said)
    graph.changed_accounts[seq] = when._replace(out=out, given=given, edges=left)


def _move_node(graph: Graph, account: Account, given: Given, way: int) -> Given:
    """Let a live node lose what is left of what it was given, or have it again; return what it really lost, or had."""
    elapsed = graph.header.tick - account.tick
    moved = _change(graph.header.policy, graph.settle(given.number), given, elapsed, way)
    if account.perspectives:
        gains = zip(account.perspectives, [way * each for each in given.regards], strict=True)
        changed = change_again(graph, graph.expect(given.number), gains, elapsed, way * given.usage)
        moved = moved._replace(regards=tuple([way * each for each in changed]))
    return moved._replace(told=_foretell(graph, account, given, way)) if given.told else moved


def _change(policy: Policy, node: Node, given: Given, elapsed: int, way: int) -> Given:
    """Change a settled node. What is left of what fades is by the half-life with what is given, both ways.

    Returns what was really moved.
    """
    before = _worth(node)
    if way > 0:
        stabilize(policy, node, given.stability)
        steady(policy, node)
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
    if way < 0:
        stabilize(policy, node, 1.0 / given.stability)
    steady(policy, node)
    return _between(before, node, way, given)


def _between(before: Worth, node: Node, way: int, given: Given) -> Given:
    """Return what was really moved of what was ``given``, as an account has it."""
    salience, permanence, impact, valence, stability, good, bad, usage, served = before
    return Given(
        given.number,
        way * (node.salience - salience),
        way * (node.permanence - permanence),
        way * (node.impact - impact),
        way * (node.valence - valence),
        node.stability / stability if way > 0 else stability / node.stability,
        given.told,
        way * (node.good - good),
        way * (node.bad - bad),
        way * (node.usage - usage),
        way * (node.served - served),
        given.regards,
    )


def _move_edge(graph: Graph, account: Account, given: GivenEdge, way: int) -> GivenEdge | None:
    """Let an edge lose what is left of what it was given, or have it again; one that has gone stays away.

    One that was made since then is another: it was given nothing. Returns what it really lost, or had.
    """
    policy, edge = graph.header.policy, graph.edge(given.key)
    if edge is None or edge.made > account.moved:
        return None
    edge = graph.settled_edge(given.key) or edge
    weight, half_life = edge.weight, edge.half_life
    longer = half_life * given.half_life if way > 0 else half_life / given.half_life
    edge.half_life = max(HALF_LIFE_MIN_TICKS, min(longer, policy.half_life_max_ticks))
    with_it = edge.half_life if way > 0 else half_life
    left = way * decayed(given.weight, graph.header.tick - account.tick, with_it)
    edge.weight = _within(weight + left, 0.0, policy.weight_max)
    factor = edge.half_life / half_life if way > 0 else half_life / edge.half_life
    return GivenEdge(given.key, way * (edge.weight - weight), factor)


def _within(value: float, low: float, high: float) -> float:
    """Return a value within its bounds; what only rounding has left of it is nothing."""
    return max(low, min(value, high)) if abs(value) > _NOTHING else 0.0


def _foretell(graph: Graph, account: Account, given: Given, way: int) -> float:
    """Let the edge by which a feature foretells a kind of outcome lose a weight, or have it again.

    Returns what it really lost, or had. One that was made since the weight was given is another, and loses nothing.
    """
    policy, key = graph.header.policy, (given.number, _CAUSAL, account.kind)
    edge = graph.settled_edge(key)
    if graph.node(account.kind) is None or (way < 0 and (edge is None or edge.made > account.moved)):
        return 0.0
    half_life = policy.edge_half_life_ticks if edge is None else edge.half_life
    before = 0.0 if edge is None else edge.weight
    weight = min(before + way * decayed(given.told, graph.header.tick - account.tick, half_life), policy.weight_max)
    if weight <= _NOTHING:
        if edge is not None:
            graph.unlink(key)
        return before if way < 0 else 0.0
    if edge is None:
        new = Edge(graph.header.tick, weight, half_life)
        graph.link(graph.expect(given.number), _CAUSAL, graph.expect(account.kind), new)
    else:
        edge.weight = weight
    return way * (weight - before)
