"""The law of notes on a desk, as the page has it."""

from hashlib import blake2b
from math import inf
from typing import Any, Final

from tests.graph.oracle.decisions import misplaced
from tests.graph.oracle.knowing.claims import MEMBERS_MAX, evidence_of, made, places_of, values_of
from tests.graph.oracle.knowing.lines import said_by
from tests.graph.oracle.knowing.standing import gives_status, say_whether_stale
from tests.graph.oracle.memory import HELD, Memory
from tests.graph.oracle.records import Line, Name, Node
from tests.graph.oracle.regards import begin, keys_of
from tests.graph.oracle.sessions import clear, room_on_desk
from yggdrasil_schemas.graph.knowledge import Definition
from yggdrasil_schemas.refusals import Refusal

SEVERAL: Final = ("goal", "subgoal", "threat", "promise")
UNDEFINED: Final = Definition("one", "confidence", False, 1, 0, "")


def note_down(m: Memory, name: Name, body: dict[str, Any], session_name: str) -> Refusal | None:
    """What somebody notes, in place of what they noted before."""
    session = m.sessions.get(session_name)
    if session is None or session.ended:
        return Refusal.SESSION_NOT_OPEN
    evidence = evidence_of(m, body)
    if isinstance(evidence, Refusal):
        return evidence
    trust = min([m.trust, *(node.trust for node in evidence)])
    who, root = said_by(m, evidence)
    several = UNDEFINED._replace(cardinality="many") if body["predicate"] in SEVERAL else UNDEFINED
    means = m.predicates.get(body["predicate"], several)
    place = next(iter(places_of(m, body, means, trust)))
    slot = blake2b(place + who, digest_size=16, person=b"yggdrasil-desk").digest()
    former = m.in_slot(slot)
    notes = [node for node in former if node.claim is not None and node.claim.sort == "desk"]
    going = [node for node in notes if node.authority <= trust and (m.by_operator or not node.protected)]
    if len([node for node in former if node not in going and node.status in HELD]) >= MEMBERS_MAX:
        return Refusal.SLOT_FULL
    refusal = misplaced(m, body)
    if refusal is not None:
        return refusal
    begins = body.get("valid_from", -inf)
    weight = body.get("confidence", 70) * getattr(m.p, f"claim_weight_{trust}")
    line = Line(who, root, trust, weight, begins, m.seq + 1)
    node = made(
        m, name, body, line, next(iter(values_of(m, body, means, trust))), body.get("valid_to", inf), len(former)
    )
    for each in evidence:
        m.link(each, "evidence", node)
    gives_status(m, node, m.first_status(trust), name, slot, None)
    begin(m, node, keys_of(m, body), trust)
    for each in [node, *evidence]:
        say_whether_stale(m, each)
    m.happened.append("noted")
    if len(going) < len(former):
        m.happened.append("noted beside what stays")
    for each in going:
        _replace(m, each, node)
    session.desk.append(node)
    session.heard = m.tick
    clear(m, session, room_on_desk(m), name, trust)
    if m.stamped == 0:
        m.take_in(m.voice)
    return None


def _replace(m: Memory, former: Node, node: Node) -> None:
    """It is forgotten; who asks for it is told of what says the same."""
    for session in m.sessions.values():
        if former in session.desk:
            session.desk.remove(former)
    if former.claim is not None and node.claim is not None and former.claim.value == node.claim.value:
        former.heir = node
        m.happened.append("noted again")
    else:
        m.happened.append("noted otherwise")
    m.remove(former)
