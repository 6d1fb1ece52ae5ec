"""The node of a claim: what it was concluded from, and what it is joined to."""

from typing import Final

from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.commands import AssertClaim
from yggdrasil_schemas.graph.records import EdgeKind, Node, NodeKind, node_number, seq_of
from yggdrasil_schemas.refusals import Refusal, Refused

from ..edges import connect, new_edge
from ..experience.feature import occurs
from ..half_life import steady
from ..reference import accepted, made
from ..standing.ruling import fallen, review
from .slots import names_of

_CONTAINS: Final = int(EdgeKind.CONTAINS)
_EVIDENCE: Final = int(EdgeKind.EVIDENCE)
_ASSOCIATIVE: Final = int(EdgeKind.ASSOCIATIVE)


def evidence_of(graph: Graph, command: AssertClaim) -> list[Node] | Refused:
    """Return the live nodes that a claim was concluded from, each once, or why the command is refused."""
    found: dict[int, Node] = {}
    for each in command.body.evidence:
        identity = accepted(graph, each)
        if identity is None:
            return Refused(Refusal.UNKNOWN_REFERENCE)
        node = made(graph, identity)
        if node is not None:
            found[node.number] = node
    if command.body.thinker is not None and not found:
        return Refused(Refusal.NODE_FORGOTTEN if command.body.evidence else Refusal.EVIDENCE_MISSING)
    return [found[number] for number in sorted(found)]


def newest_of(evidence: list[Node]) -> int:
    """Return the seq of the newest event of some evidence that is not fallen; 0 for none."""
    return max(
        [seq_of(each.number) for each in evidence if each.kind == NodeKind.EVENT and not fallen(each)], default=0
    )


def joined(graph: Graph, command: AssertClaim, seq: int, trust: int, others: int, record: bytes) -> Node:
    """Return the new node of a claim, joined to what it is about and to its object, if that is a thing.

    ``others`` are in its slot already: the more there are, the less new it is.
    """
    body = command.body
    policy = graph.header.policy
    salience = min(policy.salience_initial + policy.novelty_max / (1.0 + others), policy.salience_max)
    node = Node(node_number(seq), NodeKind.CLAIM, graph.header.tick, salience, 0.0, trust=trust)
    graph.add_node(node, record)
    graph.trust = min(graph.trust, trust)
    about, _ = names_of(graph, body.subject, trust)[0]
    other, _ = (about, 0) if body.object.entity is None else names_of(graph, body.object.entity, trust)[0]
    subject = occurs(graph, about, node_number(seq, 1), node)
    new_edge(graph, node, _CONTAINS, subject)
    if other != about:
        thing = occurs(graph, other, node_number(seq, 2), node)
        new_edge(graph, node, _CONTAINS, thing)
        first, second = sorted((subject, thing), key=lambda each: each.number)
        connect(graph, first, _ASSOCIATIVE, second, policy.association_weight)
    steady(policy, node)
    return node


def conclude(graph: Graph, node: Node, evidence: list[Node]) -> None:
    """Join a claim to what it was concluded from; it is stale if all of that is fallen."""
    for each in evidence:
        if each is not node and graph.edge((each.number, _EVIDENCE, node.number)) is None:
            new_edge(graph, each, _EVIDENCE, node)
    if evidence:
        review(graph, node)
