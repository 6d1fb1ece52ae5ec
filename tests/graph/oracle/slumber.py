"""The law of sleep."""

from typing import Any

from tests.graph.oracle.bounds import beyond_share, lowest_of, node_rank
from tests.graph.oracle.decisions import dissolve, misplaced
from tests.graph.oracle.memory import LEVELS, Memory
from tests.graph.oracle.records import Name, Node, by_number
from tests.graph.oracle.regards import settle
from tests.graph.oracle.sessions import end_idle
from yggdrasil_schemas.refusals import Refusal


def sleep(m: Memory, _name: Name, body: dict[str, Any], _session: str) -> Refusal | None:
    refusal = misplaced(m, body)
    if refusal is not None:
        return refusal
    end_idle(m)
    looked = _turn(m) if body.get("scope") == "task" else set(m.nodes.values())
    m.slept = m.tick
    most = m.p.removals_per_command_max
    # 1
    for node in _first(m, most, lambda each: each in looked and _level(m, each) > each.level):
        level = _level(m, node)
        m.settle(node)
        m.multiply_stability(node, m.level_factor(level) / m.level_factor(node.level))
        node.level = level
        m.steady(node)
        settle(m, node)
        m.happened.append("consolidated")
    # 2
    dissolving = _first(m, most // 32, lambda each: each in looked and _dissolves(m, each))
    m.name_heirs([node for node in dissolving if node.kind == "concept"])
    for node in dissolving:
        dissolve(m, node)
        m.happened.append(f"{node.kind} dissolved")
    # 3
    held = m.held()
    for node in _first(m, most, lambda each: each in looked and each not in held and _fades_out(m, each)):
        m.settle(node)
        node.flags.add("archived")
        m.happened.append("archived")
    if body.get("scope") == "task":
        return None
    # 4
    active = [node for node in by_number(m.nodes.values()) if _weighs(node)]
    excess = sum(_weight(m, node) for node in active) - m.p.capacity_weight_max
    free = [node for node in active if node not in held and not node.protected]
    for node in sorted(free, key=lambda each: (each.trust > 0, each.level, each.touched, each.number))[:most]:
        if excess > 0:
            excess -= _weight(m, node)
            m.settle(node)
            node.flags.add("archived")
            m.happened.append("archived for room")
    # 5
    archived = [node for node in m.nodes.values() if "archived" in node.flags and node not in held]
    ranked = sorted(((node_rank(m, node), node) for node in archived), key=lambda each: (each[0], each[1].number))
    beyond = beyond_share(m, ranked, lambda node: node.trust, m.p.archived_max)
    groups = [each for each in ranked if each[1] in beyond], [each for each in ranked if each[1] not in beyond]
    going = lowest_of(m, groups, min(len(archived) - m.p.archived_max, most))
    m.name_heirs(going)
    for node in by_number(going):
        m.remove(node)
        m.happened.append("forgotten asleep")
    return None


def _turn(m: Memory) -> set[Node]:
    """What was touched since the last sleep, and the next nodes after the last one that had its turn, in a circle."""
    living = by_number(m.nodes.values())
    circle = [each for each in living if each.number > m.looked] + [each for each in living if each.number <= m.looked]
    turn = circle[: int(m.p.sleep_slice)]
    if len(turn) < len(circle):
        m.happened.append("had its turn")
    m.looked = turn[-1].number if turn else 0
    return {*turn, *[each for each in living if each.touched >= m.slept]}


def _first(m: Memory, most: int, condition: Any) -> list[Node]:
    return [node for node in by_number(m.nodes.values()) if condition(node)][:most]


def _level(m: Memory, node: Node) -> int:
    reached = [level for level, (uses, _) in enumerate(LEVELS, 1) if node.usage >= uses]
    return max(reached, default=0)


def _below(m: Memory, node: Node) -> bool:
    """Whether salience lies below the bar, and no flag protects it."""
    return not node.protected and not m.at_least(node.salience, m.p.archive_salience, node)


def _dissolves(m: Memory, node: Node) -> bool:
    if node.kind == "concept":
        return _below(m, node) and not m.at_least(m.lasting(node), m.p.archive_permanence, node)
    conceptual = "conceptual" in node.flags and _below(m, node)
    return conceptual and not m.at_least(m.density(node), m.p.dissolve_density, node)


def _weighs(node: Node) -> bool:
    return node.kind in ("event", "outcome", "episode") and "archived" not in node.flags


def _weight(m: Memory, node: Node) -> int:
    return int(getattr(m.p, f"capacity_weight_{node.level}"))


def _fades_out(m: Memory, node: Node) -> bool:
    if not _weighs(node):
        return False
    if node.good > 0 and node.bad > 0:
        return False
    if not _below(m, node) or m.at_least(m.lasting(node), m.p.archive_permanence, node):
        return False
    if any(m.at_least(each.value, m.p.archive_salience, node) for each in node.regards.values()):
        m.happened.append("strong under a perspective")
        return False
    if m.tick - node.touched >= float(m.p.archive_rest_ticks) * float(m.level_factor(node.level)):
        return True
    m.happened.append("not at rest for long enough")
    return False
