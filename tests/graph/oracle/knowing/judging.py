"""The law of verdicts, as the page has it."""

from math import inf
from typing import Any, Final

from tests.graph.oracle.decisions import misplaced
from tests.graph.oracle.knowing.contention import Word
from tests.graph.oracle.knowing.lines import Again, approved, confirm
from tests.graph.oracle.knowing.naming import meaning
from tests.graph.oracle.knowing.standing import become
from tests.graph.oracle.knowing.succession import RIVALS_MAX
from tests.graph.oracle.memory import HELD, STANDING, Memory
from tests.graph.oracle.records import Line, Name, Node, Ruling, by_number
from yggdrasil_schemas.refusals import Refusal

GIVEN: Final = {"reject": "rejected", "resolve": "resolved", "quarantine": "quarantined"}


def judge(m: Memory, name: Name, body: dict[str, Any], _session: str) -> Refusal | None:
    for item in body["items"]:
        refusal = m.not_corrigible(item["node"])
        node = m.made.get(item["node"])
        if refusal is None and node is not None and node.live:
            refusal = _refused(m, node, item["verdict"])
        if refusal is not None:
            return refusal
    if m.unknown(body.get("evidence", [])):
        return Refusal.UNKNOWN_REFERENCE
    items = [(m.made[item["node"]], item["verdict"]) for item in body["items"]]
    if not any(node.live for node, _ in items):
        return Refusal.NODE_FORGOTTEN
    refusal = misplaced(m, body)
    if refusal is not None:
        return refusal
    for node, verdict in items:
        if not node.live:
            m.happened.append("judged when gone")
        elif verdict == "verify":
            _verify(m, name, node)
        elif verdict == "promote":
            if node.status != "active":
                m.happened.append("active no longer")
                continue
            m.happened.append("promoted by a verdict")
            _rule(m, node, "prior", name, body["reason"])
        elif verdict == "quarantine" and node.status in ("superseded", "rejected", "resolved"):
            m.happened.append("out already")
        elif verdict != "release":
            _rule(m, node, GIVEN[verdict], name, body["reason"])
        elif node.status != "active":
            _release(m, node, name, body["reason"])
    return None


def _refused(m: Memory, node: Node, verdict: str) -> Refusal | None:
    if verdict == "verify":
        return None if node.claim else Refusal.NOT_A_CLAIM
    if verdict == "promote" and (node.claim is None or node.status != "active"):
        return Refusal.NOT_A_CLAIM
    releasing = verdict == "release"
    unseen = node.status == "quarantined" and not (node.ruling and node.ruling.reason)
    if verdict == "promote" or (releasing and (node.status == "candidate" or unseen)):
        allowed = approved(m, node.claim) if node.claim else m.by_person
        if not allowed:
            return Refusal.NEEDS_A_PERSON
    concerned = [node, *(_claimants(m, node) if releasing else ())]
    refusal = next(filter(None, map(m.may_change, concerned)), None)
    if refusal is None and releasing and _kept_out(m, node):
        return Refusal.SLOT_FULL
    return refusal


def _verify(m: Memory, name: Name, node: Node) -> None:
    if node.claim is None:
        raise AssertionError("only claims are verified")
    line = Line(m.voice, m.voice, m.trust, 100 * getattr(m.p, f"claim_weight_{m.trust}"), -inf, m.seq + 1)
    m.happened.append(f"verified: {node.status}")
    confirm(m, name, Again(node, line, m.in_slot(node.slot), meaning(m, node.claim.predicate), verdict=True))


def _claimants(m: Memory, node: Node) -> list[Node]:
    """What stands where a node would stand again."""
    found = set(m.in_slot(node.slot)) if node.slot else set[Node]()
    if node.ruling is not None and node.ruling.instead is not None and node.ruling.instead.live:
        found.add(node.ruling.instead)
    found = {each for each in found - {node} if each.status in STANDING}
    claim = node.claim
    if claim is not None:  # others can hold at other times
        word = Word(claim.begins, claim.ends, frozenset(), [], 0, 0, "")
        found = {each for each in found if each.claim is None or word.contradicts(each)}
    return by_number(found)


def _kept_out(m: Memory, node: Node) -> bool:
    if not node.slot or node.status not in ("superseded", "rejected", "resolved"):
        return False
    claimants = _claimants(m, node)
    return len([each for each in m.in_slot(node.slot) if each.status in HELD and each not in claimants]) >= RIVALS_MAX


def _release(m: Memory, node: Node, name: Name, reason: str) -> None:
    for each in _claimants(m, node):
        m.happened.append("gave way to what was released")
        each.ruling = Ruling(each.slot or node.slot, name, m.trust, node, reason)
        become(m, each, "superseded")
    m.settle(node)
    m.revive(node)
    m.happened.append(f"released: {node.status}")
    if node.claim is not None:
        m.happened.append("a claim released")
        node.claim.closed = inf
    _rule(m, node, "active", name, reason)


def _rule(m: Memory, node: Node, status: str, name: Name, reason: str) -> None:
    node.ruling = Ruling(node.slot, name, m.trust, None, reason)
    become(m, node, status)
