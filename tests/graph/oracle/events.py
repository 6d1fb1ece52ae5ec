"""The law of events, step by step as the page has it."""

from decimal import Decimal
from fractions import Fraction
from typing import Any

from tests.graph.oracle.knowing.condensing import concluded, condense, condensed_by
from tests.graph.oracle.knowing.succession import planned, succeed
from tests.graph.oracle.memory import Memory
from tests.graph.oracle.records import ONE, ZERO, Name, Node, Recall, Session, by_number, decimal, session_mark
from tests.graph.oracle.regards import begin, keys_of
from tests.graph.oracle.sessions import bound, end_idle, make_room, unbound
from yggdrasil_schemas.refusals import Refusal

LOOKED_AT_EVERY = 8  # occurrences


def record_event(m: Memory, name: Name, body: dict[str, Any], session_name: str) -> Refusal | None:
    if any(m.accepted.get(recall) != "record_recall" for recall in body["informed_by"]):
        return Refusal.UNKNOWN_RECALL
    refusal = m.not_among(body.get("caused_by", []), "record_event")
    informed = [m.every_recall[recall] for recall in dict.fromkeys(body["informed_by"])]
    condensed = refusal or condensed_by(m, body)
    if isinstance(condensed, Refusal):
        return condensed
    if refusal := unbound(m, body, session_name):
        return refusal
    own = concluded(m, _derived(m, [m.made[cause] for cause in body.get("caused_by", [])], informed), condensed)
    m.trust = m.vouched = min(m.trust, own)
    plan = planned(m, body)
    if isinstance(plan, Refusal):
        return plan
    # 1
    m.pass_a_tick()
    if own == 0:
        m.take_in(m.voice)
    mark = session_mark(session_name)
    session = m.sessions.get(session_name)
    event = m.make(name, "event", {mark})
    event.trust = m.trust
    event.status = m.first_status(m.trust)
    # 2
    features: list[Node] = []
    newness: list[Decimal] = []
    rivals: list[Node | None] = []
    for place, each in enumerate(body["features"], start=1):
        feature = occur(m, "feature:" + each, event, place)
        features.append(feature)
        newness.append(ONE / feature.usage)
        rivals.append(feature.latest)
        feature.latest = event
    # 3
    leading = features[0] if features else None
    step = _transition(m, session.leading if session else None, leading)
    # 4
    novelty = sum(newness, ZERO) / len(newness) if newness else ONE
    if step is not None:
        novelty = (1 - m.p.transition_share) * novelty + m.p.transition_share * step
    event.salience = min(m.p.salience_initial + m.p.novelty_max * novelty, m.p.salience_max)
    # 5
    concept = _absorb(m, event, features, mark)
    event.salience = min(event.salience * _loudness(m, body), m.p.salience_max)
    begin(m, event, keys_of(m, body), event.trust)
    # 6
    for feature in features:
        m.link(event, "contains", feature)
    event.parts = features
    event.informed = informed
    if concept is None:
        _associate(m, features[: m.p.features_paired_max])
    # 7
    previous = session.last if session else None
    _continue(m, event, session_name, leading)
    # 8
    _compete(m, [each for each in rivals if each is not None and each is not previous])
    # 9
    for cause in dict.fromkeys(body.get("caused_by", [])):
        if m.made[cause].live:
            m.link(m.made[cause], "causal", event)
            m.happened.append("caused")
    if plan is not None:
        succeed(m, name, event, plan)
    _condense(m, name, event, body, condensed)
    bound(m, name, body, m.sessions[session_name], event)
    return None


def _condense(m: Memory, name: Name, event: Node, body: dict[str, Any], condensed: list[Node]) -> None:
    if condensed:
        m.digests[name] = list(body["condenses"]), m.stamped
        condense(m, name, event, event.trust, condensed)


def _derived(m: Memory, causes: list[Node], informed: list[Recall]) -> int:
    """How far an event is trusted for what it comes from, whatever came into the session."""
    if m.origin not in ("agent", "thinker", "import"):
        return m.stamped
    kept = [recall.least for recall in informed if recall in m.recalls.values()]
    least = min([m.stamped, *(cause.trust for cause in causes if cause.live), *kept])
    if least < m.stamped:
        m.happened.append("less than its writer")
    return least


def occur(m: Memory, name: Name, by: Node, place: int) -> Node:
    """A feature occurs in something: in an event, where its place is counted from 1, or as the kind of an outcome."""
    feature = m.live(name)
    if feature is None:
        feature = m.make(name, "feature", ordinal=place)
    else:
        m.settle(feature)
        m.gain_salience(feature, m.p.feature_salience)
        feature.mentions += 1
    feature.trust = max(feature.trust, by.trust) if feature.usage else by.trust
    feature.usage += 1
    feature.heeded += 1 if by.trust else 0
    feature.witnessed += 1 if by.trust > 1 else 0
    feature.marks |= by.marks
    if feature.usage == 1 or feature.usage % LOOKED_AT_EVERY == 0:
        _promote(m, feature)
        m.steady(feature)
    return feature


def _promote(m: Memory, feature: Node) -> None:
    if "conceptual" in feature.flags:
        if not m.at_least(m.density(feature), m.p.dissolve_density, feature):
            feature.flags.discard("conceptual")
            m.happened.append("demoted")
        return
    asked = [8 << n for n in range(30)]
    if feature.usage not in asked or feature.usage < m.p.concept_usage:
        return
    if m.at_least(m.density(feature), m.p.concept_density, feature):
        beyond = m.p.concept_beyond_chance
        if not beyond:
            feature.flags.add("conceptual")
            m.happened.append("promoted")
        elif _turns_out_beyond_chance(m, feature, beyond):
            feature.flags.add("conceptual")
            m.happened.append("promoted by outcomes")
        elif _met_beyond_chance(m, feature, 2 * beyond):
            feature.flags.add("conceptual")
            m.happened.append("promoted by company")


def _turns_out_beyond_chance(m: Memory, feature: Node, beyond: Decimal) -> bool:
    if not m.outcomes.total():
        return False
    told = feature.good + feature.bad
    return any(
        _exceeds(m, feature, count, Fraction(told * m.outcomes[side], m.outcomes.total()), beyond)
        for side, count in (("good", feature.good), ("bad", feature.bad))
    )


def _met_beyond_chance(m: Memory, feature: Node, beyond: Decimal) -> bool:
    met = [
        (({key[0], key[2]} - {feature}).pop(), m.edges[key].usage)
        for key in m.edges_of(feature)
        if key[1] == "associative"
    ]
    return any(
        _exceeds(m, feature, times, Fraction(feature.usage * other.usage, m.tick), beyond)
        for other, times in met
        if other.kind == "feature" and times >= 8
    )


def _exceeds(m: Memory, feature: Node, count: int, expected: Fraction, beyond: Decimal) -> bool:
    excess = count - expected
    if count < 8 or excess <= 0:
        return False
    return m.at_least(excess * excess, Fraction(beyond) ** 2 * expected, feature)


def _transition(m: Memory, before: Node | None, after: Node | None) -> Decimal | None:
    if before is None or after is None or not before.live:
        return None
    if before is after:
        m.happened.append("stayed")
        return ZERO
    followed, before.follower = before.follower is after, after
    edge = m.edges.get((before, "trajectory", after))
    if edge is not None:
        newness = ONE / (1 + edge.usage)
        m.reinforce(edge, m.p.association_weight)
        m.happened.append("stepped again")
        return newness
    if followed:
        m.link(before, "trajectory", after, m.p.association_weight, usage=2)
        m.happened.append("stepped twice")
        return ONE / 2
    return ONE


def _absorb(m: Memory, event: Node, features: list[Node], mark: int) -> Node | None:
    best, most = None, Fraction(-1)
    for concept in [feature.concept for feature in features]:
        if concept is None or not concept.live:
            continue
        inside, ours = set(m.contained(concept, "feature")), set(features)
        jaccard = Fraction(len(inside & ours), len(inside | ours))
        if jaccard > most:
            best, most = concept, jaccard
    if best is None or most < Fraction(m.p.absorb_jaccard):
        return None
    m.multiply_stability(event, m.p.absorbed_half_life)
    event.salience = m.p.salience_initial
    m.steady(event)
    m.link(best, "contains", event, decimal(most))
    m.settle(best)
    m.gain_salience(best, m.p.feature_salience)
    best.usage += 1
    best.mentions += 1
    best.marks.add(mark)
    m.multiply_stability(best, m.p.use_half_life)
    m.steady(best)
    for feature in features:
        edge = m.edges.get((best, "contains", feature))
        if edge is not None:
            m.reinforce(edge, m.p.association_weight)
    m.happened.append("absorbed")
    return best


def _loudness(m: Memory, body: dict[str, Any]) -> Decimal:
    """How much more, or less, it stands out than usual; nobody is louder than that who teaches nothing."""
    percent = body.get("prominence", 50)
    if percent > 50 and m.trust < m.p.teach_trust_min:
        m.happened.append("shouted in vain")
        percent = 50
    m.happened += ["stands out"] * (percent > 50) + ["stands back"] * (percent < 50)
    return Decimal(50 + percent) / 100


def _associate(m: Memory, features: list[Node]) -> None:
    pairs = [(one, other) for n, one in enumerate(features) for other in features[n + 1 :]]
    for older, younger in map(by_number, pairs):
        edge = m.edges.get((older, "associative", younger))
        if edge is None:
            m.link(older, "associative", younger, m.p.association_weight, usage=1)
        else:
            m.reinforce(edge, m.p.association_weight)


def _continue(m: Memory, event: Node, name: str, leading: Node | None) -> None:
    """Where the event stands in its session, and its session among the sessions."""
    session = m.sessions.get(name)
    if session is not None:
        if session.last is not None and session.last.live:
            m.link(session.last, "temporal", event)
    else:
        if m.sessions:
            latest = max(m.sessions.values(), key=lambda each: each.touched)
            if latest.last is not None and latest.last.live:
                m.link(latest.last, "temporal", event)
                event.flags.add("opening")
                m.happened.append("opened")
        end_idle(m)
        session = m.sessions[name] = Session(session_mark(name))
    session.last, session.leading, session.touched = event, leading, m.seq + 1
    session.trust = max(session.trust, event.trust)
    session.heard, session.ended = m.tick, False
    session.buffer.append(event)
    make_room(m)


def _compete(m: Memory, rivals: list[Node]) -> None:
    for rival in list(dict.fromkeys(rivals))[: m.p.competitors_max]:
        if rival.live and rival.trust > m.trust:
            m.happened.append("stood above")
        elif rival.live:
            m.settle(rival)
            rival.salience *= 1 - m.p.competitor_loss
            m.happened.append("competed")
