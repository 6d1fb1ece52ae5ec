"""The law of bounds: rank all, sort all, and the lowest go."""

from collections.abc import Callable, Iterable, Sequence
from decimal import Context, Decimal
from math import floor
from typing import TypeVar

from tests.graph.oracle.memory import NEAR, Memory
from tests.graph.oracle.records import ONE, Edge, EdgeKey, Node, by_number, decimal, numbers

_RANK = Context(prec=30)  # what is equal on paper is equal here, whichever way it was computed

Entry = TypeVar("Entry", Node, EdgeKey)


def enforce(m: Memory) -> None:
    if len(m.nodes) > m.p.nodes_max:
        _prune_nodes(m)
    if len(m.edges) > m.p.edges_max:
        _prune_edges(m, list(m.edges), floor(m.p.edges_max * m.p.edges_kept_share))
        m.happened.append("edges pruned")
    for node in by_number(m.grown):
        degree = m.degree(node)
        if node.live and degree > m.p.degree_max:
            _prune_edges(m, m.edges_of(node), floor(m.p.degree_max * m.p.degree_kept_share), node)
            m.happened.append("degree pruned")


def node_rank(m: Memory, node: Node) -> Decimal:
    p = m.p
    used = decimal_share(node.usage, 8)
    rank = (
        p.rank_permanence * max(m.lasting(node), node.pinned_at)
        + p.rank_salience * node.salience
        + p.rank_usage * used
        + p.rank_connectivity * decimal(m.density(node))
        + p.rank_impact * abs(node.impact)
    )
    if node.status in ("superseded", "rejected"):
        rank = -1 / (1 + rank)
        m.happened.append("ranked below")
    return _RANK.plus(rank)


def edge_rank(m: Memory, edge: Edge) -> Decimal:
    p = m.p
    rank = p.rank_salience * edge.weight + p.rank_permanence * m.lasting(edge)
    return _RANK.plus(rank + p.rank_usage * decimal_share(edge.usage, 8))


def decimal_share(count: int, half: int) -> Decimal:
    return Decimal(count) / (count + half)


def lowest(m: Memory, ranked: Sequence[tuple[Decimal, Entry]], count: int) -> list[Entry]:
    """The first ``count`` of what is sorted by rank; those that rounding could exchange are noted as ties."""
    count = max(count, 0)
    if 0 < count < len(ranked):
        last, first = ranked[count - 1][0], ranked[count][0]
        near = NEAR * max(ONE, abs(last))
        if first - last < near:
            m.ties |= {_place(entry) for rank, entry in ranked if abs(rank - last) < 2 * near}
    return [entry for _, entry in ranked[:count]]


def _place(entry: Node | EdgeKey) -> int | tuple[int, int, int]:
    return entry.number if isinstance(entry, Node) else numbers(entry)


def beyond_share(
    m: Memory, ranked: list[tuple[Decimal, Entry]], trust_of: Callable[[Entry], int], cap: float
) -> set[Entry]:
    """What is more than strangers, then agents with them, may have of a bound: the least trusted, and the lowest."""
    found = set[Entry]()
    for most, share in ((0, m.p.foreign_share), (1, m.p.agents_share)):
        theirs = [entry for entry in ranked if trust_of(entry[1]) <= most]
        if len(theirs) == len(ranked):
            continue
        excess = len(theirs) - floor(cap * share)
        for trust in range(most + 1):
            of_trust = [entry for entry in theirs if trust_of(entry[1]) == trust]
            found.update(lowest(m, of_trust, min(excess, len(of_trust))))
            excess -= len(of_trust)
    if found:
        m.happened.append("beyond their share")
    return found


def lowest_of(m: Memory, groups: Iterable[list[tuple[Decimal, Entry]]], count: int) -> list[Entry]:
    """Those of the lowest rank, of a group only when those before it are used up."""
    going: list[Entry] = []
    for group in groups:
        going += lowest(m, group, count - len(going))
    return going


def _prune_nodes(m: Memory) -> None:
    p = m.p
    ranks = {node: node_rank(m, node) for node in m.nodes.values()}
    ranked = sorted(((rank, node) for node, rank in ranks.items()), key=lambda entry: (entry[0], entry[1].number))
    exempt = _protected(m, ranked) | m.held()
    excess = len(m.nodes) - floor(p.nodes_max * p.nodes_kept_share)
    beyond = beyond_share(m, ranked, lambda node: node.trust, p.nodes_max)
    free = [entry for entry in ranked if entry[1] not in exempt]
    groups = [entry for entry in free if entry[1] in beyond], [entry for entry in free if entry[1] not in beyond]
    going = lowest_of(m, groups, min(excess, p.removals_per_command_max))
    m.name_heirs(going)
    for node in by_number(going):
        m.remove(node)
        m.happened.append("node pruned")


def _protected(m: Memory, ranked: list[tuple[Decimal, Node]]) -> set[Node]:
    """Places go to the pinned, the catastrophic, and the lasting of persons and of agents, the highest rank first."""
    p = m.p
    tiers: list[list[tuple[Decimal, Node]]] = [[], [], [], []]
    for rank, node in ranked:
        if "pinned" in node.flags:
            tiers[0].append((rank, node))
        elif "catastrophic" in node.flags:
            tiers[1].append((rank, node))
        elif node.trust and m.at_least(m.lasting(node), p.protect_permanence, node):
            tiers[2 if node.trust >= 2 else 3].append((rank, node))
    places, found = floor(p.protected_share * p.nodes_max), set[Node]()
    for tier in tiers:
        weak = lowest(m, tier, len(tier) - places)
        if weak:
            m.happened.append("protection lost")
        strong = [node for _, node in tier if node not in weak]
        places -= len(strong)
        found.update(strong)
    return found


def _prune_edges(m: Memory, keys: list[EdgeKey], stays: int, crowded: Node | None = None) -> None:
    """Those with a pinned end go when all others are gone; the crowded node's own pin says nothing."""
    excess = len(keys) - stays
    ranked = sorted(
        ((edge_rank(m, m.edges[key]), key) for key in keys if key[1] != "temporal"),
        key=lambda entry: (entry[0], numbers(entry[1])),
    )
    held = [each for each in ranked if any("pinned" in end.flags for end in {each[1][0], each[1][2]} - {crowded})]

    def trust(key: EdgeKey) -> int:
        return min([m.edges[key].trust, *(end.trust for end in {key[0], key[2]} - {crowded})])

    left = [each for each in ranked if each not in held]
    first = [each for each in left if trust(each[1]) == 0]
    beyond = beyond_share(m, ranked, trust, stays)
    second = [each for each in left if each not in first and each[1] in beyond]
    free = [each for each in left if each not in first and each not in second]
    going = lowest_of(m, (first, second, free, held), min(excess, m.p.removals_per_command_max))
    if second:
        m.happened.append("agents' edges beyond their share")
    if first:
        m.happened.append("strangers' edges first")
    if held and any(rank < free[-1][0] for rank, _ in held if free):
        m.happened.append("spared by a pin")
    for key in going:
        m.unlink(key)
