"""The desk of a session: notes of which the latest of each writer counts, and which contend with nothing (004)."""

from hashlib import blake2b
from typing import Final

from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.commands import AssertClaim
from yggdrasil_schemas.graph.knowledge import OPEN_FROM, OPEN_TO, Claim, Definition, Line
from yggdrasil_schemas.graph.predicates import DESK_OF_MANY
from yggdrasil_schemas.graph.records import PROTECTED, SLOT_BYTES, Node, Ruling, Status
from yggdrasil_schemas.ids import id_bytes
from yggdrasil_schemas.limits import SLOT_MAX
from yggdrasil_schemas.refusals import Refusal, Refused

from ..authority import is_operator, trust_of, who
from ..bounds.heirs import name_heir
from ..decisions.thinker import advance, refuse
from ..derivation import FOREIGN, take_in, trust_here
from ..experience.session import put_on_desk
from ..regard import begin, keys_of
from ..standing.ruling import authority, first_status, review, rule
from .lines import heard_from
from .nodes import conclude, evidence_of, joined
from .slots import slots_of, values_of

DESK: Final = 4
"""The number of the class."""
_ONE, _MANY = Definition("one"), Definition("many")
_PROTECTED: Final = int(PROTECTED)
_OUT_FROM: Final = Status.SUPERSEDED


def note_down(graph: Graph, command: AssertClaim, seq: int, record: bytes) -> Refused | None:
    """Put a note on the desk of the session that is open, in place of the last one that its writer has put there.

    Each writer has a slot of their own, so that nobody's note is weighed against another's. What is replaced is
    forgotten at once; if it said the same, the note is its heir. Where the desk is full, of the least trusted the
    oldest is settled.
    """
    body = command.body
    session = graph.sessions.get(command.session)
    if session is None or session.ended:
        return Refused(Refusal.SESSION_NOT_OPEN)
    evidence = evidence_of(graph, command)
    if isinstance(evidence, Refused):
        return evidence
    trust = min([trust_here(graph, command), *[each.trust for each in evidence]])
    voice, root = heard_from(graph, command, evidence)
    definition = graph.definition(body.predicate) or (_MANY if body.predicate in DESK_OF_MANY else _ONE)
    slot = _own_slot(next(iter(slots_of(graph, body, definition, trust))), voice)
    beside = [graph.expect(number) for number in graph.slot(slot)]
    going = [each for each in beside if _gives_way(graph, command, each, trust)]
    staying = [each for each in beside if each not in going and each.status < _OUT_FROM]
    if len(staying) >= SLOT_MAX:
        return Refused(Refusal.SLOT_FULL)
    stale = refuse(graph, body)
    if stale is not None:
        return stale

    node = joined(graph, command, seq, trust, len(beside), record)
    begins = OPEN_FROM if body.valid_from is None else body.valid_from
    ends = OPEN_TO if body.valid_to is None else body.valid_to
    line = Line(voice, root, trust, body.confidence * graph.header.policy.claim_weights[trust], begins, seq)
    value = next(iter(values_of(graph, body, definition, trust)))
    tick = graph.header.tick
    graph.note_claim(node, Claim(DESK, body.predicate, value, begins, ends, OPEN_TO, tick, 0, (line,)))
    conclude(graph, node, evidence)
    rule(graph, node, first_status(graph.header.policy, trust), Ruling(slot))
    begin(graph, node, keys_of(graph, body.perspectives), trust)
    for each in evidence:
        review(graph, each)
    for each in going:
        _replace(graph, each, node)
    put_on_desk(graph, command.session, node.number, id_bytes(command.id), trust)
    if trust_of(command) == FOREIGN:
        take_in(graph, command, who(command))
    advance(graph, body)
    return None


def _gives_way(graph: Graph, command: AssertClaim, former: Node, trust: int) -> bool:
    """Whether a note of the same writer gives way: not where it was trusted more then, or somebody protects it.

    An event that took the place of a note is none, and stays.
    """
    claim = graph.claim(former)
    if claim is None or claim.sort != DESK:
        return False
    return authority(graph, former) <= trust and (is_operator(command) or not former.flags & _PROTECTED)


def _replace(graph: Graph, former: Node, node: Node) -> None:
    """Forget a note, whichever desk it is on.

    What refers to it finds the one in its place, if that says the same: a verdict never comes upon other words than
    those that it is about.
    """
    claim, now = graph.claim(former), graph.claim(node)
    for name in sorted(graph.sessions):
        session = graph.sessions[name]
        if former.number in session.desk:
            session.desk.remove(former.number)
            graph.changed_sessions[name] = session
    if claim is not None and now is not None and claim.value == now.value:
        name_heir(graph, former.number, node.number)
    graph.remove_node(former.number)


def _own_slot(slot: bytes, voice: bytes) -> bytes:
    return blake2b(slot + voice, digest_size=SLOT_BYTES, person=b"yggdrasil-desk").digest()
