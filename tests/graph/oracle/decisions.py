"""The laws of what thinkers and operators decide, but sleep."""

from collections import Counter
from decimal import Decimal
from itertools import pairwise
from typing import Any

from tests.graph.oracle.memory import Memory
from tests.graph.oracle.recalls import drop_recalls
from tests.graph.oracle.records import (
    ONE,
    ZERO,
    Act,
    Name,
    Node,
    Scorer,
    Session,
    Spent,
    by_number,
    constants,
    exact,
    within,
)
from tests.graph.oracle.regards import settle
from tests.graph.oracle.sessions import clear, make_room, room_on_desk
from yggdrasil_schemas.policy import changed
from yggdrasil_schemas.refusals import Refusal

THINKERS_MAX = 32
SCORERS_MAX = 16
SNAPSHOTS_MAX = 64
VECTORS_MAX = 2
OUTCOMES_MAX = 16


def misplaced(m: Memory, body: dict[str, Any]) -> Refusal | None:
    """Whether the thinker's cursor forbids its decision; when not, the decision, or this part of it, is in."""
    thinker = body.get("thinker")
    if thinker is None:
        return None
    name, end = thinker["name"], thinker["cursor_to"]
    part, parts = thinker.get("part", 0), thinker.get("parts", 1)
    if thinker["cursor_from"] != m.cursors.get(name, 0):
        return Refusal.CURSOR_STALE
    if name in m.open:
        if m.open[name][:2] != (end, parts):
            return Refusal.CURSOR_STALE
        if part in m.open[name][2]:
            return Refusal.PART_STALE
    else:
        if end <= thinker["cursor_from"] or end > m.seq:
            return Refusal.CURSOR_AHEAD
        if name not in m.cursors and len(m.cursors) >= THINKERS_MAX:
            return Refusal.THINKERS_FULL
        m.open[name] = (end, parts, set())
        m.cursors.setdefault(name, 0)
    m.open[name][2].add(part)
    if len(m.open[name][2]) == parts:
        if parts > 1:
            m.happened.append("all parts are in")
        m.cursors[name] = end
        del m.open[name]
    return None


def retire_thinker(m: Memory, _name: Name, body: dict[str, Any], _session: str) -> Refusal | None:
    if not m.by_operator:
        return Refusal.NOT_ALLOWED
    if body["name"] not in m.cursors:
        return Refusal.UNKNOWN_THINKER
    del m.cursors[body["name"]]
    if m.open.pop(body["name"], None):
        m.happened.append("retired with parts missing")
    return None


def snapshot(m: Memory, _name: Name, body: dict[str, Any], _session: str) -> Refusal | None:
    if not m.by_operator:
        return Refusal.NOT_ALLOWED
    named, there = body["name"], body["name"] in m.snapshots
    if body.get("drop"):
        return None if m.snapshots.pop(named, None) else Refusal.UNKNOWN_SNAPSHOT
    if there or len(m.snapshots) == SNAPSHOTS_MAX:
        return Refusal.SNAPSHOT_EXISTS if there else Refusal.SNAPSHOTS_FULL
    m.snapshots[named] = m.seq + 1
    return None


def adopt_scorer(m: Memory, name: Name, body: dict[str, Any], _session: str) -> Refusal | None:
    named = body.get("scorer")
    if not m.by_operator:
        own = m.origin == "thinker" and named is None
        if not own or (body["active"] and not m.policy.scorer_adopt):
            return Refusal.NOT_ALLOWED
    if named is None:
        if body["samples"] < m.policy.scorer_samples_min:
            return Refusal.TOO_FEW_SAMPLES
        idle = [each for each, kept in m.scorers.items() if not kept.adopted and kept.trust <= m.stamped]
        if len(m.scorers) == SCORERS_MAX and not idle:
            return Refusal.SCORERS_FULL
        refusal = misplaced(m, body)
        if refusal is not None:
            return refusal
        if len(m.scorers) == SCORERS_MAX:
            del m.scorers[idle[0]]
            m.happened.append("a scorer makes room")
        m.scorers[name] = Scorer(m.seq + 1, m.stamped, body["samples"])
        named = name
    else:
        if named not in m.scorers:
            return Refusal.UNKNOWN_SCORER
        if body["active"] and m.scorers[named].samples < m.policy.scorer_samples_min:
            return Refusal.TOO_FEW_SAMPLES
        if not body["active"] and not m.scorers[named].adopted:
            return Refusal.SCORER_NOT_ADOPTED
        refusal = misplaced(m, body)
        if refusal is not None:
            return refusal
    m.scorers[named].adopted = m.seq + 1 if body["active"] else 0
    for each in sorted(m.scorers.values(), key=lambda kept: -kept.adopted)[2:]:
        each.adopted = 0
    return None


def commit_episode(m: Memory, name: Name, body: dict[str, Any], session_name: str) -> Refusal | None:
    refusal = m.not_among(body["events"], "record_event")
    if refusal is not None:
        return refusal
    refusal = m.not_among(body.get("episodes", []), "commit_episode")
    if refusal is not None:
        return refusal
    events = by_number(m.made[each] for each in [*body["events"], *body.get("episodes", [])] if m.made[each].live)
    if not events:
        return Refusal.EVENT_FORGOTTEN
    if any(each.kind == "episode" for each in events):
        m.happened.append("an episode of episodes")
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
    m.consist(episode, events)
    if m.episode is not None and m.episode.live:
        m.link(m.episode, "temporal", episode)
    for last in {session.episode for session in sessions}:
        if last is not None and last.live:
            m.link(last, "trajectory", episode)
            m.happened.append("episodes in a row")
    carried = Counter(each for event in events for each in _carried(m, event))
    episode.parts = sorted(carried, key=lambda each: (-carried[each], each.number))[: p.features_paired_max]
    for node in episode.parts:
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
    return [*(each for each in event.parts if each.live), *m.containers(event, "concept")]


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
    members = list(dict.fromkeys(node for node in map(m.live, body["members"]) if node is not None))
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
    m.consist(concept, members)
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
    along = list(dict.fromkeys(node for node in map(m.live, body["trajectory"]) if node is not None))
    if not along:
        return Refusal.NODE_FORGOTTEN
    if _elsewhere(m, body, set(along)):
        return Refusal.EVIDENCE_ELSEWHERE
    refusal = misplaced(m, body)
    if refusal is not None:
        return refusal
    moved: list[tuple[Node, Decimal, Decimal]] = []
    for node in along:
        m.settle(node)
        salience, permanence, factor = _allowed(m, node, body)
        m.gain_salience(node, salience)
        m.gain_permanence(node, permanence)
        m.multiply_stability(node, factor)
        m.steady(node)
        moved.append((node, salience, factor))
    for (one, ours, slower), (other, theirs, slower_too) in pairwise(moved):
        for key, edge in m.edges.items():
            if {key[0], key[2]} == {one, other}:
                m.settle(edge)
                m.gain_weight(edge, min(ours, theirs, key=abs))
                m.multiply_half_life(edge, min(slower, slower_too, key=_size))
                m.happened.append("edge adjusted")
    return None


def _size(factor: Decimal) -> Decimal:
    return max(factor, 1 / factor)


def _elsewhere(m: Memory, body: dict[str, Any], along: set[Node]) -> bool:
    """Whether nothing that the evidence made is on the trajectory or has an edge to what is."""
    for each in body["evidence"]:
        made = m.left(each)
        if made is None or not made.live:
            continue
        if made in along or any({key[0], key[2]} & along for key in m.edges_of(made)):
            return False
    return True


def _allowed(m: Memory, node: Node, body: dict[str, Any]) -> tuple[Decimal, Decimal, Decimal]:
    """What of the changes a node is allowed in this window, which that then has spent."""
    p, spent = m.p, node.spent
    if spent is None or m.tick - spent.begun >= p.adjust_window_ticks:
        spent = Spent(m.tick)
    left = max(ZERO, p.adjust_salience_max - spent.salience)
    salience = within(exact(body["salience"]), -left, left)
    left = max(ZERO, p.adjust_permanence_max - spent.permanence)
    permanence = within(exact(body["permanence"]), -left, left)
    left = max(ONE, p.adjust_half_life_max / spent.factor)
    factor = within(exact(body["half_life"]), 1 / left, left)
    if node.protected:
        salience, permanence, factor = max(salience, ZERO), max(permanence, ZERO), max(factor, ONE)
    if (salience, permanence, factor) != (ZERO, ZERO, ONE):
        m.happened.append("adjusted again" if spent is node.spent else "adjusted anew" if node.spent else "adjusted")
        spent.salience += abs(salience)
        spent.permanence += abs(permanence)
        spent.factor *= _size(factor)
        node.spent = spent
        node.flags.add("adjusted")
    return salience, permanence, factor


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
        node.pinned_at = min(exact(body["permanence"]), m.p.permanence_max)
    else:
        node.flags.discard("pinned")
        node.pinned_at = ZERO
    m.steady(node)
    settle(m, node)
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


def lift_catastrophe(m: Memory, _name: Name, body: dict[str, Any], _session: str) -> Refusal | None:
    if not m.by_operator:
        return Refusal.NOT_ALLOWED
    if m.unknown([body["node"]]):
        return Refusal.UNKNOWN_REFERENCE
    node = m.live(body["node"])
    if node is None:
        return Refusal.NODE_FORGOTTEN
    if "catastrophic" not in node.flags:
        return Refusal.NOT_CATASTROPHIC
    _lift(m, node)
    lifted = [each for each in _shared(m, node) if not _shared(m, each)]
    for each in lifted:
        _lift(m, each)
        m.happened.append(f"lifted with its {'event' if each.kind == 'outcome' else 'outcome'}")
    return None


def _lift(m: Memory, node: Node) -> None:
    m.settle(node)
    node.flags.remove("catastrophic")
    m.multiply_stability(node, 1 / m.p.catastrophic_half_life)
    m.steady(node)


def _shared(m: Memory, node: Node) -> list[Node]:
    """The catastrophic outcomes of a node; of an outcome, whatever catastrophic leads to it."""
    if node.kind == "outcome":
        return [each for each in m.sources("causal", node) if "catastrophic" in each.flags]
    outcomes = [each for each in m.targets(node, "causal") if each.kind == "outcome"]
    return [each for each in outcomes if "catastrophic" in each.flags]


def attach_vector(m: Memory, name: Name, body: dict[str, Any], _session: str) -> Refusal | None:
    if m.unknown([body["node"]]):
        return Refusal.UNKNOWN_REFERENCE
    node = m.live(body["node"])
    if node is None:
        return Refusal.NODE_FORGOTTEN
    if m.trust < (4 if node.kind == "feature" else node.trust):
        return Refusal.NOT_TRUSTED
    others = sorted(node.vectors, key=lambda model: (node.vectors[model][1], node.vectors[model][0]))
    known = body["model"] in node.vectors
    leaving = [body["model"]] if known else others[:1] if len(others) == VECTORS_MAX else []
    for model in leaving:
        if m.trust < node.vectors[model][1]:
            return Refusal.NOT_TRUSTED
        m.happened.append("vector replaced" if known else "vector dropped")
        del node.vectors[model]
    node.flags.add("vectored")
    node.vectors[body["model"]] = (m.seq + 1, m.stamped)
    m.acts[name] = Act(m.trust, (node, body["model"]))
    return None


def set_policy(m: Memory, _name: Name, body: dict[str, Any], _session: str) -> Refusal | None:
    policy = changed(m.policy, body["changes"])
    if policy.conflict():
        return Refusal.POLICY_CONFLICT
    m.policy, m.p = policy, constants(policy)
    make_room(m)
    for _, session in sorted(m.sessions.items()):
        clear(m, session, room_on_desk(m), "", 4)
    drop_recalls(m)
    return None


def attest(m: Memory, _name: Name, _body: dict[str, Any], _session: str) -> Refusal | None:
    seq = m.seq + 1
    if m.attested and seq - m.attested < m.p.attest_interval_commands:
        return Refusal.ATTEST_TOO_SOON
    m.attested = seq
    return None
