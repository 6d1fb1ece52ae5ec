"""The law of what stands: what gives way to an event, as the page has it."""

from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, Final

from tests.graph.oracle.knowing.standing import gives_status, supersede
from tests.graph.oracle.memory import HELD, Memory
from tests.graph.oracle.records import Name, Node, Ruling
from yggdrasil_schemas.refusals import Refusal

RIVALS_MAX: Final = 8
RUNGS: Final = {"active": 0, "prior": 0, "candidate": 0, "contested": 1, "quarantined": 2}  # the best first


@dataclass
class Succession:
    """What an event with a key, or in place of another, will do; nothing of it is done yet."""

    slot: bytes
    status: str = "active"
    instead: Node | None = None
    giving_way: list[Node] = field(default_factory=list[Node])  # in the order in which they are superseded


def planned(m: Memory, body: dict[str, Any]) -> Succession | Refusal | None:
    """What comes of ``key`` and ``supersedes``; None where an event has neither."""
    name = body.get("supersedes")
    if name is None and "key" not in body:
        return None
    refusal = m.not_corrigible(name) if name is not None else None
    if refusal is not None:
        return refusal
    old = m.left(name) if name is not None else None
    unslotted = m.seqs[name] << 6 if name is not None else 0
    refusal = m.may_change(old) if old is not None and old.live else None
    if refusal is not None:
        return refusal
    plan = Succession(_slot(body.get("key"), old, unslotted))
    rivals = [node for node in m.in_slot(plan.slot) if node is not old and node.status in HELD]
    above = [node for node in rivals if node.status not in ("candidate", "quarantined") and _above(m, node)]
    if above:
        far = [node for node in above if m.pin_holds(node) or node.authority > m.trust + 1]
        plan.status = "quarantined" if far else "contested"
        plan.instead = max(above, key=lambda node: (node.authority, -node.number))
        m.happened.append("held back by a pin" if any(map(m.pin_holds, above)) else f"held back: {plan.status}")
    no_better = [node for node in rivals if RUNGS[node.status] >= RUNGS[plan.status]]
    plan.giving_way = [node for node in no_better if not _above(m, node)]
    if len(rivals) - len(plan.giving_way) >= RIVALS_MAX:
        return Refusal.SLOT_FULL
    if old is not None and old.live and old.status in HELD:
        m.happened.append("in place of one in another slot" if old.slot not in (b"", plan.slot) else "in place of one")
        plan.giving_way.append(old)
    elif old is not None:
        m.happened.append("in place of one that has fallen" if old.live else "in place of one forgotten")
    return plan


def _slot(key: str | None, old: Node | None, number: int) -> bytes:
    if key is not None:
        return blake2b(key.encode(), digest_size=16, person=b"yggdrasil-key").digest()
    if old is None:
        raise AssertionError("an event with neither a key nor an old one has no slot")
    return (old.slot if old.live else b"") or number.to_bytes(16, "big")


def _above(m: Memory, node: Node) -> bool:
    return m.pin_holds(node) or node.authority > m.trust


def succeed(m: Memory, name: Name, event: Node, plan: Succession) -> None:
    """At the end of an event: it takes its place, and what gives way is superseded."""
    waits = m.trust < m.p.notes_trust_min
    status = (
        m.first_status(m.trust) if plan.status == "active" or (plan.status == "contested" and waits) else plan.status
    )
    gives_status(m, event, status, name, plan.slot, plan.instead)
    for node in plan.giving_way:
        supersede(m, node, Ruling(plan.slot, name, m.trust, event))
