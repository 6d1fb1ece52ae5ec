"""The laws of what thinkers and operators decide, but sleep."""

from collections import Counter
from decimal import Decimal
from itertools import pairwise
from typing import Any

from tests.graph.oracle.events import close_sessions
from tests.graph.oracle.memory import Memory
from tests.graph.oracle.recalls import drop_recalls
from tests.graph.oracle.records import ONE, ZERO, Name, Node, Session, by_number, constants, exact, within
from yggdrasil_schemas.policy import changed
from yggdrasil_schemas.refusals import Refusal

THINKERS_MAX = 16
VECTORS_MAX = 2
OUTCOMES_MAX = 16


def misplaced(m: Memory, body: dict[str, Any]) -> Refusal | None:
    """Whether the thinker's cursor forbids its decision; when not, the cursor moves."""
    thinker = body.get("thinker")
    if thinker is None:
        return None
    if thinker["cursor_from"] != m.cursors.get(thinker["name"], 0):
        return Refusal.CURSOR_STALE
    if thinker["cursor_to"] <= thinker["cursor_from"] or thinker["cursor_to"] > m.seq:
        return Refusal.CURSOR_AHEAD
    if thinker["name"] not in m.cursors and len(m.cursors) >= THINKERS_MAX:
        return Refusal.THINKERS_FULL
    m.cursors[thinker["name"]] = thinker["cursor_to"]
    return None


def commit_episode(m: Memory, name: Name, body: dict[str, Any], session_name: str) -> Refusal | None:
    refusal = m.not_among(body["events"], "record_event")
    if refusal is not None:
        return refusal
    events = by_number(m.made[each] for each in body["events"] if m.made[each].live)
    if not events:
        return Refusal.EVENT_FORGOTTEN
    refusal = misplaced(m, body)
    if refusal is not None:
        return refusal
    for event in events:
        m.settle(event)
    p = m.p
    episode = m.make(name, "episode", {mark for event in events for mark in event.marks})
    m.gain_salience(episode, p.upward_share * sum((event.salience for event in events), ZERO) / len(events))
    m.gain_permanence(episode, p.upward_share * max(event.permanence for event in events))
    m.gain_impact(episode, p.upward_share * sum((event.impact for event in events), ZERO))
    sessions = _sessions_of(m, events, session_name)
    for event in events:
        m.link(episode, "contains", event)
    if m.episode is not None and m.episode.live:
        m.link(m.episode, "temporal", episode)
    for last in {session.episode for session in sessions}:
        if last is not None and last.live:
            m.link(last, "trajectory", episode)
            m.happened.append("episodes in a row")
    carried = Counter(each for event in events for each in _carried(m, event))
    for node in sorted(carried, key=lambda each: (-carried[each], each.number))[: p.features_paired_max]:
        m.link(episode, "associative", node, Decimal(carried[node]))
    outcomes = {each for event in events for each in m.targets(event, "causal") if each.kind == "outcome"}
    for outcome in by_number(outcomes)[:OUTCOMES_MAX]:
        m.link(episode, "causal", outcome)
    m.steady(episode)
    m.episode = episode
    for session in sessions:
        session.episode = episode
        staying = _staying(m, [event for event in session.buffer if event in events], body)
        session.buffer = [each for each in session.buffer if each not in events or each in staying]
    return None


def _sessions_of(m: Memory, events: list[Node], named: str) -> list[Session]:
    if not named:
        holding = [session for session in m.sessions.values() if any(each in session.buffer for each in events)]
        if len(holding) > 1:
            m.happened.append("an episode of several sessions")
        if holding:
            return holding
    session = m.sessions.get(named or "default")
    return [session] if session else []


def _carried(m: Memory, event: Node) -> list[Node]:
    return [*m.contained(event, "feature"), *m.containers(event, "concept")]


def _staying(m: Memory, events: list[Node], body: dict[str, Any]) -> list[Node]:
    """Which of the named events in the session's buffer, oldest first, do not leave it."""
    if body["clear"] == "all":
        return []
    if body["clear"] == "window":
        return events[max(0, len(events) - body["keep"]) :]
    key = [event for event in events if m.at_least(event.salience, m.p.key_salience, event)]
    return key + [event for event in events if "catastrophic" in event.flags]


def form_concept(m: Memory, name: Name, body: dict[str, Any], _session: str) -> Refusal | None:
    if m.unknown(body["members"]):
        return Refusal.UNKNOWN_REFERENCE
    members = [node for node in map(m.live, body["members"]) if node is not None]
    if len(members) < 2:
        return Refusal.MEMBERS_FORGOTTEN
    refusal = misplaced(m, body)
    if refusal is not None:
        return refusal
    for member in members:
        m.settle(member)
    own = (m.seq + 1) & 63
    concept = m.make(name, "concept", {own} | {mark for member in members for mark in member.marks})
    m.gain_salience(concept, m.p.upward_share * sum((each.salience for each in members), ZERO) / len(members))
    m.multiply_stability(concept, m.p.new_concept_half_life)
    for member in members:
        m.link(concept, "contains", member)
        member.marks.add(own)
        if member.kind == "feature":
            member.concept = concept
    m.steady(concept)
    return None


def dissolve_concept(m: Memory, _name: Name, body: dict[str, Any], _session: str) -> Refusal | None:
    reference = body["concept"]
    if m.unknown([reference]):
        return Refusal.UNKNOWN_REFERENCE
    node = m.live(reference)
    if reference.startswith("feature:"):
        if node is not None and "conceptual" not in node.flags:
            return Refusal.NOT_A_CONCEPT
    elif m.accepted[reference] != "form_concept":
        return Refusal.NOT_A_CONCEPT
    if node is None:
        return Refusal.NODE_FORGOTTEN
    if node.protected:
        return Refusal.NODE_PROTECTED
    refusal = misplaced(m, body)
    if refusal is not None:
        return refusal
    if node.kind == "concept":
        m.name_heirs([node])
    dissolve(m, node)
    return None


def dissolve(m: Memory, node: Node) -> None:
    if node.kind == "concept":
        m.remove(node)
        return
    m.settle(node)
    node.flags.discard("conceptual")
    m.steady(node)


def adjust(m: Memory, _name: Name, body: dict[str, Any], _session: str) -> Refusal | None:
    if m.unknown(body["trajectory"]) or m.unknown(body["evidence"]):
        return Refusal.UNKNOWN_REFERENCE
    along = [m.live(each) for each in body["trajectory"]]
    if not any(along):
        return Refusal.NODE_FORGOTTEN
    refusal = misplaced(m, body)
    if refusal is not None:
        return refusal
    p = m.p
    salience = within(exact(body["salience"]), -p.adjust_salience_max, p.adjust_salience_max)
    permanence = within(exact(body["permanence"]), -p.adjust_permanence_max, p.adjust_permanence_max)
    factor = within(exact(body["half_life"]), 1 / p.adjust_half_life_max, p.adjust_half_life_max)
    for node in along:
        if node is not None:
            m.settle(node)
            m.gain_salience(node, max(salience, ZERO) if node.protected else salience)
            m.gain_permanence(node, max(permanence, ZERO) if node.protected else permanence)
            m.multiply_stability(node, max(factor, ONE) if node.protected else factor)
            m.steady(node)
    for one, other in pairwise(node for node in along if node is not None):
        for key, edge in m.edges.items():
            if {key[0], key[2]} == {one, other}:
                m.settle(edge)
                m.gain_weight(edge, salience)
                m.multiply_half_life(edge, factor)
                m.happened.append("edge adjusted")
    return None


def pin(m: Memory, _name: Name, body: dict[str, Any], _session: str) -> Refusal | None:
    if m.unknown([body["node"]]):
        return Refusal.UNKNOWN_REFERENCE
    node = m.live(body["node"])
    if node is None:
        return Refusal.NODE_FORGOTTEN
    principle = body.get("principle", False)
    if principle and node.kind not in ("event", "episode", "concept"):
        return Refusal.NOT_A_PRINCIPLE
    if principle and node not in m.principles and len(m.principles) >= m.p.principles_max:
        return Refusal.PRINCIPLES_FULL
    m.settle(node)
    m.revive(node)
    if body["pinned"]:
        node.flags.add("pinned")
        node.permanence = min(max(node.permanence, exact(body["permanence"])), m.p.permanence_max)
        for key in m.edges_of(node):
            m.settle(m.edges[key])
            m.edges[key].permanence = max(m.edges[key].permanence, node.permanence)
    else:
        node.flags.discard("pinned")
    m.steady(node)
    if principle and node not in m.principles:
        m.principles.append(node)
        node.flags.add("principle")
        m.happened.append("principle named")
    elif not principle and node in m.principles:
        m.principles.remove(node)
        node.flags.discard("principle")
        m.happened.append("principle taken out")
    elif principle:
        m.happened.append("principle again")
    return None


def attach_vector(m: Memory, _name: Name, body: dict[str, Any], _session: str) -> Refusal | None:
    if m.unknown([body["node"]]):
        return Refusal.UNKNOWN_REFERENCE
    node = m.live(body["node"])
    if node is None:
        return Refusal.NODE_FORGOTTEN
    if body["model"] in node.vectors:
        m.happened.append("vector replaced")
    node.flags.add("vectored")
    node.vectors[body["model"]] = m.seq + 1
    if len(node.vectors) > VECTORS_MAX:
        oldest = sorted(node.vectors.items(), key=lambda each: each[1])[0][0]
        del node.vectors[oldest]
        m.happened.append("vector dropped")
    return None


def set_policy(m: Memory, _name: Name, body: dict[str, Any], _session: str) -> Refusal | None:
    policy = changed(m.policy, body["changes"])
    if policy.conflict():
        return Refusal.POLICY_CONFLICT
    m.policy, m.p = policy, constants(policy)
    close_sessions(m)
    drop_recalls(m)
    return None


def attest(m: Memory, _name: Name, _body: dict[str, Any], _session: str) -> Refusal | None:
    seq = m.seq + 1
    if m.attested and seq - m.attested < m.p.attest_interval_commands:
        return Refusal.ATTEST_TOO_SOON
    m.attested = seq
    return None
