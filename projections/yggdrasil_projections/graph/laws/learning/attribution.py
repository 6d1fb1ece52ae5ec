"""Which parts of an event carried the signal (000, section 3, feature nodes: influence of specific features)."""

from dataclasses import dataclass
from typing import Final

from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.graph.records import EdgeKey, EdgeKind, Node, NodeKind, is_feature
from yggdrasil_schemas.limits import FEATURES_MAX
from yggdrasil_schemas.policy import Policy

from ..edges import new_edge, reinforce, strengthen
from ..half_life import steady
from ..reference import containers
from .account import Giving
from .appraisal import appraise, teach

_CAUSAL: Final = int(EdgeKind.CAUSAL)
_ASSOCIATIVE: Final = int(EdgeKind.ASSOCIATIVE)
_CONTAINS: Final = int(EdgeKind.CONTAINS)


@dataclass(slots=True)
class Carrier:
    """A node that may have carried the signal of an outcome, and the edge to what turned out so, which may be cut."""

    node: Node
    edge: EdgeKey
    responsibility: float = 0.0


def carriers_of(graph: Graph, target: Node) -> list[Carrier]:
    """Return what may have carried the signal, at most the first 32 by number.

    Of an event its features and the concepts that contain it, of an episode what it was associated with, of a concept
    its features. The first two are known whatever edges have been cut meanwhile, so that a late outcome finds them.
    """
    number = target.number
    found: list[tuple[int, EdgeKey]]
    if target.kind == NodeKind.CONCEPT:
        found = [
            (key[2], key)
            for key in graph.links(number)  # any order: sorted below
            if key[1] == _CONTAINS and key[0] == number and is_feature(key[2])
        ]
    else:
        kind = _CONTAINS if target.kind == NodeKind.EVENT else _ASSOCIATIVE
        carriers = graph.parts(number).carriers
        found = [(each, (number, kind, each)) for each in carriers if graph.node(each) is not None]
    if target.kind == NodeKind.EVENT:
        concepts = containers(graph, number, NodeKind.CONCEPT)
        found += [(concept.number, (concept.number, _CONTAINS, number)) for concept in concepts]
    return [Carrier(graph.expect(carrier), key) for carrier, key in sorted(found)[:FEATURES_MAX]]


def learn(graph: Graph, carriers: list[Carrier], kind: Node, magnitude: float, value: float, giving: Giving) -> None:
    """Share an outcome among its carriers, and let each learn what it predicts.

    What already predicts such an outcome takes the larger part of it. Valences move by the error of their sum, which
    is the rule of Rescorla and Wagner (1972): what the companions explain already teaches nothing more, so that the
    feature that predicts an outcome ends as its cause, and its companions do not. ``kind`` is the feature of the
    outcome's kind.
    """
    if not carriers:
        return
    policy = graph.header.policy
    surprise = _share_out(policy, carriers, value)
    lesson = policy.surprise_rate * surprise / len(carriers)
    felt = policy.features_paired_max
    for carrier in carriers:
        node = giving.to(graph.settle(carrier.node.number))
        size = carrier.responsibility * magnitude
        gained = appraise(policy, node, size, value) if value else 0.0
        teach(node, lesson)
        steady(policy, node)
        edge = graph.settled_edge(carrier.edge)
        if edge is not None:
            strengthen(policy, edge, policy.credit_share * size)
            edge.permanence = min(edge.permanence + gained, policy.permanence_max)
        foretells = node.valence * value > 0 and abs(node.valence) >= policy.foretell_valence
        if foretells and felt and is_feature(node.number) and node is not kind:
            felt -= 1
            giving.told[node.number] = _foretell(graph, node, kind, size, gained)


def _share_out(policy: Policy, carriers: list[Carrier], value: float) -> float:
    """Set the responsibilities, which add up to 1, and return the surprise: the value less what was predicted."""
    sign = 1.0 if value > 0 else -1.0 if value < 0 else 0.0
    predicted = whole = 0.0
    for carrier in carriers:
        valence = carrier.node.valence
        predicted += valence
        carrier.responsibility = 1.0 + policy.attribution * max(0.0, sign * valence)
        whole += carrier.responsibility
    for carrier in carriers:
        carrier.responsibility /= whole
    return value - predicted


def _foretell(graph: Graph, feature: Node, kind: Node, size: float, gained: float) -> float:
    """Strengthen the causal edge from a feature to the kind of outcome that it has come to mean.

    It lasts longer by the permanence that the feature has ``gained``. Returns the weight that it really has more.
    """
    policy = graph.header.policy
    key = (feature.number, _CAUSAL, kind.number)
    edge = graph.settled_edge(key)
    before = 0.0 if edge is None else edge.weight
    if edge is None:
        new_edge(graph, feature, _CAUSAL, kind, size)
        edge = graph.expect_edge(key)
    else:
        reinforce(graph, edge, size)
    edge.permanence = min(edge.permanence + gained, policy.permanence_max)
    return edge.weight - before
