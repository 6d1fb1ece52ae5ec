"""The law of vectors: what a model made of a node is kept beside it, and changes nothing that it is worth."""

from collections.abc import Mapping
from typing import Final

from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.commands import AttachVector, Command
from yggdrasil_schemas.graph.codec import vector_key
from yggdrasil_schemas.graph.records import Act, NodeKind
from yggdrasil_schemas.limits import TRUST_MAX, VECTORS_PER_NODE_MAX
from yggdrasil_schemas.refusals import Refusal, Refused

from ..authority import trust_of
from ..derivation import trust_here
from ..reference import resolve

_NOTHING: Final = -1  # less than the trust of anybody


def attach_vector(graph: Graph, command: AttachVector, seq: int, record: bytes) -> Refused | None:
    """Keep the record with a node, by the model that it names; the vector in it may be sealed, and is never read.

    Where a node is found by meaning decides which questions it answers: so it takes the trust of the node, and that of
    whoever attached the vector that gives way. Nothing is settled: a memory whose every node is embedded anew is the
    same memory, to the last bit.
    """
    body = command.body
    number = resolve(graph, body.node)
    if isinstance(number, Refused):
        return number
    node = graph.node(number) if number is not None else None
    if node is None:
        return Refused(Refusal.NODE_FORGOTTEN)
    trust = trust_here(graph, command)
    if trust < (TRUST_MAX if node.kind == NodeKind.FEATURE else node.trust):  # a feature is everybody's
        return Refused(Refusal.NOT_TRUSTED)
    instead, trusted = _giving_way(graph.attached(node), body.model)
    if trust < trusted:
        return Refused(Refusal.NOT_TRUSTED)
    graph.attach(node, body.model, seq, record, instead)
    graph.changed_acts[seq] = Act(trust, vector_key(node.number, body.model))
    return None


def _giving_way(attached: Mapping[str, tuple[int, Command]], model: str) -> tuple[str | None, int]:
    """Return the model whose vector gives way to one of ``model``, and how far whoever attached it was trusted.

    That is the one of the same model; without one, where there are as many as a node may have, the one that was
    attached with the least trust, of equals the first.
    """
    if model in attached:
        return model, trust_of(attached[model][1])
    if len(attached) < VECTORS_PER_NODE_MAX:
        return None, _NOTHING
    trust, _, least = min((trust_of(each), seq, other) for other, (seq, each) in attached.items())
    return least, trust
