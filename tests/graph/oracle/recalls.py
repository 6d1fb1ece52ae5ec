"""The laws of recall and use."""

from decimal import Decimal
from math import floor
from typing import Any

from tests.graph.oracle.memory import Memory, voice
from tests.graph.oracle.records import ONE, ZERO, Act, Name, Node, Recall
from tests.graph.oracle.regards import keys_of, regard
from yggdrasil_schemas.refusals import Refusal


def record_recall(m: Memory, name: Name, body: dict[str, Any], _session: str) -> Refusal | None:
    if m.unknown(body["returned"]):
        return Refusal.UNKNOWN_REFERENCE
    if body["as_of"] > m.seq:
        return Refusal.AS_OF_AHEAD
    returned: list[tuple[Node, Decimal, Decimal]] = []
    noticed: list[Node] = []
    for each in body["returned"]:
        node = m.live(each)
        if node is None:
            continue
        m.settle(node)
        returned.append((node, node.salience, node.permanence))
        if m.trust < m.p.teach_trust_min:
            m.happened.append("noticed by nobody")
            continue
        m.revive(node)
        if node.recalled_at != m.tick:
            m.gain_salience(node, m.p.recall_salience * (1 - node.salience / m.p.salience_max))
            node.candidates += 1
            node.recalled_at = m.tick
            noticed.append(node)
    for key in m.between(noticed):
        edge = m.edges[key]
        m.settle(edge)
        m.gain_weight(edge, m.p.recall_salience * (1 - edge.weight / m.p.weight_max))
        m.happened.append("noticed together")
    shown = [node for node, _, _ in returned]
    recall = Recall(m.seq + 1, body["as_of"], returned, who=m.voice, trust=m.trust)
    recall.least = min((node.trust for node in shown), default=4)
    recall.under = keys_of(m, body)
    foreign = [node for node in shown if node.trust == 0]
    if foreign:
        first = foreign[0]
        m.take_in(m.voice if first.kind == "feature" else voice(first.source, first.process))
    m.recalls[name] = m.every_recall[name] = recall
    excess = len(m.recalls) - m.p.recalls_kept_max
    theirs = [each for each, kept in m.recalls.items() if kept.trust <= m.trust]
    share = m.p.agents_share if m.trust else m.p.foreign_share
    beyond = len(theirs) - floor(share * m.p.recalls_kept_max)
    if m.trust < 2 and min(excess, beyond) > 0:
        for each in theirs[: min(excess, beyond)]:
            del m.recalls[each]
            m.happened.append("an agent's recall first" if m.trust else "a stranger's recall first")
    drop_recalls(m)
    return None


def record_read(m: Memory, _name: Name, body: dict[str, Any], _session: str) -> Refusal | None:
    return Refusal.AS_OF_AHEAD if body["as_of"] > m.seq else None


def drop_recalls(m: Memory) -> None:
    while len(m.recalls) > m.p.recalls_kept_max:
        del m.recalls[next(iter(m.recalls))]
        m.happened.append("recall dropped")


def report_use(m: Memory, name: Name, body: dict[str, Any], _session: str) -> Refusal | None:
    if m.unknown(body["used"]):
        return Refusal.UNKNOWN_REFERENCE
    if body["recall"] not in m.every_recall:
        return Refusal.UNKNOWN_RECALL
    recall = m.recalls.get(body["recall"])
    if recall is None:
        return Refusal.RECALL_FORGOTTEN
    if recall.who != m.voice and m.trust < recall.trust:
        return Refusal.NOT_TRUSTED
    if recall.reported:
        return Refusal.RECALL_REPORTED
    used = list(dict.fromkeys(node for node in map(m.live, body["used"]) if node is not None))
    # A feature that came after the recall cannot be told from one that was forgotten and came again: passed over.
    used = [node for node in used if node.kind != "feature" or node.seq < recall.seq]
    returned = [node for node, _, _ in recall.returned]
    if any(node not in returned for node in used):
        return Refusal.NOT_RECALLED
    p = m.p
    if m.trust < p.teach_trust_min:
        m.happened.append("reported in vain")
        used = []
    impact = {"success": p.impact_success, "failure": p.impact_failure, "unknown": ZERO}[body["result"]]
    impact += p.impact_helpful * body["helpful"] + p.impact_prevented * body["prevented_error"]
    under = keys_of(m, body) if body.get("perspectives") else recall.under
    gain = p.regard_use if impact >= 0 else -p.regard_use
    regards: dict[Node, list[Decimal]] = {}
    for node in used:
        m.settle(node)
        m.give(node)
        if impact < 0:
            _failed(m, node, impact)
            regards[node] = regard(m, node, under, gain, m.trust, 0)
            continue
        node.usage += 1
        m.gain_permanence(node, p.use_permanence + p.impact_permanence * impact)
        m.multiply_stability(node, p.use_half_life)
        if impact:
            expect(m, node, impact, ONE)
        m.judge(node, impact)
        m.steady(node)
        node.used_at = m.tick
        if body["result"] == "success" or body["helpful"] or body["prevented_error"]:
            node.served += 1
        m.happened.append("used")
        regards[node] = regard(m, node, under, gain, m.trust, 1)
    recall.reported, recall.used = m.seq + 1, used
    m.account_for(name, 0, None)
    for key in m.between(used) if impact >= 0 else []:
        edge = m.edges[key]
        m.settle(edge)
        weight, half_life = edge.weight, edge.half_life
        m.gain_weight(edge, p.association_weight)
        m.multiply_half_life(edge, p.edge_reinforce_half_life)
        m.accounts[name].edges.append((key, edge.weight - weight, edge.half_life / half_life))
        m.happened.append("used together")
    m.accounts[name].under = under
    for gift in m.gifts:
        gift.regards = regards[gift.node]
    m.acts[name] = Act(m.trust, recall)
    return None


def _failed(m: Memory, node: Node, impact: Decimal) -> None:
    m.contradict(node, impact, -impact)
    m.gain_salience(node, -m.p.recall_salience)
    expect(m, node, impact, ONE)
    if node.impact > 0:
        m.judge(node, impact)
        node.impact = max(node.impact, ZERO)
    before, pace = node.half_life, node.each_tick
    m.steady(node)
    if node.half_life > before:
        node.half_life, node.each_tick = before, pace
    m.happened.append("misled")


def expect(m: Memory, node: Node, value: Decimal, share: Decimal) -> None:
    """What using a node is worth comes nearer to a value; a failure never raises it."""
    if node.kind in ("feature", "concept"):
        return
    step = share * m.p.surprise_rate * (value - node.valence)
    if value > 0 or step < 0:
        m.gain_valence(node, step)
