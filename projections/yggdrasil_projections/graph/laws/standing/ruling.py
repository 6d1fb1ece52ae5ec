"""A node's status, and what follows from it for what was made of that node."""

from collections.abc import Iterable
from typing import Final

from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.commands import AssertClaim, CommitEpisode, FormConcept, RecordEvent
from yggdrasil_schemas.graph.records import (
    EdgeKind,
    Node,
    NodeFlag,
    NodeKind,
    Ruling,
    Status,
)
from yggdrasil_schemas.limits import SLOT_MAX
from yggdrasil_schemas.policy import Policy
from yggdrasil_schemas.refusals import Refusal, Refused

from ..reference import accepted, made

_CONTAINS: Final = int(EdgeKind.CONTAINS)
_EVIDENCE: Final = int(EdgeKind.EVIDENCE)
_STALE: Final = int(NodeFlag.STALE)
_FALLEN: Final = (Status.QUARANTINED, Status.SUPERSEDED, Status.REJECTED)
_QUARANTINED: Final = Status.QUARANTINED
_REJECTED: Final = Status.REJECTED
_CLAIM: Final = NodeKind.CLAIM
_MAKERS: Final = (
    RecordEvent.number,
    CommitEpisode.number,
    FormConcept.number,
    AssertClaim.number,
)
_CONCLUSIONS: Final = (NodeKind.EPISODE, NodeKind.CONCEPT)


def corrigible(graph: Graph, command_id: str) -> Node | Refused | None:
    """Return the live event, episode, concept or claim that a command made or confirmed, None when it was forgotten."""
    identity = accepted(graph, command_id)
    if identity is None:
        return Refused(Refusal.UNKNOWN_REFERENCE)
    if identity.kind not in _MAKERS:
        return Refused(Refusal.NOT_CORRIGIBLE)
    return made(graph, identity)


def fallen(node: Node) -> bool:
    """Whether what a node says no longer holds, or waits until somebody has looked at it."""
    return node.status in _FALLEN


def is_out(status: int, ruling: Ruling) -> bool:
    """Whether something was judged, or gave way: what its slot has put in quarantine, without a reason, waits."""
    return status > _QUARANTINED or (status == _QUARANTINED and bool(ruling.reason))


def authority(graph: Graph, node: Node) -> int:
    """Return the trust that it takes to change whether a node stands: of who said it, or of who judged it, if more."""
    return max(node.trust, graph.ruling(node).trust)


def rule(graph: Graph, node: Node, status: Status, ruling: Ruling) -> None:
    """Give a node a status.

    What was made of something that falls is stale, and so is an event of which nothing stands that was concluded from
    it (``is_stale``). That goes one step, and no further. The ruling of what falls keeps which status it had before.
    """
    before = fallen(node)
    if is_out(status, ruling):
        kept = graph.ruling(node)
        ruling = ruling._replace(was=kept.was if is_out(node.status, kept) else node.status)
    graph.rule(node, status, ruling)
    if status == _REJECTED and node.kind == _CLAIM:
        let_go(graph, ruling.slot)
    if before != fallen(node):
        number = node.number
        for source, kind, target in sorted(graph.links(number)):
            if kind == _CONTAINS and target == number:
                review(graph, graph.expect(source))
            elif kind == _EVIDENCE:
                review(graph, graph.expect(source if target == number else target))


def conclude(policy: Policy, conclusion: Node, trust: int, members: Iterable[Node]) -> None:
    """Let what is concluded be trusted no more than the least of what it is made of, and be stale if that is fallen."""
    for member in members:
        trust = min(trust, member.trust)
        if fallen(member):
            conclusion.flags |= _STALE
    conclusion.trust = trust
    conclusion.status = first_status(policy, trust)


def first_status(policy: Policy, trust: int) -> Status:
    """Return the status of what is said with so much trust, is no claim, and contradicts nothing."""
    return Status.CANDIDATE if trust < policy.notes_trust_min else Status.ACTIVE


def review(graph: Graph, node: Node) -> None:
    """Say of a live node anew whether it is stale.

    An episode or a concept is when anything that it contains is fallen; a claim when all is that it was concluded from;
    an event when all claims are that were concluded from it. What gave way to a claim has not fallen for it, as that
    says what it said. But of these one at least has to be of somebody, or judged by
    somebody, who is trusted enough to change whether the node itself stands: else anybody could take away what they may
    not touch, by a conclusion of their own that they withdraw.
    """
    number = node.number
    contained: list[Node] = []
    sources: list[Node] = []
    claims: list[Node] = []
    for source, kind, target in graph.links(number):  # any order: only whether any, or all, have fallen counts
        if kind == _CONTAINS and source == number:
            contained.append(graph.expect(target))
        elif kind == _EVIDENCE:
            other = graph.expect(source if target == number else target)
            if target == number:
                sources.append(other)
            elif other.kind == _CLAIM:
                claims.append(other)
    if node.kind in _CONCLUSIONS:
        stale = any(map(fallen, contained))
    elif node.kind == _CLAIM:
        stale = _carried_off(graph, node, sources)
    elif node.kind == NodeKind.EVENT:
        stale = _carried_off(graph, node, claims)
    else:
        return
    node.flags = node.flags | _STALE if stale else node.flags & ~_STALE
    graph.changed_nodes[number] = node


def _carried_off(graph: Graph, node: Node, others: list[Node]) -> bool:
    """Whether all of what a node rests on, or of what rests on it, is fallen, and any of that by enough authority."""
    enough = authority(graph, node)
    gone = [each for each in others if fallen(each) and not _gave_way_to(graph, each, node)]
    return len(gone) == len(others) and any(authority(graph, each) >= enough for each in gone)


def _gave_way_to(graph: Graph, former: Node, node: Node) -> bool:
    return former.status == Status.SUPERSEDED and graph.ruling(former).instead == node.number


def let_go(graph: Graph, slot: bytes) -> None:
    """Let a slot remember no more than a few that were rejected in it: by most authority, of equal ones the last."""
    members = map(graph.expect, graph.slot(slot))
    rejected = [(authority(graph, each), each.number) for each in members if each.status == _REJECTED]
    for _, number in sorted(rejected)[:-SLOT_MAX]:
        graph.leave(slot, number)
