"""The law of verdicts: what a memory holds is rejected, resolved, put in quarantine, or released."""

from collections.abc import Iterable
from typing import Final, NamedTuple

from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.commands import AssertClaim, CommitEpisode, FormConcept, Judge, LogOutcome, RecordEvent
from yggdrasil_schemas.commands.knowledge import Judged as Item
from yggdrasil_schemas.graph.knowledge import OPEN_FROM, OPEN_TO, Line
from yggdrasil_schemas.graph.records import NOBODY, Act, Identity, Node, NodeFlag, NodeKind, Ruling, Status, seq_of
from yggdrasil_schemas.ids import id_bytes
from yggdrasil_schemas.limits import SLOT_MAX, TRUST_MAX
from yggdrasil_schemas.refusals import Refusal, Refused

from ..authority import is_person, who
from ..decisions.thinker import advance, refuse
from ..derivation import trust_here
from ..learning.account import give_again, take_back
from ..learning.appraisal import revive
from ..reference import accepted, made
from ..standing.condensing import condense_late
from ..standing.ruling import is_out, rule
from ..standing.succession import beyond, supersede
from .confirming import approves, confirm, is_only_source, let_pass
from .predicates import definition_of
from .reinstating import reinstate, uncondense, wait_again
from .slots import contradict, members_of
from .withdrawing import Verdict, put_back, withdraw

_ACTIVE: Final = Status.ACTIVE
_ARCHIVED: Final = int(NodeFlag.ARCHIVED)
_ESTABLISHED: Final = (Status.ACTIVE, Status.PRIOR)
_WAITING: Final = (Status.CANDIDATE, Status.QUARANTINED)
_STANDING: Final = (*_ESTABLISHED, Status.CONTESTED)
_WAITING_OR_STANDING: Final = (*_STANDING, *_WAITING)
_OF_ACTS: Final = ("reject", "quarantine", "release")
_MAKERS: Final = (
    RecordEvent.number,
    LogOutcome.number,
    CommitEpisode.number,
    FormConcept.number,
    AssertClaim.number,
)
_GIVEN: Final = {"reject": Status.REJECTED, "resolve": Status.RESOLVED, "quarantine": Status.QUARANTINED}


class Judged(NamedTuple):
    """What a verdict is about: the node of a command, or else what the command did beside it.

    ``status`` is that with which a release begins. ``self_approved``: the verdict approves what its judge alone says.
    Both are as found before any verdict takes effect, since what may be done is checked then.
    """

    command: bytes  # the 16 bytes of its id
    identity: Identity
    node: Node | None
    act: Act | None = None
    status: Status = Status.ACTIVE
    self_approved: bool = False


def judge(graph: Graph, command: Judge, seq: int, _record: bytes) -> Refused | None:
    """Let verdicts take effect, all or none (knowledge, judge).

    Each takes as much trust as whoever said it has, and whoever judged it last; only to verify a claim is open to all.
    What is released stands again: what stands in its slot, or stood in its place, gives way to it, which takes the
    trust of that too. Out of a quarantine it comes as it went in: what waited waits, what was contested contends anew,
    and what was established is so. What gave way to something that is put in quarantine, or to a claim that is
    rejected, stands again, if nothing else stands in its place; a note that is rejected is deleted, and leaves nothing.
    What is out already is not put in quarantine, and is not released where eight wait, or slots would have no bound.
    What an outcome gave is taken back with it, and so is what a command did that made no node (``withdrawing``). What
    has done its work is archived, and found by deep questions alone, until it is released; for a thinker that takes no
    more trust than to let the memory sleep. What was forgotten since is left out.
    """
    body = command.body
    trust = trust_here(graph, command)
    found: list[tuple[Judged, str]] = []
    for item in body.items:
        judged = _judged(graph, item)
        refused = judged if isinstance(judged, Refused) else _refused(graph, command, trust, judged, item.verdict)
        if refused is not None:
            return refused
        if isinstance(judged, Judged) and judged.act is not None:
            found.append((judged, item.verdict))
        elif isinstance(judged, Judged) and judged.node is not None:
            node = judged.node
            by_self = _approves_itself(graph, command, node, item.verdict)
            found.append((judged._replace(status=_comes_back_as(graph, node), self_approved=by_self), item.verdict))
    for each in body.evidence:
        if accepted(graph, each) is None:
            return Refused(Refusal.UNKNOWN_REFERENCE)
    if not found:
        return Refused(Refusal.NODE_FORGOTTEN)
    stale = refuse(graph, body)
    if stale is not None:
        return stale

    by, verified = id_bytes(command.id), list[int]()
    for judged, verdict in found:
        if judged.act is not None:
            _rule_act(graph, Verdict(by, judged.command, judged.identity.seq), judged, verdict, (trust, body.reason))
        elif judged.node is not None:
            _rule_node(graph, command, judged, judged.node, verdict, (trust, seq))
            if verdict == "verify":
                verified.append(judged.node.number)
    if verified:
        graph.changed_acts[seq] = Act(trust, tuple(verified))
    advance(graph, body)
    return None


def put_in_quarantine(graph: Graph, nodes: Iterable[int], commands: Iterable[str]) -> None:
    """Put nodes in quarantine, and what commands did beside theirs, though nobody has given a verdict.

    It is for who looks at a past in which that had not been given yet. What is not there, or is out, stays so.
    """
    for number in nodes:
        node = graph.node(number)
        if node is not None and node.status in _WAITING_OR_STANDING:
            _put_out(graph, node, "quarantine", Ruling(graph.ruling(node).slot, NOBODY, TRUST_MAX, 0))
    for command_id in commands:
        judged = _judged(graph, Item(node=command_id, verdict="quarantine", word=True))
        if not isinstance(judged, Refused) and judged.act is not None:
            verdict = Verdict(NOBODY, judged.command, judged.identity.seq)
            _rule_act(graph, verdict, judged, "quarantine", (TRUST_MAX, ""))


def _judged(graph: Graph, item: Item) -> Judged | Refused:
    """Return what a verdict is about, or why nothing."""
    identity = accepted(graph, item.node)
    if identity is None:
        return Refused(Refusal.UNKNOWN_REFERENCE)
    command, act = id_bytes(item.node), graph.act(identity.seq)
    if identity.kind in _MAKERS:
        node = made(graph, identity)
        claim = None if node is None else graph.claim(node)
        confirmed = node is not None and seq_of(node.number) != identity.seq
        if node is None or claim is None or item.verdict not in _OF_ACTS or not (item.word or confirmed):
            return Judged(command, identity, node)
        line = next((each for each in claim.lines if each.seq == identity.seq), None)
        if act is None and line is not None and len(claim.lines) > 1 and item.verdict != "release":
            act = Act(line.trust, (node.number,))
        return Judged(command, identity, node, act)
    if act is None or item.verdict not in _OF_ACTS:
        return Refused(Refusal.NOT_CORRIGIBLE)
    return Judged(command, identity, None, act)


def _rule_act(graph: Graph, verdict: Verdict, judged: Judged, given: str, by: tuple[int, str]) -> None:
    """Let a verdict on what a command did take effect; ``by`` are the trust and the words of whoever gives it."""
    act, (trust, reason) = judged.act, by
    if act is None:
        return
    ruled = act._replace(status=int(_GIVEN.get(given, _ACTIVE)), ruled=trust, by=verdict.by, reason=reason)
    if given == "release":
        put_back(graph, judged.identity.kind, verdict, ruled)
    elif given != "quarantine" or act.status == _ACTIVE:
        withdraw(graph, judged.identity.kind, verdict, ruled)


def _rule_node(graph: Graph, command: Judge, judged: Judged, node: Node, verdict: str, by: tuple[int, int]) -> None:
    """Let a verdict on a node take effect; ``by`` are the trust of whoever gives it, and the seq of their command."""
    trust, seq = by
    given = Ruling(graph.ruling(node).slot, id_bytes(command.id), trust, 0, command.body.reason)
    approving = given._replace(self_approved=judged.self_approved)
    if verdict == "release":
        _release(graph, node, judged.status, approving)
    elif verdict == "archive":
        _archive(graph, node, given)
    elif verdict == "verify":
        _verify(graph, command, node, trust, seq)
    elif verdict == "promote":
        if node.status == _ACTIVE:  # still, after the verdicts before
            rule(graph, node, Status.PRIOR, approving)
    elif verdict != "quarantine" or node.status in _WAITING_OR_STANDING:
        _put_out(graph, node, verdict, given)


def _put_out(graph: Graph, node: Node, verdict: str, given: Ruling) -> None:
    rule(graph, node, _GIVEN[verdict], given)
    if verdict != "resolve":
        uncondense(graph, node, given.by)
    if node.kind == NodeKind.OUTCOME:
        take_back(graph, seq_of(node.number))
    elif verdict == "quarantine" or (verdict == "reject" and graph.claim(node) is not None):
        reinstate(graph, node, given.by)


def _refused(graph: Graph, command: Judge, trust: int, judged: Judged, verdict: str) -> Refused | None:
    """Return why a verdict is not this writer's to give, if so."""
    node, act = judged.node, judged.act
    if act is not None:
        return Refused(Refusal.NOT_TRUSTED) if trust < max(act.trust, act.ruled) else None
    if node is None:
        return None
    if node.kind == NodeKind.OUTCOME and verdict not in _OF_ACTS:
        return Refused(Refusal.NOT_CORRIGIBLE)
    if verdict == "verify":
        return Refused(Refusal.NOT_A_CLAIM) if graph.claim(node) is None else None
    if verdict == "promote" and (graph.claim(node) is None or node.status != _ACTIVE):
        return Refused(Refusal.NOT_A_CLAIM)
    if _takes_approval(graph, node, verdict) and not _may_approve(graph, command, node):
        return Refused(Refusal.NEEDS_A_PERSON)
    if verdict == "archive" and command.origin == "thinker":
        trust = TRUST_MAX  # as sleep does it: it says nothing of whether that holds
    refused = beyond(graph, command, trust, node)
    if refused is not None or verdict != "release" or _comes_back_as(graph, node) not in _ESTABLISHED:
        return refused
    rivals = _rivals(graph, node)
    for rival in rivals:
        refused = beyond(graph, command, trust, rival)
        if refused is not None:
            return refused
    return Refused(Refusal.SLOT_FULL) if _is_kept_out(graph, node, rivals) else None


def _takes_approval(graph: Graph, node: Node, verdict: str) -> bool:
    """Whether a verdict approves something: what is promoted, or comes to stand although it waited for a person."""
    if verdict != "release":
        return verdict == "promote"
    ruling = graph.ruling(node)
    before = ruling.was if is_out(node.status, ruling) else node.status
    return before in _WAITING and _comes_back_as(graph, node) in _ESTABLISHED


def _approves_itself(graph: Graph, command: Judge, node: Node, verdict: str) -> bool:
    """Whether a verdict approves a claim that only its own writer says."""
    claim = graph.claim(node)
    return claim is not None and _takes_approval(graph, node, verdict) and is_only_source(command, claim)


def _comes_back_as(graph: Graph, node: Node) -> Status:
    """Return the status with which a release begins: out of a quarantine by a verdict that which was there before."""
    ruling = graph.ruling(node)
    return Status(ruling.was) if node.status == Status.QUARANTINED and ruling.reason else _ACTIVE


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


def _archive(graph: Graph, node: Node, given: Ruling) -> None:
    """Put away what has done its work, as sleep does; it takes as much trust as that to bring it back.

    Why is kept, unless it is kept why it has its status.
    """
    graph.settle(node.number)
    node.flags |= _ARCHIVED
    before = graph.ruling(node)
    kept = given if before.by == NOBODY else before._replace(trust=max(before.trust, given.trust))
    rule(graph, node, Status(node.status), kept)


def _release(graph: Graph, node: Node, status: Status, given: Ruling) -> None:
    if node.status in _ESTABLISHED and node.flags & _ARCHIVED:
        graph.settle(node.number)
        revive(graph, node)
        rule(graph, node, Status(node.status), given)
        return
    if node.status == _ACTIVE:
        return
    graph.settle(node.number)
    revive(graph, node)
    if status in _ESTABLISHED:
        for rival in _rivals(graph, node):
            supersede(graph, rival, given._replace(instead=node.number, self_approved=False))
        claim = graph.claim(node)
        if claim is not None:
            graph.note_claim(node, claim._replace(closed=OPEN_TO))
        rule(graph, node, status, given)
    else:
        wait_again(graph, node, status, given.by)
    if node.kind == NodeKind.OUTCOME:
        graph.trust = node.trust
        give_again(graph, seq_of(node.number))
    condense_late(graph, node, given.by)


def _verify(graph: Graph, command: Judge, node: Node, trust: int, seq: int) -> None:
    """Let whoever judges speak for a claim, as sure as can be; a thinker only lets it pass."""
    claim = graph.claim(node)
    if claim is None:
        return
    members = members_of(graph, {graph.ruling(node).slot: TRUST_MAX})
    if command.origin == "thinker":
        let_pass(graph, command, trust, node, members)
        return
    voice = who(command)
    line = Line(voice, voice, trust, 100 * graph.header.policy.claim_weights[trust], OPEN_FROM, seq)
    confirm(graph, command, definition_of(graph, claim.predicate), node, line, members)
