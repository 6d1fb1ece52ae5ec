"""The law of verdicts: what a memory holds is rejected, resolved, put in quarantine, or released."""

from typing import Final

from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.commands import Judge
from yggdrasil_schemas.graph.knowledge import OPEN_FROM, OPEN_TO, Line
from yggdrasil_schemas.graph.records import Node, Ruling, Status
from yggdrasil_schemas.ids import id_bytes
from yggdrasil_schemas.limits import SLOT_MAX
from yggdrasil_schemas.refusals import Refusal, Refused

from ..authority import is_person, who
from ..decisions.thinker import advance, refuse
from ..derivation import trust_here
from ..learning.appraisal import revive
from ..reference import accepted
from ..standing.ruling import corrigible, rule
from ..standing.succession import beyond, supersede
from .confirming import approves, confirm
from .predicates import definition_of
from .slots import contradict, members_of

_ACTIVE: Final = Status.ACTIVE
_STANDING: Final = (Status.ACTIVE, Status.PRIOR, Status.CONTESTED)
_WAITING_OR_STANDING: Final = (*_STANDING, Status.CANDIDATE, Status.QUARANTINED)
_GIVEN: Final = {"reject": Status.REJECTED, "resolve": Status.RESOLVED, "quarantine": Status.QUARANTINED}


def judge(graph: Graph, command: Judge, seq: int, _record: bytes) -> Refused | None:
    """Let verdicts take effect, all or none (knowledge, judge).

    Each takes as much trust as whoever said the node has, and whoever judged it last; only to verify a claim is open to
    all. What is released stands again: what stands in its slot, or stood in its place, gives way to it, which takes the
    trust of that too. What is out already is not put in quarantine, and is not released where eight wait, or slots
    would have no bound. What was forgotten since is left out.
    """
    body = command.body
    trust = trust_here(graph, command)
    found: list[tuple[Node, str]] = []
    for item in body.items:
        node = corrigible(graph, item.node)
        if isinstance(node, Refused):
            return node
        if node is None:
            continue
        refused = _refused(graph, command, trust, node, item.verdict)
        if refused is not None:
            return refused
        found.append((node, item.verdict))
    for each in body.evidence:
        if accepted(graph, each) is None:
            return Refused(Refusal.UNKNOWN_REFERENCE)
    if not found:
        return Refused(Refusal.NODE_FORGOTTEN)
    stale = refuse(graph, body)
    if stale is not None:
        return stale

    by = id_bytes(command.id)
    for node, verdict in found:
        given = Ruling(graph.ruling(node).slot, by, trust, 0, body.reason)
        if verdict == "release":
            _release(graph, node, given)
        elif verdict == "verify":
            _verify(graph, command, node, trust, seq)
        elif verdict == "promote":
            if node.status == _ACTIVE:  # still, after the verdicts before
                rule(graph, node, Status.PRIOR, given)
        elif verdict != "quarantine" or node.status in _WAITING_OR_STANDING:
            rule(graph, node, _GIVEN[verdict], given)
    advance(graph, body)
    return None


def _refused(graph: Graph, command: Judge, trust: int, node: Node, verdict: str) -> Refused | None:
    """Return why a verdict is not this writer's to give, if so."""
    if verdict == "verify":
        return Refused(Refusal.NOT_A_CLAIM) if graph.claim(node) is None else None
    if verdict == "promote" and (graph.claim(node) is None or node.status != _ACTIVE):
        return Refused(Refusal.NOT_A_CLAIM)
    if _takes_approval(graph, node, verdict) and not _may_approve(graph, command, node):
        return Refused(Refusal.NEEDS_A_PERSON)
    refused = beyond(graph, command, trust, node)
    if refused is not None or verdict != "release":
        return refused
    rivals = _rivals(graph, node)
    for rival in rivals:
        refused = beyond(graph, command, trust, rival)
        if refused is not None:
            return refused
    return Refused(Refusal.SLOT_FULL) if _is_kept_out(graph, node, rivals) else None


def _takes_approval(graph: Graph, node: Node, verdict: str) -> bool:
    """Whether a verdict approves something: what is promoted, or released although nobody has judged it yet."""
    if verdict == "promote":
        return True
    waits = node.status == Status.CANDIDATE or (node.status == Status.QUARANTINED and not graph.ruling(node).reason)
    return verdict == "release" and waits


def _may_approve(graph: Graph, command: Judge, node: Node) -> bool:
    claim = graph.claim(node)
    return is_person(command) if claim is None else approves(command, claim)


def _is_kept_out(graph: Graph, node: Node, rivals: list[Node]) -> bool:
    """Whether a node is out of a slot in which as much as there is room for would not give way to it."""
    slot = graph.ruling(node).slot
    if not slot or node.status in _WAITING_OR_STANDING:
        return False
    held = [graph.expect(number) for number in graph.slot(slot)]
    return len([each for each in held if each.status in _WAITING_OR_STANDING and each not in rivals]) >= SLOT_MAX


def _rivals(graph: Graph, node: Node) -> list[Node]:
    """Return what would have to give way to a node, in order of number: what stands in its slot, or for it."""
    ruling = graph.ruling(node)
    numbers = set(graph.slot(ruling.slot) if ruling.slot else ())
    if ruling.instead:
        numbers.add(ruling.instead)
    numbers.discard(node.number)
    live = [graph.node(number) for number in sorted(numbers)]
    return [each for each in live if each is not None and each.status in _STANDING and _contradicts(graph, node, each)]


def _contradicts(graph: Graph, node: Node, rival: Node) -> bool:
    """Whether two in one slot cannot both hold: claims can, of different times."""
    claim, other = graph.claim(node), graph.claim(rival)
    return claim is None or other is None or contradict(other, claim.begins, claim.ends)


def _release(graph: Graph, node: Node, given: Ruling) -> None:
    if node.status == _ACTIVE:
        return
    for rival in _rivals(graph, node):
        supersede(graph, rival, given._replace(instead=node.number))
    graph.settle(node.number)
    revive(graph, node)
    claim = graph.claim(node)
    if claim is not None:
        graph.note_claim(node, claim._replace(closed=OPEN_TO))
    rule(graph, node, _ACTIVE, given)


def _verify(graph: Graph, command: Judge, node: Node, trust: int, seq: int) -> None:
    """Let whoever judges speak for a claim, as sure as can be."""
    claim = graph.claim(node)
    if claim is None:
        return
    voice = who(command)
    line = Line(voice, voice, trust, 100 * graph.header.policy.claim_weights[trust], OPEN_FROM, seq)
    slot = graph.ruling(node).slot
    confirm(graph, command, definition_of(graph, claim.predicate), node, line, members_of(graph, [slot]))
