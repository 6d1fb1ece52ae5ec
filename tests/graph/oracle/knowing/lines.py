"""Who says that a claim holds, and what it is for one to be confirmed, as the page has it."""

from dataclasses import dataclass, field
from math import inf
from typing import Final

from tests.graph.oracle.knowing.condensing import condense_late
from tests.graph.oracle.knowing.contention import Contention, Word, contend, later_word, of_their_own, outlived_by
from tests.graph.oracle.knowing.naming import meaning
from tests.graph.oracle.knowing.standing import become, say_whether_stale, supersede
from tests.graph.oracle.memory import Memory, voice
from tests.graph.oracle.records import Claim, Line, Name, Node, Ruling
from yggdrasil_schemas.graph.knowledge import Definition

LINES_MAX: Final = 8
ESTABLISHED: Final = ("active", "prior")


def said_by(m: Memory, evidence: list[Node]) -> tuple[bytes, bytes]:
    """The 8 bytes that stand for who says so, and those for whom they have it from."""
    if not evidence:
        return m.voice, m.taint or m.voice
    oldest = min(evidence, key=lambda node: node.number)
    root = voice(oldest.source, oldest.process)
    if oldest.claim is not None:
        root = min(oldest.claim.lines, key=lambda line: line.seq).root
    return root if m.origin in ("thinker", "import") else m.voice, root


@dataclass(frozen=True)
class Again:
    """What somebody says of a claim that is there, among the members of its slots."""

    node: Node
    line: Line
    members: list[Node]
    meaning: Definition
    evidence: list[Node] = field(default_factory=list[Node])
    ends: float = inf
    verdict: bool = False
    named: tuple[str, str] | None = None  # subject and object, in the words of who says it again

    @property
    def claim(self) -> Claim:
        """What it says."""
        if self.node.claim is None:
            raise AssertionError("only claims are confirmed")
        return self.node.claim

    @property
    def others(self) -> list[Node]:
        """What else is in its slots."""
        return [each for each in self.members if each is not self.node]


def confirm(m: Memory, name: Name, again: Again) -> None:
    """Somebody says the same: it is known better, and may stand now."""
    node, line, claim = again.node, again.line, again.claim
    for each in again.evidence:
        if each is not node and (each, "evidence", node) not in m.edges:
            m.link(each, "evidence", node)
    if again.evidence:
        say_whether_stale(m, node)
    m.settle(node)
    m.gain_salience(node, m.p.feature_salience)
    node.usage += 1
    node.mentions += 1
    if line.trust >= node.trust:
        _hold_longer(m, again)
    tier = node.trust
    node.trust = max(node.trust, line.trust)
    accepted = again.verdict and m.by_person and (approved(m, claim) or not _asks_for_person(again))
    by_self = accepted and _asks_for_person(again) and alone(m, claim) and node.status == "candidate"
    _say(m, claim, line)
    see(m, again.meaning, node, line, tier, again.evidence)
    claim.confirmed = m.tick
    if again.named is not None and line.trust > tier and m.things:
        claim.named = again.named
        m.happened.append("named as by the most trusted")
    m.happened.append("confirmed")
    if accepted_or_heard(m, again, tier, accepted=accepted):
        _contend_again(m, name, again, by_self=by_self)


def let_pass(m: Memory, name: Name, node: Node, reason: str) -> bool:
    """A thinker has verified a claim, and is no witness; return whether that lets it stand."""
    claim = node.claim
    if claim is None or node.status != "candidate" or not 0 < node.trust <= m.trust:
        return False
    if node.ruling is not None and node.ruling.by:
        return False
    again = Again(node, claim.lines[0], m.in_slot(node.slot), meaning(m, claim.predicate), verdict=True)
    heard = [line for line in claim.lines if line.trust == node.trust]
    if _asks_for_person(again) or len(of_their_own(heard)) < again.meaning.confirmations:
        return False
    _contend_again(m, name, again, by_self=False, reason=reason)
    return True


def see(m: Memory, means: Definition, node: Node, line: Line, tier: int, evidence: list[Node]) -> None:
    """It was seen, if what is said of it is concluded from an event that lies far enough after the last one."""
    claim = node.claim
    if claim is None:
        raise AssertionError("only claims are seen")
    if line.trust > tier:
        m.happened += ["seen by who is trusted more"] * (claim.seen > 0)
        claim.seen = 0
    fallen = ("superseded", "rejected", "quarantined")
    events = [each.seq for each in evidence if each.kind == "event" and each.status not in fallen]
    if means.confirm_by != "evidence" or not events or line.trust == 0 or line.trust < tier:
        return
    if claim.seen and max(events) - claim.sighted < means.confirm_gap:
        m.happened.append("seen too soon")
        return
    m.happened.append("seen again" if claim.seen else "seen")
    claim.seen, claim.sighted = min(claim.seen + 1, 65_535), max(events)


def _say(m: Memory, claim: Claim, line: Line) -> None:
    lines = [each for each in claim.lines if each.who != line.who]
    before = next((each for each in claim.lines if each.who == line.who), None)
    if before is not None:
        m.happened.append("said by the same again")
    lines.append(before if before is not None and later_word(before, line) else line)
    if len(lines) > LINES_MAX:
        lines.remove(min(lines, key=lambda each: (each.trust, each.weight, each.seq)))
        m.happened.append("line dropped")
    claim.lines = sorted(lines, key=lambda each: each.who)


def accepted_or_heard(m: Memory, again: Again, tier: int, *, accepted: bool) -> bool:
    """Whether it contends anew: it stands, or waits no longer."""
    node = again.node
    if node.status in ("active", "prior", "contested"):
        return True
    if node.status == "candidate":
        return accepted or _ready(again, tier)
    return node.status == "quarantined" and not (node.ruling and node.ruling.reason)


def _asks_for_person(again: Again) -> bool:
    return again.claim.sort == "rule" or again.meaning.review


def _ready(again: Again, tier: int) -> bool:
    if _asks_for_person(again):
        return False
    heard = [line for line in again.claim.lines if line.trust > 0 and line.trust >= tier]
    times = again.claim.seen if again.meaning.confirm_by == "evidence" else 0
    return max(times, len(of_their_own(heard))) >= max(2, again.meaning.confirmations)


def approved(m: Memory, claim: Claim) -> bool:
    """Whether who speaks may approve it: a person beside whom somebody else says so, or an operator."""
    return m.by_operator or (m.by_person and not alone(m, claim))


def alone(m: Memory, claim: Claim) -> bool:
    """Whether nobody but who speaks says so; the same with less trust is somebody else."""
    return not [line for line in claim.lines if line.who != m.voice or line.trust < m.trust]


def _contend_again(m: Memory, name: Name, again: Again, *, by_self: bool, reason: str = "") -> None:
    node, claim = again.node, again.claim
    word = Word(
        claim.begins,
        _until(node),
        {claim.value: 4},
        claim.lines,
        node.seq,
        node.trust,
        again.meaning.resolution,
    )
    found = contend(m, word, again.others, contested=node.status == "contested")
    if found.same is not None:
        found.giving_way = []
    before = node.status
    if _changes(before, found.status):
        m.happened.append(f"{before} became {found.status}" + (" by its only source" if by_self else ""))
        said = reason if found.status in ESTABLISHED else ""
        become(m, node, found.status, Ruling(node.slot, name, 0, found.instead, said, self_approved=by_self))
        claim.closed = min(claim.closed, found.closed)
        take_place(m, name, node, found, node.trust)
        condense_late(m, name, node)
    elif before in ESTABLISHED:
        for each in found.giving_way:
            give_way(m, each, name, node, node.trust)
        _dispute(m, name, node, found)


def take_place(m: Memory, name: Name, node: Node, found: Contention, trust: int) -> None:
    """What gives way does, and then what is history finds its place."""
    for each in found.giving_way:
        give_way(m, each, name, node, trust)
    _dispute(m, name, node, found)
    if found.after is None or found.after.claim is None or node.claim is None:
        return
    m.happened.append("history")
    found.after.claim.before = node
    node.claim.before = found.before
    if found.closing and found.before is not None and found.before.claim is not None:
        found.before.claim.closed = node.claim.begins


def _until(node: Node) -> float:
    """What waits finds out anew whether it is history."""
    if node.claim is None:
        raise AssertionError("only claims contend")
    return node.claim.ends if node.status == "quarantined" else node.claim.until


def _changes(before: str, status: str) -> bool:
    """Whether a claim gets the status that it contends for."""
    if before in ESTABLISHED:
        return False
    rungs = ("active", "contested", "quarantined", "candidate")
    return status == "superseded" or rungs.index(status) < rungs.index(before)


def _hold_longer(m: Memory, again: Again) -> None:
    """It holds from earlier on, or ends, unless what stands would contradict what stands."""
    node, claim, begins, ends = again.node, again.claim, again.line.begins, again.ends
    begin, closing = claim.begins, None
    if -inf < begins < claim.begins:
        before = claim.before.claim if claim.before is not None and claim.before.live else None
        if before is None or before.closed != claim.begins:
            begin = begins
        elif before.begins < begins:
            begin, closing = begins, before
    latest = max(begin, *(each.begins for each in claim.lines))
    end = ends if latest < ends < inf else claim.ends
    standing = [each for each in again.others if each.status in ESTABLISHED] if node.status in ESTABLISHED else []
    after, now = _span(begin, min(end, claim.closed)), _span(claim.begins, claim.until)
    if any(after.contradicts(each) and not now.contradicts(each) for each in standing):
        m.happened.append("held no longer")
        return
    if begin < claim.begins:
        m.happened.append("began earlier")
    claim.begins, claim.ends = begin, end
    if closing is not None:
        closing.closed = begin


def _span(begins: float, until: float) -> Word:
    return Word(begins, until, {}, [], 0, 0, "")


def _dispute(m: Memory, name: Name, by: Node, found: Contention) -> None:
    """What one source alone outweighs is contested, and comes before that if it is older."""
    for node in found.disputed:
        m.happened.append(f"disputed: {node.status}")
        become(m, node, "contested", Ruling(node.slot, name, 0, by))
        if outlived_by(node) is by and by.claim is not None and by.claim.before is None:
            by.claim.before = node


def give_way(m: Memory, node: Node, name: Name, claim: Node, trust: int) -> None:
    """Superseded by a claim. Where it stood it held until that began, where it was outlived until then."""
    until = claim if node.status in ESTABLISHED else outlived_by(node)
    if until is not None and until is not claim:
        m.happened.append("outlived, and gone")
    supersede(m, node, Ruling(claim.slot, name, trust, claim))
    if until is None or until.claim is None or node.claim is None:
        return
    if node.claim.begins < until.claim.begins:
        node.claim.closed = min(node.claim.closed, until.claim.begins)
    if until.claim.before is None:
        until.claim.before = node


def contend_again(m: Memory, name: Name, node: Node, meaning: Definition, without: Node | None = None) -> None:
    """A claim contends anew, since something else is out."""
    claim = node.claim
    if claim is None:
        return
    word = Word(claim.begins, _until(node), {claim.value: 4}, claim.lines, node.seq, node.trust, meaning.resolution)
    others = [each for each in m.in_slot(node.slot) if each is not node and each is not without]
    person, m.by_person = m.by_person, False
    operator, m.by_operator = m.by_operator, False
    found = contend(m, word, others, contested=node.status == "contested")
    m.by_person, m.by_operator = person, operator
    if found.same is not None:
        return
    m.happened.append(f"contends again: {found.status}")
    if node.status != "prior" or found.status != "active":
        become(m, node, found.status, Ruling(node.slot, name, 0, found.instead))
    claim.closed = min(claim.closed, found.closed)
    take_place(m, name, node, found, node.trust)
