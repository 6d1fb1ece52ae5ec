"""The law of claims: somebody says that something is so."""

from dataclasses import dataclass
from typing import Final

from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.commands import AssertClaim
from yggdrasil_schemas.graph.knowledge import OPEN_FROM, OPEN_TO, Claim, Definition, Line
from yggdrasil_schemas.graph.records import NOBODY, EdgeKind, Node, NodeKind, Ruling, Status, node_number
from yggdrasil_schemas.ids import id_bytes
from yggdrasil_schemas.refusals import Refusal, Refused

from ..authority import WITNESS, trust_of, who
from ..bounds.heirs import name_heir
from ..decisions.thinker import advance, refuse
from ..derivation import FOREIGN, take_in, trust_here
from ..edges import connect, new_edge
from ..experience.feature import occurs
from ..half_life import steady
from ..reference import accepted, made
from ..standing.ruling import corrigible, let_go, review, rule
from ..standing.succession import beyond
from .confirming import confirm, extend, give_way, take_place
from .contention import Arrival, Place, Speaker, contend, is_rejected, make_room, outlived
from .lines import heard_from
from .predicates import definition_of
from .slots import Linked, members_of, names_of, overlap, slots_of, values_of

_CANDIDATE, _QUARANTINED = Status.CANDIDATE, Status.QUARANTINED
_ESTABLISHED: Final = (Status.ACTIVE, Status.PRIOR)
_HELD: Final = (*_ESTABLISHED, Status.CONTESTED, _CANDIDATE, _QUARANTINED)
_CONTAINS: Final = int(EdgeKind.CONTAINS)
_EVIDENCE: Final = int(EdgeKind.EVIDENCE)
_ASSOCIATIVE: Final = int(EdgeKind.ASSOCIATIVE)
_SORTS: Final = {"fact": 1, "lesson": 2, "rule": 3}
_MEASURED: Final = 3
_STAGED: Final = {"thinker": 1, "import": 2}


@dataclass(frozen=True, slots=True)
class Said:
    """What an assertion comes to: who stands behind it, the slot that it is in, and what else is there.

    ``slots`` are under each name of what it is about, the one under which that is known first; ``members`` are in them,
    but for ``old``, which the command says it supersedes.
    """

    definition: Definition
    evidence: list[Node]
    old: Node | None
    line: Line
    slots: Linked
    members: list[Node]
    arrival: Arrival


def assert_claim(graph: Graph, command: AssertClaim, seq: int, record: bytes) -> Refused | None:
    """Confirm a claim that says the same, or make a new one and let it contend with those in its slot.

    A claim that is confirmed makes no node: the command stands for that claim from then on. But what is so again, after
    another took its place, is a new one, and the one that was before gives way to it. A new one begins with
    ``salience_initial + novelty_max / (1 + others in the slot)``, and has edges to what it is about, to its object, and
    from what it was concluded from. It is trusted as its writer is, and no more than the least of that.
    """
    said = _said(graph, command, seq)
    if isinstance(said, Refused):
        return said
    same, place = _find_place(graph, command, said)
    if same is None and not make_room(graph, said.arrival, place, said.members):
        return Refused(Refusal.SLOT_FULL)
    stale = refuse(graph, command.body)
    if stale is not None:
        return stale

    if same is not None:
        node = same
        name_heir(graph, node_number(seq), same.number)
        _conclude(graph, same, said.evidence)
        extend(graph, same, said.line, command.body.valid_to, said.members)
        confirm(graph, command, said.definition, same, said.line, said.members)
    else:
        _move(graph, said.members, next(iter(said.slots)))
        node = _make(graph, command, said, place, record)
    if trust_of(command) == FOREIGN:
        take_in(graph, command, who(command))
    if said.old is not None and said.old is not node and said.old.status in _HELD:
        slot = graph.ruling(node).slot
        give_way(graph, said.old, node, Ruling(slot, id_bytes(command.id), said.line.trust, node.number))
    advance(graph, command.body)
    return None


def _said(graph: Graph, command: AssertClaim, seq: int) -> Said | Refused:
    """Return what an assertion comes to, or why it is refused."""
    body = command.body
    evidence = _evidence(graph, command)
    if isinstance(evidence, Refused):
        return evidence
    old = corrigible(graph, body.supersedes) if body.supersedes is not None else None
    if isinstance(old, Refused):
        return old
    trust = trust_here(graph, command)
    refused = beyond(graph, command, trust, old) if old is not None else None
    if refused is not None:
        return refused
    definition = definition_of(graph, body.predicate, body.object)
    if definition.authority == command.origin and trust >= WITNESS:
        trust = max(trust, _MEASURED)
    trust = min([trust, *[each.trust for each in evidence]])
    begins = OPEN_FROM if body.valid_from is None else body.valid_from
    ends = OPEN_TO if body.valid_to is None else body.valid_to
    weight = body.confidence * graph.header.policy.claim_weights[trust]
    line = Line(*heard_from(graph, command, evidence), trust, weight, begins, seq)
    slots = slots_of(graph, body, definition, trust)
    members = [each for each in members_of(graph, slots) if each is not old]
    arrival = Arrival(trust, Speaker.of(command), values_of(graph, body, trust), begins, ends, (line,), seq)
    return Said(definition, evidence, old, line, slots, members, arrival)


def _evidence(graph: Graph, command: AssertClaim) -> list[Node] | Refused:
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


def _find_place(graph: Graph, command: AssertClaim, said: Said) -> tuple[Node | None, Place]:
    """Return what is confirmed by a claim, None for nothing, or else the place of the claim among the others.

    What says the same, and has been over, as one source says, since before the claim begins, is not confirmed but gives
    way; unless the claim would wait.
    """
    arrival, others, place = said.arrival, said.members, Place(_CANDIDATE)
    same, gone = _same(graph, arrival, others), None
    if same is not None and _came_again(graph, same, arrival):
        gone, others = same, [each for each in others if each is not same]
        same = _same(graph, arrival, others)
    if same is not None:
        return same, place
    if not _waits(graph, command, said.definition, said.line.trust):
        place = contend(graph, said.definition, arrival, others)
        if place.same:
            return graph.expect(place.same), place
    if gone is not None and place.status in (_CANDIDATE, _QUARANTINED):
        return gone, place
    if gone is not None:
        place.displaced.insert(0, gone)
    return None, place


def _same(graph: Graph, arrival: Arrival, members: list[Node]) -> Node | None:
    """Return the first in a slot that says the same of a time that both are about.

    What was rejected is said in vain by whoever is trusted less than those who said or rejected it.
    """
    for each in members:
        claim = graph.claim(each)
        if claim is None or not arrival.says(each, claim) or not overlap(claim, arrival.begins, arrival.ends):
            continue
        if not is_rejected(graph, each, arrival.trust):
            return each
    return None


def _came_again(graph: Graph, same: Node, arrival: Arrival) -> bool:
    """Whether what says the same ended, as one source says, before a claim begins; and that began later than it."""
    after, claim = outlived(graph, same), graph.claim(same)
    between = None if after is None else graph.claim(after)
    return between is not None and claim is not None and claim.begins < between.begins < arrival.begins


def _waits(graph: Graph, command: AssertClaim, definition: Definition, trust: int) -> bool:
    """Whether a new claim is a candidate at first."""
    body = command.body
    if not trust or body.candidate or body.claim_class == "rule" or definition.review or definition.confirmations > 1:
        return True
    return graph.header.policy.claims_staged >= _STAGED.get(command.origin, 3)


def _make(graph: Graph, command: AssertClaim, said: Said, place: Place, record: bytes) -> Node:
    """Make a claim, and let it take its place."""
    arrival, slot, by = said.arrival, next(iter(said.slots)), id_bytes(command.id)
    node = _joined(graph, command, arrival, len(said.members), record)
    sort, tick = _SORTS[command.body.claim_class], graph.header.tick
    times = (arrival.begins, arrival.ends, place.closed)
    graph.note_claim(
        node, Claim(sort, command.body.predicate, next(iter(arrival.values)), *times, tick, 0, arrival.lines)
    )
    _conclude(graph, node, said.evidence)
    rule(graph, node, place.status, Ruling(slot, by if place.instead else NOBODY, 0, place.instead))
    for each in said.evidence:
        review(graph, each)
    take_place(graph, node, place, by, arrival.trust)
    return node


def _joined(graph: Graph, command: AssertClaim, arrival: Arrival, others: int, record: bytes) -> Node:
    """Return the new node of a claim, joined to what it is about and to its object, if that is a thing."""
    body, seq, trust = command.body, arrival.seq, arrival.trust
    policy = graph.header.policy
    salience = min(policy.salience_initial + policy.novelty_max / (1.0 + others), policy.salience_max)
    node = Node(node_number(seq), NodeKind.CLAIM, graph.header.tick, salience, 0.0, trust=trust)
    graph.add_node(node, record)
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


def _conclude(graph: Graph, node: Node, evidence: list[Node]) -> None:
    """Join a claim to what it was concluded from; it is stale if all of that is fallen."""
    for each in evidence:
        if each is not node and graph.edge((each.number, _EVIDENCE, node.number)) is None:
            new_edge(graph, each, _EVIDENCE, node)
    if evidence:
        review(graph, node)


def _move(graph: Graph, members: list[Node], slot: bytes) -> None:
    """Let what is in a slot under another name be in that of the name under which the thing is known."""
    for each in members:
        ruling = graph.ruling(each)
        if ruling.slot != slot:
            graph.rule(each, each.status, ruling._replace(slot=slot))
    let_go(graph, slot)
