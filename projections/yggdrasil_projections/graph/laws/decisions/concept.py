"""The law of concepts: what belongs together gets a node of its own, and loses it again (000, section 3)."""

from typing import Final

from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.commands import DissolveConcept, FormConcept
from yggdrasil_schemas.graph.records import PROTECTED, EdgeKind, Node, NodeFlag, NodeKind, node_number
from yggdrasil_schemas.refusals import Refusal, Refused

from ..bounds.nodes import forget
from ..derivation import trust_here
from ..edges import new_edge
from ..experience.session import MARKS
from ..half_life import steady
from ..reference import FEATURE_PREFIX, accepted, resolve_all
from ..standing.ruling import conclude
from .thinker import advance, refuse

_CONTAINS: Final = int(EdgeKind.CONTAINS)
_CONCEPTUAL: Final = int(NodeFlag.CONCEPTUAL)
_PROTECTED: Final = int(PROTECTED)
_MEMBERS_MIN: Final = 2


def form_concept(graph: Graph, command: FormConcept, seq: int, record: bytes) -> Refused | None:
    """Make a concept of the members that are left (000, section 4: new concepts start fragile).

    It takes half of their mean salience upward and no permanence; its half-life is short until it is reinforced. Its
    features remember it, so that an event that repeats them is absorbed by it.
    """
    body = command.body
    members = resolve_all(graph, body.members)
    if isinstance(members, Refused):
        return members
    if len(members) < _MEMBERS_MIN:
        return Refused(Refusal.MEMBERS_FORGOTTEN)
    stale = refuse(graph, body)
    if stale is not None:
        return stale

    header = graph.header
    policy = header.policy
    number = node_number(seq)
    mark = 1 << (seq & MARKS - 1)
    nodes = [graph.settle(member) for member in members]
    salience, marks = 0.0, mark
    for node in nodes:
        salience += node.salience
        marks |= node.marks
    concept = Node(number, NodeKind.CONCEPT, header.tick, 0.0, 0.0, policy.new_concept_half_life, marks=marks)
    concept.salience = min(policy.salience_initial + policy.upward_share * (salience / len(nodes)), policy.salience_max)
    concept.stability = max(policy.stability_min, min(concept.stability, policy.stability_max))
    conclude(policy, concept, trust_here(graph, command), nodes)
    graph.add_node(concept, record)
    for node in nodes:
        node.marks |= mark
        new_edge(graph, concept, _CONTAINS, node)
        if node.kind == NodeKind.FEATURE:
            node.concept = number
    steady(policy, concept)
    advance(graph, body)
    return None


def dissolve_concept(graph: Graph, command: DissolveConcept, _seq: int, _record: bytes) -> Refused | None:
    """Let a concept be ordinary experience again: its members stay, and so does a feature that had become one.

    What is pinned, or took part in a catastrophe, is not dissolved.
    """
    body = command.body
    concept = _concept(graph, body.concept)
    if isinstance(concept, Refused):
        return concept
    if concept.flags & _PROTECTED:
        return Refused(Refusal.NODE_PROTECTED)
    stale = refuse(graph, body)
    if stale is not None:
        return stale
    if concept.kind == NodeKind.CONCEPT:
        forget(graph, [concept.number])
    else:
        make_ordinary(graph, concept)
    advance(graph, body)
    return None


def make_ordinary(graph: Graph, concept: Node) -> None:
    """Let a conceptual feature be a feature."""
    feature = graph.settle(concept.number)
    feature.flags &= ~_CONCEPTUAL
    steady(graph.header.policy, feature)


def _concept(graph: Graph, reference: str) -> Node | Refused:
    if reference.startswith(FEATURE_PREFIX):
        number = graph.feature(reference.removeprefix(FEATURE_PREFIX))
        feature = graph.node(number) if number is not None else None
        if feature is None:
            return Refused(Refusal.NODE_FORGOTTEN)
        return feature if feature.flags & _CONCEPTUAL else Refused(Refusal.NOT_A_CONCEPT)
    identity = accepted(graph, reference)
    if identity is None:
        return Refused(Refusal.UNKNOWN_REFERENCE)
    if identity.kind != FormConcept.number:
        return Refused(Refusal.NOT_A_CONCEPT)
    return graph.node(node_number(identity.seq)) or Refused(Refusal.NODE_FORGOTTEN)
