"""Decisions of thinkers take effect once, whoever delivers them how often (design, section 7)."""

from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.commands.decisions import Decision
from yggdrasil_schemas.limits import THINKERS_MAX
from yggdrasil_schemas.refusals import Refusal, Refused


def refuse(graph: Graph, decision: Decision) -> Refused | None:
    """Return why a decision comes too late or too early, if so; every other check comes first."""
    thinker = decision.thinker
    if thinker is None:
        return None
    header = graph.header
    stored = header.cursors.get(thinker.name)
    if thinker.cursor_from != (stored or 0):
        return Refused(Refusal.CURSOR_STALE)
    if not thinker.cursor_from < thinker.cursor_to <= header.seq:
        return Refused(Refusal.CURSOR_AHEAD)
    if stored is None and len(header.cursors) >= THINKERS_MAX:
        return Refused(Refusal.THINKERS_FULL)
    return None


def advance(graph: Graph, decision: Decision) -> None:
    """Note how far the thinker has decided; only for an accepted decision."""
    if decision.thinker is not None:
        graph.header.cursors[decision.thinker.name] = decision.thinker.cursor_to
