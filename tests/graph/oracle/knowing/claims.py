"""The law of claims, as the page has it: said again, in the place of others, against them, or history."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from hashlib import blake2b
from itertools import product
from math import inf
from typing import Any, Final

from tests.graph.oracle.decisions import misplaced
from tests.graph.oracle.events import occur
from tests.graph.oracle.knowing.condensing import concluded, condense, condensed_by, gives_way, join
from tests.graph.oracle.knowing.contention import Contention, Word, contend, outlived_by
from tests.graph.oracle.knowing.lines import Again, confirm, give_way, said_by, see, take_place
from tests.graph.oracle.knowing.naming import meaning, thing
from tests.graph.oracle.knowing.standing import gives_status, let_go, say_whether_stale
from tests.graph.oracle.memory import HELD, Memory
from tests.graph.oracle.records import Claim, Line, Name, Node, by_number
from tests.graph.oracle.regards import begin, keys_of
from tests.graph.oracle.sessions import hold
from yggdrasil_schemas.graph.knowledge import Definition
from yggdrasil_schemas.refusals import Refusal

MEMBERS_MAX: Final = 8
STAGED: Final = {"thinker": 1, "import": 2}


@dataclass(frozen=True)
class Said:
    """What somebody says, in the memory's own names."""

    body: dict[str, Any]
    meaning: Definition
    evidence: list[Node]
    old: Node | None
    line: Line
    ends: float
    values: dict[bytes, int]  # the first under the name by which the object is known; how far these are joined
    slots: dict[bytes, int]  # likewise

    @property
    def word(self) -> Word:
        line = self.line
        return Word(line.begins, self.ends, self.values, [line], line.seq, line.trust, self.meaning.resolution)


def assert_fact(m: Memory, name: Name, body: dict[str, Any], session: str) -> Refusal | None:
    """What somebody says that is no note."""
    evidence = evidence_of(m, body)
    if isinstance(evidence, Refusal):
        return evidence
    refusal = m.not_corrigible(body["supersedes"]) if "supersedes" in body else None
    if refusal is not None:
        return refusal
    old = m.live(body["supersedes"]) if "supersedes" in body else None
    condensed = condensed_by(m, body)
    if isinstance(condensed, Refusal):
        return condensed
    m.trust = concluded(m, m.trust, condensed)
    refusal = m.may_change(old) if old is not None else None
    if refusal is not None:
        return refusal
    said = _understood(m, body, evidence, old)
    going = {node for node in condensed if gives_way(node, said.line.trust)}
    joined = slot_members(m, said.slots, old)
    slot = _own_slot(m, said, [node for node in joined if node not in going])
    beside = by_number({*joined, *m.in_slot(slot)} - {old})
    if len(beside) > len(joined):
        m.happened.append("meets what is trusted more than its names")
    members = [node for node in beside if node not in going]
    same, found = _placed(m, said, members)
    if same is None:
        waits = found.status in ("candidate", "quarantined")
        refusal = _make_room(m, said, beside if waits else members, found)
        if refusal is not None:
            return refusal
    refusal = misplaced(m, body)
    if refusal is not None:
        return refusal
    if same is not None:
        m.made[name] = same
        words = body["subject"], body["object"].get("entity", "")
        again = Again(same, said.line, members, said.meaning, evidence, said.ends, named=words)
        confirm(m, name, again)
        claim = same
    else:
        _gather(m, said, members, slot)
        let_go(m, slot)
        claim = _make(m, name, said, len(members), found, slot)
        hold(m, name, body, session, claim)
    _matters(m, claim, keys_of(m, body), said.line.trust, again=same is not None)
    if m.stamped == 0:
        m.take_in(m.voice)
    if old is not None and old.status in HELD and old is not claim:
        give_way(m, old, name, claim, said.line.trust)
    if same is not None:
        join(m, claim, condensed)
    elif condensed:
        m.digests[name] = list(body["condenses"]), m.stamped
        condense(m, name, claim, said.line.trust, condensed)
    return None


def _matters(m: Memory, claim: Node, keys: list[bytes], trust: int, *, again: bool) -> None:
    """What it is said under it matters under, unless somebody says it again who teaches nothing."""
    if not again or trust >= m.p.teach_trust_min:
        begin(m, claim, keys, trust)
    elif keys:
        m.happened.append("said again in vain")


def evidence_of(m: Memory, body: dict[str, Any]) -> list[Node] | Refusal:
    """What is left of what something was concluded from, by number."""
    named = body.get("evidence", [])
    if m.unknown(named):
        return Refusal.UNKNOWN_REFERENCE
    evidence = by_number({node for node in map(m.live, named) if node is not None})
    if "thinker" in body and not evidence:
        return Refusal.NODE_FORGOTTEN if named else Refusal.EVIDENCE_MISSING
    return evidence


def _understood(m: Memory, body: dict[str, Any], evidence: list[Node], old: Node | None) -> Said:
    means = meaning(m, body["predicate"], body["object"])
    trust = max(m.trust, 3) if means.authority and means.authority == m.origin and m.trust >= 2 else m.trust
    trust = min([trust, *(node.trust for node in evidence)])
    begins, ends = body.get("valid_from", -inf), body.get("valid_to", inf)
    weight = body.get("confidence", 70) * getattr(m.p, f"claim_weight_{trust}")
    line = Line(*said_by(m, evidence), trust, weight, begins, m.seq + 1)
    return Said(
        body, means, evidence, old, line, ends, values_of(m, body, means, trust), places_of(m, body, means, trust)
    )


def values_of(m: Memory, body: dict[str, Any], means: Definition, trust: int) -> dict[bytes, int]:
    """What stands for what is said, under each name of the object, and how far that is joined; the known one first."""
    qualifiers = _qualifiers(body)
    if _both_ways(body, means):
        return _of_pairs(m, body, trust, "yggdrasil-value", [], qualifiers)
    objects = _objects(m, body["object"], trust)
    return {_bytes([*parts, *qualifiers], b"yggdrasil-value"): link for parts, link in objects}


def places_of(m: Memory, body: dict[str, Any], means: Definition, trust: int) -> dict[bytes, int]:
    """The slots of what is said, likewise."""
    if _both_ways(body, means):
        return _of_pairs(m, body, trust, "yggdrasil-slot", [body["predicate"]], [])
    slots = dict[bytes, int]()
    objects = list(_objects(m, body["object"], trust))
    for (subject, one), (parts, other) in product(_names(m, body["subject"], trust), objects):
        more = {"one": [], "one_per_object": parts, "many": [*parts, *_qualifiers(body)]}[means.cardinality]
        slot = _bytes([subject, body["predicate"], *more], b"yggdrasil-slot")
        slots[slot] = min(one, other) if means.cardinality != "one" else one
    return slots


def _both_ways(body: dict[str, Any], means: Definition) -> bool:
    """Whether "a p b" says "b p a" as well."""
    return means.symmetric and "entity" in body["object"] and body.get("qualifiers", {}).get("oneway") != "yes"


def _of_pairs(
    m: Memory, body: dict[str, Any], trust: int, person: str, before: list[str], after: list[str]
) -> dict[bytes, int]:
    """What stands for two things, whichever of them is named first: by each two names, and how far these are joined."""
    one, two = _names(m, body["subject"], trust), _names(m, body["object"]["entity"], trust)
    joined: list[tuple[list[str], int]] = [(sorted([a, b]), min(x, y)) for a, x in one for b, y in two]
    found = dict[bytes, int]()
    for names, _ in joined:
        most = max(link for others, link in joined if others == names)
        found[_bytes([*before, "pair", *names, *after], person.encode())] = most
    m.happened.append("said of a pair")
    return found


def _qualifiers(body: dict[str, Any]) -> list[str]:
    return [part for each in sorted(body.get("qualifiers", {}).items()) for part in each]


def _names(m: Memory, name: str, trust: int) -> list[tuple[str, int]]:
    """The names that are joined to one with enough trust, the canonical one first."""
    known = thing(m, name)
    return [(each, known.link(name, each)) for each in known.names if known.link(name, each) >= trust]


def _objects(m: Memory, said: dict[str, Any], trust: int) -> Iterable[tuple[list[str], int]]:
    if "entity" in said:
        yield from ((["entity", name], link) for name, link in _names(m, said["entity"], trust))
    elif "decimal" in said:
        yield ["decimal", said["decimal"], said.get("unit", "")], 4
    elif "flag" in said:
        yield ["flag", "yes" if said["flag"] else "no"], 4
    elif "anchor" in said:
        yield ["anchor", said["anchor"]], 4
    else:
        yield ["digest", said["digest"]], 4


def _bytes(parts: list[str], person: bytes) -> bytes:
    return blake2b("\0".join(parts).encode(), digest_size=16, person=person).digest()


def slot_members(m: Memory, slots: dict[bytes, int], old: Node | None) -> list[Node]:
    """What is in these slots, by number, but for what is superseded by name, or trusted more than the names."""
    found = set[Node]()
    for slot, link in slots.items():
        found |= {node for node in m.in_slot(slot) if node.trust <= link}
        if any(node.trust > link for node in m.in_slot(slot)):
            m.happened.append("a name from below joins nothing")
    return by_number(found - {old})


def _same(members: list[Node], said: Said) -> Node | None:
    for node in members:
        rejected = node.status == "rejected" and node.authority <= said.line.trust
        if said.word.says(node) and said.word.overlaps(node) and not rejected:
            return node
    return None


def _placed(m: Memory, said: Said, members: list[Node]) -> tuple[Node | None, Contention]:
    """What says the same already, if anything does; else what comes of it."""
    same, found, over = _same(members, said), Contention(), list[Node]()
    if same is not None and _was_over(same, said):
        over = [same]
        members = [node for node in members if node is not same]
        same = _same(members, said)
    if same is not None:
        return same, found
    if _waits(m, said):
        found.status = "candidate"
        m.happened.append("candidate")
    else:
        found = contend(m, said.word, members)
    if over and found.same is None:
        if found.status in ("candidate", "quarantined"):
            return over[0], found
        m.happened.append("came again")
        found.giving_way = over + found.giving_way
    return found.same, found


def _was_over(same: Node, said: Said) -> bool:
    """Whether what says the same was outlived by what began between the two."""
    between = outlived_by(same)
    if between is None or between.claim is None or same.claim is None:
        return False
    return same.claim.begins < between.claim.begins < said.line.begins


def _waits(m: Memory, said: Said) -> bool:
    return (
        said.line.trust == 0
        or said.body.get("candidate", False)
        or said.body.get("claim_class") == "rule"
        or said.meaning.review
        or said.meaning.confirmations > 1
        or m.p.claims_staged >= STAGED.get(m.origin, 3)
    )


def _make_room(m: Memory, said: Said, members: list[Node], found: Contention) -> Refusal | None:
    left = [node for node in members if node not in found.giving_way and node.status != "rejected"]
    order = ("quarantined", "candidate", "contested", "active", "prior")
    ranks = {"prior": order.index("active")}

    def open_ended(node: Node) -> bool:
        ended = node.claim is not None and node.claim.ends < inf
        return node.status == "prior" or (node.status == "active" and not ended)

    def rank(node: Node) -> tuple[int, bool, int, int, int]:
        lines = node.claim.lines if node.claim else []
        place = ranks.get(node.status, order.index(node.status))
        return place, open_ended(node), node.authority, sum(line.weight for line in lines), node.number

    while len(left) >= MEMBERS_MAX:
        least = min(left, key=rank)
        if open_ended(least) or least.authority > said.line.trust or m.pin_holds(least):
            return Refusal.SLOT_FULL
        left.remove(least)
        found.giving_way.append(least)
        m.happened.append("gave way for want of room")
    return None


def move(m: Memory, node: Node, slot: bytes) -> None:
    """Its ruling moves to the slot."""
    if node.ruling is not None and node.slot != slot:
        node.ruling = replace(node.ruling, slot=slot)
        m.happened.append("joined by an alias")


def _own_slot(m: Memory, said: Said, members: list[Node]) -> bytes:
    """The slot of the best known name, but not of one that was joined by less trust than what is beside it has."""
    slot = next(iter(said.slots))
    if all(each.trust <= said.slots[slot] for each in members):
        return slot
    m.happened.append("under the name that was said")
    return next(each for each, link in said.slots.items() if all(node.trust <= link for node in members))


def _gather(m: Memory, said: Said, members: list[Node], slot: bytes) -> None:
    """What is beside it comes into its slot, but not from where something has to stay."""
    for other, link in said.slots.items():
        if all(each.trust <= link for each in m.in_slot(other)):
            for each in members:
                if each.slot == other:
                    move(m, each, slot)
        elif other != slot:
            m.happened.append("left where more is trusted than its names")


def _make(m: Memory, name: Name, said: Said, members: int, found: Contention, slot: bytes) -> Node:
    node = made(m, name, said.body, said.line, next(iter(said.values)), said.ends, members)
    see(m, said.meaning, node, said.line, said.line.trust, said.evidence)
    if node.claim is not None:
        node.claim.closed = found.closed
    for each in said.evidence:
        m.link(each, "evidence", node)
    gives_status(m, node, found.status, name, slot, found.instead)
    for each in [node, *said.evidence]:
        say_whether_stale(m, each)
    take_place(m, name, node, found, said.line.trust)
    return node


def made(m: Memory, name: Name, body: dict[str, Any], line: Line, value: bytes, ends: float, others: int) -> Node:
    """A new claim, with what it is about; ``others`` are in its slot."""
    node = m.make(name, "claim")
    node.trust = line.trust
    m.vouched = min(m.vouched, line.trust)
    node.salience = min(m.p.salience_initial + m.p.novelty_max / (1 + others), m.p.salience_max)
    sort = body.get("claim_class", "fact")
    node.claim = Claim(sort, body["predicate"], value, line.begins, ends, m.tick, [line])
    about = _names(m, body["subject"], line.trust)[0][0]
    subject = occur(m, f"feature:{about}", node, 1)
    m.link(node, "contains", subject)
    if "entity" in body["object"]:
        other = f"feature:{_names(m, body['object']['entity'], line.trust)[0][0]}"
        if other != subject.name:
            thing_said = occur(m, other, node, 2)
            m.link(node, "contains", thing_said)
            _associate(m, *by_number([subject, thing_said]))
    m.steady(node)
    return node


def _associate(m: Memory, older: Node, younger: Node) -> None:
    edge = m.edges.get((older, "associative", younger))
    if edge is None:
        m.link(older, "associative", younger, m.p.association_weight)
    else:
        m.settle(edge)
        if m.says_again(edge):
            m.gain_weight(edge, m.p.association_weight)
