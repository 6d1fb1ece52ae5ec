"""What all of what stands has in common: how a node gets a status, and what that leaves stale."""

from dataclasses import replace
from typing import Final

from tests.graph.oracle.memory import Memory
from tests.graph.oracle.records import Name, Node, Ruling

REJECTED_MAX: Final = 8


def become(m: Memory, node: Node, status: str, ruling: Ruling) -> None:
    """A status and why, and what that leaves stale, or stale no longer."""
    fell, stood = node.fallen, None if node.out else node.status
    node.status, node.ruling = status, ruling
    if stood is not None and node.out:
        node.was = stood
    node.flags.add("ruled")
    if node.claim is not None and status == "rejected":
        node.remembered = True
        let_go(m, node.slot)
    if fell != node.fallen:
        for each in _concerned(m, node):
            say_whether_stale(m, each)


def supersede(m: Memory, node: Node, ruling: Ruling) -> None:
    """It gives way, in the slot that it had, if it had one."""
    m.happened.append(f"superseded: {node.status}")
    become(m, node, "superseded", replace(ruling, slot=node.slot or ruling.slot))


def let_go(m: Memory, slot: bytes) -> None:
    """A slot remembers a few that were rejected in it: those of most authority, and of these the last."""
    rejected = [node for node in m.in_slot(slot) if node.status == "rejected"]
    for each in sorted(rejected, key=lambda node: node.authority)[:-REJECTED_MAX]:
        each.remembered = False
        m.happened.append("rejection let go")


def say_whether_stale(m: Memory, node: Node) -> None:
    """Say anew whether a node says what no longer stands."""
    stale, was = _stale(m, node), "stale" in node.flags
    if stale and not was:
        node.flags.add("stale")
        m.happened.append(f"{node.kind} left stale")
    elif was and not stale:
        node.flags.remove("stale")
        m.happened.append(f"{node.kind} stale no longer")
    elif stale:
        m.happened.append("stale all the same")


def _stale(m: Memory, node: Node) -> bool:
    if node.kind in ("episode", "concept"):
        return any(part.fallen for part in m.targets(node, "contains"))
    if node.kind == "claim":
        ends = m.sources("evidence", node)
    elif node.kind == "event":
        ends = [each for each in m.targets(node, "evidence") if each.kind == "claim"]
    else:
        return False
    if any(not end.fallen or _gave_way(m, end, node) for end in ends):
        return False
    if ends and all(end.authority < node.authority for end in ends):
        m.happened.append("left by those below")
    return any(end.authority >= node.authority for end in ends)


def _gave_way(m: Memory, end: Node, node: Node) -> bool:
    """Whether it is out because this one stands in its place."""
    instead = end.status == "superseded" and end.ruling is not None and end.ruling.instead is node
    if instead:
        m.happened.append("rests on what gave way to it")
    return instead


def _concerned(m: Memory, node: Node) -> list[Node]:
    joined = [*m.sources("evidence", node), *m.targets(node, "evidence")]
    return [*m.containers(node, "episode"), *m.containers(node, "concept"), *joined]


def gives_status(m: Memory, node: Node, status: str, name: Name, slot: bytes, instead: Node | None) -> None:
    """What a node becomes by what is said; whoever says so judges nothing."""
    become(m, node, status, Ruling(slot, name if instead else "", 0, instead))
