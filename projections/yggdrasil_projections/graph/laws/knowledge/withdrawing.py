"""What a command did beside the node that it made, taken out by a verdict, and put back by another.

That is a word for a claim, a name of a thing, a relation, a report of use, a vector. Each is kept by the seq of its
command, with what it takes to bring it back; where something newer has taken its place, that stays.
"""

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.commands import AliasEntity, AssertClaim, AttachVector, Judge, Relate, ReportUse
from yggdrasil_schemas.graph.knowledge import Claim, Line
from yggdrasil_schemas.graph.records import NOBODY, PROTECTED, Act, EdgeKey, Node, NodeFlag, Relation, Ruling, Status
from yggdrasil_schemas.limits import LINES_MAX, VECTORS_PER_NODE_MAX
from yggdrasil_schemas.refusals import Refused

from ..edges import new_edge
from ..learning.account import give_again, take_back
from ..reference import live_or_heir
from ..standing.ruling import authority, rule
from .confirming import contend_again
from .naming import call, joined
from .reinstating import reinstate, uncondense, weigh_digest
from .relating import said_by

_PROTECTED: Final = int(PROTECTED)
_VECTORED: Final = int(NodeFlag.VECTORED)
_TAKEN: Final = (1,)  # there was something to take
_CANDIDATE: Final = Status.CANDIDATE
_STANDING: Final = (Status.ACTIVE, Status.PRIOR, Status.CONTESTED)
_HELD: Final = (Status.ACTIVE, Status.PRIOR, Status.CONTESTED, _CANDIDATE)


class Verdict(NamedTuple):
    """A verdict on what a command did: the 16 bytes of its own id and of that of the command, which is at ``seq``.

    ``taken`` are those of the verdict that took it out, when it is put back.
    """

    by: bytes
    of: bytes
    seq: int
    taken: bytes = NOBODY


Out = Callable[[Graph, Verdict, Act], Act]
"""Takes something out, and returns the act with what it takes to bring it back."""
Back = Callable[[Graph, Verdict, Act], None]


def withdraw(graph: Graph, kind: int, verdict: Verdict, ruled: Act) -> None:
    """Take out what the command of a verdict did, unless it is out; ``ruled`` is its act as the verdict leaves it."""
    before = graph.act(verdict.seq)
    if before is None or before.status == Status.ACTIVE:
        ruled = _OUT[kind](graph, verdict, ruled)
    graph.changed_acts[verdict.seq] = ruled


def put_back(graph: Graph, kind: int, verdict: Verdict, ruled: Act) -> None:
    """Put back what the command of a verdict did, if it is out."""
    before = graph.act(verdict.seq)
    if before is not None and before.status != Status.ACTIVE:
        _BACK[kind](graph, verdict._replace(taken=before.by), ruled)
        record = ruled.record if kind == Relate.number else b""  # why two things are related is shown again
        graph.changed_acts[verdict.seq] = ruled._replace(kept=(), lines=(), record=record)


# Words for claims


def _take_words(graph: Graph, verdict: Verdict, act: Act) -> Act:
    taken: list[tuple[int, Line]] = []
    gone: list[int] = []
    for number in act.about:
        node = live_or_heir(graph, number)
        claim = None if node is None else graph.claim(node)
        line = None if claim is None else next((each for each in claim.lines if each.seq == verdict.seq), None)
        if node is None or claim is None:
            continue
        if line is None:
            if graph.ruling(node).by == verdict.of and node.status in _HELD:  # a thinker has let it pass
                gone += (node.number, node.status)
                reinstate(graph, node, verdict.by, verdict.of)
                rule(graph, node, _CANDIDATE, Ruling(graph.ruling(node).slot, verdict.by, 0, 0))
            continue
        if len(claim.lines) > 1:
            left = claim._replace(lines=tuple([each for each in claim.lines if each is not line]))
            _hold_by(graph, verdict, node, left, (line.trust, act.ruled))
        elif node.flags & _PROTECTED or authority(graph, node) > act.ruled:
            continue
        else:  # a claim is never without a word: it goes with the last one
            gone += (node.number, node.status)
            rule(graph, node, Status(act.status), Ruling(graph.ruling(node).slot, verdict.by, act.ruled, 0, act.reason))
            uncondense(graph, node, verdict.by)
            reinstate(graph, node, verdict.by)
        taken.append((node.number, line))
    return act._replace(lines=tuple(taken), kept=tuple(gone))


def _put_words(graph: Graph, verdict: Verdict, act: Act) -> None:
    statuses = dict(zip(act.kept[::2], act.kept[1::2], strict=True))
    for number in sorted(statuses.keys() - {each for each, _ in act.lines}):  # which went without a word
        node = live_or_heir(graph, number)
        if node is not None and node.status == _CANDIDATE and graph.ruling(node).by == verdict.taken:
            contend_again(graph, node, verdict.by)
    for number, line in act.lines:
        node = live_or_heir(graph, number)
        claim = None if node is None else graph.claim(node)
        if node is None or claim is None:
            continue
        if number in statuses and graph.ruling(node).by == verdict.taken:  # it went with the claim
            before = Status(statuses[number])
            rule(graph, node, before, Ruling(graph.ruling(node).slot, verdict.by, 0, 0))
            if before in _STANDING:
                contend_again(graph, node, verdict.by)
                weigh_digest(graph, node, verdict.by)
        elif len(claim.lines) < LINES_MAX and all(each.who != line.who for each in claim.lines):
            more = claim._replace(lines=tuple(sorted((*claim.lines, line))))
            _hold_by(graph, verdict, node, more, (line.trust, act.ruled))


def _hold_by(graph: Graph, verdict: Verdict, node: Node, claim: Claim, trust: tuple[int, int]) -> None:
    """Let a claim hold by one word more or less: it is trusted as the most trusted of them, and contends anew.

    What waits goes on waiting, and what a word has let stand, or what only strangers still say, waits again. A word of
    who is trusted less than the others counted for nothing, and changes nothing of what stands; nor does it where
    somebody has judged that who is trusted more. What was seen is counted anew when a word is taken out that was
    trusted as the claim is, since its source may be who saw that; and when one comes back that is trusted more.
    ``trust`` are that of the word, and of whoever judges it.
    """
    said, ruled = trust
    if said > node.trust or (verdict.taken == NOBODY and said == node.trust):
        claim = claim._replace(seen=0)
    graph.note_claim(node, claim)
    node.trust = max([line.trust for line in claim.lines])
    ruling = graph.ruling(node)
    if node.status not in _HELD or ruling.trust > ruled:
        return
    if verdict.taken != NOBODY and ruling.by == verdict.taken:
        contend_again(graph, node, verdict.by)  # it waited for this word alone
        weigh_digest(graph, node, verdict.by)
        return
    reinstate(graph, node, verdict.by, verdict.of)
    if not node.trust or ruling.by == verdict.of:
        rule(graph, node, _CANDIDATE, Ruling(ruling.slot, verdict.by, 0, 0))
    elif node.status != _CANDIDATE and said >= node.trust:
        contend_again(graph, node, verdict.by)
    weigh_digest(graph, node, verdict.by)


# Names


def _take_name(graph: Graph, verdict: Verdict, act: Act) -> Act:
    name, known, before, said = act.about
    if known is not None:
        names = graph.names(name)
        left = names.of(each for each in names.said if each[0] != name or each[2] != verdict.seq)
        if left == names:
            return act
        call(graph, [left], name)
    if before is not None:
        _name(graph, name, before, [(alias, trust, seq) for alias, trust, seq in said])
    return act._replace(kept=_TAKEN)


def _put_name(graph: Graph, verdict: Verdict, act: Act) -> None:
    name, known, _, said = act.about
    if not act.kept:
        return
    names = graph.names(name)
    if known is None:
        seqs = [seq for _, _, seq in said]
        call(graph, [names.of(each for each in names.said if each[0] != name or each[2] not in seqs)], name)
    else:
        since = [seq for alias, _, seq in names.said if alias == name]
        if since and max(since) < verdict.seq:
            call(graph, [names.without(name)], name)
        _name(graph, name, known, [(name, act.trust, verdict.seq)])


def _name(graph: Graph, name: str, known: str, said: list[tuple[str, int, int]]) -> None:
    """Let a name be an alias of a thing again, where it stands for nothing else by now, and there is room."""
    names, to = graph.names(name), graph.names(known)
    if to.canonical == name or (names.canonical != to.canonical and names.aliases):
        return
    more = joined(graph, to, said)
    if not isinstance(more, Refused):
        call(graph, [more], name)


# Relations


def _take_relation(graph: Graph, verdict: Verdict, act: Act) -> Act:
    key: EdgeKey = act.about
    relation = graph.relation(key)
    if relation is None or all(seq != verdict.seq for seq, _ in relation.said):
        return act
    left = tuple([each for each in relation.said if each[0] != verdict.seq])
    if left:
        graph.changed_relations[key] = Relation(left)
    else:
        graph.unlink(key)
    return act._replace(kept=_TAKEN)


def _put_relation(graph: Graph, verdict: Verdict, act: Act) -> None:
    key: EdgeKey = act.about
    source, target = graph.node(key[0]), graph.node(key[2])
    if not act.kept or source is None or target is None:
        return
    if graph.edge(key) is None:
        graph.trust = act.trust
        new_edge(graph, source, key[1], target, graph.header.policy.association_weight)
    said_by(graph, key, verdict.seq, act.trust)


# Reports of use


def _take_report(graph: Graph, verdict: Verdict, act: Act) -> Act:
    (asked,) = act.about
    recall = graph.recalls.get(asked)
    take_back(graph, verdict.seq)
    if recall is None or recall.reported != verdict.seq:
        return act
    used = [entry.number for entry in recall.returned if entry.used]
    for entry in recall.returned:
        entry.used = False
    recall.reported = 0
    graph.changed_recalls[asked] = recall
    return act._replace(kept=(asked, *used))


def _put_report(graph: Graph, verdict: Verdict, act: Act) -> None:
    asked, *used = act.kept or (0,)
    recall = graph.recalls.get(asked)
    if recall is None or recall.reported:
        return
    give_again(graph, verdict.seq)
    for entry in recall.returned:
        entry.used = entry.number in used
    recall.reported = verdict.seq
    graph.changed_recalls[asked] = recall


# Vectors


def _take_vector(graph: Graph, verdict: Verdict, act: Act) -> Act:
    number, model = act.about
    node, vectors = graph.node(number), graph.vectors(number)
    seq, record = vectors.get(model, (0, b""))
    if node is None or seq != verdict.seq:
        return act
    graph.changed_vectors.setdefault(number, {})[model] = None
    if len(vectors) == 1:
        node.flags &= ~_VECTORED
        graph.changed_nodes[number] = node
    return act._replace(record=record)


def _put_vector(graph: Graph, verdict: Verdict, act: Act) -> None:
    number, model = act.about
    node, vectors = graph.node(number), graph.vectors(number)
    if node is not None and act.record and model not in vectors and len(vectors) < VECTORS_PER_NODE_MAX:
        graph.attach(node, model, verdict.seq, act.record, None)


_OUT: Final[Mapping[int, Out]] = {
    AssertClaim.number: _take_words,
    Judge.number: _take_words,
    AliasEntity.number: _take_name,
    Relate.number: _take_relation,
    ReportUse.number: _take_report,
    AttachVector.number: _take_vector,
}
_BACK: Final[Mapping[int, Back]] = {
    AssertClaim.number: _put_words,
    Judge.number: _put_words,
    AliasEntity.number: _put_name,
    Relate.number: _put_relation,
    ReportUse.number: _put_report,
    AttachVector.number: _put_vector,
}
