"""The law of verdicts, as the page has it."""

from dataclasses import replace
from math import inf
from typing import Any, Final

from tests.graph.oracle.decisions import misplaced
from tests.graph.oracle.knowing.condensing import condense_late
from tests.graph.oracle.knowing.contention import Word
from tests.graph.oracle.knowing.lines import Again, alone, approved, confirm, contend_again, let_pass
from tests.graph.oracle.knowing.naming import meaning
from tests.graph.oracle.knowing.standing import become, supersede
from tests.graph.oracle.knowing.succession import RIVALS_MAX
from tests.graph.oracle.knowing.withdrawing import judge_act, reinstate, stand_without
from tests.graph.oracle.memory import CORRIGIBLE, HELD, STANDING, Memory
from tests.graph.oracle.records import Act, Line, Name, Node, Ruling, by_number
from yggdrasil_schemas.refusals import Refusal

OF_ACTS: Final = ("reject", "quarantine", "release")
GIVEN: Final = {"reject": "rejected", "resolve": "resolved", "quarantine": "quarantined"}


def judge(m: Memory, name: Name, body: dict[str, Any], _session: str) -> Refusal | None:
    for item in body["items"]:
        refusal = _judgeable(m, item)
        if refusal is None and _by_act(m, item):
            said = _act_of(m, item)
            refusal = Refusal.NOT_TRUSTED if m.trust < max(said.trust, said.ruled) else None
        elif refusal is None:
            node = m.left(item["node"])
            refusal = _refused(m, node, item["verdict"]) if node is not None and node.live else None
        if refusal is not None:
            return refusal
    if m.unknown(body.get("evidence", [])):
        return Refusal.UNKNOWN_REFERENCE
    items = [(item, None if _by_act(m, item) else m.left(item["node"])) for item in body["items"]]
    if not any(_by_act(m, item) or (node is not None and node.live) for item, node in items):
        return Refusal.NODE_FORGOTTEN
    refusal = misplaced(m, body)
    if refusal is not None:
        return refusal
    found = [(None, False) if node is None else (_before(node), _by_self(m, node, item)) for item, node in items]
    acts = [_act_of(m, item) if _by_act(m, item) else None for item, _ in items]
    verified: list[Node] = []
    for (item, node), act, (before, by_self) in zip(items, acts, found, strict=True):
        if act is not None:
            judge_act(m, name, item["node"], replace(act, reason=body["reason"]), item["verdict"])
        elif node is not None and node.live:
            _judge_node(m, node, item["verdict"], before, Ruling(b"", name, m.trust, None, body["reason"], by_self))
            verified += [node] * (item["verdict"] == "verify")
        else:
            m.happened.append("judged when gone")
    if verified:
        m.acts[name] = Act(m.trust, verified)
    return None


def _judge_node(m: Memory, node: Node, verdict: str, before: str | None, ruling: Ruling) -> None:
    """The item of a live node takes effect; out of a quarantine it comes with the status that it had ``before``."""
    ruling = replace(ruling, slot=node.slot)
    if verdict == "verify":
        _verify(m, ruling.by, node, ruling.reason)
    elif verdict == "promote":
        if node.status == "active":
            m.happened.append("promoted by a verdict")
            become(m, node, "prior", ruling)
        else:
            m.happened.append("active no longer")
    elif verdict == "quarantine" and node.status in ("superseded", "rejected", "resolved"):
        m.happened.append("out already")
    elif verdict == "archive":
        _archive(m, node, ruling)
    elif verdict != "release":
        become(m, node, GIVEN[verdict], ruling)
        if verdict != "resolve":
            stand_without(m, ruling.by, node)
        if verdict == "quarantine" or (verdict == "reject" and node.claim):
            reinstate(m, ruling.by, node, None)
        if node.kind == "outcome":
            m.move(node.name, -1)
    elif "archived" in node.flags and node.status in ("active", "prior"):
        m.happened.append("brought back from the archive")
        m.settle(node)
        m.revive(node)
        become(m, node, node.status, ruling)
    elif node.status != "active":
        _release(m, node, before or "active", ruling)
        if node.kind == "outcome":
            m.vouched = node.trust
        m.move(node.name, 1)
        condense_late(m, ruling.by, node)


def _archive(m: Memory, node: Node, ruling: Ruling) -> None:
    m.happened.append("archived by a verdict")
    m.settle(node)
    node.flags.add("archived")
    before = node.ruling
    if before is not None and before.by:
        m.happened.append("archived, and ruled before")
        ruling = replace(before, trust=max(before.trust, m.trust))
    become(m, node, node.status, ruling)


def _before(node: Node) -> str | None:
    """The status that a node had before a verdict put it in quarantine, None where none did."""
    return node.was if node.out and node.status == "quarantined" else None


def _waits(node: Node, verdict: str) -> bool:
    """Whether it takes an approval, that is a person, to let it stand by this verdict."""
    if verdict == "promote":
        return True
    waited = (node.was if node.out else node.status) in ("candidate", "quarantined")
    return verdict == "release" and waited and _before(node) is None


def _by_self(m: Memory, node: Node, item: dict[str, Any]) -> bool:
    if node.claim is None or not _waits(node, item["verdict"]):
        return False
    return alone(m, node.claim)


def _judgeable(m: Memory, item: dict[str, Any]) -> Refusal | None:
    command = item["node"]
    if command not in m.accepted:
        return Refusal.UNKNOWN_REFERENCE
    if m.accepted[command] in (*CORRIGIBLE, "log_outcome"):
        return None
    return None if command in m.acts and item["verdict"] in OF_ACTS else Refusal.NOT_CORRIGIBLE


def _by_act(m: Memory, item: dict[str, Any]) -> bool:
    """Whether a verdict is on something else than a node."""
    command = item["node"]
    if m.accepted[command] not in (*CORRIGIBLE, "log_outcome"):
        return True
    node = m.left(command)
    if node is None or node.claim is None or not node.live or item["verdict"] not in OF_ACTS:
        return False
    if not item.get("word") and node.seq == m.seqs[command]:
        return False
    if command in m.acts:
        return True
    mine = [line for line in node.claim.lines if line.seq == m.seqs[command]]
    return bool(mine) and len(node.claim.lines) > 1 and item["verdict"] != "release"


def _act_of(m: Memory, item: dict[str, Any]) -> Act:
    command = item["node"]
    if command in m.acts:
        return m.acts[command]
    node = m.left(command)
    if node is None:
        raise AssertionError("a command that made a node is judged by that")
    lines = node.claim.lines if node.claim else []
    return Act(next(line.trust for line in lines if line.seq == m.seqs[command]), [node])


def _refused(m: Memory, node: Node, verdict: str) -> Refusal | None:
    if node.kind == "outcome" and verdict not in OF_ACTS:
        return Refusal.NOT_CORRIGIBLE
    if verdict == "verify":
        return None if node.claim else Refusal.NOT_A_CLAIM
    if verdict == "promote" and (node.claim is None or node.status != "active"):
        return Refusal.NOT_A_CLAIM
    if _waits(node, verdict):
        allowed = approved(m, node.claim) if node.claim else m.by_person
        if not allowed:
            return Refusal.NEEDS_A_PERSON
    standing = verdict == "release" and _before(node) in (None, "active", "prior")
    if verdict == "archive" and m.origin == "thinker":  # as sleep does it
        return Refusal.NODE_PROTECTED if node.protected else None
    concerned = [node, *(_claimants(m, node) if standing else ())]
    refusal = next(filter(None, map(m.may_change, concerned)), None)
    if refusal is None and standing and _kept_out(m, node):
        return Refusal.SLOT_FULL
    return refusal


def _verify(m: Memory, name: Name, node: Node, reason: str) -> None:
    if node.claim is None:
        raise AssertionError("only claims are verified")
    if m.origin == "thinker":
        m.happened.append(f"let pass: {let_pass(m, name, node, reason)}")
        return
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
        word = Word(claim.begins, claim.ends, {}, [], 0, 0, "")
        found = {each for each in found if each.claim is None or word.contradicts(each)}
    return by_number(found)


def _kept_out(m: Memory, node: Node) -> bool:
    if not node.slot or node.status not in ("superseded", "rejected", "resolved"):
        return False
    claimants = _claimants(m, node)
    return len([each for each in m.in_slot(node.slot) if each.status in HELD and each not in claimants]) >= RIVALS_MAX


def _release(m: Memory, node: Node, status: str, ruling: Ruling) -> None:
    m.settle(node)
    m.revive(node)
    m.happened.append(f"released: {node.status}")
    if node.status == "quarantined" and status != "active":
        m.happened.append(f"back from quarantine: {status}")
    if ruling.self_approved:
        m.happened.append("approved by its only source")
    if status not in ("active", "prior"):
        _wait_again(m, node, status, ruling.by)
        return
    for each in _claimants(m, node):
        m.happened.append("gave way to what was released")
        supersede(m, each, replace(ruling, instead=node, self_approved=False))
    if node.claim is not None:
        m.happened.append("a claim released")
        node.claim.closed = inf
    become(m, node, status, ruling)


def _wait_again(m: Memory, node: Node, status: str, name: Name) -> None:
    """A candidate is one again, and what its slot kept from standing finds out whether that still does."""
    if node.claim is None and status != "candidate":
        above = [each for each in m.in_slot(node.slot) if each.status in ("active", "prior")]
        if above:
            become(m, node, status, Ruling(node.slot, name, 0, by_number(above)[0]))
        else:
            become(m, node, m.first_status(node.trust), Ruling(node.slot, name, 0, None))
        return
    become(m, node, status, Ruling(node.slot, name, 0, None))
    if node.claim is not None and status != "candidate":
        contend_again(m, name, node, meaning(m, node.claim.predicate))
