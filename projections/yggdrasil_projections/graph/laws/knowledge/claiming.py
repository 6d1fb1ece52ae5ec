"""The law of claims: somebody says that something is so."""

from dataclasses import dataclass
from typing import Final

from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.commands import AssertClaim
from yggdrasil_schemas.graph.knowledge import OPEN_FROM, OPEN_TO, Claim, Definition, Line
from yggdrasil_schemas.graph.predicates import LEASE
from yggdrasil_schemas.graph.records import NOBODY, Node, Ruling, Status, node_number
from yggdrasil_schemas.ids import id_bytes
from yggdrasil_schemas.limits import TRUST_MAX
from yggdrasil_schemas.refusals import Refusal, Refused

from ..authority import WITNESS, trust_of, who
from ..bounds.heirs import name_heir
from ..decisions.thinker import advance, refuse
from ..derivation import FOREIGN, concluded, take_in, trust_here
from ..experience.session import put_on_desk
from ..regard import begin, keys_of
from ..standing.condensing import condense, condensed_by, join, yields
from ..standing.ruling import corrigible, let_go, review, rule
from ..standing.succession import beyond
from .confirming import confirm, extend, give_way, take_place
from .contention import Arrival, Place, Speaker, contend, is_rejected, make_room, outlived
from .desk import note_down
from .lines import heard_from, sighted
from .nodes import conclude, evidence_of, joined, newest_of
from .predicates import definition_of
from .slots import Linked, members_of, overlap, slots_of, values_of

_CANDIDATE, _QUARANTINED = Status.CANDIDATE, Status.QUARANTINED
_ESTABLISHED: Final = (Status.ACTIVE, Status.PRIOR)
_HELD: Final = (*_ESTABLISHED, Status.CONTESTED, _CANDIDATE, _QUARANTINED)
_SORTS: Final = {"fact": 1, "lesson": 2, "rule": 3}
_MEASURED: Final = 3
_STAGED: Final = {"thinker": 1, "import": 2}


@dataclass(frozen=True, slots=True)
class Said:
    """What an assertion comes to: who stands behind it, the slot that it is in, and what else is there.

    ``slots`` are under each name of what it is about, the one under which that is known first; ``members`` are in them,
    but for ``old``, which the command says it supersedes, and what would give way to it among those that it condenses.
    ``slot`` is the one of them that it comes into.
    """

    definition: Definition
    evidence: list[Node]
    old: Node | None
    condensed: list[Node]
    line: Line
    slots: Linked
    slot: bytes
    members: list[Node]
    arrival: Arrival


def assert_claim(graph: Graph, command: AssertClaim, seq: int, record: bytes) -> Refused | None:
    """Confirm a claim that says the same, or make a new one and let it contend with those in its slot.

    A claim that is confirmed makes no node: the command stands for that claim from then on. But what is so again, after
    another took its place, is a new one, and the one that was before gives way to it. A new one begins with
    ``salience_initial + novelty_max / (1 + others in the slot)``, and has edges to what it is about, to its object, and
    from what it was concluded from. It is trusted as its writer is, and no more than the least of that. What it says in
    fewer words gives way to it (``standing.condensing``). Under the perspectives that it names it begins with
    ``regard_initial``, and so does what is confirmed by who is trusted with ``teach_trust_min``. A note on the desk
    goes its own way (``desk``).
    """
    if command.body.claim_class == "desk":
        return note_down(graph, command, seq, record)
    said = _said(graph, command, seq)
    if isinstance(said, Refused):
        return said
    same, place = _find_place(graph, command, said)
    if same is None and not make_room(graph, said.arrival, place, _beside(graph, said, place)):
        return Refused(Refusal.SLOT_FULL)
    stale = refuse(graph, command.body)
    if stale is not None:
        return stale

    if same is not None:
        node = same
        name_heir(graph, node_number(seq), same.number)
        conclude(graph, same, said.evidence)
        extend(graph, same, said.line, command.body.valid_to, said.members)
        confirm(graph, command, said.definition, same, said.line, said.members, newest_of(said.evidence))
    else:
        _move(graph, said)
        node = _make(graph, command, said, place, record)
        _lease(graph, command, node)
    if same is None or said.line.trust >= graph.header.policy.teach_trust_min:
        begin(graph, node, keys_of(graph, command.body.perspectives), said.line.trust)
    if trust_of(command) == FOREIGN:
        take_in(graph, command, who(command))
    if said.old is not None and said.old is not node and said.old.status in _HELD:
        slot = graph.ruling(node).slot
        give_way(graph, said.old, node, Ruling(slot, id_bytes(command.id), said.line.trust, node.number))
    if same is None:
        condense(graph, node, id_bytes(command.id), said.line.trust, said.condensed)
    else:
        join(graph, node, said.condensed)
    advance(graph, command.body)
    return None


def _said(graph: Graph, command: AssertClaim, seq: int) -> Said | Refused:
    """Return what an assertion comes to, or why it is refused."""
    body = command.body
    evidence = evidence_of(graph, command)
    if isinstance(evidence, Refused):
        return evidence
    old = corrigible(graph, body.supersedes) if body.supersedes is not None else None
    if isinstance(old, Refused):
        return old
    condensed = condensed_by(graph, body.condenses) if body.condenses else []
    if isinstance(condensed, Refused):
        return condensed
    trust = concluded(command, trust_here(graph, command), condensed)
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
    going = [old, *[each for each in condensed if yields(graph, each, trust)]]
    slot = _slot(slots, [each for each in members_of(graph, slots) if each not in going])
    slots |= {slot: TRUST_MAX}  # where it comes it meets all that is there
    members = [each for each in members_of(graph, slots) if each not in going]
    arrival = Arrival(trust, Speaker.of(command), values_of(graph, body, definition, trust), begins, ends, (line,), seq)
    return Said(definition, evidence, old, condensed, line, slots, slot, members, arrival)


def _slot(slots: Linked, members: list[Node]) -> bytes:
    """Return the slot under the best known name that is joined by as much trust as all beside a claim has.

    So no claim has to follow a name that was given from below; the name that was said is joined to itself by most.
    """
    most = max((each.trust for each in members), default=0)
    return next(slot for slot, link in slots.items() if link >= most)


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


def _beside(graph: Graph, said: Said, place: Place) -> list[Node]:
    """Return what is in the slots beside a new claim; what waits has what it condenses beside it as well."""
    if place.status not in (_CANDIDATE, _QUARANTINED):
        return said.members
    condensed = {each.number for each in said.condensed if each is not said.old}
    left = {each.number for each in said.members}
    return [each for each in members_of(graph, said.slots) if each.number in condensed | left]


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
    arrival, slot, by = said.arrival, said.slot, id_bytes(command.id)
    node = joined(graph, command, arrival.seq, arrival.trust, len(said.members), record)
    sort, tick = _SORTS[command.body.claim_class], graph.header.tick
    times = (arrival.begins, arrival.ends, place.closed)
    claim = Claim(sort, command.body.predicate, next(iter(arrival.values)), *times, tick, 0, arrival.lines)
    graph.note_claim(node, sighted(said.definition, claim, said.line, said.line.trust, newest_of(said.evidence)))
    conclude(graph, node, said.evidence)
    rule(graph, node, place.status, Ruling(slot, by if place.instead else NOBODY, 0, place.instead))
    for each in said.evidence:
        review(graph, each)
    take_place(graph, node, place, by, arrival.trust)
    return node


def _lease(graph: Graph, command: AssertClaim, node: Node) -> None:
    """Let what a session has for itself alone be on its desk, so that it is free when the session ends."""
    session = graph.sessions.get(command.session)
    if command.body.predicate == LEASE and session is not None and session.opened:
        put_on_desk(graph, command.session, node.number, id_bytes(command.id), node.trust)


def _move(graph: Graph, said: Said) -> None:
    """Let what is in the slots under other names be in that of a claim, each slot as a whole or not at all.

    What is trusted more than the names has to stay, and rules what would leave.
    """
    for slot, link in said.slots.items():
        held = [graph.expect(number) for number in graph.slot(slot)]
        if slot == said.slot or any(each.trust > link for each in held):
            continue
        for each in held:
            if each in said.members:
                graph.rule(each, each.status, graph.ruling(each)._replace(slot=said.slot))
    let_go(graph, said.slot)
