"""Why two memories are related: in whose words, which are kept with what the command did."""

from collections.abc import Iterable
from typing import NamedTuple

from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.graph.records import EdgeKey, EdgeKind

from ...records import command_in, text_of

RELATIONS_FROM = int(EdgeKind.SUPPORTS)


class Why(NamedTuple):
    """The reason that is shown of a relation, None where it has none or is sealed, with who gave it.

    ``seq`` is that of the command, ``thinker`` who decided it, where that was a thinker.
    """

    reason: str | None = None
    seq: int = 0
    thinker: str | None = None


def by_trust(graph: Graph, keys: Iterable[EdgeKey]) -> list[EdgeKey]:
    """Return those edges that somebody has said: what the most trusted said first, then the latest."""
    related = [(said.trust, said.seq, key) for key in keys if (said := graph.relation(key)) is not None]
    return [key for _, _, key in sorted(related, reverse=True)]


def why_related(graph: Graph, key: EdgeKey) -> Why:
    """Return why two memories are related, of an edge that is a relation; nothing of any other edge."""
    said = graph.relation(key) if key[1] >= RELATIONS_FROM else None
    if said is None:
        return Why()
    act = graph.act(said.seq)
    if act is None or not act.record:
        return Why(seq=said.seq)
    command = command_in(act.record)
    thinker = getattr(command.body, "thinker", None)
    return Why(text_of(command), said.seq, None if thinker is None else thinker.name)
