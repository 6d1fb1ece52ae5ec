"""Find what a command refers to, and what came before it."""

from typing import Final

from yggdrasil_schemas.graph import CommandKind, EdgeKey, EdgeKind, Identity, node_number
from yggdrasil_schemas.ids import id_bytes
from yggdrasil_schemas.refusals import Refusal, Refused

from ..working_set import Graph

FEATURE_PREFIX: Final = "feature:"


def accepted(graph: Graph, command_id: str) -> Identity | None:
    """Return the identity of an accepted command of this memory, or None."""
    identity = graph.identity(id_bytes(command_id))
    return identity if identity is not None and identity.result == 0 else None


def recall_seq(graph: Graph, command_id: str) -> int | Refused:
    """Return the seq of an accepted recall."""
    identity = accepted(graph, command_id)
    if identity is None or identity.kind != CommandKind.RECORD_RECALL:
        return Refused(Refusal.UNKNOWN_RECALL)
    return identity.seq


def resolve(graph: Graph, reference: str) -> int | Refused | None:
    """Return the number of the live node that ``reference`` names, or None when it is no longer there.

    A feature that was pruned cannot be told from one that never was, so a feature's name is never refused.
    """
    if reference.startswith(FEATURE_PREFIX):
        return graph.feature(reference.removeprefix(FEATURE_PREFIX))
    identity = accepted(graph, reference)
    if identity is None:
        return Refused(Refusal.UNKNOWN_REFERENCE)
    number = node_number(identity.seq)
    return number if graph.node(number) is not None else None


def step_before(graph: Graph, number: int) -> EdgeKey | None:
    """Return the temporal edge that leads to an event from the one before it in its session, if there is one."""
    before = (key for key in sorted(graph.links(number)) if key[1] == EdgeKind.TEMPORAL and key[2] == number)
    return next(before, None)
