"""Which features belong together: communities of those that meet far more often than chance would have it."""

from collections.abc import Iterable
from itertools import combinations
from math import log
from typing import Final

import networkx as nx

from .counting import Counts

TOGETHER_MIN: Final = 4.0  # stretches in which two features have begun and met
RATIO_MIN: Final = 20.0
"""Twice the log of the likelihood ratio (Dunning 1993). By chance one pair in 130,000 has as much, and 512 features
have about as many pairs."""
FEATURES_MIN: Final = 3  # two that go together have an edge already
FEATURES_MAX: Final = 12
COHESION_MIN: Final = 0.5  # of all pairs among the features of a community
_SEED: Final = 1
_PRECISION: Final = 1_000  # weights are integers, whose sums are the same in any order

Links = dict[int, dict[int, int]]
"""Which features are linked, by their numbers, both ways, with the weight of each link."""


def links(counts: Counts) -> Links:
    """Return the pairs that meet beyond chance, each with the share of their stretches in which they met."""
    found: Links = {}
    times = {key: count.times for key, count in counts.features.items()}
    for key, together in [(key, pair.times) for key, pair in counts.pairs.items() if pair.times >= TOGETHER_MIN]:
        one, _, other = key.partition(",")
        first, second = times[one], times[other]
        if ratio(together, first, second, counts.stretches) < RATIO_MIN:
            continue
        weight = max(1, round(_PRECISION * together / max(together, first + second - together)))
        found.setdefault(int(one), {})[int(other)] = weight
        found.setdefault(int(other), {})[int(one)] = weight
    return found


def ratio(together: float, first: float, second: float, everything: float) -> float:
    """Return twice the log of the likelihood ratio of two features' meeting, 0 where they meet no more than by chance.

    ``first`` and ``second`` are in how many stretches each begins, ``together`` in how many both begin and meet, of all
    that there are.
    """
    everything = max(everything, first + second - together)
    cells = (
        (together, first, second),
        (first - together, first, everything - second),
        (second - together, everything - first, second),
        (everything - first - second + together, everything - first, everything - second),
    )
    if together * everything <= first * second:
        return 0.0
    return 2.0 * sum(seen * log(seen * everything / (row * column)) for seen, row, column in cells if seen > 0.0)


def communities(linked: Links) -> list[list[int]]:
    """Return the communities among ``linked``: 3 to 12 features each, those with the strongest links first."""
    found: list[list[int]] = []
    for members in _louvain(linked, sorted(linked)):
        for part in [members] if cohesion(linked, members) >= COHESION_MIN else _louvain(linked, members):
            core = _core(linked, part)
            if len(core) >= FEATURES_MIN:
                found.append(core)
    return sorted(found, key=lambda core: (-len(core), core))


def cohesion(linked: Links, members: Iterable[int]) -> float:
    """Return the share of all pairs among ``members`` that are linked."""
    pairs = list(combinations(sorted(members), 2))
    return sum(other in linked.get(one, {}) for one, other in pairs) / len(pairs) if pairs else 0.0


def _louvain(linked: Links, members: list[int]) -> list[list[int]]:
    """Return a partition of ``members``. A list of its parts, sorted, since a set's order is nobody's promise."""
    graph: nx.Graph[int] = nx.Graph()
    within = set(members)
    graph.add_nodes_from(members)
    for one in members:
        graph.add_weighted_edges_from(
            (one, other, weight) for other, weight in sorted(linked[one].items()) if one < other and other in within
        )
    parts = nx.community.louvain_communities(graph, weight="weight", seed=_SEED, backend="networkx")
    return sorted(sorted(part) for part in parts)


def _core(linked: Links, members: list[int]) -> list[int]:
    """Return the features with the strongest links, the strongest first, until they hold together."""
    core = _by_strength(linked, members)[:FEATURES_MAX]
    while len(core) >= FEATURES_MIN and cohesion(linked, core) < COHESION_MIN:
        core = _by_strength(linked, core)[:-1]
    return _by_strength(linked, core)


def _by_strength(linked: Links, members: list[int]) -> list[int]:
    within = set(members)
    strength = {one: sum(weight for other, weight in linked[one].items() if other in within) for one in members}
    return sorted(members, key=lambda one: (-strength[one], one))
