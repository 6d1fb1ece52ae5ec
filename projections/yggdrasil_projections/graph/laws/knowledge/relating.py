"""How things have to do with each other, as somebody says: edges of their own kinds, each with its reason."""

from typing import Final

from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.commands import Relate
from yggdrasil_schemas.graph.records import Act, EdgeKey, EdgeKind, Node, Relation
from yggdrasil_schemas.limits import SAYERS_MAX
from yggdrasil_schemas.refusals import Refusal, Refused

from ..decisions.thinker import advance, refuse
from ..derivation import trust_here
from ..edges import new_edge, reinforce
from ..reference import resolve

_KINDS: Final = {kind.name.lower(): int(kind) for kind in EdgeKind if kind >= EdgeKind.SUPPORTS}  # ascii: our own


def relate(graph: Graph, command: Relate, seq: int, record: bytes) -> Refused | None:
    """Join two live nodes by an edge of the relation's kind, or reinforce it; why stands in the command's content,
    which is kept with what it did.

    The reason that is shown is that of who is trusted most, of these of who said so last.
    """
    body = command.body
    ends: list[Node] = []
    for reference in (body.source, body.target):
        number = resolve(graph, reference)
        if isinstance(number, Refused):
            return number
        if number is None:
            return Refused(Refusal.NODE_FORGOTTEN)
        ends.append(graph.expect(number))
    source, target = ends
    if source is target:
        return Refused(Refusal.RELATED_TO_ITSELF)
    stale = refuse(graph, body)
    if stale is not None:
        return stale
    kind = _KINDS[body.relation]
    key = (source.number, kind, target.number)
    policy = graph.header.policy
    edge = graph.settled_edge(key)
    if edge is None:
        new_edge(graph, source, kind, target, policy.association_weight)
    else:
        reinforce(graph, edge, policy.association_weight)
    trust = trust_here(graph, command)
    said_by(graph, key, seq, trust)
    graph.changed_acts[seq] = Act(trust, key, record=record)
    advance(graph, body)
    return None


def said_by(graph: Graph, key: EdgeKey, seq: int, trust: int) -> None:
    """Note that the command at ``seq`` says how two things are related; of many the most trusted are kept."""
    before = graph.relation(key)
    said = sorted([*(before.said if before else ()), (seq, trust)], key=lambda each: (each[1], each[0]))
    graph.changed_relations[key] = Relation(tuple(said[-SAYERS_MAX:]))
