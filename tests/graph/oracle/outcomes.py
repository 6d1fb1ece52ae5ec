"""The law of outcomes, step by step as the page has it."""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from tests.graph.oracle.events import occur
from tests.graph.oracle.memory import NEAR, Memory
from tests.graph.oracle.recalls import expect
from tests.graph.oracle.records import ONE, ZERO, EdgeKey, Name, Node, by_number, exact, sign, within
from yggdrasil_schemas.refusals import Refusal

CARRIERS_MAX = 32
EPISODES_MAX = 16


@dataclass
class Turn:
    """What the steps of one outcome share: ``size`` is m, ``value`` has the sign."""

    target: Node
    result: Node
    kind: Node
    value: Decimal
    size: Decimal


def log_outcome(m: Memory, name: Name, body: dict[str, Any], _session: str) -> Refusal | None:
    refusal = m.not_among([body["event"]], "record_event", "commit_episode")
    if refusal is not None:
        return refusal
    target = m.left_of(body["event"])
    if target is None:
        return Refusal.EVENT_FORGOTTEN
    for each in body.get("trajectory", []):
        refusal = m.not_among([each], "record_event", "commit_episode")
        if refusal is not None:
            return refusal
        if m.made[each].kind == "event" and m.made[each].seq > m.made[body["event"]].seq:
            return Refusal.LATER_EVENT
    if target is not m.made[body["event"]]:
        m.happened.append("inherited")
    # 1
    teaches = m.trust >= m.p.teach_trust_min
    if body["value"] and teaches:
        m.outcomes["good" if body["value"] > 0 else "bad"] += 1
    m.settle(target)
    m.revive(target)
    # 2
    result = m.make(name, "outcome", target.marks)
    result.trust = min(m.trust, target.trust)
    result.status = m.first_status(m.trust)
    m.link(target, "causal", result)
    kind = occur(m, "feature:outcome:" + body["kind"], result, 1)
    m.link(result, "contains", kind)
    if m.stamped == 0:
        m.take_in(m.voice)
    value = exact(body["value"])
    size = abs(value) * (m.p.first_outcome if kind.usage == 1 else ONE)
    turn = Turn(target, result, kind, value, size)
    # 3: the shares follow from the valences as they are, so they come first
    shares = _responsibilities(m, turn)
    # 4
    if not teaches:
        m.happened.append("taught nothing")
    m.give(target)
    _appraise_both(m, turn, body, [target, result] if teaches or target.trust <= m.trust else [result])
    if not teaches:
        m.account_for(name, 0, None)
        return None
    # 5
    _teach(m, turn, shares)
    if value:
        # 6
        reached = _flow_back(m, turn, body.get("trajectory", []))
        # 7
        _inform(m, turn, {target, *(carrier for carrier, _, _ in shares), *reached})
        # 8
        _go_up_and_down(m, turn)
    # 9
    causal = m.edges[target, "causal", result]
    m.gain_weight(causal, size)
    causal.permanence = within(lasting(m, turn, size), ZERO, m.p.permanence_max)
    if value < 0:
        for key in m.edges_of(target):
            m.settle(m.edges[key])
            m.multiply_half_life(m.edges[key], 1 / (1 - (1 - m.p.bad_edge_decay) * min(size, ONE)))
    m.account_for(name, sign(value), kind)
    return None


def lasting(m: Memory, turn: Turn, size: Decimal) -> Decimal:
    """The permanence that an appraisal of this size gives."""
    if turn.value == 0:
        return ZERO
    rate: Decimal = m.p.bad_permanence if turn.value < 0 else m.p.good_permanence
    return size * rate


def appraise(m: Memory, turn: Turn, node: Node, size: Decimal) -> Decimal:
    """What an outcome does to one node; the permanence that it gives."""
    p = m.p
    if turn.value == 0:
        if node.good == node.bad == 0 and not node.protected:
            m.multiply_stability(node, p.neutral_half_life)
            m.happened.append("faded by nothing")
        return ZERO
    lasts = lasting(m, turn, size)
    if m.contradict(node, turn.value, size):
        lasts = ZERO
    m.gain_salience(node, size * (p.bad_salience if turn.value < 0 else p.good_salience))
    m.gain_permanence(node, lasts)
    node.good += turn.value > 0
    node.bad += turn.value < 0
    m.judge(node, size * sign(turn.value))
    return lasts


def _carriers(m: Memory, target: Node) -> list[tuple[Node, EdgeKey]]:
    """Whatever carries a signal, with the place of the edge between it and the target, whether or not there is one."""
    if target.kind == "concept":
        found = {each: (target, "contains", each) for each in m.contained(target, "feature")}
    else:
        kind = "contains" if target.kind == "event" else "associative"
        found = {each: (target, kind, each) for each in target.parts if each.live}
        if target.kind == "event":
            found |= {each: (each, "contains", target) for each in m.containers(target, "concept")}
    return [(each, found[each]) for each in by_number(found)][:CARRIERS_MAX]


def _responsibilities(m: Memory, turn: Turn) -> list[tuple[Node, EdgeKey, Decimal]]:
    carriers = _carriers(m, turn.target)
    weights = [1 + m.p.attribution * max(ZERO, sign(turn.value) * carrier.valence) for carrier, _ in carriers]
    whole = sum(weights, ZERO)
    return [(carrier, key, weight / whole) for (carrier, key), weight in zip(carriers, weights, strict=True)]


def _appraise_both(m: Memory, turn: Turn, body: dict[str, Any], judged: list[Node]) -> None:
    for node in judged:
        appraise(m, turn, node, turn.size)
        if body["catastrophic"] and m.trust < 2:
            m.happened.append("claimed a catastrophe")
        elif body["catastrophic"]:
            node.flags.add("catastrophic")
            m.multiply_stability(node, m.p.catastrophic_half_life)
        if body["kind"] == "guardrail_violation" and m.trust < 2:
            m.happened.append("claimed a guardrail")
        elif body["kind"] == "guardrail_violation" and turn.value < 0:
            node.permanence = min(max(node.permanence, m.p.guardrail_permanence), m.p.permanence_max)
            m.happened.append("guardrail")
        m.steady(node)


def _teach(m: Memory, turn: Turn, shares: list[tuple[Node, EdgeKey, Decimal]]) -> None:
    """Each carrier learns; what the carriers together predicted is taken from the outcome first."""
    surprise = turn.value - sum((carrier.valence for carrier, _, _ in shares), ZERO)
    foretelling = 0
    for carrier, key, share in shares:
        m.settle(carrier)
        m.give(carrier)
        part = share * turn.size
        lasts = appraise(m, turn, carrier, part) if turn.value else ZERO
        m.gain_valence(carrier, m.p.surprise_rate * surprise / len(shares))
        m.steady(carrier)
        edge = m.edges.get(key)
        if edge is None:
            m.happened.append("carried without an edge")
        else:
            m.settle(edge)
            m.gain_weight(edge, m.p.credit_share * part)
            m.gain_permanence(edge, lasts)
        if foretelling < m.p.features_paired_max and _foretells(m, turn, carrier):
            foretelling += 1
            more = _foretell(m, turn, carrier, part, lasts)
            for gift in m.gifts:
                gift.told = more if gift.node is carrier else gift.told


def _foretells(m: Memory, turn: Turn, carrier: Node) -> bool:
    """Whether a feature has come to announce such outcomes."""
    if carrier.kind != "feature" or carrier is turn.kind or not turn.value:
        return False
    if abs(carrier.valence) < NEAR:
        m.unsure.add(carrier.number)
    return sign(carrier.valence) == sign(turn.value) and m.at_least(abs(carrier.valence), m.p.foretell_valence, carrier)


def _foretell(m: Memory, turn: Turn, carrier: Node, part: Decimal, lasts: Decimal) -> Decimal:
    edge = m.edges.get((carrier, "causal", turn.kind))
    if edge is not None:
        m.settle(edge)
    before = edge.weight if edge is not None else ZERO
    if edge is None:
        edge = m.link(carrier, "causal", turn.kind, part)
    else:
        m.reinforce(edge, part)
    m.gain_permanence(edge, lasts)
    m.happened.append("foretold")
    return edge.weight - before


def _flow_back(m: Memory, turn: Turn, trajectory: list[Name]) -> list[Node]:
    if trajectory:
        named = [m.left_of(each) for each in trajectory]
        steps = [node for node in dict.fromkeys(named) if node is not None and node is not turn.target]
        for node, credit in zip(steps, _credits(m, turn), strict=False):
            _credit(m, turn, node, credit)
            m.link(node, "causal", turn.result, credit)
            m.happened.append("trajectory credited")
        return steps
    reached = _behind(m, turn.target)
    for (node, key), credit in zip(reached, _credits(m, turn), strict=False):
        _credit(m, turn, node, credit)
        m.settle(m.edges[key])
        m.gain_weight(m.edges[key], credit)
        m.happened.append(f"credited along {key[1]}")
    return [node for node, _ in reached]


def _inform(m: Memory, turn: Turn, taught: set[Node]) -> None:
    """What was really used of what informed the act learns a little; what this outcome has reached before does not."""
    kept = [recall for recall in turn.target.informed if recall in m.recalls.values()]
    returned = [(node, node in recall.used) for recall in kept for node, _, _ in recall.returned]
    pupils = dict.fromkeys(node for node, used in returned if used and node.live and node not in taught)
    lesson = m.p.credit_share * turn.size
    for node in list(pupils)[: m.p.credit_events_max]:
        m.settle(node)
        m.give(node)
        if turn.value > 0:
            m.gain_salience(node, lesson)
        m.judge(node, lesson * sign(turn.value))
        expect(m, node, turn.value, m.p.credit_share)
        m.happened.append("informed well" if turn.value > 0 else "informed badly")


def _credits(m: Memory, turn: Turn) -> Iterable[Decimal]:
    """What the first, the second, ... node gets."""
    credit = m.p.credit_share * turn.size
    while True:
        yield credit
        credit *= m.p.credit_discount


def _credit(m: Memory, turn: Turn, node: Node, credit: Decimal) -> None:
    m.settle(node)
    m.give(node)
    m.gain_salience(node, credit)
    m.judge(node, credit * sign(turn.value))


def _behind(m: Memory, target: Node) -> list[tuple[Node, EdgeKey]]:
    """What led to ``target``, nearest first, each with the edge that led to it."""
    found: list[tuple[Node, EdgeKey]] = []
    seen, waiting = {target}, [target]
    while waiting:
        node = waiting.pop(0)
        for key in m.sorted_keys(key for key in m.edges_of(node) if key[2] is node and _leads_back(key)):
            if key[0] not in seen:
                seen.add(key[0])
                waiting.append(key[0])
                found.append((key[0], key))
    return found[: m.p.credit_events_max]


def _leads_back(key: EdgeKey) -> bool:
    source, kind, target = key
    if kind == "temporal":
        return target.kind == "event" and "opening" not in target.flags
    return (kind == "causal" and source.kind == "event") or (kind == "trajectory" and target.kind == "episode")


def _go_up_and_down(m: Memory, turn: Turn) -> None:
    episodes = m.containers(turn.target, "episode")[:EPISODES_MAX]
    for episode in episodes:
        share = m.p.episode_share * turn.size / len(episodes)
        m.settle(episode)
        m.revive(episode)
        m.give(episode)
        appraise(m, turn, episode, share)
        m.steady(episode)
        edge = m.edges.get((episode, "causal", turn.result))
        if edge is None:
            m.link(episode, "causal", turn.result, share)
        else:  # the trajectory has named it too
            m.gain_weight(edge, share)
        m.happened.append("carried upward")
    if turn.target.kind == "episode":
        members = m.contained(turn.target, "event", "episode")[::-1][: m.p.credit_events_max]
        for member, credit in zip(members, _credits(m, turn), strict=False):
            _credit(m, turn, member, credit)
            edge = m.edges[turn.target, "contains", member]
            m.settle(edge)
            m.gain_weight(edge, credit)
            m.happened.append("carried downward")
