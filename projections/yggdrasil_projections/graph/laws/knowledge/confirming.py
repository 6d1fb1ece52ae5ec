"""What comes of a word for a claim: it is confirmed, rises in its slot, and takes the place of what gives way."""

from typing import Final

from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.commands import AssertClaim, Envelope, Judge
from yggdrasil_schemas.graph.knowledge import OPEN_FROM, Claim, Definition, Line
from yggdrasil_schemas.graph.records import NOBODY, Node, Ruling, Status, seq_of
from yggdrasil_schemas.ids import id_bytes
from yggdrasil_schemas.limits import TRUST_MAX

from ..authority import is_operator, is_person, trust_of, who
from ..standing.condensing import condense_late
from ..standing.ruling import rule
from .contention import Arrival, Place, Speaker, contend, outlived
from .lines import independent, sighted, with_line
from .predicates import definition_of
from .slots import contradict, members_of

_CANDIDATE, _QUARANTINED, _SUPERSEDED = Status.CANDIDATE, Status.QUARANTINED, Status.SUPERSEDED
_CONTESTED: Final = Status.CONTESTED
_ESTABLISHED: Final = (Status.ACTIVE, Status.PRIOR)
_HELD: Final = (*_ESTABLISHED, _CONTESTED, _CANDIDATE, _QUARANTINED)
_RULE: Final = 3


def confirm(
    graph: Graph,
    command: Envelope,
    definition: Definition,
    node: Node,
    line: Line,
    members: list[Node],
    newest: int = 0,
) -> None:
    """Let one more speak for a claim: it is trusted as the most trusted of them, and contends anew.

    ``newest`` is the seq of the newest event that this is concluded from, 0 for none: see ``sighted``.

    A candidate that is spoken for by enough becomes what its slot lets it be. What is contested or waits may rise, what
    stands never falls by this, and what somebody rejected or put in quarantine stays so.
    """
    graph.settle(node.number)
    policy = graph.header.policy
    node.salience = min(node.salience + policy.feature_salience, policy.salience_max)
    node.usage += 1
    node.mentions += 1
    tier, node.trust = node.trust, max(node.trust, line.trust)
    claim = graph.claim(node)
    if claim is None:
        return
    reviewed = takes_person(definition, claim)
    approved = isinstance(command, Judge) and is_person(command) and (not reviewed or approves(command, claim))
    by_self = approved and reviewed and is_only_source(command, claim)
    claim = claim._replace(lines=with_line(claim.lines, line), confirmed=graph.header.tick)
    claim = sighted(definition, claim, line, tier, newest)
    if line.trust > tier and isinstance(command, AssertClaim) and graph.header.aliases:
        claim = claim._replace(named=(command.body.subject, command.body.object.entity or ""))
    graph.note_claim(node, claim)
    ruling = graph.ruling(node)
    if node.status not in _HELD or (node.status == _QUARANTINED and ruling.reason):
        return
    if node.status == _CANDIDATE and not approved and not _ready(definition, claim, tier):
        return
    _rise(graph, command, definition, node, members, by_self=by_self)


def let_pass(graph: Graph, command: Judge, trust: int, node: Node, members: list[Node]) -> None:
    """Let a candidate that a thinker has verified become what its slot lets it be; the thinker is no witness.

    So its trust, and what was said for it, stay as they were. What only strangers say goes on waiting, and so does what
    is trusted more than the thinker, what takes a person, or more sources than it has, and what a verdict let wait.
    """
    claim = graph.claim(node)
    if claim is None or node.status != _CANDIDATE or not 1 <= node.trust <= trust or graph.ruling(node).by != NOBODY:
        return
    definition = definition_of(graph, claim.predicate)
    heard = independent(line for line in claim.lines if line.trust >= node.trust)
    if not takes_person(definition, claim) and len(heard) >= definition.confirmations:
        _rise(graph, command, definition, node, members, reason=command.body.reason)


def _rise(
    graph: Graph,
    command: Envelope,
    definition: Definition,
    node: Node,
    members: list[Node],
    *,
    by_self: bool = False,
    reason: str = "",
) -> None:
    """Let a claim contend anew with the others of its slot, by a command: it may rise, and never falls.

    ``by_self``: its only source lets it stand; ``reason`` is why, which is kept where it is established.
    """
    claim, ruling = graph.claim(node), graph.ruling(node)
    if claim is None:
        return
    others = [each for each in members if each is not node]
    place = _contend_as(graph, definition, node, claim, Speaker.of(command), others)
    if place.same:
        place.status, place.displaced = _SUPERSEDED, []
    by = id_bytes(command.id)
    rises = place.status < node.status or place.status == _SUPERSEDED
    if node.status not in _ESTABLISHED and (node.status == _CANDIDATE or rises):
        self_approved = by_self and node.status == _CANDIDATE
        said = reason if place.status in _ESTABLISHED else ""
        rule(graph, node, place.status, Ruling(ruling.slot, by, 0, place.instead, said, self_approved=self_approved))
        take_place(graph, node, place, by, node.trust)
        condense_late(graph, node, by)
    elif node.status in _ESTABLISHED:
        for each in place.displaced:
            give_way(graph, each, node, Ruling(ruling.slot, by, node.trust, node.number))
        for each in place.disputed:
            _dispute(graph, each, node, by)


def contend_again(graph: Graph, node: Node, by: bytes, *, without: Node | None = None) -> None:
    """Let a claim contend anew, when something else in its slot, or a word for it, has gone; ``without`` is out too.

    ``by`` are the 16 bytes of the id of the verdict that did so. What is established stays so if nothing is against it.
    """
    claim, slot = graph.claim(node), graph.ruling(node).slot
    if claim is None:
        return
    others = [each for each in members_of(graph, {slot: TRUST_MAX}) if each is not node and each is not without]
    place = _contend_as(graph, definition_of(graph, claim.predicate), node, claim, Speaker(False, False), others)
    if place.same:
        return
    if node.status != Status.PRIOR or place.status != Status.ACTIVE:
        rule(graph, node, place.status, Ruling(slot, by, 0, place.instead))
    take_place(graph, node, place, by, node.trust)


def _contend_as(
    graph: Graph, definition: Definition, node: Node, claim: Claim, speaker: Speaker, others: list[Node]
) -> Place:
    """Return the place among others of a claim that is there; one that waits finds out anew whether it is history."""
    ends = claim.ends if node.status == _QUARANTINED else min(claim.ends, claim.closed)
    values, seq = {claim.value: TRUST_MAX}, seq_of(node.number)
    arrival = Arrival(node.trust, speaker, values, claim.begins, ends, claim.lines, seq)
    return contend(graph, definition, arrival, others, contested=node.status == _CONTESTED)


def extend(graph: Graph, node: Node, line: Line, valid_to: int | None, members: list[Node]) -> None:
    """Let a claim hold from earlier on, or until some moment, if whoever says so is trusted as much as it is.

    The one before it leaves it that time. It does not end where somebody says that it holds later, and what stands does
    not come to contradict something else that stands by this.
    """
    claim, begins = graph.claim(node), line.begins
    if claim is None or line.trust < node.trust:
        return
    longer, cut = claim, None
    if OPEN_FROM != begins < claim.begins:
        before = graph.node(claim.before) if claim.before else None
        held = graph.claim(before) if before is not None else None
        if before is None or held is None or held.closed != claim.begins:
            longer = claim._replace(begins=begins)
        elif held.begins < begins:
            longer, cut = claim._replace(begins=begins), before
    if valid_to is not None and valid_to > max([longer.begins, *[each.begins for each in claim.lines]]):
        longer = longer._replace(ends=valid_to)
    if node.status in _ESTABLISHED:
        for each in members:
            other = graph.claim(each) if each is not node and each.status in _ESTABLISHED else None
            if other is not None and _at_odds(other, longer) and not _at_odds(other, claim):
                return
    graph.note_claim(node, longer)
    if cut is not None:
        _change(graph, cut, closed=begins)


def take_place(graph: Graph, node: Node, place: Place, by: bytes, trust: int) -> None:
    """Let what gives way to a claim be superseded by it, and history have its place among what held before."""
    ruling = Ruling(graph.ruling(node).slot, by, trust, node.number)
    for each in place.displaced:
        give_way(graph, each, node, ruling)
    for each in place.disputed:
        _dispute(graph, each, node, by)
    claim = graph.claim(node)
    if claim is not None and place.closed < claim.closed:
        _change(graph, node, closed=place.closed)
    if place.status != _SUPERSEDED or not place.after:
        return
    after = graph.expect(place.after)
    _change(graph, after, before=node.number)
    _change(graph, node, before=place.before)
    if place.cut and claim is not None:
        _change(graph, graph.expect(place.before), closed=claim.begins)


def give_way(graph: Graph, node: Node, to: Node, ruling: Ruling) -> None:
    """Let a node give way to a claim.

    If it stood unopposed, it held until that begins, where that says since when, and comes before it. What was
    contested in favour of a later one held until that one began.
    """
    next_one = to if node.status in _ESTABLISHED else outlived(graph, node)
    kept = graph.ruling(node).slot
    rule(graph, node, _SUPERSEDED, ruling._replace(slot=kept or ruling.slot))
    held, claim = graph.claim(node), None if next_one is None else graph.claim(next_one)
    if held is None or next_one is None or claim is None:
        return
    if held.begins < claim.begins < held.closed:
        _change(graph, node, closed=claim.begins)
    if not claim.before:
        _change(graph, next_one, before=node.number)


def _dispute(graph: Graph, node: Node, to: Node, by: bytes) -> None:
    """Let a node be contested in favour of a claim that takes its place, and come before it if that began later."""
    rule(graph, node, _CONTESTED, Ruling(graph.ruling(node).slot, by, 0, to.number))
    claim = graph.claim(to)
    if claim is not None and not claim.before and outlived(graph, node) is not None:
        _change(graph, to, before=node.number)


def takes_person(definition: Definition, claim: Claim) -> bool:
    """Whether it takes a person to let a candidate stand."""
    return claim.sort == _RULE or definition.review


def _ready(definition: Definition, claim: Claim, tier: int) -> bool:
    """Whether enough sources speak for a candidate, or it was seen often enough, and no person is needed.

    Words of strangers, and of who is trusted less than the claim was so far (``tier``), are no sources, and who
    repeats another's is no second one.
    """
    if takes_person(definition, claim):
        return False
    enough = max(2, definition.confirmations)
    if definition.confirm_by == "evidence" and claim.seen >= enough:
        return True
    heard = independent(line for line in claim.lines if line.trust >= max(1, tier))
    return len(heard) >= enough


def approves(command: Envelope, claim: Claim) -> bool:
    """Whether a command may approve a claim: who proposes does not.

    It takes a person who is trusted as a user at least, and not the only one who says so; an operator may all the same.
    """
    return is_operator(command) or (is_person(command) and not is_only_source(command, claim))


def is_only_source(command: Envelope, claim: Claim) -> bool:
    """Whether nobody but the writer of a command says what a claim says.

    What came under the same name and was trusted less, as of an agent of theirs, is another's word.
    """
    voice, trust = who(command), trust_of(command)
    return all(line.who == voice and line.trust >= trust for line in claim.lines)


def _at_odds(claim: Claim, other: Claim) -> bool:
    return contradict(claim, other.begins, min(other.ends, other.closed))


def _change(graph: Graph, node: Node, *, before: int | None = None, closed: int | None = None) -> None:
    claim = graph.claim(node)
    if claim is not None:
        before = claim.before if before is None else before
        graph.note_claim(node, claim._replace(before=before, closed=claim.closed if closed is None else closed))
