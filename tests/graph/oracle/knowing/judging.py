"""The law of verdicts, as the page has it."""

from typing import Any, Final

from tests.graph.oracle.decisions import misplaced
from tests.graph.oracle.knowledge import RIVALS_MAX, become
from tests.graph.oracle.memory import Memory
from tests.graph.oracle.records import Name, Node, Ruling, by_number
from yggdrasil_schemas.refusals import Refusal

GIVEN: Final = {"reject": "rejected", "resolve": "resolved", "quarantine": "quarantined"}


def judge(m: Memory, name: Name, body: dict[str, Any], _session: str) -> Refusal | None:
    for item in body["items"]:
        refusal = m.not_corrigible(item["node"])
        node = m.made.get(item["node"])
        if refusal is None and node is not None and node.live:
            releasing = item["verdict"] == "release"
            concerned = [node, *(_claimants(m, node) if releasing else ())]
            refusal = next(filter(None, map(m.may_change, concerned)), None)
            if refusal is None and releasing and _kept_out(m, node):
                refusal = Refusal.SLOT_FULL
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
        elif verdict == "quarantine" and node.status in ("superseded", "rejected", "resolved"):
            m.happened.append("out already")
        elif verdict != "release":
            _rule(m, node, GIVEN[verdict], name, body["reason"])
        elif node.status != "active":
            _release(m, node, name, body["reason"])
    return None


def _claimants(m: Memory, node: Node) -> list[Node]:
    """What stands where a node would stand again."""
    found = set(m.in_slot(node.slot)) if node.slot else set[Node]()
    if node.ruling is not None and node.ruling.instead is not None and node.ruling.instead.live:
        found.add(node.ruling.instead)
    return by_number(each for each in found - {node} if each.status in ("active", "contested"))


def _kept_out(m: Memory, node: Node) -> bool:
    if not node.slot or node.status not in ("superseded", "rejected", "resolved"):
        return False
    return len([each for each in m.in_slot(node.slot) if each.status == "quarantined"]) >= RIVALS_MAX


def _release(m: Memory, node: Node, name: Name, reason: str) -> None:
    for each in _claimants(m, node):
        m.happened.append("gave way to what was released")
        each.ruling = Ruling(each.slot or node.slot, name, m.trust, node, reason)
        become(m, each, "superseded")
    m.settle(node)
    m.revive(node)
    m.happened.append(f"released: {node.status}")
    _rule(m, node, "active", name, reason)


def _rule(m: Memory, node: Node, status: str, name: Name, reason: str) -> None:
    node.ruling = Ruling(node.slot, name, m.trust, None, reason)
    become(m, node, status)
