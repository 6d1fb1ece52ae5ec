"""What comes of a word that is said where others were: step 6 of the law of claims, as the page has it."""

from dataclasses import dataclass, field
from math import inf
from typing import Final

from tests.graph.oracle.memory import STANDING, Memory
from tests.graph.oracle.records import Claim, Line, Node

STEPS_MAX: Final = 8
WORSE: Final = ("active", "contested", "quarantined")


@dataclass(frozen=True)
class Word:
    """What contends: a claim that is new, or one that was confirmed."""

    begins: float
    until: float
    value: dict[bytes, int]  # under all the names of its object, with how far these are joined
    lines: list[Line]
    seq: int  # of its node
    trust: int
    resolution: str

    def overlaps(self, other: Node, until: float | None = None) -> bool:
        """Whether there is a moment at which both hold; what is no claim holds at any time."""
        if other.claim is None:
            return True
        ends = self.until if until is None else until
        return self.begins < other.claim.until and other.claim.begins < ends

    def contradicts(self, other: Node, until: float | None = None) -> bool:
        """Whether not both can hold, if they say different things; what is over leaves the present to another."""
        over = (self.until if until is None else until) < inf
        if other.claim is None:
            return not over
        other_over = other.claim.ends < inf
        if over and not other_over and other.claim.begins == -inf:
            return False
        if other_over and not over and self.begins == -inf:
            return False
        return self.overlaps(other, until)

    def says(self, other: Node) -> bool:
        """Whether another says the same."""
        return other.claim is not None and self.value.get(other.claim.value, -1) >= other.trust


@dataclass
class Contention:
    """What comes of it."""

    status: str = "active"
    instead: Node | None = None
    giving_way: list[Node] = field(default_factory=list[Node])
    disputed: list[Node] = field(default_factory=list[Node])  # become contested, and this is in their place
    closed: float = inf
    after: Node | None = None  # the claim that came after it, where it is history
    before: Node | None = None  # and the one before it
    closing: bool = False  # the one before is closed when this begins
    same: Node | None = None  # history knows it already


def contend(m: Memory, word: Word, members: list[Node], *, contested: bool = False) -> Contention:
    found = Contention()
    against = [node for node in members if node.status in (*STANDING, "quarantined") and word.contradicts(node)]
    later = [node for node in against if _later(word, node) and not contested]
    if later:
        found.closed = min(_claim(node).begins for node in later)
        against = [node for node in against if node not in later]
        against = [node for node in against if word.contradicts(node, min(word.until, found.closed))]
    opposed: list[Node] = []
    for node in against:
        status = _stands(m, word, node)
        if status == "active":
            found.giving_way.append(node)
        elif status and outlived_by(node) is None:
            opposed.append(node)
            found.status = max(found.status, status, key=WORSE.index)
    if opposed:
        found.instead = max(opposed, key=lambda node: (node.authority, -node.number))
        found.giving_way = _yielding(found)
    elif later:
        _become_history(m, word, found, min(later, key=lambda node: (_claim(node).begins, node.number)))
    if found.status != "superseded":
        spared = [node for node in found.giving_way if _is_spared(m, word, node)]
        found.giving_way = [node for node in found.giving_way if node not in spared]
        if found.status == "active":
            found.disputed = spared
    return found


def outlived_by(node: Node) -> Node | None:
    """What stands and is later than a contested claim, and in its place."""
    ruled = node.ruling.instead if node.ruling else None
    if node.status != "contested" or "pinned" in node.flags or ruled is None or not ruled.live:
        return None
    if node.claim is None or ruled.claim is None or ruled.status not in ("active", "prior"):
        return None
    return ruled if after(ruled.claim.begins, ruled.number, node.claim.begins, node.number) else None


def _is_spared(m: Memory, word: Word, node: Node) -> bool:
    """What one source alone outweighs, and is not outlived: it is contested, and does not give way."""
    if word.resolution != "confidence" or m.by_operator or node.status == "quarantined":
        return False
    lines = node.claim.lines if node.claim else []
    one = len({line.who for line in _counting(word.lines, lines)}) < 2
    if not one or not _counting(lines, word.lines):
        return False
    m.happened.append("outlived before" if outlived_by(node) else "spared by one word")
    return outlived_by(node) is None


def _yielding(found: Contention) -> list[Node]:
    """What gives way to what is not active."""
    return [node for node in found.giving_way if found.status == node.status == "contested"]


def _later(word: Word, node: Node) -> bool:
    standing = node.status in ("active", "prior") and node.claim is not None
    return standing and word.begins != -inf and _claim(node).begins > word.begins


def _claim(node: Node) -> Claim:
    if node.claim is None:
        raise AssertionError("only claims have a time")
    return node.claim


def _stands(m: Memory, word: Word, node: Node) -> str:
    """What a node says of the word: active when it gives way, nothing when it is not asked."""
    authority = node.authority
    if node.status == "quarantined":
        return "active" if authority <= word.trust and not m.pin_holds(node) else ""
    if m.pin_holds(node) or word.trust < authority - 1:
        return "quarantined"
    if node.status == "prior" and not m.by_operator and word.trust <= authority:
        return "quarantined" if word.trust < authority else "contested"
    if word.trust < authority:
        return "contested"
    return "active" if _beats(m, word, node) else "contested"


def _beats(m: Memory, word: Word, node: Node) -> bool:
    if word.resolution == "human":
        return m.by_person
    lines = node.claim.lines if node.claim else []
    begins = node.claim.begins if node.claim else -inf
    if word.resolution == "recency":
        ours, theirs = _last(word.lines, word.seq), _last(lines, node.seq)
        return node.status == "contested" or after(word.begins, ours, begins, theirs)
    return outweighs(m, word, node, begins, lines)


def _last(lines: list[Line], seq: int) -> int:
    return max((line.seq for line in lines), default=seq)


def after(begins: float, seq: int, other_begins: float, other_seq: int) -> bool:
    """Whether what begins so and was said so is later than the other."""
    if -inf in (begins, other_begins) or begins == other_begins:
        return seq > other_seq
    return begins > other_begins


def outweighs(m: Memory, word: Word, node: Node, begins: float, lines: list[Line]) -> bool:
    """Whether more speaks for the word than for what a node says."""
    ours, theirs = _counting(word.lines, lines), _counting(lines, word.lines)
    if after(word.begins, word.seq, begins, node.seq):
        since = [each for each in theirs if _since(each, word.begins, word.seq)]
        m.happened.append("one word against another")
        return not theirs or _weigh(ours) > m.p.claim_margin + _weigh(since)
    return _weigh([each for each in ours if _since(each, begins, node.seq)]) > _weigh(theirs)


def _counting(lines: list[Line], others: list[Line]) -> list[Line]:
    """Those of the most trusted whose source has not said the other later."""
    most = max((each.trust for each in lines), default=0)
    top = [each for each in lines if each.trust == most]
    return of_their_own(
        [line for line in top if not any(one.who == line.who and later_word(one, line) for one in others)]
    )


def of_their_own(lines: list[Line]) -> list[Line]:
    """Lines of different sources, that have it from different ones: the weightiest first, then the oldest."""
    left, found = sorted(lines, key=lambda line: (-line.weight, line.seq, line.who)), list[Line]()
    while left:
        first = left.pop(0)
        found.append(first)
        left = [each for each in left if each.who != first.who and each.root != first.root]
    return found


def later_word(line: Line, other: Line) -> bool:
    """Whether a line outlasts another of the same source: the more trusted one does, of equals the later."""
    if line.trust == other.trust:
        return after(line.begins, line.seq, other.begins, other.seq)
    return line.trust > other.trust


def _since(line: Line, begins: float, seq: int) -> bool:
    return after(line.begins, line.seq, begins, seq) or (line.begins == begins != -inf)


def _weigh(lines: list[Line]) -> int:
    return sum(line.weight for line in lines)


def _become_history(m: Memory, word: Word, found: Contention, first: Node) -> None:
    """It held before what stands: its place among what held."""
    found.status, found.instead = "superseded", first
    later = first
    for _ in range(STEPS_MAX):
        earlier = _claim(later).before
        if earlier is None or not earlier.live:
            found.after = later
            return
        if _claim(earlier).begins <= word.begins:
            break
        later = earlier
        found.closed = min(found.closed, _claim(later).begins)
    else:
        return
    found.after, found.before = later, earlier
    if word.overlaps(earlier, min(word.until, found.closed)):
        if word.says(earlier) and (earlier.status != "rejected" or earlier.authority > word.trust):
            found.same = earlier
            return
        held = earlier.status in (*STANDING, "superseded")
        status = _stands(m, word, earlier) if held else "active"
        if status != "active":
            found.status, found.instead = status, earlier
            found.after = found.before = None
            found.giving_way = _yielding(found)
            m.happened.append("history, but contested")
            return
        found.closing = True
